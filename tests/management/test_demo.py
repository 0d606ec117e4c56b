"""`make demo`: a class to look at, as often as one likes."""

import io
import math
import re
import socket
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from surveys.common.qr import qr_text
from surveys.common.selectors import definition_of, survey_by_code
from surveys.common.totals import response_count, response_totals
from surveys.estimation.claims import FigureOptions
from surveys.management.classes import CLASSES, EVERY
from surveys.management.commands import demo
from surveys.management.commands.serve import granian_arguments, require_free
from surveys.models import Survey
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.kinds import LeaveOut
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.selectors.reading import reading_of
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.questions import results_of

pytestmark = pytest.mark.django_db


def _demo(*options: str) -> str:
    out = io.StringIO()
    call_command("demo", "--no-serve", "--port", "8123", *options, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_demo_fills_four_surveys_releases_twice_and_tells_the_logins() -> None:
    said = _demo()
    exams, study, every, sleep = (survey_by_code(code) for code in ("EXAMS", "STUDY", "EVERY", "NAPS"))
    assert [response_count(survey) for survey in (exams, study, every, sleep)] == [400, 2000, 800, 2000]
    assert exams.releases.get().published
    assert exams.lesson.steps[0]["page"] == "coin"
    for username in ("instructor", "admin"):
        password = re.search(rf"{username} / (\S+)", said)
        assert password is not None
        assert authenticate(username=username, password=password[1]) is not None
    for address in (
        "http://127.0.0.1:8123/s/EXAMS/",
        "/s/EVERY/",
        "/surveys/EXAMS/lesson/",
        "/surveys/",
        "/admin/",
        f"/r/{exams.releases.get().pk}/",
        f"/r/{sleep.releases.get().pk}/",
    ):
        assert address in said


def test_where_two_people_are_asked_for_two_of_the_demo_agree(settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = True
    _demo()
    release = survey_by_code("EXAMS").releases.get()
    assert (release.proposal.proposed_by.username, release.created_by.username) == ("instructor", "admin")


def test_starting_the_demo_again_changes_nothing_but_the_passwords() -> None:
    first, second = _demo(), _demo()
    assert (Survey.objects.count(), sum(n for n, _folded in response_totals(Survey.objects.all()).values())) == (
        4,
        5200,
    )
    assert re.findall(r"/ (\S{16})\n", first) != re.findall(r"/ (\S{16})\n", second)


def test_phones_on_the_network_are_shown_the_way_by_a_qr_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_address_of_this_machine", lambda: "192.168.7.20")
    said = _demo("--host", demo.EVERYWHERE)
    assert "http://192.168.7.20:8123/surveys/" in said
    assert qr_text("http://192.168.7.20:8123/s/EXAMS/", coloured=False) in said
    assert "▄▄▄▄▄" not in _demo()


def test_this_machine_is_found_by_an_address_of_its_own() -> None:
    with socket.create_server((demo._address_of_this_machine(), 0)) as server:
        assert server.getsockname()[0] != demo.EVERYWHERE


def test_a_server_as_it_is_installed_opens_the_surveys_of_the_demo(settings: Settings) -> None:
    settings.EPSILON_CAP = 12
    _demo()
    states = dict(Survey.objects.values_list("code", "state"))
    assert states == {"EXAMS": "open", "STUDY": "open", "EVERY": "open", "NAPS": "closed"}


def test_one_survey_shows_every_kind_and_every_design() -> None:
    asked = EVERY.questions
    # A list of statements tells nothing without a second arm.
    assert {question.kind for question in asked} == {kind.name for kind in kinds.every()} - {"item_count"}
    # "No to both" of the triangular design proves No, and no chance protects nobody: nobody is shown that first. With a
    # window or a factor no coin would do, and this survey can be answered with coins. Two decks are Warner's statement
    # again.
    left = {"triangular", "mangat", "plain", "kuk"}
    left |= {"number_window", "scrambled_number", "unrelated_number"}
    assert {question.design for question in asked} == {design.name for design in designs.every()} - left
    assert {question.leave_out for question in asked} == set(LeaveOut.values)


def test_the_results_of_the_demo_are_near_the_true_shares_of_its_simulated_students() -> None:
    _demo()
    for taught in CLASSES:
        definition = definition_of(survey_by_code(taught.code))
        results = results_of(
            definition,
            snapshot_of(Survey.objects.get(code=taught.code), definition),
            FigureOptions(),
        )
        for result, shares in zip(results.items, taught.shares, strict=True):
            for option, share in zip(result.options, shares, strict=True):
                # 6.5 standard errors: wrong less than once in ten thousand million draws.
                assert option.standard_error is not None
                assert abs(option.moment - float(share)) < 6.5 * option.standard_error


def test_the_published_model_of_the_demo_finds_who_copies_homework() -> None:
    _demo()
    [release] = charged_releases().filter(survey=survey_by_code("NAPS"))
    sleep, _job = reading_of(release).parts[0].finding.effects
    # 75 against 25 of 100: log odds of 2.2, a standard error near .45, of which 0 is nearly five away, and six are less
    # than once in a million draws. Draws that tell less have a larger one: .84 was seen.
    assert abs(sleep.estimate - math.log(9)) < 6 * sleep.errors[0]
    assert sleep.estimate > 0


def test_the_readme_names_the_surveys_of_the_demo() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert "`EXAMS`" in readme
    assert "`EVERY`" in readme
    assert "four surveys" in readme


def test_the_server_keeps_no_access_log() -> None:
    assert "--no-access-log" in granian_arguments("127.0.0.1", 8000)


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} is in use"):
            require_free("127.0.0.1", port)
