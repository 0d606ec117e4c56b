"""`simulate CODE --respondents N`."""

import io
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from surveys.common.selectors import definition_of
from surveys.common.totals import response_count
from surveys.course.services import close_survey
from surveys.models import Response, Survey
from surveys.responses.selectors.tally import tally_of
from tests.factories import every_kind, make_open, number_mean, number_window, one_of, several_of, yes_no

pytestmark = pytest.mark.django_db


def test_it_fills_an_open_survey_and_shows_its_progress() -> None:
    survey = make_open(yes_no(), one_of())
    out, err = io.StringIO(), io.StringIO()
    call_command("simulate", survey.code, "--respondents", "30", stdout=out, stderr=err)
    assert response_count(survey) == 30
    assert "30 of 30" in err.getvalue()
    assert survey.code in out.getvalue()


def test_true_shares_can_be_given_exactly() -> None:
    survey = make_open(yes_no(design="warner", parameters={"p": [399, 400]}))
    call_command(
        "simulate", survey.code, "--respondents", "50", "--share", "1:0,1", stdout=io.StringIO(), stderr=io.StringIO()
    )
    # Each report differs from its truth once in 400: more than 5 of 50 do so less than once in 10 million times.
    assert _reports(survey)["1"] >= 45


def _truths(survey: Survey, *shares: str) -> Counter[str]:
    """Simulate fifty people whose reports are all but their truths, and count the reports."""
    arguments = [argument for share in shares for argument in ("--share", share)]
    call_command("simulate", survey.code, "--respondents", "50", *arguments, stdout=io.StringIO(), stderr=io.StringIO())
    return _reports(survey)


def _reports(survey: Survey) -> Counter[str]:
    tally = tally_of(survey, items=len(definition_of(survey).items))
    texts = ["".join(map(str, pattern)) for pattern in tally.patterns.tolist()]
    return Counter(dict(zip(texts, tally.counts.tolist(), strict=True)))


NEARLY_TRUE = {"design": "warner", "parameters": {"p": [399, 400]}}


def test_items_are_addressed_by_their_keys() -> None:
    survey = make_open(several_of(("A", "B"), **NEARLY_TRUE), yes_no("After it?", **NEARLY_TRUE))
    # Each of 150 reports differs from its truth once in 400: seven or more of 50 do so less than once in a million.
    assert _truths(survey, "1b:0,1", "1a:1,0", "2:1,0")["010"] >= 44


def test_one_share_of_a_number_is_where_its_mean_lies() -> None:
    survey = make_open(number_mean(**NEARLY_TRUE))
    counts = _truths(survey, "1:0.4")
    assert abs(counts["1"] - 20) <= 4


def test_a_protected_number_takes_one_share_too() -> None:
    survey = make_open(number_mean(leave_out="protected", design="k_ary", parameters={"truth": [99, 100]}))
    assert abs(_truths(survey, "1:0.2")["1"] - 10) <= 6


def test_people_with_numbers_for_a_window_are_spread_over_the_range() -> None:
    survey = make_open(number_window(parameters={"truth": [97, 100], "grid": 5, "window": 1}))
    # 18 of 50 at the lowest value, 8 at each other; ten or more reports are changed less than once in a million times.
    counts = _truths(survey, "1:0.4")
    assert abs(counts["0"] - 18) <= 9
    assert all(counts[code] <= 17 for code in "1234")


def test_every_kind_is_filled_without_being_told_any_share() -> None:
    survey = make_open(*every_kind())
    call_command("simulate", survey.code, "--respondents", "20", stdout=io.StringIO(), stderr=io.StringIO())
    assert response_count(survey) == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--respondents", "0"], "at least 1"),
        (["--respondents", "-5"], "at least 1"),
        (["--respondents", "many"], "at least 1"),
        (["--respondents", "5", "--share", "1"], "write it as"),
        (["--respondents", "5", "--share", "2:0.5,0.5"], "no question 2, only 1"),
        (["--respondents", "5", "--share", "1b:0.5,0.5"], "no question 1b, only 1"),
        (["--respondents", "5", "--share", "0:0.5,0.5"], "no question 0"),
        (["--respondents", "5", "--share", ":0.5,0.5"], "write it as"),
        (["--respondents", "5", "--share", "1:0.5"], "question 1: shares must be 2 numbers"),
        (["--respondents", "5", "--share", "1:0.5,0.6"], "question 1: shares"),
        (["--respondents", "5", "--share", "1:a,b"], "--share"),
    ],
)
def test_bad_arguments_are_named_and_nothing_is_sent(arguments: list[str], message: str) -> None:
    survey = make_open()
    with pytest.raises(CommandError, match=message):
        call_command("simulate", survey.code, *arguments)
    assert Response.objects.count() == 0


def test_an_unknown_code_and_a_closed_survey_are_refused() -> None:
    with pytest.raises(CommandError, match="no survey"):
        call_command("simulate", "NOSUCH", "--respondents", "5")
    with pytest.raises(CommandError, match="not accepting answers"):
        call_command("simulate", close_survey(survey=make_open()).code, "--respondents", "5")
