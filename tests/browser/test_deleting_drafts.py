"""Several drafts are selected in the list by keyboard and without scripts, and the button is there when one is."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from surveys.models import Survey
from tests.browser.conftest import PHONE, SignedIn
from tests.factories import make_draft, make_open


@pytest.mark.parametrize("scripts", [True, False])
def test_drafts_are_selected_named_and_deleted_by_keyboard(
    signed_in: SignedIn, teacher: User, site: str, scripts: bool
) -> None:
    for title in ("First", "Second", "Third"):
        make_draft(title=title, owner=teacher)
    make_open(title="Open", owner=teacher)
    page = signed_in(viewport=PHONE, java_script_enabled=scripts).new_page()
    page.goto(f"{site}/surveys/")
    boxes, button = page.get_by_role("checkbox"), page.get_by_role("button", name="Delete selected drafts…")
    expect(boxes).to_have_count(3)
    expect(button).to_be_hidden()
    for title in ("First", "Third"):
        page.get_by_role("checkbox", name=f"“{title}”").press("Space")
    expect(button).to_be_in_viewport()
    button.press("Enter")
    expect(page.get_by_role("main").get_by_role("listitem")).to_have_count(2)
    page.get_by_role("button", name="Delete 2 drafts").press("Enter")
    expect(page.get_by_role("status")).to_have_text("2 drafts have been deleted.")
    assert set(Survey.objects.values_list("title", flat=True)) == {"Second", "Open"}
