"""The look is made of the tokens of docs/design.md, and of no other sizes and names."""

import re
from pathlib import Path

import pytest
from django.test import Client

from surveys.charts.heat import LIGHT_INK_FROM, SHADES
from tests.factories import make_open

ROOT = Path(__file__).resolve().parent.parent
STYLES = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "static" / "css").glob("*.css"))}
_SIZE = re.compile(r"font(?:-size)?: ([^;}]+)")
_TOKEN = re.compile(r"var\(--t(?:14|16|20|28|40|64|96)\)|inherit")
# Paper is measured in points; the projector's root grows with the screen; letters of a formula grow with it.
_OF_THEIR_OWN = {
    "deniable.css": {"100%/1.5 var(--text)"},
    "learn.css": {"clamp(1rem, min(1.5vw, 2.65vh), 5rem)"},
    "lessons.css": {"clamp(1rem, min(1.25vw, 2.2vh), 4.5rem)"},
    "present.css": {"clamp(1rem, min(1.5vw, 2.65vh), 5rem)"},
    "results.css": {"max(1em, 0.75rem)"},
}


def _tokens(block: str) -> set[str]:
    return set(re.findall(r"(--[\w-]+):", block))


def _blocks() -> tuple[str, str]:
    light, dark = re.findall(r":root \{(.*?)\n *\}", STYLES["deniable.css"], re.DOTALL)[:2]
    return light, dark


@pytest.mark.parametrize("name", sorted(STYLES.keys() - {"poster.css"}))
def test_type_has_seven_sizes(name: str) -> None:
    sizes = {size.strip() for size in _SIZE.findall(STYLES[name])}
    others = {size for size in sizes if not _TOKEN.search(size)}
    assert others == _OF_THEIR_OWN.get(name, set())


def test_every_name_that_is_used_is_defined_and_every_token_used() -> None:
    everything = "".join(STYLES.values())
    templates = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "templates").rglob("*.html"))
    used = set(re.findall(r"var\((--[\w-]+)", everything + templates))
    assert used - _tokens(everything) == set()
    assert _tokens(_blocks()[0]) - used == set()


def test_every_colour_has_a_dark_one() -> None:
    light, dark = _blocks()
    colours = set(re.findall(r"(--[\w-]+): #", light))
    assert len(colours) > 15
    assert colours <= _tokens(dark)


def _luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(colour: str, ground: str, much: float) -> str:
    pairs = [(int(colour[start : start + 2], 16), int(ground[start : start + 2], 16)) for start in (1, 3, 5)]
    return "#" + "".join(f"{round(much * over + (1 - much) * under):02x}" for over, under in pairs)


@pytest.mark.parametrize("dark", [False, True])
def test_every_shade_of_a_table_of_shares_leaves_its_number_legible(dark: bool) -> None:
    shades = {
        int(step): int(much) / 100 for step, much in re.findall(r"heat-(\d) \{ --much: (\d+)%", STYLES["charts.css"])
    }
    assert shades == dict(enumerate(SHADES[1:], start=1))
    token = {name: f"#{(value * 2)[:6]}" for name, value in re.findall(r"--([\w-]+): #([0-9a-f]+)", _blocks()[dark])}
    for step, much in shades.items():
        shade = _luminance(_mixed(token["signal"], token["surface"], much))
        ink = _luminance(token["on-signal" if step >= LIGHT_INK_FROM else "ink"])
        assert (max(shade, ink) + 0.05) / (min(shade, ink) + 0.05) >= 4.5, step


@pytest.mark.django_db
def test_phones_and_respondents_are_left_out_of_whom_the_face_is_named_for() -> None:
    """What is named for nobody is not loaded, however late a sheet comes: tests/browser/test_speed.py."""
    named = [re.findall(r"([^{}]*)\{([^{}]*)\{[^{}]*--display: Bricolage", style) for style in STYLES.values()]
    ((media, selector),) = [each for found in named for each in found]
    assert media.strip() == "@media print, (min-width: 48em)"
    assert selector.strip() == "body:not(.ask)"
    survey = make_open()
    for page in ("", "own-coin/", "receipt/"):
        assert b'<body class="narrow ask">' in Client().get(f"/s/{survey.code}/{page}").content
    assert (ROOT / "static" / "fonts" / "bricolage.woff2").stat().st_size <= 40_000
