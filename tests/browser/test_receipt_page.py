"""The page of a receipt in a real browser: the receipt leaves the address, goes on to the course, and nowhere else."""

import pytest
from playwright.sync_api import Page

from surveys.models import Survey
from tests.browser.audit import Looks, Setting
from tests.browser.conftest import NewContext
from tests.credit.receipts import closed_with_credit, make_platform, make_receipt

# What the page and the browser hold that is not what the field shows.
_ELSEWHERE = """() => JSON.stringify([
  location.href, document.cookie, {...localStorage}, {...sessionStorage}, document.referrer, history.state,
  document.documentElement.outerHTML.replace(/href="[^"]*"/g, ""),
])"""


@pytest.fixture
def survey(site: str) -> Survey:
    make_platform()
    return closed_with_credit(title="Copying in exams")


def _open(page: Page, survey: Survey, receipt: str) -> None:
    page.goto("about:blank")
    page.goto(f"/credit/{survey.code}/#{receipt}")


def test_the_receipt_leaves_the_address_and_is_sent_nowhere(page: Page, survey: Survey, site: str) -> None:
    receipt, asked, said = make_receipt(survey), [], []
    page.on(
        "request", lambda request: asked.append((request.url.partition("#")[0], request.post_data, request.headers))
    )
    page.on("console", lambda message: said.append(message.text))
    _open(page, survey, receipt)
    assert page.url == f"{site}/credit/{survey.code}/"
    assert page.input_value("#receipt") == f"{site}/credit/{survey.code}/#{receipt}"
    link = page.locator("[data-carries-receipt]")
    assert link.evaluate("(link) => link.href") == f"{site}/lti/redeem/{survey.code}/#{receipt}"
    assert receipt not in page.evaluate(_ELSEWHERE)
    assert (receipt in str(asked), said, page.context.cookies()) == (False, [], [])
    # Nor can the page be made to send it.
    refused = "() => fetch('/healthz?' + document.getElementById('receipt').value).then(() => false, () => true)"
    assert page.evaluate(refused)


def test_who_leaves_the_page_leaves_no_receipt_on_it(page: Page, survey: Survey) -> None:
    _open(page, survey, make_receipt(survey))
    page.goto("/")
    page.go_back()
    assert page.url.endswith(f"/credit/{survey.code}/")
    assert page.input_value("#receipt") == ""


def test_a_receipt_can_be_pasted_and_half_a_receipt_is_said_to_be_none(page: Page, survey: Survey) -> None:
    receipt = make_receipt(survey)
    _open(page, survey, receipt[:300])
    link, damaged = page.locator("[data-carries-receipt]"), page.locator("#damaged")
    assert (damaged.is_visible(), link.evaluate("(link) => link.hash")) == (True, "")
    page.fill("#receipt", f"{receipt[:90]}\n{receipt[90:]}")
    assert (damaged.is_visible(), link.evaluate("(link) => link.hash")) == (False, f"#{receipt}")
    # Another link, opened over this page.
    other = make_receipt(survey)
    page.evaluate("(receipt) => { location.hash = receipt; }", other)
    page.wait_for_function("() => location.hash === ''")
    assert page.input_value("#receipt").endswith(f"#{other}")


def test_the_page_without_scripts_says_where_the_receipt_is(new_context: NewContext, survey: Survey) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/credit/{survey.code}/#{'A' * 427}")
    assert page.locator("noscript").is_visible()


def test_the_page_of_a_receipt_has_no_fault(page: Page, survey: Survey, looks: Looks) -> None:
    _open(page, survey, make_receipt(survey))
    assert looks.faults(page, (Setting(390), Setting(1280, dark=True))) == []
