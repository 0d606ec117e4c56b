"""`seal` and `purge` as they are typed: both want the join code once more, and name what they cannot do."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from surveys.common.totals import response_count
from surveys.course.services import close_survey
from surveys.models import CellCount, PatternCount, State, Survey
from tests.factories import fill, make_open

pytestmark = pytest.mark.django_db

COMMANDS = {"seal": State.SEALED, "purge": State.PURGED}
each_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture
def closed() -> Survey:
    survey = make_open()
    fill(survey, {"1": 7})
    return close_survey(survey=survey)


def _run(command: str, code: str, **options: object) -> str:
    out = StringIO()
    call_command(command, code, stdout=out, **options)
    return out.getvalue()


def _sure(command: str, code: str) -> dict[str, object]:
    return {"yes": True} if command == "seal" else {"yes_purge": code}


def _type(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda _prompt: text)


@each_command
@pytest.mark.parametrize("is_typed", [True, False])
def test_it_is_done_once_the_code_is_typed_or_given_twice(
    transactional_db: None, closed: Survey, command: str, is_typed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    _type(closed.code.lower() if is_typed else "", monkeypatch)
    output = _run(command, closed.code.lower(), **({} if is_typed else _sure(command, closed.code.lower())))
    assert f"{closed.code} is {COMMANDS[command]}" in output
    assert (" 7 answers" in output) == (is_typed and command == "purge")
    survey = Survey.objects.get(pk=closed.pk)
    assert (survey.state, response_count(survey)) == (COMMANDS[command], 7 if command == "seal" else 0)


def test_pairs_alone_are_kept_only_where_that_is_asked_for(transactional_db: None, closed: Survey) -> None:
    _run("seal", closed.code, yes=True, pairs_only=True)
    assert PatternCount.objects.count() == 0
    assert list(CellCount.objects.values_list("first", "second", "codes", "count")) == [(0, 0, "1", 7)]


@each_command
@pytest.mark.parametrize("typed", ["", "yes", "NOSUCH"])
def test_for_any_other_word_nothing_is_done(
    closed: Survey, command: str, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _type(typed, monkeypatch)
    with pytest.raises(CommandError):
        _run(command, closed.code)
    if command == "purge":
        with pytest.raises(CommandError):
            _run(command, closed.code, yes_purge=typed)
    assert Survey.objects.get(pk=closed.pk).state == State.CLOSED


@each_command
def test_where_nobody_can_type_the_flag_is_named(closed: Survey, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", nobody)
    with pytest.raises(CommandError, match="--yes" if command == "seal" else f"--yes-purge {closed.code}"):
        _run(command, closed.code)
    assert Survey.objects.get(pk=closed.pk).state == State.CLOSED


@each_command
def test_it_names_what_it_cannot_do(command: str) -> None:
    with pytest.raises(CommandError, match="NOSUCH"):
        _run(command, "NOSUCH", **_sure(command, "NOSUCH"))
    survey = make_open()
    with pytest.raises(CommandError):
        _run(command, survey.code, **_sure(command, survey.code))
    assert Survey.objects.get(pk=survey.pk).state == State.OPEN
