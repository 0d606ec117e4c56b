"""Preview and sharing: what respondents will see, and how they get there."""

import xml.etree.ElementTree as ET

import pytest
import segno
from django.urls import reverse

from surveys.models import Response, Survey
from tests.factories import make_draft, make_open, one_of, yes_no
from tests.instructor.editing import owner_of, text_of

pytestmark = pytest.mark.django_db


def _preview(survey: Survey) -> str:
    return text_of(owner_of(survey).get(reverse("survey-preview", args=[survey.code])))


@pytest.mark.parametrize("make", [make_draft, make_open])
def test_the_preview_is_the_respondents_page_with_the_real_matrices(make: object) -> None:
    survey = make(yes_no("Ever cheated?"), one_of())  # type: ignore[operator]
    page = _preview(survey)
    assert "Nothing can be sent from here." in page
    assert "Ever cheated?" in page
    assert '"columns": [[3, 1], [1, 3]]' in page
    assert "js/respond.js" in page


def test_the_preview_has_no_way_to_send() -> None:
    survey = make_open()
    page = _preview(survey)
    assert "<noscript>" not in page
    # A form without an address would send to the preview, which takes nothing: see below.
    assert f"/s/{survey.code}/" not in page
    assert "disabled>Send</button>" in page


def test_what_is_posted_to_the_preview_is_refused_and_stored_nowhere() -> None:
    survey = make_open()
    response = owner_of(survey).post(
        reverse("survey-preview", args=[survey.code]), {"reports": "1", "mode": "device", "nonce": "a" * 22}
    )
    assert response.status_code == 405
    assert Response.objects.count() == 0


def test_the_share_page_shows_the_absolute_link_and_the_code() -> None:
    survey = make_open()
    page = text_of(owner_of(survey).get(reverse("survey-share", args=[survey.code])))
    assert f'href="http://testserver/s/{survey.code}/"' in page
    assert f'<p class="code">{survey.code}</p>' in page
    assert reverse("survey-qr", args=[survey.code]) in page


def test_the_share_page_of_a_draft_says_that_the_link_does_not_work_yet() -> None:
    survey = make_draft()
    page = text_of(owner_of(survey).get(reverse("survey-share", args=[survey.code])))
    assert "the link works once you open the survey" in page


def test_the_qr_is_a_drawing_of_the_link_without_any_style() -> None:
    survey = make_open()
    response = owner_of(survey).get(reverse("survey-qr", args=[survey.code]))
    assert response["Content-Type"] == "image/svg+xml"
    root = ET.fromstring(response.content)  # noqa: S314 - our own drawing
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not [element for element in root.iter() if "style" in element.attrib or element.tag.endswith("style")]
    modules = segno.make(f"http://testserver/s/{survey.code}/", error="m", micro=False).symbol_size(border=4)[0]
    assert root.attrib["viewBox"] == f"0 0 {modules} {modules}"


def test_a_survey_by_invitation_is_shared_through_its_invitations() -> None:
    survey = make_open(by_invitation=True)
    response = owner_of(survey).get(reverse("survey-share", args=[survey.code]))
    assert (response.status_code, response["Location"]) == (302, f"/surveys/{survey.code}/invitations/")
