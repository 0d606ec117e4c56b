"""`simulate CODE --respondents N`."""

import io

import pytest
from django.core.management import CommandError, call_command

from surveys.models import Response
from surveys.services.surveys import close_survey
from tests.factories import make_open, one_of, yes_no

pytestmark = pytest.mark.django_db


def test_it_fills_an_open_survey_and_shows_its_progress() -> None:
    survey = make_open(yes_no(), one_of())
    out, err = io.StringIO(), io.StringIO()
    call_command("simulate", survey.code, "--respondents", "30", stdout=out, stderr=err)
    assert Response.objects.count() == 30
    assert "30 of 30" in err.getvalue()
    assert survey.code in out.getvalue()


def test_true_shares_can_be_given_exactly() -> None:
    survey = make_open(yes_no(design="warner", parameters={"p": [399, 400]}))
    call_command(
        "simulate", survey.code, "--respondents", "50", "--share", "1:0,1", stdout=io.StringIO(), stderr=io.StringIO()
    )
    # Each report differs from its truth once in 400: more than 5 of 50 do so less than once in 10 million times.
    assert Response.objects.filter(reports="1").count() >= 45


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--respondents", "0"], "at least 1"),
        (["--respondents", "-5"], "at least 1"),
        (["--respondents", "many"], "at least 1"),
        (["--respondents", "5", "--share", "1"], "write it as"),
        (["--respondents", "5", "--share", "2:0.5,0.5"], "no question 2"),
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
    with pytest.raises(CommandError, match="no answers now"):
        call_command("simulate", close_survey(survey=make_open()).code, "--respondents", "5")
