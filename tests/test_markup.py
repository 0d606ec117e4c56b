"""What a checker of HTML refuses, and browsers mend without a word, is on no page."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from surveys.learn.pages import lab_pages
from surveys.releases.selectors.doors import index_key
from tests.browser.simulated import pages as pages_of_results
from tests.browser.simulated import simulated_survey
from tests.factories import make_admin, make_user
from tests.pages import owner_of
from tests.releases.every_release import every_release, survey_of_every_kind
from tests.security.addresses.setting import Setting
from tests.security.test_addresses import ROWS

pytestmark = pytest.mark.django_db

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_LINES = _HEADINGS | {"bdi", "button", "cite", "code", "em", "label", "p", "pre", "small", "span", "strong"}
_BLOCKS = _HEADINGS | {"div", "dl", "fieldset", "figure", "form", "ol", "p", "section", "table", "ul"}
_NEVER_IN_ITSELF = {"a", "button", "form", "label"}
_TABLE_PARTS = {"table", "thead", "tbody", "tr", "th", "td"}
_WITHOUT_CONTENT = {"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
_FOR_TEXT = {"maxlength", "minlength", "pattern", "placeholder"}
_MEANINGLESS = {
    "checkbox": _FOR_TEXT | {"autocomplete"},
    "hidden": _FOR_TEXT | {"required"},
    "number": _FOR_TEXT - {"placeholder"},
    "radio": _FOR_TEXT | {"autocomplete"},
    "range": _FOR_TEXT | {"required"},
}


class _Checker(HTMLParser):
    """Collects faults of nesting, attributes and characters."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.faults: list[str] = []
        self._open: list[str] = []
        self._ids: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        wrong_around = (_LINES if tag in _BLOCKS else set()) | ({tag} & _NEVER_IN_ITSELF)
        self.faults += [f"{tag} in {parent}" for parent in self._open if parent in wrong_around]
        wrong = _MEANINGLESS.get(str(values.get("type")), set()) if tag == "input" else set()
        wrong = {"role"} if tag in _TABLE_PARTS else wrong
        self.faults += [f"{name} of {values.get('type') or tag}" for name in values if name in wrong]
        if len(values) < len(attributes):
            self.faults.append(f"an attribute of {tag} twice")
        if values.get("id") in self._ids:
            self.faults.append(f"#{values['id']} twice")
        self._ids.add(values.get("id") or "")
        if tag not in _WITHOUT_CONTENT:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in _WITHOUT_CONTENT:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> out of place")

    def handle_data(self, data: str) -> None:
        if "<" in data and self._open[-1:] not in (["script"], ["style"]):
            self.faults.append("bare <")


def _faults(html: str) -> list[str]:
    checker = _Checker()
    checker.feed(html)
    for terms in re.findall(r"<dl\b.*?</dl>", html, re.DOTALL):
        counted = Counter(re.findall(r"<dt\b[^>]*>(.*?)</dt>", terms, re.DOTALL))
        checker.faults += [f"dt {term} twice" for term, times in counted.items() if times > 1]
    return checker.faults


def _of_the_table() -> Iterator[tuple[Client, str]]:
    setting = Setting()
    for row in ROWS:
        if row.expected("owner", "GET") in {200, 203}:
            survey = setting.survey(row.state)
            row.prepare(setting, survey)
            yield setting.client("owner"), row.address(setting, survey)


def _of_the_lab() -> Iterator[tuple[Client, str]]:
    for slug in lab_pages():
        yield Client(), f"/learn/{slug}/"


def _of_results() -> Iterator[tuple[Client, str]]:
    survey = simulated_survey(make_user())
    for number in range(1, len(survey.questions) + 1):
        yield owner_of(survey), reverse("survey-results-question", args=[survey.code, number])
    for address in pages_of_results(survey).values():
        yield owner_of(survey), address


def _of_releases() -> Iterator[tuple[Client, str]]:
    survey, admin = survey_of_every_kind(), Client()
    admin.force_login(make_admin())
    for release in every_release(survey):
        yield admin, f"/r/{release.pk}/"
        yield admin, f"/admin/surveys/release/{release.pk}/change/"
    for address in (
        f"/r/of/{index_key(survey)}/",
        f"/admin/surveys/release/add/?survey={survey.pk}",
        f"/admin/surveys/budget/{survey.budget.pk}/change/",
    ):
        yield admin, address


@pytest.mark.parametrize("pages", [_of_the_table, _of_the_lab, _of_results, _of_releases])
def test_no_page_has_a_fault(pages: Callable[[], Iterator[tuple[Client, str]]]) -> None:
    seen, wrong = 0, dict[str, list[str]]()
    for client, address in pages():
        response = client.get(address)
        if response["Content-Type"].startswith("text/html"):
            seen += 1
            wrong[address] = _faults(b"".join(response).decode())
    assert seen > 20
    assert {address: faults for address, faults in wrong.items() if faults} == {}


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ("<span><form></form></span>", "form in span"),
        ("<p><div></div></p>", "div in p"),
        ("<button><button></button></button>", "button in button"),
        ('<input type="range" required>', "required of range"),
        ('<input type="range" maxlength="9">', "maxlength of range"),
        ('<input type="radio" autocomplete="off">', "autocomplete of radio"),
        ('<table role="table"></table>', "role of table"),
        ("<pre>if a < b</pre>", "bare <"),
        ('<p id="a"></p><p id="a"></p>', "#a twice"),
        ('<p class="a" class="b"></p>', "an attribute of p twice"),
        ("<div><p></div>", "</div> out of place"),
        ("<dl><dt>A</dt><dt>A</dt></dl>", "dt A twice"),
    ],
)
def test_a_planted_fault_is_found(planted: str, fault: str) -> None:
    assert fault in _faults(f"<!DOCTYPE html><html><body>{planted}</body></html>")
    assert _faults("<!DOCTYPE html><p>a &lt; b<br><svg><path d='M0 0'/></svg></p>") == []
