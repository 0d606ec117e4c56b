"""A class gets credit without a trace: it answers, skips or declines on phones, and redeems after the close."""

import csv
import io
import secrets
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from surveys.course.services import close_survey
from surveys.models import Decline, Response, SpentReceipt, Survey
from tests.browser.conftest import NewContext, SignedIn
from tests.browser.evidence import rows
from tests.browser.test_credit import decline, go_to_review, shown
from tests.browser.walk import answer, leave_out, press_send
from tests.factories import make_open, yes_no


def _answers(page: Page, survey: Survey) -> None:
    go_to_review(page, survey, lambda page: answer(page, secrets.choice(("Yes", "No"))))
    press_send(page)


def _skips(page: Page, survey: Survey) -> None:
    go_to_review(page, survey, leave_out)
    press_send(page)


WAYS = (_answers, decline, _answers, _skips, _answers, _answers)


def _redeem(desk: Page, survey: Survey, handed_in: list[tuple[str, str]], file: Path) -> list[str]:
    """Upload names and receipts as the survey's owner; return the result of each."""
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows([("Name", "Receipt"), *handed_in])
    desk.goto(f"/surveys/{survey.code}/credit/")
    desk.locator("input[type=file]").set_input_files(file)
    with desk.expect_download() as saving:
        desk.locator("main form [type=submit]").click()
    read = list(csv.reader(io.StringIO(saving.value.path().read_text("utf-8-sig"))))
    assert [row[:2] for row in read[1:]] == [list(row) for row in handed_in]
    return [row[2] for row in read[1:]]


@pytest.mark.parametrize("people", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_a_class_gets_credit_whatever_it_did_and_nothing_says_who_did_what(
    new_context: NewContext, signed_in: SignedIn, teacher: User, tmp_path: Path, people: int
) -> None:
    survey = make_open(yes_no(), owner=teacher, credit=True, consent="You take part of your own free will.")
    handed_in = []
    for number in range(people):
        context = new_context()
        page = context.new_page()
        WAYS[number % len(WAYS)](page, survey)
        handed_in.append((f"Student {number}", shown(page)))
        context.close()
    assert len({receipt for _, receipt in handed_in}) == people
    declined = people // len(WAYS)
    assert (Response.objects.count(), Decline.objects.count()) == (people - declined, declined)

    desk = signed_in().new_page()
    desk.goto(f"/surveys/{survey.code}/credit/")
    assert desk.locator("input[type=file]").count() == 0
    close_survey(survey=survey)
    # Somebody hands in a friend's receipt as well, and somebody else invents one.
    more = [("Friend", handed_in[0][1]), ("Inventor", "A" * 427)]
    results = _redeem(desk, survey, [*handed_in, *more], tmp_path / "list.csv")
    assert set(results[:people]) == {"credit"}
    assert "credit" not in results[people:]
    assert SpentReceipt.objects.count() == people
    assert set(_redeem(desk, survey, handed_in, tmp_path / "again.csv")) == {"already used"}

    kept = repr(rows())
    assert "Student" not in kept
    assert not [receipt for _, receipt in handed_in if receipt[:40] in kept or receipt[-40:] in kept]
