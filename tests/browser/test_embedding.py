"""A release on a page of another site, in a real browser; no other page of ours can be framed there."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.conf import settings
from playwright.sync_api import Page

from surveys.charts.svg import to_svg
from surveys.common.qr import qr_file
from surveys.models import Mechanism, Release
from surveys.releases.services.releasing import withdraw
from tests.browser.conftest import NewContext
from tests.charts.samples import every_chart
from tests.factories import make_admin, make_open, yes_no
from tests.releases.every_release import HOSTILE, every_release, survey_of_every_kind
from tests.releases.setting import published_release, ready_survey


@contextmanager
def _other_site(body: str) -> Iterator[str]:
    """Serve a page at another port of this machine, which is another origin."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b'<!doctype html><link rel="icon" href="data:,"><title>Elsewhere</title>' + body.encode())

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def faults(page: Page) -> list[str]:
    """What the browser complains of."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.fixture
def release(site: str) -> Release:
    return published_release(ready_survey({"0": 610, "1": 390}, yes_no("Have you ever copied?"), title="Exams"))


_LOADED = "(picture) => picture.complete && [picture.naturalWidth, picture.naturalHeight]"
_TALLER = "document.scrollingElement.scrollHeight - innerHeight"


def test_another_site_shows_a_release_as_a_frame_and_as_pictures_and_gets_no_cookie(
    page: Page, site: str, release: Release, faults: list[str]
) -> None:
    page.goto(f"/r/{release.pk}/")
    code = page.locator(".copied").text_content()
    assert code is not None
    pictures = "".join(f'<img id="{kind}" src="{site}/r/{release.pk}.{kind}" alt="">' for kind in ("svg", "png"))
    with _other_site(f'<div style="width: 45rem">{code}</div>{pictures}') as elsewhere:
        page.set_viewport_size({"width": 1000, "height": 800})
        page.goto(elsewhere)
        frame = page.frame_locator("iframe")
        assert frame.locator("h1").is_visible()
        assert frame.locator(".limits").inner_text().startswith("95% confidence interval: ")
        assert frame.locator(".lane svg .band").bounding_box()["width"] > 50  # type: ignore[index]
        page.wait_for_load_state("networkidle")
        assert page.locator("#svg").evaluate(_LOADED)[0] == 720
        assert page.locator("#png").evaluate(_LOADED)[0] == 1440
        with page.context.expect_page() as opened:
            frame.get_by_role("link").click()
        assert opened.value.url == f"{site}/r/{release.pk}/"
        assert opened.value.evaluate("window.opener") is None
    assert page.context.cookies() == []
    assert faults == []


def test_no_other_page_of_ours_can_be_framed_by_another_site(page: Page, site: str, release: Release) -> None:
    code = make_open(yes_no()).code
    refused = (
        f"/r/{release.pk}/",
        f"/r/{release.pk}.svg",
        f"/s/{code}/",
        "/sign-in/",
        "/",
        "/surveys/",
        "/admin/",
    )
    frames = "".join(f'<iframe src="{site}{address}"></iframe>' for address in [f"/r/{release.pk}/embed/", *refused])
    with _other_site(frames) as elsewhere:
        page.goto(elsewhere)
        page.wait_for_load_state("networkidle")
        shown, *others = page.main_frame.child_frames
        assert shown.locator("h1").count() == 1
        assert [frame.locator("body *").count() for frame in others if site in frame.url] == []
        assert len(others) == len(refused)


def test_a_frame_of_a_withdrawn_release_says_so(page: Page, site: str, release: Release) -> None:
    withdraw(release=release, user=make_admin())
    with _other_site(f'<iframe src="{site}/r/{release.pk}/embed/"></iframe>') as elsewhere:
        page.goto(elsewhere)
        assert page.frame_locator("iframe").locator("main p").inner_text() == "No release is published at this address."


def test_a_frame_as_high_as_its_code_says_does_not_scroll(new_context: NewContext, site: str) -> None:
    page = new_context(viewport={"width": 720, "height": 100}).new_page()
    kinds = {Mechanism.LAPLACE_HISTOGRAM, Mechanism.TOP, Mechanism.MEAN, Mechanism.JOINT_TABLE}
    taller = {}
    for release in every_release(survey_of_every_kind(n=300, seed=2), only=kinds):
        code = page.request.get(f"/oembed?url={site}/r/{release.pk}/").json()
        page.set_viewport_size({"width": 720, "height": code["height"]})
        page.goto(f"/r/{release.pk}/embed/")
        if (missing := page.evaluate(_TALLER)) > 0:
            taller[release.mechanism, release.pk] = missing
    assert taller == {}


# Every SVG file is a document of its own.

_DRAWN = """() => {
  const root = document.documentElement, box = root.getBoundingClientRect();
  return [root.namespaceURI, root.localName, document.querySelector("parsererror") === null, box.width > 0];
}"""
_SOUND = ["http://www.w3.org/2000/svg", "svg", True, True]


def _files(directory: Path) -> Iterator[Path]:
    root = Path(settings.BASE_DIR)
    yield from (root / "static" / "favicon.svg", *(root / "docs").rglob("*.svg"))
    written = {chart.name: to_svg(chart).encode() for chart in every_chart()}
    written["qr"] = qr_file("https://survey.example.org/s/EXAMS/", millimetres=40, lines=("EXAMS",)).encode()
    for name, document in written.items():
        (directory / f"{name}.svg").write_bytes(document)
        yield directory / f"{name}.svg"


def test_every_svg_file_opens_as_a_document_of_its_own(page: Page, tmp_path: Path, faults: list[str]) -> None:
    wrong = {}
    for path in _files(tmp_path):
        page.goto(path.as_uri())
        if (found := page.evaluate(_DRAWN)) != _SOUND:
            wrong[path.name] = found
    assert wrong == {}
    assert faults == []


def test_a_picture_opened_by_itself_is_drawn_in_its_colours(page: Page, site: str, faults: list[str]) -> None:
    release = published_release(ready_survey({"0": 610, "1": 390}, yes_no(HOSTILE), title=HOSTILE))
    page.goto(f"/r/{release.pk}.svg")
    assert page.evaluate(_DRAWN) == _SOUND
    assert page.locator(".lane .band").evaluate("(it) => getComputedStyle(it).fill") == "rgb(169, 208, 205)"
    assert faults == []
