"""Every page of the table of addresses: nothing wrong for anybody to see, and nothing that the policy refuses."""

import pytest
from playwright.sync_api import Page

from tests.browser.audit import Looks, Setting, complaints_of, look_as
from tests.browser.conftest import NewContext
from tests.credit.receipts import make_platform
from tests.security.addresses.row import Row
from tests.security.addresses.setting import Setting as People
from tests.security.test_addresses import TABLE

# The others are audited in test_every_step.py, test_results_tabs.py, test_lab.py and test_lesson.py.
AREAS = sorted(TABLE.keys() - {"respondents", "results", "learn", "lessons"})
# Parts of a page, which scripts ask for, and what editors ask for of an address on this very host.
PARTS = {"survey-present-live", "survey-figures", "lab-picture", "oembed"}
SETTINGS = (Setting(390), Setting(1280, dark=True))
# An answer without scripts, such as a file, has no page around it.
_IS_A_PAGE = "document.contentType === 'text/html'"
_OPEN_ALL = "document.querySelectorAll('details').forEach((element) => { element.open = true; })"


def _wrong(page: Page, row: Row, address: str, looks: Looks) -> list[str]:
    complaints = complaints_of(page)
    look_as(page, SETTINGS[0])
    response = page.goto(address)
    if response is None or response.status != 200 or not page.evaluate(_IS_A_PAGE):
        return [f"{address}: {response.status if response else 'nothing'}"]
    page.evaluate(_OPEN_ALL)
    return [f"{row.name}, {row.state}, {wrong}" for wrong in [*looks.faults(page, SETTINGS), *complaints]]


@pytest.mark.slow
@pytest.mark.parametrize("area", AREAS)
def test_no_page_has_a_fault(area: str, new_context: NewContext, site: str, every_look: Looks) -> None:
    people = People()
    make_platform()  # pages say more where a course system is connected
    context = new_context(reduced_motion="reduce")
    session = people.client("owner").cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
    wrong, seen = [], set()
    for row in TABLE[area]:
        if row.expected("owner", "GET") != 200 or row.name.rpartition(" ")[2] in PARTS:
            continue
        survey = people.survey(row.state)
        row.prepare(people, survey)
        address = row.address(people, survey)
        kind = context.request.head(address).headers.get("content-type", "")
        if kind.startswith("text/html") and address not in seen:
            seen.add(address)
            page = context.new_page()
            wrong += _wrong(page, row, address, every_look)
            page.close()
    assert wrong == []
