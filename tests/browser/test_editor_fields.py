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


_CHANCE = {"truth", "chance"}
_INNOCUOUS = {"innocuous", "innocuous_share", "innocuous_source"}
_SELECTOR = {"selector", "selector_share", "selector_source"}
FIELDS = (
    {"options", "points", "low_end", "high_end", "low", "high", "step", "edges", "unit"}
    | _CHANCE
    | _INNOCUOUS
    | _SELECTOR
    | {"other_deck", "accepts_infinite"}
)
SHOWN = [
    ("one_of", "forced_response", _CHANCE | {"options"}),
    ("yes_no", "forced_response", _CHANCE),
    ("yes_no", "warner", {"truth"}),
    ("yes_no", "k_ary", _CHANCE),
    ("yes_no", "unrelated_question", _INNOCUOUS | _SELECTOR),
    ("yes_no", "crosswise", _INNOCUOUS),
    ("yes_no", "triangular", _INNOCUOUS | {"accepts_infinite"}),
    ("yes_no", "kuk", {"truth", "other_deck"}),
    ("yes_no", "mangat", {"truth", "accepts_infinite"}),
    ("one_of", "k_ary", _CHANCE | {"options"}),
    ("several_of", "warner", {"truth", "options"}),
    ("scale", "k_ary", _CHANCE | {"points", "low_end", "high_end"}),
    ("number_mean", "forced_response", _CHANCE | {"low", "high", "step", "unit"}),
    ("number_bands", "k_ary", _CHANCE | {"edges", "unit"}),
]


def _visible(page: Page) -> set[str]:
    return {name for name in FIELDS if page.locator(f"[name$=-{name}]").is_visible()}


@pytest.mark.parametrize("scripts", [True, False])
def test_only_the_fields_that_matter_are_shown_and_without_scripts_all_are_there(
    signed_in: SignedIn, scripts: bool
) -> None:
    page = signed_in(java_script_enabled=scripts).new_page()
    page.goto(reverse("survey-new"))
    if not scripts:
        page.locator("[data-exact] > summary").click()
        for summary in page.locator("[data-needs] > summary").all():
            if summary.locator("..").get_attribute("open") is None:
                summary.click()
        assert _visible(page) == FIELDS
        return
    page.locator("[data-exact] > summary").click()
    for kind, design, fields in SHOWN:
        page.locator(f"[type=radio][value={kind}]").check()
        page.locator("[name$=-design]").select_option(design)
        assert (kind, design, _visible(page)) == (kind, design, fields)


def test_designs_that_do_not_suit_are_not_offered_and_a_change_is_announced(signed_in: SignedIn) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    design = page.locator("[name$=-design]")
    offered = "options => options.filter(option => !option.disabled).map(option => option.value)"
    page.locator("[data-exact] > summary").click()
    page.get_by_role("radio", name="One of several").check()
    # It suits, but was never chosen: who asks in the usual way asks so of another kind as well.
    expect(design).to_have_value("k_ary")
    page.get_by_role("radio", name="Yes or no").check()
    expect(design).to_have_value("forced_response")
    page.get_by_role("radio", name="Scale").check()
    assert design.locator("option").evaluate_all(offered) == ["k_ary", "plain"]
    expect(design).to_have_value("k_ary")
    expect(page.locator("#said")).to_contain_text("k-ary")
    page.locator("[type=radio][value=several_of]").check()
    assert design.locator("option").evaluate_all(offered) == ["forced_response", "warner", "k_ary"]
    # It was chosen for its author, so it goes back to the usual one.
    expect(design).to_have_value("forced_response")
    design.select_option("k_ary")
    page.get_by_role("radio", name="Yes or no").check()
    expect(design).to_have_value("k_ary")
    page.get_by_role("radio", name="One of several").check()
    assert design.locator("option").evaluate_all(offered) == ["forced_response", "warner", "k_ary", "plain"]
    design.select_option("warner")
    page.locator("[type=radio][value=several_of]").check()
    expect(design).to_have_value("warner")
    page.get_by_label("Skipping").select_option("protected")
    assert design.locator("option").evaluate_all(offered) == ["k_ary"]
