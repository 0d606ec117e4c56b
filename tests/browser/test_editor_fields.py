"""An open question of the editor in a real browser: what it needs is shown, what does not suit it is not offered."""

from functools import partial

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser.conftest import SignedIn

WIDE = {"width": 1280, "height": 900}


@pytest.fixture
def signed_in(signed_in: SignedIn) -> SignedIn:
    """As wide as a desk."""
    return partial(signed_in, viewport=WIDE)


_COIN = "How often chance leaves the answer alone"
FIELDS = {
    "Options",
    "Points",
    "The lowest point means",
    "The highest point means",
    "Smallest number",
    "Largest number",
    "Step",
    "Limits of the bands",
    "Unit",
    _COIN,
    "Second coin or spinner",
    "Innocuous question",
    "Share of people whose answer to it is Yes",
    "Where this share is from",
    "Fact that decides which of the two is answered",
    "Share of people for whom the fact holds",
    "Where this second share is from",
    "Share of Yes in the other deck, of those whose answer is No",
    "I accept that a report can prove an answer",
}
_CHANCE = {_COIN, "Second coin or spinner"}
_INNOCUOUS = {"Innocuous question", "Share of people whose answer to it is Yes", "Where this share is from"}
_SELECTOR = {
    "Fact that decides which of the two is answered",
    "Share of people for whom the fact holds",
    "Where this second share is from",
}
SHOWN = [
    ("one_of", "forced_response", _CHANCE | {"Options"}),
    ("yes_no", "forced_response", _CHANCE),
    ("yes_no", "warner", {_COIN}),
    ("yes_no", "k_ary", _CHANCE),
    ("yes_no", "unrelated_question", _INNOCUOUS | _SELECTOR),
    ("yes_no", "crosswise", _INNOCUOUS),
    ("yes_no", "triangular", _INNOCUOUS | {"I accept that a report can prove an answer"}),
    ("yes_no", "kuk", {_COIN, "Share of Yes in the other deck, of those whose answer is No"}),
    ("yes_no", "mangat", {_COIN, "I accept that a report can prove an answer"}),
    ("one_of", "k_ary", _CHANCE | {"Options"}),
    ("several_of", "warner", {_COIN, "Options"}),
    ("scale", "k_ary", _CHANCE | {"Points", "The lowest point means", "The highest point means"}),
    ("number_mean", "forced_response", _CHANCE | {"Smallest number", "Largest number", "Step", "Unit"}),
    ("number_bands", "k_ary", _CHANCE | {"Limits of the bands", "Unit"}),
]


def _visible(page: Page) -> set[str]:
    # The slider has its field's label, and is never sent.
    sent = page.locator("[name]")
    return {label for label in FIELDS if page.get_by_label(label, exact=True).and_(sent).is_visible()}


@pytest.mark.parametrize("scripts", [True, False])
def test_only_the_fields_that_matter_are_shown_and_without_scripts_all_are_there(
    signed_in: SignedIn, scripts: bool
) -> None:
    page = signed_in(java_script_enabled=scripts).new_page()
    page.goto(reverse("survey-new"))
    if not scripts:
        page.get_by_text("Exact numbers").click()
        for summary in page.locator("[data-needs] > summary").all():
            if summary.locator("..").get_attribute("open") is None:
                summary.click()
        assert _visible(page) == FIELDS
        return
    page.get_by_text("Exact numbers").click()
    for kind, design, fields in SHOWN:
        page.locator(f"[type=radio][value={kind}]").check()
        page.get_by_label("How chance is added").select_option(design)
        assert (kind, design, _visible(page)) == (kind, design, fields)


def test_designs_that_do_not_suit_are_not_offered_and_a_change_is_said(signed_in: SignedIn) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    design = page.get_by_label("How chance is added")
    offered = "options => options.filter(option => !option.disabled).map(option => option.value)"
    page.get_by_text("Exact numbers").click()
    page.get_by_role("radio", name="One of several").check()
    # It suits, but was never chosen: who asks in the usual way asks so of another kind as well.
    expect(design).to_have_value("k_ary")
    page.get_by_role("radio", name="Yes or no").check()
    expect(design).to_have_value("forced_response")
    page.get_by_role("radio", name="Scale").check()
    assert design.locator("option").evaluate_all(offered) == ["k_ary", "plain"]
    expect(design).to_have_value("k_ary")
    expect(page.locator("#said")).to_have_text("How chance is added is now: Coin, then spinner (k-ary).")
    page.get_by_role("radio", name="Tick all that apply").check()
    assert design.locator("option").evaluate_all(offered) == ["forced_response", "warner", "k_ary"]
    # It was chosen for its author, so it goes back to the usual one.
    expect(design).to_have_value("forced_response")
    design.select_option("k_ary")
    page.get_by_role("radio", name="Yes or no").check()
    expect(design).to_have_value("k_ary")
    page.get_by_role("radio", name="One of several").check()
    assert design.locator("option").evaluate_all(offered) == ["forced_response", "warner", "k_ary", "plain"]
    design.select_option("warner")
    page.get_by_role("radio", name="Tick all that apply").check()
    expect(design).to_have_value("warner")
    page.get_by_label("Leaving it out").select_option("protected")
    assert design.locator("option").evaluate_all(offered) == ["k_ary"]
