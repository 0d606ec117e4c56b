"""Files and the ethics packet of a survey with random arms, one of which is asked plainly."""

import re
from pathlib import Path

import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.exporting.selectors import described_items
from surveys.models import Survey
from tests.answering.test_plain_arm import TWO, questions
from tests.exporting.core_numbers import expected_numbers
from tests.exporting.running import differences, outputs
from tests.factories import fill, make_open, plain, yes_no
from tests.pages import page_of, words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    survey = make_open(
        yes_no("Did you cheat?", arms=[1], quantity=1, leave_out="visibly"),
        yes_no("Did you cheat?", arms=[2], quantity=1, design="plain", parameters={}, leave_out="no"),
        yes_no("Did you copy?"),
        arms=TWO,
    )
    fill(survey, {"1-00": 30, "0-10": 35, "--00": 6, "-101": 20, "-011": 25})
    return close_survey(survey=survey)


def test_the_programs_read_the_arm_and_compare_what_asks_for_the_same(survey: Survey, tmp_path: Path) -> None:
    expected = expected_numbers(survey, {"(none)"})
    assert (expected["q1.n"], expected["q1.missing"], expected["q2.missing"]) == (65, 6, 0)
    assert "q1.q2.difference.1.moment" in expected
    for found in outputs(survey, tmp_path):
        assert differences(found, expected) == []


def test_where_an_arm_is_withheld_no_program_says_who_left_out(tmp_path: Path) -> None:
    survey = make_open(yes_no(), yes_no("Or this?", arms=[1]), yes_no("Or that?", arms=[2]), arms=TWO)
    fill(survey, {"01-0": 40, "1-11": 4})
    survey = close_survey(survey=survey)
    for found in outputs(survey, tmp_path):
        assert "q1.missing" in found
        assert "q2.missing" not in found


def test_a_survey_without_arms_has_no_word_of_them_in_what_programs_hold() -> None:

    assert not {"arms", "quantity"} & {name for item in described_items(definition_of(make_open())) for name in item}


@pytest.fixture
def packet() -> str:
    survey = make_open(
        *questions(),
        plain(("Law", "Arts"), "What do you study?"),
        plain(("Yes", "No"), "Do you live at home?"),
        arms=TWO,
        expected_n=300,
    )
    return words_of(page_of("survey-ethics", survey))


def test_a_board_reads_who_is_asked_what_with_which_odds_and_what_each_arm_costs(packet: str) -> None:
    _, _, arms = packet.partition("Who is asked what")
    arms = arms.partition("What respondents read first")[0]
    coins, _, plainly = arms.partition("Asked directly")
    assert "2 of 3 respondents" in coins
    assert "Questions, as numbered below 1 and 3 to 5 Not protected 3 to 5" in coins
    assert "at most 3‑fold (ε ≤ 1.10). This is about the protected answers alone." in coins
    assert "1 of 3 respondents" in plainly
    assert "Questions, as numbered below 2 to 5 Not protected 2 to 5" in plainly
    assert "Without limit: all that is answered is sent as it is." in plainly


def test_nothing_in_it_adds_arms_up_or_calls_a_plain_answer_hidden(packet: str) -> None:
    costly = "In the arm that costs most: at most 3‑fold (ε ≤ 1.10); two responses of one person can be in two arms"
    assert costly in packet
    assert "Of the others: True answers" not in packet
    assert "Answered twice, this holds no longer." in packet
    assert "4 questions are not protected: questions 2 to 5 are sent as they are." in packet
    assert "In one arm at least, chance protects nothing." in packet
    assert "From one of them nobody can be sure of a true answer" not in packet
    assert "the others are sent and stored as they are" in packet
    assert "Asked in the arms: Asked directly" in packet
    assert "Asked in the arms: With coins, Asked directly" in packet


def test_it_says_what_each_arm_reads_first_and_who_could_be_singled_out(packet: str) -> None:
    first = packet.partition("What respondents read first")[2].partition("The questions as they are asked")[0]
    coins, _, plainly = first.partition("Asked directly")
    assert "Chance hides your answers, except to questions 2 to 4" in coins
    assert "Your answers are sent as they are" in plainly
    assert "Your phone adds chance" not in plainly
    assert "Here questions have the numbers that people of this arm see." in first
    # Three years, two subjects, two homes; in the second arm twice as many, by the first answer.
    assert "makes 36 combinations, for 300 people" in packet
    assert "Whoever knows enough of them about somebody finds this person’s row." in packet


def test_without_arms_and_plain_questions_the_packet_has_none_of_this() -> None:
    words = words_of(page_of("survey-ethics", make_open(yes_no())))
    for absent in (r"\barms?\b", "singled out", "are? not protected:", "asked directly"):
        assert not re.search(absent, words)


def test_what_files_hold_of_arms_is_said_beside_them_and_to_the_board(survey: Survey, packet: str) -> None:
    told = "are withheld unless each arm has 10 responses. With arms, no mode is given."
    assert told in packet
    assert told in words_of(page_of("survey-export", survey))
    assert told not in words_of(page_of("survey-export", make_open(yes_no())))


def test_the_codebook_says_in_which_arms_a_question_is_asked(survey: Survey) -> None:
    assert "Asked in the arms With coins" in words_of(page_of("survey-export-codebook", survey))
    assert reverse("survey-export", args=[survey.code]) in page_of("survey-export-codebook", survey)
