"""Every page of the lab: its numbers are the core's, its claims hold, its code says the same, its words are few."""

import io
import subprocess
from contextlib import redirect_stdout
from html import unescape
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from re import DOTALL, findall, sub
from types import ModuleType

import pytest
from django.test import Client
from django.utils import translation

from surveys.learn import pages
from surveys.learn.forms import LARGEST_SEED, Slider
from surveys.learn.page import LabPage, as_json
from surveys.learn.pages import lab_pages
from tests.learn import pages as known
from tests.learn.case import Claim, Fault, Numbers, Page
from tests.programs import RSCRIPT

SLUGS = list(lab_pages())
KNOWN: dict[str, Page] = {
    module.name: import_module(f"{known.__name__}.{module.name}").PAGE for module in iter_modules(known.__path__)
}
LANGUAGES = ("en", "de", "es")
# Words that a page may say before anything is unfolded.
MOST_WORDS = 100
every_page = pytest.mark.parametrize("slug", SLUGS)


def numbers_of(slug: str, **asked: str) -> Numbers:
    answered = Client().get(f"/learn/{slug}.json", asked)
    if answered.status_code != 200:
        raise ValueError(answered.content.decode())
    numbers: Numbers = answered.json()["numbers"]
    return numbers


def _ends(page: LabPage) -> list[dict[str, str]]:
    """Each control at each of its ends, or at each of its choices, and the others as the page begins."""
    asked: list[dict[str, str]] = [{}]
    for name, control in page.controls.items():
        if isinstance(control, Slider):
            asked += [{name: str(float(end))} for end in (control.low, control.high)]
        else:
            asked += [{name: value} for value, _ in control.choices]
    return asked


def test_every_page_is_tested() -> None:
    assert {name.replace("_", "-") for name in KNOWN} == set(SLUGS)
    assert all(page.cases for page in KNOWN.values())


@every_page
def test_its_numbers_are_the_cores(slug: str) -> None:
    for case in KNOWN[slug.replace("-", "_")].cases:
        numbers, wanted = numbers_of(slug, **case.asked), as_json(dict(case.expected))
        for name, value in wanted.items():
            assert numbers[name] == pytest.approx(value, rel=1e-9, abs=1e-12), name


@pytest.mark.slow
@every_page
def test_what_it_claims_holds(slug: str) -> None:
    for claim in KNOWN[slug.replace("-", "_")].claims:
        claim(lambda **asked: numbers_of(slug, **asked))


def _holds(slug: str, claim: Claim, fault: Fault) -> bool:
    """Whether a claim holds with this fault in its page."""

    def faulty(**asked: str) -> Numbers:
        asked |= fault.asked
        numbers = dict(numbers_of(slug, **asked))
        return numbers | {name: wrong(numbers, asked) for name, wrong in fault.wrong.items() if name in numbers}

    page = import_module(f"{pages.__name__}.{slug.replace('-', '_')}")
    with pytest.MonkeyPatch.context() as patch:
        for name, planted in fault.code.items():
            patch.setattr(f"{page.__name__}.{name}", planted)
        _forget(page, fault)
        try:
            claim(faulty)
        except AssertionError:
            return False
        finally:
            _forget(page, fault)
    return True


def _forget(page: ModuleType, fault: Fault) -> None:
    """What was computed with other code is not kept."""
    for name, value in vars(page).items():
        if fault.code and name not in fault.code and hasattr(value, "cache_clear"):
            value.cache_clear()


@every_page
@pytest.mark.slow
def test_what_it_claims_does_not_hold_where_a_fault_is_planted(slug: str) -> None:
    claims = KNOWN[slug.replace("-", "_")].claims
    assert [claim.__name__ for claim, fault in claims.items() if _holds(slug, claim, fault)] == []


def test_a_fault_that_changes_nothing_would_be_found() -> None:
    claim = next(iter(KNOWN["planning"].claims))
    assert _holds("planning", claim, Fault())
    assert _holds("planning", claim, Fault(wrong={"no such number": lambda _numbers, _asked: 1}))


@every_page
def test_the_same_address_is_the_same_draw_and_another_seed_another(slug: str) -> None:
    page = lab_pages()[slug]
    first, again, other = (numbers_of(slug, seed=seed) for seed in ("5", "5", "6"))
    assert first == again
    assert (first == other) is not bool(page.watched)


@every_page
@pytest.mark.slow
def test_every_end_of_every_control_shows_a_finding_a_sentence_and_its_numbers(slug: str) -> None:
    page = lab_pages()[slug]
    assert 0 < len(page.controls) <= 3
    client = Client()
    several = [{"times": "200"}] if page.watched else []
    for place, asked in enumerate(_ends(page) + several):
        with translation.override(LANGUAGES[place % 3]):
            answered = client.get(f"/learn/{slug}/picture/", asked, headers={"accept-language": LANGUAGES[place % 3]})
        assert answered.status_code == 200
        assert "max-age" in answered["Cache-Control"]
        text = answered.content.decode()
        assert "<h2>" in text
        assert len(findall(r'id="says">(.+?)</p>', text, flags=DOTALL)[0]) > 10
        assert "<table" in text
        assert not findall(r"\bnan\b|\binf\b|None(?! of \d)", sub(r"<[^>]*>", " ", text))


@every_page
def test_each_of_its_pictures_is_a_file(slug: str) -> None:
    page = Client().get(f"/learn/{slug}/", {"seed": "3"})
    links = [unescape(link) for link in findall(r'href="(\?[^"]*chart=[^"]*)" download', page.content.decode())]
    assert len(links) == len(page.context["shown"].charts)
    for link in links:
        answered = Client().get(f"/learn/{slug}/{link}")
        assert answered["Content-Type"].startswith("image/svg+xml")
        assert answered["Content-Disposition"].startswith(f'attachment; filename="{slug}-')
        assert b"</svg>" in answered.content
    assert Client().get(f"/learn/{slug}/", {"chart": "none"}).status_code == 404


@every_page
def test_what_cannot_be_is_named_and_the_page_stands(slug: str) -> None:
    page = lab_pages()[slug]
    for name, control in page.controls.items():
        answered = Client().get(f"/learn/{slug}/", {name: "nothing"})
        assert answered.status_code == 400
        assert answered.context["form"].errors[name], name
        assert (
            Client().get(f"/learn/{slug}.json", {name: "NaN" if isinstance(control, Slider) else ""}).status_code == 400
        )
    for asked in ({"seed": "0"}, {"seed": str(LARGEST_SEED + 1)}, {"times": "3"}):
        assert Client().get(f"/learn/{slug}.json", asked).status_code == 400


@every_page
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_little_before_anything_is_unfolded(slug: str, language: str) -> None:
    page = Client().get(f"/learn/{slug}/", headers={"accept-language": language}).content.decode()
    main = page.partition('<div class="lab"')[2].partition('<div class="folds">')[0]
    # What stands in a picture or at a control is read with it.
    shown = sub(r"<form.*?</form>|<figure.*?</figure>", " ", f"<div{main}", flags=DOTALL)
    words = unescape(sub(r"<[^>]*>", " ", shown)).split()
    assert len(words) <= MOST_WORDS, words


def _code(slug: str, language: str) -> str:
    page = Client().get(f"/learn/{slug}/").content.decode()
    (code,) = findall(rf'data-code="{language}">(.*?)</pre>', page, flags=DOTALL)
    return unescape(code)


def _is_what_the_page_says(slug: str, printed: str) -> None:
    expected = KNOWN[slug.replace("-", "_")]
    numbers = float(numbers_of(slug)[expected.printed])
    assert float(printed) == pytest.approx(numbers, rel=1e-6 if expected.near < 1e-6 else 0, abs=expected.near), printed


@every_page
def test_its_python_prints_what_the_page_says(slug: str) -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(_code(slug, "python"), slug, "exec"), {})  # noqa: S102 - ours
    _is_what_the_page_says(slug, out.getvalue().split()[-1])


@pytest.mark.uncounted
@pytest.mark.skipif(RSCRIPT.find() is None, reason=RSCRIPT.how_to_install)
def test_its_r_prints_what_the_page_says(tmp_path: Path) -> None:
    script = tmp_path / "all.R"
    parts = [
        f'cat("@{slug}\\n")\nlocal({{\n{_code(slug, "r")}\n}}) |> format(digits = 12) |> cat("\\n")' for slug in SLUGS
    ]
    script.write_text("\n".join(parts))
    done = subprocess.run([str(RSCRIPT.find()), str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for part in done.stdout.split("@")[1:]:
        slug, *printed = part.split()
        _is_what_the_page_says(slug, printed[-1])


def test_the_lab_lists_every_page() -> None:
    page = Client().get("/learn/").content.decode()
    assert findall(r'href="/learn/([\w-]+)/"', page) == SLUGS


def test_a_page_that_there_is_not_is_not_found() -> None:
    for address in ("/learn/none/", "/learn/none/picture/", "/learn/none.json"):
        assert Client().get(address).status_code == 404
