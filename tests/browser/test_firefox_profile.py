"""What Firefox writes down: no file of its profile holds a true answer, and a restored session brings none back.

Firefox keeps what stands in the fields of a page, every few seconds and without being asked: in its session files while
a tab is open, after it was closed, after the browser ended in order and after it did not.
"""

from pathlib import Path
from typing import Any

import pytest

from surveys.models import Survey
from tests.browser.firefox import Firefox, remembered_fields, unpacked, wait_until
from tests.browser.profiles import BY_DEVICE, BY_SERVER, PLANTED, SHOWN, holds, survey_of_truths
from tests.programs import FIREFOX

# The planted fault: controls that no form owns, as a page might have them that thinks this keeps them its own. Each is
# filled in last, so that whatever came before it has been written by the time that it is found in the files.
PLAIN = (
    "data:text/html,<title>{0}</title><input id=chosen-{0} type=radio autocomplete=off>"
    "<input id=ticked-{0} type=checkbox autocomplete=off><form><input id=typed-{0}></form>"
)
PLANTED_FIELDS = {"chosen": True, "ticked": True, "typed": PLANTED}
# The last answer of every question, of the practice and of its checks, on steps that are shown and on those that are
# not: the browser tells no difference.
CHOOSE = """
const last = (found) => found.length && found[found.length - 1].click();
const chosen = "[type=radio]:not([value='-']), [role=radio]";
for (const group of document.querySelectorAll("[role=radiogroup], [data-check], fieldset:not(:has(fieldset))")) {
  if (!group.matches(":has([role=radiogroup])")) last(group.querySelectorAll(chosen));
}
last(document.querySelectorAll("[type=checkbox], [role=checkbox]"));
const choices = [...document.querySelectorAll("[type=radio], [type=checkbox], [role=radio], [role=checkbox]")];
return choices.filter((each) => each.checked || each.ariaChecked === "true").length;
"""
FILLED = """return [...document.querySelectorAll("input:not([type=hidden]), [aria-checked=true]")]
  .filter((each) => each.ariaChecked === "true" || (each.type === "text" ? each.value : each.checked)).length"""


@pytest.fixture
def survey(site: str) -> Survey:
    return survey_of_truths()


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    if FIREFOX.find() is None:
        pytest.skip(FIREFOX.how_to_install)
    return tmp_path / "profile"


def _plant(firefox: Firefox, profile: Path, name: str) -> None:
    """Fill the plain page in and wait until all of it is in the files: so is, by then, what came before."""
    firefox.open_tab(PLAIN.format(name))
    firefox.click("[type=radio]")
    firefox.click("[type=checkbox]")
    firefox.write("form input", PLANTED)
    expected = {f"{field}-{name}": value for field, value in PLANTED_FIELDS.items()}
    wait_until(lambda: remembered_fields(profile).get(PLAIN.format(name)) == expected, f"{name} was not written")


def _marks(profile: Path, site: str) -> tuple[dict[str, Any], set[str]]:
    """Return what the files hold of the site's fields, and the files that hold one of the numbers that were typed."""
    fields = {
        address: kept for address, kept in remembered_fields(profile).items() if address.startswith(site) and kept
    }
    return fields, {name for name, data in unpacked(profile) if holds(data, BY_DEVICE) or holds(data, BY_SERVER)}


def _choose_everything(firefox: Firefox, address: str, number: str) -> None:
    firefox.open_tab(address)
    if firefox.run("return document.getElementById('begin') !== null"):
        firefox.click("#begin")
    firefox.write(f"{SHOWN}[data-limits], [name=answer-1]", number)
    # Three options of one question, the practice and its two checks among them.
    assert firefox.run(CHOOSE) >= 8
    assert firefox.run(FILLED) >= 9


def _flip_everything(firefox: Firefox) -> None:
    """Go on from there to the review, which lists all that will be sent."""
    while not firefox.run("return document.getElementById('review').checkVisibility()"):
        firefox.run(CHOOSE)
        firefox.click(f"{SHOWN}.act .button:not([hidden])")


def _filled(firefox: Firefox) -> dict[str, int]:
    """Return how many fields and choices of each open page are filled in."""
    most = {}
    for tab in firefox.tabs():
        firefox.switch_to(tab)
        wait_until(lambda: firefox.run("return document.readyState") == "complete", "a tab never loaded")
        address, filled = firefox.run(f"return [location.href, (() => {{ {FILLED} }})()]")
        most[address] = max(filled, most.get(address, 0))
    return {address: filled for address, filled in most.items() if not address.startswith("about:")}


@pytest.mark.slow
@pytest.mark.other_browsers
def test_firefox_writes_no_answer_down_and_restores_none(profile: Path, site: str, survey: Survey) -> None:
    by_device, by_server = f"{site}/s/{survey.code}/", f"{site}/s/{survey.code}/server/"
    marks = {}
    with Firefox(profile) as firefox:
        _choose_everything(firefox, by_server, BY_SERVER)
        _choose_everything(firefox, by_device, BY_DEVICE)
        _plant(firefox, profile, "chosen")
        marks["after the choice"] = _marks(profile, site)
        _choose_everything(firefox, by_device, BY_DEVICE)
        _flip_everything(firefox)
        _plant(firefox, profile, "flipped")
        marks["after the flip"] = _marks(profile, site)
        for tab in firefox.tabs()[1:]:
            firefox.switch_to(tab)
            firefox.close_tab()
        firefox.switch_to(firefox.tabs()[0])
        _plant(firefox, profile, "closed")
        marks["after the tabs were closed"] = _marks(profile, site)
        _choose_everything(firefox, by_server, BY_SERVER)
        _choose_everything(firefox, by_device, BY_DEVICE)
        firefox.quit()
    assert remembered_fields(profile)[PLAIN.format("closed")]["typed-closed"] == PLANTED
    marks["after quitting"] = _marks(profile, site)

    with Firefox(profile) as firefox:
        restored = {"after quitting": _filled(firefox)}
        _choose_everything(firefox, by_server, BY_SERVER)
        _choose_everything(firefox, by_device, BY_DEVICE)
        _plant(firefox, profile, "killed")
        firefox.kill()
    marks["after kill -9"] = _marks(profile, site)
    with Firefox(profile) as firefox:
        restored["after kill -9"] = _filled(firefox)

    empty = {by_device: 0, by_server: 0}
    plain = {PLAIN.format("closed"): len(PLANTED_FIELDS)}
    assert restored == {
        "after quitting": empty | plain,
        "after kill -9": empty | plain | {PLAIN.format("killed"): len(PLANTED_FIELDS)},
    }
    assert marks == dict.fromkeys(marks, ({}, set()))
