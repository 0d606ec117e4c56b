"""The sentences of a presentation that promise or claim something, each held once."""

from typing import Any

import pytest

from surveys.common.selectors import definition_of
from surveys.presenting.selectors import AnswerCount, SlideStep
from surveys.presenting.words import again_words, batch_words, counted_words, expected_words, promise_words, says
from surveys.questionnaire.question import Question
from tests.factories import (
    crosswise,
    make_open,
    number_mean,
    one_of,
    plain,
    several_of,
    triangular,
    unrelated,
    warner,
    yes_no,
)
from tests.presenting.presented import reveal_of

pytestmark = pytest.mark.django_db
NO = {"leave_out": "no"}


@pytest.mark.parametrize(
    ("drafts", "fields", "promise"),
    [
        (
            [yes_no()],
            {},
            "No account, no name. Your phone randomizes answers before sending. Nobody can be sure what you meant. The "
            "first page shows how much a report reveals.",
        ),
        ([yes_no(), crosswise()], {}, "No account, no name. Answers are randomized before anything leaves your phone."),
        (
            [yes_no()],
            {"server_mode_allowed": True},
            "No account, no name. Answers are randomized before anything is stored.",
        ),
        ([triangular()], {}, "Some answers can still show what you meant. The first page shows which."),
        (
            [yes_no(), plain()],
            {},
            "No account, no name. Some answers are protected, others are sent as they are. The first page shows which.",
        ),
    ],
)
def test_what_is_promised_is_true_of_a_survey(drafts: list[Question], fields: dict[str, Any], promise: str) -> None:
    assert promise in promise_words(definition_of(make_open(*drafts, **fields)))


def test_why_the_count_stands_still() -> None:
    words = batch_words(AnswerCount(20, 10, exact=False))
    assert words == "People are counted in steps of 10, so that individuals rarely stand out."


def test_of_how_many_the_figures_are() -> None:
    result = reveal_of(yes_no(**NO), {"1": 9, "0": 9}).result
    assert counted_words(result, AnswerCount(20, 10, exact=False)) == (
        "18 of at least 20 people counted so far. The others are added in batches, and all are counted once the "
        "survey is closed."
    )


UNEVEN = {"truth": [1, 2], "weights": [[1, 2], [3, 10], [1, 5]]}
CARDS = {"design": "warner", "parameters": {"p": [1, 4]}, **NO}


@pytest.mark.parametrize(
    ("draft", "counts", "step", "place", "sentence"),
    [
        (yes_no(**NO), {"1": 43, "0": 57}, "received", 0, "43 of 100 reports say “Yes”. All reports are randomized."),
        (
            one_of(),
            {"0": 50, "1": 30, "2": 20},
            "received",
            0,
            "Each bar shows one answer’s share of the reports. All reports are randomized.",
        ),
        (
            yes_no(**NO),
            {"1": 43, "0": 57},
            "chance",
            0,
            "Of 100 reports, 25 are “Yes” purely at random, whatever the true answers are.",
        ),
        (
            yes_no(**NO),
            {"1": 43, "0": 57},
            "chance",
            1,
            "The share among the reports received is 43 of 100, which is 18 more.",
        ),
        (
            yes_no(**NO),
            {"1": 22, "0": 78},
            "chance",
            1,
            "The share among the reports received is 22 of 100, which is 3 less.",
        ),
        (
            yes_no(**NO),
            {"1": 25, "0": 75},
            "chance",
            1,
            "The share among the reports received is also 25 of 100.",
        ),
        (
            warner(**NO),
            {"1": 50, "0": 50},
            "chance",
            0,
            "If nobody’s true answer was “Yes”, 25 of 100 reports would still be “Yes”, purely at random.",
        ),
        (
            crosswise(**NO),
            {"1": 60, "0": 40},
            "chance",
            0,
            "If nobody’s true answer was “Yes”, 75 of 100 people would still report “The same answer”, because "
            "their answer to the innocuous question is No too.",
        ),
        (
            triangular(**NO),
            {"1": 40, "0": 60},
            "chance",
            0,
            "If nobody’s true answer was “Yes”, 25 of 100 people would still report “Yes to at least one”, because "
            "their answer to the innocuous question is Yes.",
        ),
        (
            unrelated(**NO),
            {"1": 25, "0": 75},
            "chance",
            0,
            "Of 100 reports, 7.5 say “Yes” in answer to the innocuous question, whatever the true answers are.",
        ),
        (
            one_of(),
            {"0": 50, "1": 30, "2": 20},
            "chance",
            0,
            "Each of these answers gets 16.7 of 100 reports purely at random, whatever the true answers are.",
        ),
        (
            one_of(parameters=UNEVEN),
            {"0": 50, "1": 30, "2": 20},
            "chance",
            0,
            "The hatched part of each bar is purely random, whatever the true answers are. Subtract this part.",
        ),
        (
            several_of(**NO),
            {"000": 50, "110": 50},
            "chance",
            0,
            "For each option, 25 of 100 reports are “Yes” purely at random, whatever the true answers are.",
        ),
        (
            several_of(**CARDS),
            {"000": 50, "111": 50},
            "chance",
            0,
            "If nobody’s true answer was “Yes”, 75 of 100 reports would still be “Yes”, purely at random.",
        ),
        (yes_no(**NO), {"1": 43, "0": 57}, "stretch", 0, "Only 50 of 100 reports depend on the true answer."),
        (yes_no(**NO), {"1": 43, "0": 57}, "stretch", 1, "18 out of 50 is the same as 36 out of 100."),
        (
            yes_no(**NO),
            {"1": 22, "0": 78},
            "stretch",
            1,
            "Scaled up from 50 to 100, the rest would be −6, but a share below 0 is impossible.",
        ),
        (
            yes_no(**NO),
            {"1": 78, "0": 22},
            "stretch",
            1,
            "Scaled up from 50 to 100, the rest would be 106, but a share above 100 is impossible.",
        ),
        (
            warner(**NO),
            {"1": 50, "0": 50},
            "stretch",
            0,
            "If “Yes” was everybody’s true answer, not nobody’s, the expected share would be 50 higher, at 75 of 100.",
        ),
        (
            crosswise(**NO),
            {"1": 60, "0": 40},
            "stretch",
            0,
            "If “Yes” was everybody’s true answer, not nobody’s, the expected share would be 50 lower, at 25 of 100.",
        ),
        (
            one_of(),
            {"0": 50, "1": 30, "2": 20},
            "stretch",
            1,
            "The rest is multiplied by 2, so that 50 becomes 100.",
        ),
        (number_mean(**NO), {"1": 43, "0": 57}, "number", 0, "Every number was rounded at random to 0 or 12 hours."),
        (
            number_mean(**NO),
            {"1": 43, "0": 57},
            "number",
            1,
            "With 36 of 100 numbers at the upper end and the others at the lower end, the mean is 4.32 hours.",
        ),
        (
            yes_no(**NO),
            {"1": 43, "0": 57},
            "estimate",
            0,
            "Only for people who answered, assuming all followed the instructions.",
        ),
        (yes_no(**NO), {"1": 100}, "misfit", 0, "Respondents probably did not follow the instructions."),
    ],
)
def test_what_a_step_says(draft: Question, counts: dict[str, int], step: str, place: int, sentence: str) -> None:
    assert says(reveal_of(draft, counts), SlideStep(step))[place] == sentence


def test_what_is_drawn_again() -> None:
    again = reveal_of(yes_no(**NO), {"1": 43, "0": 57}).again
    assert again
    [words] = again_words(again)
    assert words.startswith(
        "The same people answer again and again. Only the randomization is new each time. The method aims for 95 of 100"
    )
    assert expected_words(again).endswith("of 200 intervals should contain the assumed value.")
