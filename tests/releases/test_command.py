"""`release CODE …`: the same service, ledger and refusals as in the admin, for scripts."""

import builtins
import io
import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from surveys.models import LedgerEntry, Mechanism, Proposal, Release, Survey
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.services.releasing import approve, withdraw
from surveys.releases.words.advice import advice_on, advice_says
from tests.factories import make_admin, make_budget, make_open, make_user, number_bands, one_of, yes_no
from tests.releases.setting import HALF, check, first, ready_survey, spent

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> User:
    return make_admin("releaser")


@pytest.fixture
def survey(admin: User) -> Survey:
    return ready_survey({"00": 60, "02": 60}, yes_no(), one_of())


def _release(survey: Survey, *arguments: str, **named: str) -> tuple[str, str]:
    """Run the command with what it always needs, unless given otherwise; return what it wrote to both outputs."""
    named = {"mechanism": "laplace_histogram", "question": "1", "epsilon": "0.5", "user": "releaser"} | named
    named = {"reason": "For the report."} | named
    options = [f"--{name.replace('_', '-')}={value}" for name, value in named.items() if value]
    out, err = io.StringIO(), io.StringIO()
    call_command("release", survey.code, *options, *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def _typing(monkeypatch: pytest.MonkeyPatch, text: str | None) -> None:
    def typed(_prompt: str) -> str:
        if text is None:
            raise EOFError
        return text

    monkeypatch.setattr(builtins, "input", typed)


def test_it_releases_what_is_confirmed_and_the_ledger_says_so(
    survey: Survey, admin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    _typing(monkeypatch, " 0.5 ")
    out, err = _release(survey)
    release = Release.objects.get()
    assert release.pk in out
    assert "120 answers, ε = 0.5." in err
    assert (release.entry.reason, release.created_by, release.published) == ("For the report.", admin, False)
    assert spent(survey) == 500_000


@pytest.mark.parametrize("typed", ["0.50001", "", "yes", None])
def test_nothing_is_charged_without_the_epsilon_typed_again(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, typed: str | None
) -> None:
    _typing(monkeypatch, typed)
    with pytest.raises(CommandError):
        _release(survey)
    assert (spent(survey), Release.objects.count()) == (0, 0)


def test_a_dry_run_says_the_cost_and_the_error_and_touches_nothing(survey: Survey) -> None:
    out, _err = _release(survey, "--dry-run")
    data = json.loads(_release(survey, "--dry-run", "--json")[0])
    assert "In all: ε = 0.5." in out
    assert (data["epsilon"], data["parts"][0]["n"], data["parts"][0]["unit"]) == ("1/2", 120, "answers")
    assert data["parts"][0]["at_most"] > 0
    assert (spent(survey), LedgerEntry.objects.count()) == (0, 1)


def test_it_says_which_draw_of_the_question_this_would_be(survey: Survey) -> None:
    before = _release(survey, "--dry-run")[1]
    _release(survey, "--yes")
    after = _release(survey, "--dry-run")[1]
    terms = check(survey=survey, questions=[first(survey)], mechanism=Mechanism.LAPLACE_HISTOGRAM, epsilon=HALF)
    [advice] = [each for each in advice_on(terms, charged_releases()) if each.code == "another_draw"]
    assert (advice.facts["number"], advice_says(advice) in before, advice_says(advice) in after) == (2, False, True)


def test_several_questions_are_one_release_as_json_for_programs(survey: Survey) -> None:
    out, _err = _release(survey, "--question=2", "--yes", "--json", "--publish")
    release = Release.objects.get()
    assert json.loads(out)["id"] == release.pk
    assert (release.parts.count(), release.published, spent(survey)) == (2, True, 500_000)


def test_the_options_of_a_mechanism_reach_it(admin: User) -> None:
    survey = ready_survey({"0": 60, "2": 60}, number_bands())
    _release(survey, "--yes", mechanism="quantile", share="0.25")
    assert Release.objects.get().parts.get().parameters["options"] == {"share": "1/4"}


def test_from_an_accuracy_the_epsilon_is_worked_out(survey: Survey) -> None:
    data = json.loads(_release(survey, "--dry-run", "--json", epsilon="", accuracy="10")[0])
    assert 0 < data["parts"][0]["at_most"] <= 10


def test_a_script_that_runs_twice_with_one_key_releases_once(survey: Survey) -> None:
    key = str(uuid4())
    made, _err = _release(survey, "--yes", "--json", key=key, epsilon="1")
    again, err = _release(survey, "--yes", "--json", key=key, epsilon="1")
    assert (made, spent(survey), Release.objects.count()) == (again, 1_000_000, 1)
    assert str(ReleaseRefused(Why.DUPLICATE_REQUEST, release=json.loads(again)["id"])) in err


@pytest.mark.parametrize("changes", [{"epsilon": "0.5"}, {"question": "2"}], ids=str)
def test_a_key_of_another_release_is_refused_and_nothing_is_published(survey: Survey, changes: dict[str, str]) -> None:
    key = str(uuid4())
    _release(survey, "--yes", key=key, epsilon="0.25")
    with pytest.raises(CommandError, match="--key: "):
        _release(survey, "--yes", "--publish", **{"key": key, "epsilon": "0.25"} | changes)
    assert (spent(survey), Release.objects.get().published) == (250_000, False)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": "1e400"}, "--epsilon must be"),
        ({"epsilon": "nan"}, "--epsilon must be"),
        ({"epsilon": "0"}, "--epsilon: .*0"),
        ({"epsilon": "-1"}, "--epsilon: .*-1"),
        ({"epsilon": "11"}, "--epsilon: .*10"),
        ({"epsilon": "1/3"}, "--epsilon: "),
        ({"epsilon": "2"}, "--epsilon: .*ε = 1 "),
        ({"delta": "1e-6"}, "--delta must be"),
        ({"delta": "0.000001"}, "--delta: "),
        ({"question": "0"}, "--question: .*0, .*1 .*2"),
        ({"question": "3"}, "--question: .*3, .*1 .*2"),
        ({"question": "x"}, "--question"),
        ({"mechanism": "gaussian"}, "--mechanism"),
        ({"mechanism": "quantile"}, "--question: "),
        ({"share": "1/2"}, "--share: "),
        ({"how_many": "2"}, "--how-many: "),
        ({"reason": "  "}, "--reason: "),
        ({"user": "nobody"}, "--user: .*nobody"),
        ({"key": "x"}, "--key: .*UUID"),
        ({"accuracy": "5"}, "--accuracy: .*--epsilon"),
        ({"accuracy": "0", "epsilon": ""}, "--accuracy"),
        ({"accuracy": "5", "epsilon": "", "unit": "miles"}, "--unit: "),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_naming_its_option_and_nothing_is_charged(
    survey: Survey, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        _release(survey, "--yes", **changes)
    assert (spent(survey), Release.objects.count(), LedgerEntry.objects.count()) == (0, 0, 1)


def test_an_unknown_survey_an_empty_one_and_one_without_a_budget_are_refused(admin: User) -> None:
    empty = make_open()
    with pytest.raises(CommandError, match=str(ReleaseRefused(Why.NO_BUDGET))):
        _release(empty, "--yes")
    make_budget(empty)
    with pytest.raises(CommandError, match="--question: 0 "):
        _release(empty, "--yes")
    empty.code = "NOSUCH"
    with pytest.raises(CommandError, match="NOSUCH"):
        _release(empty, "--yes")


@pytest.mark.parametrize(
    "fields", [{}, {"is_staff": True}, {"is_superuser": True, "is_staff": True, "is_active": False}]
)
def test_only_who_may_release_in_the_admin_can_be_named(survey: Survey, fields: dict[str, bool]) -> None:
    make_user("other", **fields)
    with pytest.raises(CommandError, match="--user: other "):
        _release(survey, "--yes", user="other")


def test_a_key_of_another_option_is_refused(admin: User) -> None:
    survey = ready_survey({"0": 60, "2": 60}, number_bands())
    key = str(uuid4())
    _release(survey, "--yes", key=key, mechanism="quantile", share="0.25")
    with pytest.raises(CommandError, match="--key: "):
        _release(survey, "--yes", key=key, mechanism="quantile", share="0.75")
    again, err = _release(survey, "--yes", key=key, mechanism="quantile", share="1/4")
    release = Release.objects.get()
    assert (release.pk in again, str(ReleaseRefused(Why.DUPLICATE_REQUEST, release=release.pk)) in err) == (True, True)


def test_a_script_that_runs_twice_publishes_once(survey: Survey, admin: User) -> None:
    key = str(uuid4())
    _release(survey, "--yes", "--publish", key=key)
    release = Release.objects.get()
    assert release.published
    withdraw(release=release, user=admin)
    _release(survey, "--yes", "--publish", key=key)
    release.refresh_from_db()
    assert not release.published


def test_where_two_people_are_asked_for_it_says_so_before_anything_is_typed(
    survey: Survey, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RELEASES_NEED_APPROVAL = True
    monkeypatch.setattr(builtins, "input", lambda _prompt: pytest.fail("asked"))
    for arguments in ((), ("--yes",), ("--yes", "--publish")):
        with pytest.raises(CommandError, match=rf"{ReleaseRefused(Why.NEEDS_APPROVAL)}.*--propose"):
            _release(survey, *arguments)
    assert (spent(survey), Release.objects.count()) == (0, 0)
    assert "In all: ε = 0.5." in _release(survey, "--dry-run")[0]


def test_it_proposes_for_somebody_else_to_approve(survey: Survey, admin: User, settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = True
    key = str(uuid4())
    out, err = _release(survey, "--propose", key=key)
    proposal = Proposal.objects.get()
    assert re.findall(r"\d+", out) == [str(proposal.pk)]
    assert "120 answers, ε = 0.5." in err
    assert (proposal.proposed_by, proposal.reason, spent(survey)) == (admin, "For the report.", 0)
    data = json.loads(_release(survey, "--propose", "--json", key=key)[0])
    assert (data["proposal"], data["state"], data["epsilon"]) == (proposal.pk, "open", "1/2")
    release = approve(proposal=proposal, user=make_admin())
    # A script that runs again finds what became of it, and makes nothing.
    assert "is approved" in _release(survey, "--propose", key=key)[0]
    assert release.pk in _release(survey, "--yes", key=key)[0]
    assert (spent(survey), Proposal.objects.count(), Release.objects.count()) == (500_000, 1, 1)


def test_what_cannot_be_proposed_is_refused_naming_its_option(survey: Survey) -> None:
    with pytest.raises(CommandError, match=r"--epsilon: .*ε = 1 "):
        _release(survey, "--propose", epsilon="2")
    with pytest.raises(CommandError, match="--reason: "):
        _release(survey, "--propose", reason=" ")
    with pytest.raises(CommandError, match=r"--publish: .*--propose"):
        _release(survey, "--propose", "--publish")
    assert not Proposal.objects.exists()
