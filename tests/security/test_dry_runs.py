"""What may be learned of reports before a release is drawn, and from copies of a survey: nothing."""

import io
import itertools
import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from surveys.models import Mechanism, Survey
from tests.factories import fill, make_admin, make_budget, make_open, number_bands, number_mean, numbers_of, one_of
from tests.pages import client_of
from tests.releases.steps import STEP_2, terms_of

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]

MINIMUM = 5
_ASKED = (one_of(leave_out="visibly"), number_mean(leave_out="no"), number_bands())
_OPTIONS = {
    "one_count": {"answer": "1"},
    "quantile": {"share": "1/2"},
    "top": {"how_many": "2"},
    "stable_median": {"bound": "2"},
}
_WITH_DELTA = {"gaussian_histogram", "stable_mode", "stable_median"}
_LEFT_OUT_OR_NOT = re.compile(r"SUBSTR\(reports, \d+, 1\) <> '-'")


def _dry_runs(survey: Survey, admin: User, questions: int) -> Iterator[str]:
    """Yield what every mechanism says of the first questions before anything is drawn, on both ways to it."""
    client = client_of(admin)
    for question, mechanism in itertools.product(numbers_of(survey)[:questions], Mechanism.values):
        asked = {"mechanism": mechanism, "epsilon": "0.5", **_OPTIONS.get(mechanism, {})}
        if mechanism in _WITH_DELTA:
            asked["delta"] = "0.000001"
        command = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]
        command += [f"--question={question}", "--reason=To see.", f"--user={admin}"]
        said = io.StringIO()
        try:
            call_command("release", survey.code, "--dry-run", "--json", *command, stdout=said)
        except CommandError as refused:
            said.write(str(refused))
        yield said.getvalue()
        page = client.post(STEP_2, terms_of(survey, questions=[question], **asked))
        yield re.sub(r'name="(terms|csrfmiddlewaretoken)" value="[^"]*"', "", page.content.decode())


def _dry_run_outputs(
    survey: Survey, admin: User, reports: dict[str, int], *, questions: int = len(_ASKED)
) -> tuple[list[str], list[str]]:
    """Return what dry runs tell in a world of these reports, and what they asked the database about these."""
    with transaction.atomic():
        fill(survey, reports)
        with CaptureQueriesContext(connection) as asked:
            said = list(_dry_runs(survey, admin, questions))
        transaction.set_rollback(True)
    return said, [query["sql"] for query in asked if "reports" in query["sql"]]


def test_a_dry_run_tells_how_many_answered_and_nothing_of_what_they_reported() -> None:
    survey, admin = make_open(*_ASKED, minimum_n=MINIMUM), make_admin()
    make_budget(survey)
    one, asked = _dry_run_outputs(survey, admin, {"000": 20, "-11": 7})
    other, asked_then = _dry_run_outputs(survey, admin, {"212": 13, "102": 7, "-00": 7})
    assert sum("mechanism" in said for said in one) > 20
    assert one == other
    assert asked == asked_then
    # No statement reads a report: each asks whether an item was left out, and how often.
    assert [statement for statement in asked if "reports" in _LEFT_OUT_OR_NOT.sub("", statement)] == []
    # What it would tell is found: one answer more to the first question.
    of_the_first, _asked_of_it = _dry_run_outputs(survey, admin, {"212": 14, "102": 7, "-00": 6}, questions=1)
    assert of_the_first != one[: len(of_the_first)]
