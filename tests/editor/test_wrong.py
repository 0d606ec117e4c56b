"""What is wrong while it is typed: the words of the server's own check, with the field that each belongs to."""

import re
from html import unescape

import pytest
from django.test import Client

from surveys.models import Survey
from tests.editor.form import NEW, closed, posted, question
from tests.factories import make_draft, yes_no
from tests.pages import owner_of, text_of

pytestmark = pytest.mark.django_db


def _wrong(page: str) -> dict[str, str]:
    list_of_them = page.split('<ul id="wrong" hidden>')[1].split("</ul>", maxsplit=1)[0]
    return dict(re.findall(r'<li data-field="([^"]+)">(.*?)</li>', unescape(list_of_them)))


def _typed(teacher: Client, *rows: dict[str, str], **changes: str) -> dict[str, str]:
    response = teacher.post(NEW, posted(*rows, action="refresh", **changes), headers={"X-Parts": "1"})
    return _wrong(text_of(response))


def test_each_refusal_stands_with_the_field_it_belongs_to(teacher: Client) -> None:
    wrong = _typed(teacher, question(truth="abc", text=""), expected_n="0", opens_at="soon")
    assert wrong.keys() == {"id_expected_n", "id_opens_at", "id_questions-1-truth", "id_questions-1-text"}
    assert "“abc”" in wrong["id_questions-1-truth"]
    # The same words as a refused save has at the field.
    refused = teacher.post(NEW, posted(question(truth="abc"))).context["editor"].rows[0].form
    assert [wrong["id_questions-1-truth"]] == refused.errors["truth"]


def test_a_scale_without_an_end_is_named_at_that_end(teacher: Client) -> None:
    wrong = _typed(teacher, question(kind="scale", design="k_ary", low_end=""))
    assert list(wrong) == ["id_questions-1-low_end"]


def test_what_cannot_be_seen_or_is_right_is_not_complained_about(teacher: Client) -> None:
    assert _typed(teacher, question(), closed(truth="abc"), question(truth="abc") | {"removed": "on"}) == {}


def test_a_page_that_was_only_looked_at_complains_about_nothing(teacher: Client) -> None:
    survey = make_draft(yes_no())
    assert _wrong(text_of(owner_of(survey).get(f"/surveys/{survey.code}/edit/"))) == {}


def test_reading_what_is_typed_changes_no_stored_survey() -> None:
    survey = make_draft(yes_no(), title="Before")
    owner_of(survey).post(f"/surveys/{survey.code}/edit/", posted(question(), title="Typed", action="refresh"))
    assert Survey.objects.get().title == "Before"
