"""`discard_rehearsals`."""

import io

import pytest
from django.core.management import CommandError, call_command

from surveys.models import Survey
from surveys.models.simulated import TrueShares
from surveys.rehearsing.services import start
from tests.factories import make_draft

pytestmark = pytest.mark.django_db


def _rehearse() -> Survey:
    survey = make_draft()
    start(survey=survey, user=survey.owner, respondents=20, shares=[TrueShares(((0, 1),))])  # type: ignore[arg-type]
    return survey


def test_only_what_is_old_goes_unless_all_of_it_is_to() -> None:
    survey, out = _rehearse(), io.StringIO()
    call_command("discard_rehearsals", stdout=out)
    assert "discarded: 0" in out.getvalue()
    call_command("discard_rehearsals", "--older-than", "0", stdout=out)
    assert "discarded: 1" in out.getvalue()
    assert Survey.objects.get() == survey


@pytest.mark.parametrize("minutes", ["-1", "soon", "1e9", "10000000"])
def test_minutes_that_are_none_are_named(minutes: str) -> None:
    with pytest.raises(CommandError, match="minutes"):
        call_command("discard_rehearsals", f"--older-than={minutes}")
