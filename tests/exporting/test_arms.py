"""Files and the ethics packet of a survey with random arms, one of which is asked plainly."""

import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse

from surveys.answering.words.designs import odds_bound
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.exporting.selectors import described_items
from surveys.models import Survey
from surveys.questionnaire.definition import Definition
from tests.answering.test_plain_arm import TWO, questions
from tests.exporting.core_numbers import expected_numbers
from tests.exporting.running import differences, outputs
from tests.factories import fill, make_open, plain, yes_no
from tests.pages import owner_of, page_of, text_of, words_of

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
    for output in outputs(survey, tmp_path):
        assert differences(output, expected) == []


def test_where_an_arm_is_withheld_no_program_says_who_left_out(tmp_path: Path) -> None:
    survey = make_open(yes_no(), yes_no("Or this?", arms=[1]), yes_no("Or that?", arms=[2]), arms=TWO)
    fill(survey, {"01-0": 40, "1-11": 4})
    survey = close_survey(survey=survey)
    for output in outputs(survey, tmp_path):
        assert "q1.missing" in output
        assert "q2.missing" not in output


def test_a_survey_without_arms_has_no_word_of_them_in_what_programs_hold() -> None:

    assert not {"arms", "quantity"} & {name for item in described_items(definition_of(make_open())) for name in item}


@pytest.fixture
def packet() -> HttpResponse:
    survey = make_open(
        *questions(),
        plain(("Law", "Arts"), "What do you study?"),
        plain(("Yes", "No"), "Do you live at home?"),
        arms=TWO,
        expected_n=300,
    )
    return owner_of(survey).get(reverse("survey-ethics", args=[survey.code]))


def _bound(definition: Definition) -> str:
    return " ".join(odds_bound(definition.losses).split())


def test_a_board_reads_who_is_asked_what_with_which_odds_and_what_each_arm_costs(packet: HttpResponse) -> None:
    described = [(arm.odds, arm.asked, arm.unprotected) for arm in packet.context["arms"]]
    assert described == [
        (Fraction(2, 3), (1, 3, 4, 5), (3, 4, 5)),
        (Fraction(1, 3), (2, 3, 4, 5), (2, 3, 4, 5)),
    ]
    arms = text_of(packet).partition('aria-labelledby="arms-title"')[2].partition("</section>")[0]
    coins, _, plainly = words_of(arms).partition(TWO[1]["name"])
    bound = _bound(packet.context["arms"][0].met)
    assert (bound in coins, bound in plainly) == (True, False)
    assert [words for words in ("2 in 3", "1 and 3 to 5", "3 to 5") if words not in coins] == []
    assert [words for words in ("1 in 3", "2 to 5") if words not in plainly] == []


def test_nothing_in_it_adds_arms_up(packet: HttpResponse) -> None:
    definition = packet.context["definition"]
    assert definition.unprotected == (2, 3, 4, 5)
    assert definition.costliest.epsilon == pytest.approx(math.log(3))
    assert _bound(definition.costliest) in words_of(text_of(packet))


def test_each_arm_has_what_it_reads_first_and_who_could_be_singled_out_is_counted(packet: HttpResponse) -> None:
    first = text_of(packet).partition('aria-labelledby="first-title"')[2].partition("</section>")[0]
    for part, arm in zip(first.split("<h3")[1:], packet.context["arms"], strict=True):
        headline = render_to_string("answering/_headline.html", {"definition": arm.met})
        assert " ".join(headline.split()) in part
        assert ('class="unprotected"' in part) == bool(arm.unprotected)
    # Three years, two subjects, two homes; in the second arm twice as many, by the first answer.
    assert re.findall(r"\d+", packet.context["singled_out"].what) == ["36", "300"]


def test_without_arms_and_plain_questions_the_packet_has_none_of_this() -> None:
    survey = make_open(yes_no())
    packet = owner_of(survey).get(reverse("survey-ethics", args=[survey.code]))
    context = packet.context
    assert (context["arms"], context["compared"], context["singled_out"], context["sensitive"]) == ([], [], None, ())
    assert not re.search(r"\barms?\b", words_of(text_of(packet)))


def test_the_codebook_says_in_which_arms_a_question_is_asked(survey: Survey) -> None:
    # Among the values of the column of arms, and at one question.
    [coins, plainly] = (arm["name"] for arm in TWO)
    page = words_of(page_of("survey-export-codebook", survey))
    assert [page.count(name) for name in (coins, plainly)] == [2, 2]
    assert reverse("survey-export", args=[survey.code]) in page_of("survey-export-codebook", survey)
