"""A release away from its page: the frame on other sites, the pictures, and what oEmbed says of them."""

import json
import re
import struct
import zlib
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from html import unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

import pytest
import resvg_py
from django.test import Client
from pytest_django import Settings

from surveys.charts import png
from surveys.charts.svg import size_of
from surveys.models import Mechanism, Release
from surveys.releases import views
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services.releasing import withdraw
from surveys.releases.words.release import release_headline, release_title
from tests.charts.samples import parsed
from tests.factories import make_admin, one_of, yes_no
from tests.privacy.chance import seeded
from tests.releases.every_release import HOSTILE, every_release, survey_of_every_kind
from tests.releases.setting import make_release, published_release, ready_survey

pytestmark = pytest.mark.django_db

SITE = "https://survey.example.org"
SVG = "{http://www.w3.org/2000/svg}"
ENDS = ("/embed/", ".svg", ".png")
TITLES = [
    HOSTILE,
    "]]> &amp; <![CDATA[ --> </title></svg></iframe>",
    '" onload="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    "שלום, עולם! \u200f\u200e",
    "many words " * 18 + "x",
]


@pytest.fixture(autouse=True)
def site(settings: Settings) -> str:
    settings.SITE_ADDRESS = SITE
    return SITE


@pytest.fixture
def release() -> Release:
    return published_release(ready_survey({"0": 610, "1": 390}, yes_no("Have you ever copied?"), title="Exams"))


class _Reader(HTMLParser):
    """The elements of a page, and how many there are of each."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def pixels(content: bytes) -> tuple[int, int, bytes]:
    """Return a PNG file's width, height and filtered lines; every chunk's sum is checked."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, list[tuple[bytes, bytes]]()
    while at < len(content):
        (length,) = struct.unpack_from(">I", content, at)
        kind, data = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + data) == struct.unpack_from(">I", content, at + 8 + length)[0]
        chunks.append((kind, data))
        at += 12 + length
    assert [kind for kind, _ in chunks][:: len(chunks) - 1] == [b"IHDR", b"IEND"]
    wide, high, depth, colour, *_ = struct.unpack(">IIBBBBB", chunks[0][1])
    lines = zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT"))
    assert (depth, colour, len(lines)) == (8, 6, (4 * wide + 1) * high)
    return wide, high, lines


def texts(document: str) -> str:
    return " ".join("".join(text.itertext()) for text in parsed(document).iter(f"{SVG}text"))


# What every release has.


@pytest.mark.uncounted
def test_a_release_of_every_mechanism_has_a_frame_and_a_picture_that_name_their_source(client: Client) -> None:
    survey, drawn = survey_of_every_kind(n=60, seed=4, title="Of every kind"), set()
    for release in every_release(survey):
        document = client.get(f"/r/{release.pk}.svg").content.decode()
        root, headline = parsed(document), release_headline(reading_of(release))
        assert (root.tag, root.findtext(f"{SVG}title")) == (f"{SVG}svg", headline)
        assert len(root.findtext(f"{SVG}desc", "")) > 40
        # A headline may be broken into lines.
        written = texts(document)
        assert [word for word in headline.split() if word not in written] == []
        assert f"{SITE}/r/{release.pk}/" in written
        assert "Of every kind" in written
        assert not re.search(r"\b(nan|inf)\b", written)
        assert client.get(f"/r/{release.pk}/embed/").status_code == 200
        drawn.add(release.mechanism)
    assert drawn == set(Mechanism.values)


def test_a_test_that_was_not_passed_has_a_picture_that_says_so(client: Client) -> None:
    survey = ready_survey({"0": 20, "1": 20, "2": 20}, one_of(), delta=Fraction(1, 1_000))
    asked = {"mechanism": Mechanism.STABLE_MODE, "delta": Fraction(1, 10**6)}
    release = published_release(survey, randbelow=seeded(1), **asked)
    (part,) = reading_of(release).parts
    document = client.get(f"/r/{release.pk}.svg").content.decode()
    assert part.finding.family == "refused"
    assert "The test was not passed" in parsed(document).findtext(f"{SVG}desc", "")


def test_a_choice_is_drawn_among_all_that_could_have_been_chosen(client: Client) -> None:
    survey = ready_survey({"0": 60, "1": 20, "2": 20}, one_of(("Never", "Once", "Often")))
    release = published_release(survey, mechanism=Mechanism.MOST_COMMON)
    written = texts(client.get(f"/r/{release.pk}.svg").content.decode())
    assert all(label in written for label in ("Never", "Once", "Often"))
    assert written.count("· drawn ") == 2  # the choice, and the day


def test_what_was_drawn_more_than_once_says_so_wherever_it_is(client: Client) -> None:
    survey = ready_survey()
    shown = published_release(survey, epsilon=Fraction(1, 4))
    make_release(survey, epsilon=Fraction(1, 4))
    frame = client.get(f"/r/{shown.pk}/embed/").content.decode()
    assert 'data-says="chosen"' in frame
    assert len(_Reader(frame).of("a")) == 1
    assert "Draw 1 of 2 for this question." in texts(client.get(f"/r/{shown.pk}.svg").content.decode())


def test_the_picture_describes_itself_in_words(client: Client, release: Release) -> None:
    document = parsed(client.get(f"/r/{release.pk}.svg").content.decode())
    described = document.findtext(f"{SVG}desc", "")
    assert "would truthfully answer “Yes”" in described
    assert "95% confidence" in described
    assert document.get("role") == "img"


def test_a_release_speaks_its_survey_s_language_wherever_it_is(client: Client) -> None:
    asked = {"de": "Haben Sie abgeschrieben?", "es": "¿Ha copiado?", "he": "האם העתקת?"}
    for language, question in asked.items():
        survey = ready_survey(None, yes_no(question), title=question, language=language)
        release = published_release(survey)
        page, frame = (_Reader(client.get(f"/r/{release.pk}/{end}").content.decode()) for end in ("", "embed/"))
        document = client.get(f"/r/{release.pk}.svg").content.decode()
        spoken = page.of("html")[0]["lang"]
        assert frame.of("html") == page.of("html")
        assert parsed(document).get("{http://www.w3.org/XML/1998/namespace}lang") == spoken
        assert spoken == ("en" if language == "he" else language)
        assert question in texts(document)


def test_a_picture_as_png_is_the_svg_twice_as_large(client: Client, release: Release) -> None:
    document = client.get(f"/r/{release.pk}.svg").content.decode()
    wide, high, lines = pixels(client.get(f"/r/{release.pk}.png").content)
    assert (wide, high) == png.png_size(document)
    assert wide == 2 * size_of(document)[0] == 1440
    assert abs(high - 2 * size_of(document)[1]) <= 1
    assert len(set(lines)) > 50


def test_a_picture_of_very_many_questions_takes_no_more_than_16_mb() -> None:
    document = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 90000" width="720" height="90000"></svg>'
    wide, high, _lines = pixels(png.to_png(document))
    assert 3_900_000 < wide * high <= 4_000_000


@pytest.mark.parametrize(
    "words", ["Did you copy?", "Häufigkeit, ε ≤ 0,5 − ¿Cuántas?", "האם העתקת אי פעם?", "Списывали?"]
)
def test_letters_of_a_png_come_from_the_font_that_is_ours(
    words: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = published_release(ready_survey(None, yes_no(words), title=words))
    document = client.get(f"/r/{release.pk}.svg").content.decode()
    with_all = png.to_png(document)
    nothing = png.to_png(document.replace(words, " "))
    monkeypatch.setattr(resvg_py, "svg_to_bytes", partial(resvg_py.svg_to_bytes, skip_system_fonts=True))
    assert png.to_png(document) == with_all != nothing
    # Where it has no letter, it draws the same box for each.
    assert png.to_png(document.replace(words, "\uf8f0" * len(words))) != with_all


# Headers, caches and withdrawal.


def test_only_the_frame_may_be_framed_and_all_three_may_be_loaded_from_elsewhere(
    client: Client, release: Release
) -> None:
    answers = {end: client.get(f"/r/{release.pk}{end}") for end in ("/", ".json", *ENDS)}
    policies = {end: answer["Content-Security-Policy"].split("; ") for end, answer in answers.items()}
    assert {end for end, answer in answers.items() if "X-Frame-Options" not in answer} == {"/embed/"}
    assert {end for end, policy in policies.items() if "frame-ancestors *" in policy} == {"/embed/"}
    assert {end for end, policy in policies.items() if "frame-ancestors 'none'" in policy} == set(answers) - {"/embed/"}
    shared = {end for end, answer in answers.items() if answer.get("Cross-Origin-Resource-Policy") == "cross-origin"}
    assert shared == set(ENDS)
    assert {end: answer["Content-Type"] for end, answer in answers.items() if end in ENDS} == {
        "/embed/": "text/html; charset=utf-8",
        ".svg": "image/svg+xml; charset=utf-8",
        ".png": "image/png",
    }
    for answer in answers.values():
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Cache-Control"] == "public, max-age=60"
        assert not answer.cookies


def test_what_stands_elsewhere_can_run_and_send_nothing(client: Client, release: Release) -> None:
    frame, picture = (
        set(client.get(f"/r/{release.pk}{end}")["Content-Security-Policy"].split("; ")) for end in ("/embed/", ".svg")
    )
    assert frame >= {"default-src 'none'", "script-src 'none'", "connect-src 'none'", "form-action 'none'"}
    assert picture >= {"default-src 'none'", "script-src 'none'", "img-src 'none'", "sandbox"}
    elements = _Reader(client.get(f"/r/{release.pk}/embed/").content.decode())
    assert {tag for tag, _ in elements.elements}.isdisjoint({"script", "form", "input", "button", "iframe", "img"})
    assert not [attributes for _, attributes in elements.elements if "style" in attributes]
    assert elements.of("a") == [{"href": f"{SITE}/r/{release.pk}/", "target": "_blank", "rel": "noopener"}]


@pytest.mark.parametrize("end", ENDS)
def test_what_was_not_changed_is_not_sent_again(client: Client, release: Release, end: str) -> None:
    answer = client.get(f"/r/{release.pk}{end}")
    unchanged = client.get(f"/r/{release.pk}{end}", headers={"if-none-match": answer["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    for name in ("Content-Security-Policy", "Cross-Origin-Resource-Policy", "X-Frame-Options"):
        assert unchanged.get(name) == answer.get(name)
    assert client.post(f"/r/{release.pk}{end}").status_code == 405


@pytest.mark.parametrize("end", ENDS)
def test_what_is_kept_of_a_withdrawn_release_is_shown_nowhere(client: Client, release: Release, end: str) -> None:
    tag = client.get(f"/r/{release.pk}{end}")["ETag"]
    withdraw(release=release, user=make_admin())
    gone = client.get(f"/r/{release.pk}{end}", headers={"if-none-match": tag})
    assert gone.status_code == 404
    assert client.get("/oembed", {"url": f"{SITE}/r/{release.pk}/"}).status_code == 404
    if end == "/embed/":
        # A frame can show it: else a browser would say that this site refused to be framed.
        assert "X-Frame-Options" not in gone
        assert "Copied" not in gone.content.decode()
        assert gone["Cache-Control"] == "public, max-age=60"


def test_a_picture_is_drawn_once_and_of_what_does_not_exist_never(
    client: Client, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(views, "to_png", lambda document: drawn.append(document) or b"made")
    assert {client.get(f"/r/{key}.png").status_code for key in ("nothing", "a" * 500)} == {404}
    assert drawn == []
    assert [client.get(f"/r/{release.pk}.png").content for _ in range(3)] == [b"made"] * 3
    assert len(drawn) == 1


# oEmbed: https://oembed.com.


def _oembed(client: Client, release: Release, **query: str) -> dict[str, object]:
    answer = client.get("/oembed", {"url": f"{SITE}/r/{release.pk}/"} | query)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    found: dict[str, object] = json.loads(answer.content)
    return found


def test_oembed_says_how_to_embed_a_release(client: Client, release: Release) -> None:
    found = _oembed(client, release)
    frame = _Reader(str(found["html"]))
    assert frame.elements == [
        (
            "iframe",
            {
                "src": f"{SITE}/r/{release.pk}/embed/",
                "title": "Have you ever copied?",
                "width": str(found["width"]),
                "height": str(found["height"]),
                "style": "border: 0",
                "loading": "lazy",
            },
        )
    ]
    wide, high, _ = pixels(client.get(f"/r/{release.pk}.png").content)
    assert {name: found[name] for name in found if name not in {"html", "title", "height"}} == {
        "version": "1.0",
        "type": "rich",
        "provider_name": "Deniable",
        "provider_url": f"{SITE}/",
        "cache_age": 60,
        "width": 720,
        "thumbnail_url": f"{SITE}/r/{release.pk}.png",
        "thumbnail_width": wide,
        "thumbnail_height": high,
    }
    assert found["title"] == release_headline(reading_of(release))


def test_nothing_that_oembed_offers_is_larger_than_asked_for(client: Client, release: Release) -> None:
    found = _oembed(client, release, maxwidth="400", maxheight="300", format="json")
    assert (found["width"], found["height"]) == (400, 300)
    assert not [name for name in found if name.startswith("thumbnail")]
    assert _oembed(client, release, maxwidth="99999")["width"] == 720
    assert "thumbnail_url" not in _oembed(client, release, maxheight="500")


def test_the_page_leads_to_oembed_and_its_code_is_that_of_oembed(client: Client, release: Release) -> None:
    page = client.get(f"/r/{release.pk}/").content.decode()
    (link,) = (link for link in _Reader(page).of("link") if link.get("type") == "application/json+oembed")
    assert (link["rel"], link["title"]) == ("alternate", release_headline(reading_of(release)))
    address = urlsplit(str(link["href"]))
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{SITE}/oembed"
    assert parse_qs(address.query) == {"url": [f"{SITE}/r/{release.pk}/"], "format": ["json"]}
    offered = json.loads(client.get(f"{address.path}?{address.query}").content)["html"]
    assert re.sub('width="720"', 'width="100%"', offered) in unescape(page)


@pytest.mark.parametrize(
    ("status", "query"),
    [
        (501, {"format": "xml"}),
        (501, {"format": "html"}),
        (400, {"maxwidth": "0"}),
        (400, {"maxheight": "-1"}),
        (400, {"maxwidth": "1e3"}),
        (400, {"maxwidth": "٣"}),
        (400, {"maxheight": "9" * 5_000}),
        (404, {"url": ""}),
        (404, {"url": "https://elsewhere.example/r/{key}/"}),
        (404, {"url": "http://survey.example.org/r/{key}/"}),
        (404, {"url": "https://survey.example.org:8443/r/{key}/"}),
        (404, {"url": "https://survey.example.org@elsewhere.example/r/{key}/"}),
        (404, {"url": "https://survey.example.org/r/{key}/embed/"}),
        (404, {"url": "https://survey.example.org/r/{key}.json"}),
        (404, {"url": "https://survey.example.org/r/nothing/"}),
        (404, {"url": "https://survey.example.org/r/{key}\x00/"}),
        (404, {"url": "https://survey.example.org/r/of/{key}/"}),
        (404, {"url": "https://survey.example.org/sign-in/"}),
        (200, {"url": "https://survey.example.org/r/{key}/?utm=1#chart"}),
    ],
)
def test_oembed_refuses_what_it_does_not_know(
    client: Client, release: Release, status: int, query: dict[str, str]
) -> None:
    asked = {"url": f"{SITE}/r/{{key}}/"} | query
    answer = client.get("/oembed", {name: value.replace("{key}", release.pk) for name, value in asked.items()})
    assert answer.status_code == status
    if status == 400:
        assert next(iter(query)) in answer.content.decode()


def test_an_address_is_the_configured_one_whatever_host_was_asked(client: Client, release: Release) -> None:
    for address in (f"/r/{release.pk}/", f"/r/{release.pk}/embed/", f"/r/{release.pk}.svg"):
        page = client.get(address, headers={"host": "localhost"}).content.decode()
        assert "http://localhost" not in page
        assert f"{SITE}/r/{release.pk}/" in page
    answer = client.get("/oembed", {"url": f"http://localhost/r/{release.pk}/"}, headers={"host": "localhost"})
    assert answer.status_code == 404


# What authors write.


def _of_hostile() -> Iterator[tuple[str, Release]]:
    for title in TITLES:
        yield title, published_release(ready_survey(None, yes_no(title), title=title))


def test_no_text_of_an_author_breaks_out_of_a_frame_or_a_picture(client: Client) -> None:
    for title, release in _of_hostile():
        document = parsed(client.get(f"/r/{release.pk}.svg").content.decode())
        allowed = {"svg", "title", "desc", "style", "rect", "line", "circle", "text", "tspan", "path"}
        assert {element.tag.removeprefix(SVG) for element in document.iter()} <= allowed, title
        assert not [name for element in document.iter() for name in element.attrib if name.startswith("on")], title
        frame = _Reader(client.get(f"/r/{release.pk}/embed/").content.decode())
        assert {tag for tag, _ in frame.elements}.isdisjoint({"script", "iframe"}), title
        assert not [name for _, attributes in frame.elements for name in attributes if name.startswith("on")], title
        assert [tag for tag, _ in _Reader(str(_oembed(client, release)["html"])).elements] == ["iframe"], title
        pixels(client.get(f"/r/{release.pk}.png").content)


def test_a_question_as_a_headline_breaks_out_of_no_attribute(client: Client) -> None:
    for title in TITLES:
        survey = ready_survey({"00": 30, "11": 30}, yes_no(title), yes_no("Another?"), title=title)
        release = published_release(survey, questions=[1, 2])
        ((tag, attributes),) = _Reader(str(_oembed(client, release)["html"])).elements
        assert (tag, attributes["title"]) == ("iframe", release_title(reading_of(release)))
        assert set(attributes) == {"src", "title", "width", "height", "style", "loading"}
        page = _Reader(client.get(f"/r/{release.pk}/").content.decode())
        assert {tag for tag, _ in page.elements}.isdisjoint({"script", "iframe"})
