"""Preview and sharing: what respondents will see, and how they get there."""

import re
import xml.etree.ElementTree as ET
from functools import partial
from typing import Any

import pytest
import segno
from django.http import HttpResponse
from django.urls import reverse

from surveys.course.services import pause_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Response, Survey
from surveys.sharing.forms import PRINT_SIZES
from tests.course.states import STATES
from tests.factories import make_draft, make_open, one_of, yes_no
from tests.pages import owner_of, page_of, text_of

pytestmark = pytest.mark.django_db


_preview = partial(page_of, "survey-preview")


@pytest.mark.parametrize("make", [make_draft, make_open])
def test_the_preview_is_the_respondents_page_with_the_real_matrices(make: object) -> None:
    survey = make(yes_no("Ever cheated?"), one_of())  # type: ignore[operator]
    page = _preview(survey)
    assert "Ever cheated?" in page
    assert '"columns": [[3, 1], [1, 3]]' in page
    assert "js/respond.js" in page


def test_the_preview_has_no_way_to_send() -> None:
    survey = make_open()
    page = _preview(survey)
    assert "<noscript>" not in page
    # A form without an address would send to the preview, which takes nothing: see below.
    assert f"/s/{survey.code}/" not in page
    assert "disabled>Send response</button>" in page


def test_what_is_posted_to_the_preview_is_refused_and_not_stored() -> None:
    survey = make_open()
    response = owner_of(survey).post(
        reverse("survey-preview", args=[survey.code]), {"reports": "1", "mode": "device", "nonce": "a" * 22}
    )
    assert response.status_code == 405
    assert Response.objects.count() == 0


def test_the_share_page_shows_the_absolute_link_and_the_code() -> None:
    survey = make_open()
    page = page_of("survey-share", survey)
    assert f'href="http://testserver/s/{survey.code}/"' in page
    assert f'<p class="code short">{survey.code}</p>' in page
    assert reverse("survey-qr", args=[survey.code]) in page


@pytest.mark.parametrize("state", ["closed", "sealed", "purged"])
def test_when_nobody_can_join_any_more_there_is_nothing_to_hand_out(state: str) -> None:
    for survey, joined in ((STATES[state](), False), (STATES["paused"](), True)):
        page = page_of("survey-share", survey)
        assert ('class="code short"' in page) == joined
        assert (f"/s/{survey.code}/" in page) == joined


def test_a_draft_s_page_warns_that_its_link_does_not_work_yet() -> None:
    for survey in (make_draft(), make_open()):
        assert ('class="notice warn' in page_of("survey-share", survey)) == survey.is_draft


def test_the_qr_is_a_drawing_of_the_link_without_any_style() -> None:
    survey = make_open()
    response = owner_of(survey).get(reverse("survey-qr", args=[survey.code]))
    assert response["Content-Type"] == "image/svg+xml"
    root = ET.fromstring(response.content)  # noqa: S314 - our own drawing
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not [element for element in root.iter() if "style" in element.attrib or element.tag.endswith("style")]
    modules = segno.make(f"http://testserver/s/{survey.code}/", error="m", micro=False).symbol_size(border=4)[0]
    assert root.attrib["viewBox"] == f"0 0 {modules} {modules}"
    assert "width" not in root.attrib


def test_a_survey_by_invitation_is_shared_through_its_invitations() -> None:
    survey = make_open(by_invitation=True)
    response = owner_of(survey).get(reverse("survey-share", args=[survey.code]))
    assert (response.status_code, response["Location"]) == (302, f"/surveys/{survey.code}/invitations/")
    poster = owner_of(survey).get(reverse("survey-poster", args=[survey.code]))
    assert (poster.status_code, poster["Location"]) == (302, f"/surveys/{survey.code}/invitations/")


def _with_groups() -> Survey:
    survey = make_open()
    add_group(survey=survey, name="North")
    add_group(survey=survey, name="South & East", slug="south")
    return survey


def test_every_group_has_its_link_to_copy_beside_everybody_s() -> None:
    survey = _with_groups()
    page = page_of("survey-share", survey)
    links = re.findall(r'readonly value="([^"]+)"', page)
    assert links == [f"http://testserver/s/{survey.code}/{rest}" for rest in ("", "north/", "south/")]
    # Without a script, and over plain HTTP, there is nothing to press: the link can be selected.
    assert len(re.findall(r"<button[^>]* data-copy=[^>]* hidden>", page)) == len(links)
    for name in ("survey-present", "survey-poster", "survey-groups"):
        assert reverse(name, args=[survey.code]) in page


# QR codes.


def _qr(survey: Survey, **asked: Any) -> HttpResponse:
    return owner_of(survey).get(reverse("survey-qr", args=[survey.code]), asked)


def _length(text: str) -> float:
    assert text.endswith("mm")
    return float(text.removesuffix("mm"))


@pytest.mark.parametrize("size", PRINT_SIZES)
def test_a_printed_code_is_as_wide_as_asked_with_its_quiet_zone(size: int) -> None:
    survey = make_open()
    response = _qr(survey, size=size)
    root = ET.fromstring(response.content)  # noqa: S314 - our own drawing
    code = segno.make(f"http://testserver/s/{survey.code}/", error="q", micro=False)
    modules = code.symbol_size(border=4)[0]
    assert (_length(root.attrib["width"]), _length(root.attrib["height"])) == (size, size)
    assert root.attrib["viewBox"] == f"0 0 {modules} {modules}"
    assert response["Content-Disposition"] == f'attachment; filename="{survey.code}-{size}mm.svg"'


def _dark_modules(content: bytes) -> list[tuple[int, float]]:
    """Return where the drawing's strokes begin: column and row."""
    path = re.findall(rb'stroke="#000" d="([^"]+)"', content)[0].decode()
    x = y = 0.0
    dark = []
    for command, numbers in re.findall(r"([Mmh])([-\d. ]+)", path):
        values = [float(number) for number in re.findall(r"-?[\d.]+", numbers)]
        if command == "h":
            dark += [(int(x) + step, y) for step in range(int(values[0]))]
            x += values[0]
        else:
            x, y = (values[0], values[1]) if command == "M" else (x + values[0], y + values[1])
    return dark


@pytest.mark.parametrize(("asked", "error"), [({}, "m"), ({"size": 60}, "q"), ({"size": 60, "label": 1}, "q")])
def test_the_drawing_is_the_code_of_the_link(asked: dict[str, int], error: str) -> None:
    survey = make_open()
    drawn = set(_dark_modules(_qr(survey, **asked).content))
    code = segno.make(f"http://testserver/s/{survey.code}/", error=error, micro=False)
    rows = code.matrix_iter(border=4)
    assert drawn == {(x, y + 0.5) for y, row in enumerate(rows) for x, dark in enumerate(row) if dark}


def test_a_label_says_what_to_type_and_fits_below() -> None:
    survey = make_open()
    root = ET.fromstring(_qr(survey, size=60, label=1).content)  # noqa: S314 - our own drawing
    texts = root.findall("{http://www.w3.org/2000/svg}text")
    assert [text.text for text in texts] == [survey.code, "testserver"]
    width, height = (float(number) for number in root.attrib["viewBox"].split()[2:])
    assert width < float(texts[0].attrib["y"]) < float(texts[1].attrib["y"]) < height
    assert _length(root.attrib["height"]) / 60 == pytest.approx(height / width, abs=0.01)
    for text in texts:
        assert len(text.text or "") * 0.62 * float(text.attrib["font-size"]) < width


def test_a_group_s_code_leads_into_the_group_and_is_labelled_so() -> None:
    survey = _with_groups()
    response = _qr(survey, size=30, label=1, group="south")
    root = ET.fromstring(response.content)  # noqa: S314 - our own drawing
    texts = [text.text for text in root.findall("{http://www.w3.org/2000/svg}text")]
    # The survey's own code, typed at the front door, would lead into no group.
    assert texts == ["South & East", f"testserver/s/{survey.code}/south/"]
    code = segno.make(f"http://testserver/s/{survey.code}/south/", error="q", micro=False)
    assert {(x, y - 0.5) for x, y in _dark_modules(response.content)} == {
        (x, y) for y, row in enumerate(code.matrix_iter(border=4)) for x, dark in enumerate(row) if dark
    }
    assert response["Content-Disposition"].endswith(f'"{survey.code}-south-30mm.svg"')


@pytest.mark.parametrize(
    ("asked", "name"),
    [({"size": "61"}, "size"), ({"size": "-1"}, "size"), ({"size": "x"}, "size"), ({"group": "no"}, "group")],
)
def test_a_code_that_cannot_be_drawn_is_refused_by_name(asked: dict[str, str], name: str) -> None:
    response = _qr(make_open(), **asked)
    assert response.status_code == 400
    assert response["Content-Type"].startswith("text/plain")
    assert text_of(response).startswith(f"{name}: ")


# Posters.


def _poster(survey: Survey, **asked: str) -> str:
    return text_of(owner_of(survey).get(reverse("survey-poster", args=[survey.code]), asked))


def test_a_poster_has_the_title_the_code_the_host_and_two_sentences() -> None:
    survey = make_open(title="Honest answers")
    page = _poster(survey)
    sheets = page.split("<article")[1:]
    assert len(sheets) == 1
    for words in ("Honest answers", ">testserver</strong>", f">{survey.code}</p>"):
        assert words in sheets[0]
    assert sheets[0].count("<svg") == 1
    assert "strips" not in sheets[0]


def test_each_group_gets_a_page_whose_address_leads_into_it() -> None:
    survey = _with_groups()
    sheets = _poster(survey, group="groups").split("<article")[1:]
    assert len(sheets) == 2
    for sheet, name, slug in zip(sheets, ("North", "South &amp; East"), ("north", "south"), strict=True):
        assert f">{name}</p>" in sheet
        assert f"testserver/s/{survey.code}/{slug}/" in sheet
        assert f">{survey.code}</p>" not in sheet
    assert len(_poster(survey, group="south").split("<article")) == 2


def test_without_groups_each_group_s_page_is_everybody_s() -> None:
    assert len(_poster(make_open(), group="groups").split("<article")) == 2


def test_strips_to_tear_off_say_where_to_go_and_what_to_type() -> None:
    survey = make_open()
    strips = _poster(survey, strips="on").split('class="strips"')[1].split("</ul>")[0]
    assert strips.count(f"<span>testserver</span> <strong>{survey.code}</strong>") == 8


def test_a_poster_for_nobody_is_refused_and_everybody_s_shown() -> None:
    survey = make_open()
    response = owner_of(survey).get(reverse("survey-poster", args=[survey.code]), {"group": "nosuch"})
    assert response.status_code == 422
    assert 'role="alert"' in text_of(response)
    assert len(text_of(response).split("<article")) == 2


def test_a_poster_speaks_the_survey_s_language_and_says_when_nobody_can_answer() -> None:
    survey = make_open(language="de")
    pause_survey(survey=survey)
    page = _poster(survey)
    assert '<article class="sheet" lang="de"' in page
    before = page.split("<article")[0]
    assert 'class="notice warn' in before
    assert 'class="notice warn' not in _poster(make_open()).split("<article")[0]
