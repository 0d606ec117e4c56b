"""Any document is taken or refused in words; what is taken can be shown, saved, exported, rehearsed and opened."""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from hypothesis import event, example, given, settings

from surveys.documents.services.creating import read_import
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of
from surveys.models import Survey
from tests.documents.from_schema import by_schema, changed_documents
from tests.documents.samples import raw, sample_document
from tests.factories import make_user
from tests.load.filled_form import filled
from tests.property_profile import ALL_EXAMPLES

Json = Any
_BANDS_OF_NOTHING = {
    "kind": "number_bands",
    "text": "a\x00",
    "design": "forced_response",
    "parameters": {"truth": [1, 2], "yes": [1, 4]},
    "details": {},
}
_OPTION_OF_YES_OR_NO = {
    "format": "deniable-survey",
    "version": 1,
    "survey": {"title": "a"},
    "questions": [
        {"kind": "yes_no", "text": "a", "options": [0.0], "design": "forced_response", "parameters": {}},
    ],
}
_NAME_THAT_TURNS_ROUND = {
    **_OPTION_OF_YES_OR_NO,
    "questions": [
        {"kind": "yes_no", "text": "a", "design": "forced_response", "parameters": {}, "details": {"\u202e": 1}},
    ],
}
IMPORT = reverse("survey-import")


def bounded(number: int) -> settings:
    """Return what tries so many examples where all are asked for; elsewhere a twentieth, the same each time."""
    every = ALL_EXAMPLES in os.environ
    return settings(deadline=None, max_examples=number if every else number // 20, derandomize=not every)


def problems_of(document: Json) -> list[str]:
    """Return what is wrong with a document: nothing where it is taken."""
    try:
        assert read_import(raw(document)).content == read_document(document)
    except DocumentRefused as refused:
        return [str(problem) for problem in refused.problems]
    return []


@example(_OPTION_OF_YES_OR_NO)
@example(_NAME_THAT_TURNS_ROUND)
@bounded(2_000)
@given(by_schema | changed_documents())
def test_any_document_is_taken_or_refused_in_one_line_at_each_place(document: Json) -> None:
    problems = problems_of(document)
    assert all(problem.isprintable() for problem in problems)
    places = [problem.partition(": ")[0] for problem in problems]
    assert len(set(places)) == len(places)


class Steps:
    """What somebody does with a document, from importing it to opening it: each step answers, whatever it says."""

    def __init__(self) -> None:
        self._client = Client()
        self._client.force_login(make_user())

    def send(self, content: bytes) -> Survey | None:
        """Import a file as a browser does; None where it is refused."""
        shown = self._client.post(IMPORT, {"file": SimpleUploadedFile("survey.json", content)})
        if shown.status_code == 422:
            return None
        created = self._client.post(IMPORT, {"document": _fields(shown)["document"]})
        assert created.status_code == 302, "what was shown is not created"
        return Survey.objects.get(code=created["Location"].split("/")[2])

    def look(self, survey: Survey) -> None:
        """Open every page and file that there is of a survey."""
        for address in addresses(survey):
            assert self._client.get(address).status_code < 500, address

    def post(self, name: str, survey: Survey, **fields: Any) -> HttpResponseBase:
        """Send a form."""
        response = self._client.post(reverse(name, args=[survey.code]), fields)
        assert response.status_code < 500, name
        return response

    def save(self, survey: Survey) -> None:
        """Save the draft as the editor shows it."""
        page = self._client.get(reverse("survey-edit", args=[survey.code]))
        before, saved = _written(survey), self.post("survey-edit", survey, **_fields(page, "editor"), action="save")
        # The editor saves no survey without a question.
        assert saved.status_code == (302 if before["questions"] else 422)
        assert not before["questions"] or _written(survey) == before

    def rehearse(self, survey: Survey) -> None:
        """Let some simulated people answer it."""
        page = self._client.get(reverse("survey-rehearse", args=[survey.code]))
        self.post("survey-rehearse", survey, **_fields(page) | {"respondents": "20"})
        self.post("survey-rehearse-step", survey)
        assert self._client.get(reverse("survey-rehearse", args=[survey.code])).status_code < 500

    def open(self, survey: Survey) -> bool:
        """Open it; False where a rule of opening refuses that."""
        page = self._client.get(reverse("survey-open", args=[survey.code]))
        return self.post("survey-open", survey, **_fields(page) | {"code": survey.code}).status_code == 302


def addresses(survey: Survey) -> Iterator[str]:
    """Return all addresses of a survey that name nothing but it, a question, a language or a version of it."""
    known = {"code": survey.code, "number": 1, "language": "de"}
    for route in _routes(get_resolver().url_patterns):
        named = re.findall(r"<\w+:(\w+)>", route)
        if "code" in named and set(named) <= known.keys():
            yield "/" + re.sub(r"<\w+:(\w+)>", lambda match: str(known[match[1]]), route)


def _routes(patterns: Iterable[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = f"{before}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route


def _fields(page: HttpResponseBase, form_id: str = "") -> dict[str, str]:
    """Return what a page's form sends as it is shown."""
    assert isinstance(page, HttpResponse)
    return filled(page.content.decode(), form_id)


def _written(survey: Survey) -> Json:
    return document_of(Survey.objects.get(pk=survey.pk))


@pytest.mark.django_db
@bounded(100)
@given(changed_documents(odd=False))
def test_whatever_is_taken_can_be_shown_saved_exported_rehearsed_and_opened(document: Json) -> None:
    steps = Steps()
    survey = steps.send(raw(document))
    assert (survey is None) == bool(problems_of(document))
    event("refused" if survey is None else "taken")
    if survey is None:
        return
    taken, written = read_document(document), read_document(_written(survey))
    assert (written.fields, written.questions, {*written.groups}) == (taken.fields, taken.questions, {*taken.groups})
    steps.look(survey)
    steps.save(survey)
    steps.post("survey-duplicate", survey)
    steps.rehearse(survey)
    if steps.open(survey):
        event("opened")
        steps.look(survey)


@pytest.mark.django_db
@bounded(100)
@given(by_schema | changed_documents())
@example({**sample_document(), "questions": [_BANDS_OF_NOTHING]})
def test_the_page_and_the_command_take_what_the_reader_takes(document: Json) -> None:
    problems, owner = problems_of(document), make_user()
    survey = Steps().send(raw(document))
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(raw(document))
        with pytest.raises(CommandError) if problems else nullcontext() as refused:
            call_command("import_survey", file.name, owner=owner.username, stdout=StringIO())
    assert (str(refused.value).splitlines()[1:] if refused else []) == problems
    assert (survey is None) == bool(problems)
