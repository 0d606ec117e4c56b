"""Pages of results and slides of a survey with random arms: whose numbers they show."""

import random
import re
from collections import Counter

import pytest
from django.test import Client

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import Survey
from surveys.numbers.words import limits_of_100, nats
from surveys.results.report import Report
from surveys.results.sections.arms import comparison_of
from surveys.results.words import HIGHER_IS_NO_PROOF, difference_words, never_asked_together
from tests.answering.test_plain_arm import TWO, questions
from tests.factories import fill, make_admin, make_budget, make_open, yes_no
from tests.pages import page_of, presentation_of, words_of
from tests.releases.steps import STEP_1
from tests.results.drawn import numbers_in, page_and_context
from tests.results.seen import context_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    survey = make_open(*questions(), arms=TWO)
    fill(survey, {"1-00": 30, "0-10": 35, "0-20": 15, "-101": 20, "-011": 25, "-121": 15})
    return close_survey(survey=survey)


def test_the_overview_names_the_arms_of_questions_with_one_text_and_adds_no_arms_up(survey: Survey) -> None:
    page, context = page_and_context("survey-results", survey)
    [chart] = context["overview"]
    assert {row.label.partition("?")[2].partition(" “")[0]: numbers_in(row.detail)[-1:] for row in chart.rows} == {
        " (With coins)": ["80"],
        " (Asked directly)": ["60"],
        "": ["3"],  # of the question that all are asked: the largest of three estimates
    }
    words = words_of(page)
    assert all(row.label in words and row.detail in words for row in chart.rows)
    assert nats(definition_of(survey).in_arm(1).epsilon) in numbers_in(words.partition("ε of")[2].partition("·")[0])


def test_a_questions_page_says_in_which_arms_it_is_asked_and_compares_in_three_columns(survey: Survey) -> None:
    page = page_of("survey-results-question", survey, number=1)
    asked = page.split('id="question-1"')[1].split("</p>")[1]
    assert words_of(asked).endswith(": With coins")
    table = page.partition('aria-labelledby="arms"')[2].partition("</table>")[0]
    assert table.count('scope="col"') == 3
    plainly = definition_of(survey).questions[1]
    assert f"Asked directly · {plainly.chance.label}" in words_of(table)
    assert words_of(page).count(str(HIGHER_IS_NO_PROOF)) == 1


def test_slides_name_the_arm_and_say_of_nobody_that_they_are_still_to_come() -> None:
    survey = make_open(yes_no("First?", arms=[1]), yes_no("Second?", arms=[2]), arms=TWO)
    fill(survey, {"1-0": 30, "0-0": 30, "-11": 20})
    counted = re.compile(r'<p class="of">([^<]*)</p>')
    # While more may come nothing is shown of what only some arms are asked.
    assert counted.findall(presentation_of(survey)) == []
    slides = presentation_of(close_survey(survey=survey))
    assert [numbers_in(words) for words in counted.findall(slides)] == [["60"], ["20"]]  # of so many, and no others
    assert "With coins · " in words_of(slides)


def test_the_release_form_tells_questions_with_one_text_apart(survey: Survey, client: Client) -> None:
    make_budget(survey)
    client.force_login(make_admin())
    words = words_of(client.get(STEP_1, {"survey": survey.pk}).content.decode())
    assert re.findall(r"paper\? · ([\w ]+) \([\w ]+, (\d+) answers\)", words) == [
        ("With coins", "80"),
        ("Asked directly", "60"),
    ]


def test_a_simulated_difference_is_inside_the_interval_that_the_page_prints() -> None:
    """Of 300 with coins 30 of 100 mean Yes, of 300 asked directly 10 of 100 say so; the seed is fixed."""
    draw = random.Random(59)  # noqa: S311 - answers of nobody
    coins = Counter(f"{int(draw.random() < 0.25 + 0.3 / 2)}-00" for _person in range(300))
    directly = Counter(f"-{int(draw.random() < 0.1)}01" for _person in range(300))
    survey = make_open(*questions(), arms=TWO)
    fill(survey, coins + directly)
    survey = close_survey(survey=survey)
    report = Report(survey)
    compared = comparison_of(report, report.definition.questions[0])
    assert compared is not None
    [pair] = compared.differences
    sentence = " ".join(difference_words(pair).split())
    assert sentence in words_of(page_of("survey-results-question", survey, number=1))
    assert (pair.first.number, pair.second.number) == (1, 2)
    assert pair.point > 0
    limits = limits_of_100(pair.interval.low, pair.interval.high)
    assert set(limits.values()) < set(numbers_in(sentence))
    low, high = (float(limits[end]) for end in ("low", "high"))
    assert low <= 20 <= high
    assert high - low < 30


def test_questions_that_nobody_is_asked_together_are_not_offered_first_and_named_where_they_are_asked_for(
    survey: Survey,
) -> None:
    definition = definition_of(survey)
    first, second, third = definition.items
    [never] = never_asked_together(definition, first, second)
    for tab, query in (("relate", "?a=1&b=2"), ("groups", "?item=1&by=2"), ("regression", "?outcome=1&predictor=2")):
        assert never in context_of(f"survey-results-{tab}", survey, query)["notices"]
        assert never not in context_of(f"survey-results-{tab}", survey)["notices"]
    assert never not in context_of("survey-results-relate", survey, "?a=1&b=3")["notices"]
    assert [definition.asks_together(first, other) for other in (second, third)] == [False, True]
    assert definition.asks_together(first)
    assert definition_of(make_open(yes_no(), yes_no("Or this?"))).asks_together(first, second)


def test_the_sum_of_losses_on_the_methods_page_is_that_of_one_arm() -> None:
    survey = make_open(yes_no(arms=[1]), yes_no("Or this?", arms=[2]), yes_no("Or that?", arms=[2]), arms=TWO)
    fill(survey, {"1--0": 20, "-111": 20})
    definition = definition_of(survey)
    page = page_of("survey-results-methods", close_survey(survey=survey))
    together = page.partition('id="methods-together"')[2].partition("</h3>")[2].partition("<h3>")[0]
    shown = words_of(together)
    assert definition.costliest == definition.in_arm(2)
    assert len(re.findall(r"\b1\.0986", shown)) == 2
    assert re.search(r"\b2\.197", shown)


def test_a_second_answer_is_counted_as_one_in_the_arm_that_costs_most() -> None:
    """Two arms of one and of two fair coins: answered twice at most 3 · 9 = 27-fold in the first, 81 in the second."""
    survey = make_open(yes_no(arms=[1]), yes_no("Or this?", arms=[2]), yes_no("Or that?", arms=[2]), arms=TWO)
    for arm, bound in (("1", "27"), ("2", "81")):
        client = Client()
        client.cookies["deniable_arm"] = arm
        words = words_of(client.get(f"/s/{survey.code}/").content.decode())
        assert f"{bound}‑fold" in words
