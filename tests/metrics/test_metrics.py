"""Numbers for an operator: hidden without their token, in batches, and without a survey, a code or a person."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends.locmem import EmailBackend
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys import environment
from surveys.accounts.services import mails
from surveys.metrics import services
from surveys.metrics.services import BATCH
from surveys.responses.services import folding
from surveys.upkeep.services import housekeeping
from tests.accounts.people import person
from tests.factories import make_open, store

TOKEN = "a token of at least twenty letters"
Numbers = dict[str, float]


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Count in this process, as one that answers requests does, for one test."""
    monkeypatch.setattr(settings, "METRICS_TOKEN", TOKEN)
    monkeypatch.setattr(services, "_meters", None)
    services.start()
    yield
    monkeypatch.undo()


def _page(client: Client | None = None, token: str = TOKEN) -> HttpResponse:
    response = (client or Client()).get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert isinstance(response, HttpResponse)
    return response


def _numbers() -> Numbers:
    lines = [line for line in services.written()[0].decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def _grown(before: Numbers, start: str) -> Numbers:
    return {
        name: value - before.get(name, 0)
        for name, value in _numbers().items()
        if name.startswith(start) and value != before.get(name, 0)
    }


def _ask(view: str, status: int) -> None:
    services.observe_request(view=view, status=status, seconds=0.003)


def test_without_a_token_there_is_no_such_page_and_nothing_stands_in_a_requests_way() -> None:
    assert settings.METRICS_TOKEN == ""
    assert _page().status_code == 404
    assert not any("Measured" in name for name in settings.MIDDLEWARE)
    _ask("answer", 200)  # counts nowhere


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN.upper()])
def test_whoever_has_not_the_token_reads_nothing(token: str) -> None:
    response = _page(token=token)
    assert (response.status_code, response["WWW-Authenticate"]) == (401, "Bearer")
    assert b"deniable" not in response.content


@pytest.mark.usefixtures("counting")
def test_whoever_has_it_reads_the_text_format_which_no_cache_keeps() -> None:
    response = _page()
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "no-store" in response["Cache-Control"]
    assert b"deniable_workers 1.0" in response.content


@pytest.mark.parametrize("token", ["short", "x" * 19, "ünïcödé" * 4, "a line\nand another one"])
def test_a_token_that_could_be_guessed_stops_the_start(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("DENIABLE_METRICS_TOKEN", token)
    with pytest.raises(ImproperlyConfigured, match="DENIABLE_METRICS_TOKEN") as refused:
        environment.token("DENIABLE_METRICS_TOKEN", "", "")
    assert token not in str(refused.value)


@pytest.mark.usefixtures("counting")
def test_a_page_shows_in_whole_batches_and_what_failed_here_at_once() -> None:
    before = _numbers()
    series = 'deniable_request_seconds_count{status="2xx",view="batched"}'
    for _ in range(BATCH - 1):
        _ask("batched", 200)
    assert _grown(before, "deniable_request_seconds") == {}
    _ask("batched", 404)  # of another class
    assert _grown(before, "deniable_request_seconds") == {}
    _ask("batched", 203)
    assert _grown(before, series) == {series: BATCH}
    _ask("batched", 500)
    assert _grown(before, series.replace("2xx", "5xx")) == {series.replace("2xx", "5xx"): 1}


@pytest.mark.usefixtures("counting")
def test_a_planted_counter_of_single_requests_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _numbers()
    monkeypatch.setattr(services, "BATCH", 1)
    _ask("planted", 200)
    assert _grown(before, "deniable_request_seconds_count") != {}


@pytest.mark.django_db
@pytest.mark.usefixtures("counting")
def test_no_label_names_a_survey_a_code_or_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "BATCH", 1)
    monkeypatch.setattr(settings, "MIDDLEWARE", ["surveys.middleware.RequestsMeasured", *settings.MIDDLEWARE])
    survey = make_open(title="Secret title")
    client, before = Client(), _numbers()
    client.force_login(survey.owner)
    for path in (
        reverse("answer", args=[survey.code]),
        reverse("survey-detail", args=[survey.code]),
        f"/s/{survey.code}/i/NOSUCHTOKEN/",
        f"/{survey.code}/{survey.owner.username}",
    ):
        client.get(path)
    text = _page().content.decode()
    for name in (survey.code, survey.title, survey.owner.username, "NOSUCHTOKEN", "127.0.0.1"):
        assert name not in text
    views = {name.partition('view="')[2].partition('"')[0] for name in _grown(before, "deniable_request_seconds_count")}
    assert views == {"answer", "survey-detail", "none", "metrics"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("counting")
def test_folds_are_counted_and_those_that_could_not_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(minimum_n=5)
    before = _numbers()
    store(survey, {"1": 10})
    list(housekeeping.tick(timezone.now()))
    assert _grown(before, "deniable_folds_total") == {'deniable_folds_total{outcome="done"}': 1}

    def refuse(**_: object) -> int:
        raise OperationalError("database is locked")

    monkeypatch.setattr(folding, "fold", refuse)
    list(housekeeping.tick(timezone.now()))
    assert _grown(before, 'deniable_folds_total{outcome="failed"}') == {'deniable_folds_total{outcome="failed"}': 1}


@pytest.mark.django_db
@pytest.mark.usefixtures("counting")
def test_mails_are_counted_as_they_wait_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _numbers()
    mails.tell(user=person(), what="password_changed")

    def refuse(*_: object) -> int:
        raise OSError

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    mails.tell(user=person("other"), what="password_changed")
    assert _grown(before, "deniable_mails") == {
        'deniable_mails_total{outcome="sent"}': 1,
        'deniable_mails_total{outcome="failed"}': 1,
        "deniable_mails_waiting": 1,
    }
    services.set_waiting(0)


_OTHER = """
import os, sys
from django.conf import settings
settings.configure(METRICS_DIR=sys.argv[1])
from surveys.metrics import services
services.start()
for _ in range(services.BATCH):
    services.observe_request(view="elsewhere", status=200, seconds=0.1)
services.set_waiting(7)
os._exit(0)
"""


@pytest.mark.usefixtures("counting")
def test_whichever_process_is_asked_answers_for_all_and_forgets_what_waited_in_one_that_ended() -> None:
    before = _numbers()
    subprocess.run([sys.executable, "-c", _OTHER, str(settings.METRICS_DIR)], check=True, timeout=60)
    grown = _grown(before, "deniable_")
    assert grown['deniable_request_seconds_count{status="2xx",view="elsewhere"}'] == BATCH
    assert "deniable_mails_waiting" not in grown
    assert "deniable_workers" not in grown


_HOUSEKEEPING = """
import sys
from django.conf import settings
settings.configure(METRICS_DIR=sys.argv[1])
from surveys.metrics import services
services.start(answers=False)
services.count_fold(done=True)
print(services.written()[0].decode())
"""


def test_housekeeping_counts_its_folds_and_answers_nobody(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _HOUSEKEEPING, tmp_path], check=True, capture_output=True, text=True)
    assert 'deniable_folds_total{outcome="done"} 1.0' in done.stdout.splitlines()
    assert "deniable_workers 0.0" in done.stdout.splitlines()
