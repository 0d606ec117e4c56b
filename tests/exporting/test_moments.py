"""Exports while folds go on: the responses of one moment, or none."""

import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import State, Survey
from surveys.responses.selectors.snapshot import OutdatedError, Snapshot, snapshot_of
from surveys.responses.selectors.tally import Tally
from tests.exporting.reports import content_of, table_of
from tests.factories import fill, make_open, send, yes_no
from tests.pages import owner_of

pytestmark = pytest.mark.django_db


def test_a_survey_that_was_closed_without_folding_is_read_whole() -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 20})
    for _ in range(3):
        send(survey, "0")
    Survey.objects.filter(pk=survey.pk).update(state=State.CLOSED)
    survey.refresh_from_db()
    snapshot = snapshot_of(survey, definition_of(survey))
    assert snapshot.responses(items=1).n == snapshot.n == 23


def test_what_interrupts_a_reading_only_makes_the_export_newer(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 20})
    survey = close_survey(survey=survey)
    read, folds = Snapshot.responses, [{"0": 15}]

    def interrupted(snapshot: Snapshot, *, items: int) -> Tally:
        if folds:
            fill(survey, folds.pop())
            raise OutdatedError
        return read(snapshot, items=items)

    monkeypatch.setattr(Snapshot, "responses", interrupted)
    response = owner_of(survey).get(reverse("survey-export-csv", args=[survey.code]))
    assert len(table_of(content_of(response))[1]) == 35
