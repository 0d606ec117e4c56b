"""Looking changes nothing: no GET counts, folds, closes or writes anything but a sign-in's last hour."""

from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.urls import reverse

from surveys.models import State, Survey
from surveys.responses.services import folding
from surveys.results import report
from tests.factories import store
from tests.security.addresses.dump import changed, dump
from tests.security.addresses.row import Row
from tests.security.addresses.setting import Setting
from tests.security.test_addresses import ROWS

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]


def _with_answers(setting: Setting, state: str) -> Survey:
    """Return the survey in this state; where it takes answers, more of them wait than a batch."""
    survey = setting.survey(state)
    if survey.may_collect_more and not survey.responses.exists():
        store(survey, {"1": 25, "0": 25})
    return survey


def _addresses(setting: Setting) -> dict[str, tuple[str, str]]:
    """Return every address that may be read, by its name, with the state of the survey; and the steps of a release."""
    rows: list[Row] = [row for row in ROWS if row.get is not None]
    addresses = {}
    for number, row in enumerate(rows):
        survey = _with_answers(setting, row.state)
        row.prepare(setting, survey)
        addresses[f"{row.name} {number}"] = row.name, row.address(setting, survey)
        if row.of_a_survey and row.state != "open":
            addresses[f"{row.name} {number} open"] = row.name, row.address(setting, _with_answers(setting, "open"))
    survey = _with_answers(setting, "open")
    setting.budget(survey)
    for step, asked in {
        "add": {"survey": survey.pk},
        "terms": {"survey": survey.pk, "questions": 1},
    }.items():
        name = f"surveys_release_{step}"
        addresses[name] = name, f"{reverse(f'admin:{name}')}?{urlencode(asked)}"
    return addresses


def _written(setting: Setting, *names: str) -> dict[str, list[str]]:
    """Return which GETs of the owner and the admin changed which tables: of these addresses, or of all."""
    addresses, written = _addresses(setting), {}
    clients = {visitor: setting.client(visitor) for visitor in ("owner", "admin")}
    before = dump()
    for name, address in addresses.values():
        if names and name not in names:
            continue
        for visitor, client in clients.items():
            with transaction.atomic():
                answered = client.get(address)
                # A page that is refused would change nothing either.
                assert answered.status_code == 200 or visitor == "owner" or "release_" not in name
                if tables := changed(before, dump()):
                    written[name] = tables
                transaction.set_rollback(True)
    return written


def test_no_get_changes_anything() -> None:
    setting = Setting()
    assert _written(setting) == {}
    waiting = {survey.state for survey in Survey.objects.filter(responses__isnull=False)}
    assert waiting == {State.OPEN, State.PAUSED}


def test_a_page_that_folds_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    standing_of = report.standing_of

    def folding_first(survey: Survey) -> object:
        folding.fold(survey=survey)
        return standing_of(survey)

    monkeypatch.setattr(report, "standing_of", folding_first)
    written = _written(Setting(), "survey-results", "survey-figures")
    assert "surveys_response" in written["survey-results"]
    assert "surveys_patterncount" in written["survey-figures"]
