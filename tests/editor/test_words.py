"""The editor's promises, statistical claims and warnings, word for word, each of them once."""

from functools import cache

import pytest
from django.test import override_settings

from tests.editor.form import NEW, arms, closed, posted, question
from tests.factories import INNOCUOUS
from tests.pages import said_on, signed_in, text_of

pytestmark = pytest.mark.django_db
FACT = {"innocuous": "?", "innocuous_source": "?", "innocuous_share": "1/4"}
CROSSWISE = question(design="crosswise", **FACT)
TRIANGULAR = question(design="triangular", accepts_infinite="on", **FACT)
SEVERAL = question(kind="several_of", options="A\nB\nC")
MEAN = question(kind="number_mean", low="0", high="12", step="0.5", unit="hours")
WINDOW = MEAN | {"design": "number_window", "truth": "3/5", "grid": "7", "window": "3"}
BANDS = question(kind="number_bands", design="k_ary", edges="0 10 20")
YEAR = closed(kind="one_of", options="First\nSecond\nLater", design="plain")
LIST = question(kind="item_count", design="k_ary", options="\n".join(INNOCUOUS), leave_out="no")
UNRELATED = question(
    design="unrelated_question",
    selector="Digit?",
    selector_share="7/10",
    selector_source="Digits",
    quantity="1",
    **FACT,
)
PLAIN = question(design="plain", leave_out="no", arms="2", quantity="1")
TWO_ARMS = arms(("A", "1"), ("B", "1"))

PAGES = {
    "two coins": posted(question()),
    "80 people": posted(question(), expected_n="80"),
    "1000 people": posted(question(), expected_n="1000"),
    "a rare share": posted(question(), expected_share="5"),
    "crosswise": posted(CROSSWISE),
    "triangular": posted(TRIANGULAR),
    "several options": posted(SEVERAL),
    "a mean": posted(MEAN, expected_n="80"),
    "a window": posted(WINDOW),
    "only factors": posted(MEAN | {"design": "scrambled_number", "truth": "1", "accepts_infinite": "on"}),
    "bands": posted(BANDS),
    "sent as it is": posted(question(design="plain")),
    "a branch": posted(YEAR, question(asked_if="1.2, 1.3"), expected_n="90"),
    "two arms": posted(question(arms="1", quantity="1"), PLAIN, expected_n="400") | TWO_ARMS,
    "two unrelated arms": posted(
        UNRELATED | {"arms": "1"}, UNRELATED | {"arms": "2", "selector_share": "3/10"}, expected_n="400"
    )
    | TWO_ARMS,
    "a list": posted(LIST, question()) | TWO_ARMS,
    "three closed": posted(closed(), closed(), closed(truth="9/10")),
    "ten closed": posted(*[closed()] * 10),
    "four of 200": posted(*[closed(truth="7/10")] * 4, expected_n="200"),
    "no coin helps": posted(closed(), closed(design="crosswise", **FACT)),
}


@cache
def _page(name: str) -> str:
    with override_settings(EPSILON_LEVEL=4.0):
        return said_on(text_of(signed_in().post(NEW, PAGES[name] | {"action": "refresh"})))


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("two coins", "Odds about the true answer change at most 3-fold."),
        ("two coins", "Seeing a report changes anyone’s odds about the true answer at most 3-fold."),
        ("two coins", "±35 of 100 (margin of error)"),
        ("two coins", "Too few people for a conclusion. 60 people would be enough."),
        ("two coins", "Strong protection. Odds about the true answer change at most 3-fold."),
        (
            "two coins",
            "Where protection weakens, odds about an answer change at most 5.7-fold instead of "
            "3-fold. In total: odds change at most 5.7-fold (ε 1.74).",
        ),
        ("two coins", "369 people would give a margin of error of ±10 percentage points."),
        (
            "two coins",
            "If the true share is 30%, a test with 30 people has a power of 42% to show that the share is above zero.",
        ),
        ("two coins", "For a power of 80% you need 68 people."),
        ("two coins", "Expected precision: 30 people, ε = 1.10, true value 30%"),
        (
            "two coins",
            "Not possible at this ε: “Two questions: No to both, or at least one Yes (triangular)” and “Yes sent as "
            "it is, No randomized (Mangat)”. The reason is that one of the reports always proves an answer.",
        ),
        (
            "two coins",
            "Protection has a cost. At best, 4.6 randomized answers are worth one truthful direct answer. But "
            "without protection, fewer answers may be truthful.",
        ),
        ("80 people", "Results will show a range, not a figure."),
        ("1000 people", "If the true share is 30 of 100, 95 of 100 such surveys give an estimate from 23 to 37."),
        ("a rare share", "Expect ±32 with a true share of 5%, and ±36 with 50%."),
        (
            "crosswise",
            "For people who do not know the respondent’s answer to the innocuous question, a report changes the "
            "odds about the true answer at most 3-fold.",
        ),
        ("triangular", "The report “No to both” proves that the true answer is No."),
        (
            "only factors",
            "The report “0 hours” proves that the true answer is not a number from “3 hours” to “12 hours”.",
        ),
        ("several options", "Odds about one option change at most 3-fold (ε 1.10 for each option)."),
        (
            "several options",
            "Seeing the report about one option changes anyone’s odds about that option at most 3-fold.",
        ),
        ("several options", "In total: 3 options with ε = 1.10 each."),
        ("a mean", "If the mean is 6.00, 95 of 100 such surveys give an estimate from 3.37 to 8.63."),
        (
            "a mean",
            "The margin of error is for a 95% interval, if the true mean is in the middle of the range. 385 people "
            "would give a margin of error of ±1.2 hours.",
        ),
        ("a window", "The margin of error is for a 95% interval, if the numbers are spread evenly over the range."),
        ("bands", "Only this design suits this question."),
        (
            "sent as it is",
            "Each answer is sent, stored and exported as it is. Respondents read this before they begin and next to "
            "the question.",
        ),
        (
            "a branch",
            "60 of these people are asked this question. This number assumes that all answers to question 1 are "
            "equally common.",
        ),
        (
            "a list",
            "This is the margin of error for the sensitive statement’s share. It assumes that this many people answer "
            "each list and that every other statement is true for half of them.",
        ),
        (
            "two arms",
            "Questions 1 and 2 measure the same thing. If the share is 30% in one and 20% in the other, the test with "
            "400 people has a power of 27.6% (normal approximation). For a power of 80% you need 1,725 people.",
        ),
        (
            "two unrelated arms",
            "Questions 1 and 2 combined give a margin of error of ±12 percentage points with 400 people in the two "
            "arms together. This margin takes into account that a second share is estimated too.",
        ),
        ("three closed", "Weak protection in total: odds change at most 171-fold (ε 5.15)"),
        ("ten closed", "With 30 people, only the first 2 questions can be precise and private enough."),
        ("ten closed", "681 people would be enough."),
        (
            "four of 200",
            "For questions that become better protected, expect margins of error of at most ±15 of 100 (for a "
            "number, of its range).",
        ),
        (
            "several options",
            "With 30 people, this can’t be precise and private enough. Ask fewer questions or offer fewer options.",
        ),
        (
            "no coin helps",
            "At the probabilities offered here, 30 people are not enough for question 2. Choose another design. "
            "60 people would be enough.",
        ),
    ],
)
def test_a_page_says_it(page: str, sentence: str) -> None:
    assert sentence in _page(page)
