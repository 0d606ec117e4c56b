"""What the pages of the demo say at first sight: few words, and what people came for above the fold of a phone."""

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from surveys.common.selectors import survey_by_code
from surveys.models import Release
from tests.browser.conftest import PHONE, NewContext
from tests.factories import make_draft, make_open, yes_no
from tests.rehearsing.rehearsals import finished, rehearse

# What is seen as long as nobody opens a summary or a list, in words: rulers in charts count, what only a screen reader
# says does not.
_WORDS = """() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  let words = 0;
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    const unseen = parentElement.closest(".visually-hidden, option:not(:checked), script");
    if (parentElement.checkVisibility() && !unseen) words += (data.match(/[^\\s·–—]+/g) ?? []).length;
  }
  return words;
}"""
_IN_SIGHT = """(element) => {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.top >= 0 && box.bottom <= innerHeight + 1;
}"""


@pytest.fixture
def visit(site: str, new_context: NewContext) -> Page:
    """A phone whose owner may see everything of the demo."""
    call_command("demo", "--no-serve", stdout=io.StringIO(), stderr=io.StringIO())
    client = Client()
    client.force_login(User.objects.get(username="instructor"))
    context = new_context(viewport=PHONE, reduced_motion="reduce")
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
    return context.new_page()


def _words(page: Page, address: str) -> int:
    page.goto(address)
    return int(page.evaluate(_WORDS))


def _pages_above_their_budget(visit: Page) -> dict[str, int]:
    teacher = User.objects.get(username="instructor")
    exams = survey_by_code("EXAMS")
    four = make_draft(*(yes_no(f"Have you ever copied from book {number}?") for number in range(1, 5)), owner=teacher)
    finished(rehearse(four))
    budgets = {
        reverse("answer", args=["EXAMS"]): 80,
        reverse("answer", args=["EVERY"]): 120,
        reverse("answer", args=[make_open(yes_no(), credit=True).code]): 80,
        # The promise and a question on one page.
        f"{reverse('answer', args=['EXAMS'])}own-coin/": 140,
        reverse("check"): 400,
        reverse("survey-detail", args=["EXAMS"]): 90,
        reverse("survey-results", args=["EXAMS"]): 120,
        reverse("survey-tokens", args=["EXAMS"]): 120,
        reverse("survey-results", args=["EVERY"]): 350,
        reverse("survey-results-bayes", args=["EXAMS"]): 300,
        reverse("survey-results-relate", args=["EVERY"]): 350,
        reverse("survey-edit", args=[four.code]): 300,
        reverse("survey-rehearse", args=[four.code]): 250,
        reverse("release", args=[Release.objects.get(survey=exams).pk]): 300,
    }
    words = {address: _words(visit, address) for address in budgets}
    return {address: number for address, number in words.items() if number > budgets[address]}


def _steps(visit: Page) -> dict[tuple[str, str], int]:
    """Count the words of each step, but for the folded line on the report before, and Yes and No of further parts."""
    words = {}
    for code in ("EXAMS", "EVERY"):
        visit.goto(reverse("answer", args=[code]))
        visit.get_by_role("button", name="Start survey").click()
        while visit.locator("[data-question]:visible, [data-lead]:visible").count():
            step = visit.locator("[data-step]:visible")
            parts = step.locator("[data-option]").count()
            place = (code, step.locator("h1:visible").inner_text())
            before = " ".join(visit.locator("#flipped:visible").all_inner_texts())
            words[place] = int(visit.evaluate(_WORDS)) - len(before.split()) - 2 * max(0, parts - 1)
            if step.locator("[data-next]:visible").count():
                step.locator("[data-next]").click()
                continue
            if step.locator("[data-limits]").count():
                step.locator("[data-limits]").fill("7")
            for group in step.locator("[data-controls] [role=radiogroup]").all():
                group.get_by_role("radio").first.click()
            step.locator("[data-flip]").click()
    return words


def _see_what_people_came_for(visit: Page) -> None:
    release = Release.objects.get(survey=survey_by_code("EXAMS"))
    sights = {
        reverse("survey-detail", args=["EXAMS"]): (".card.next h2", ".card.next .button", ".card.next svg", ".code"),
        reverse("survey-results", args=["EXAMS"]): (".finding h2", ".large-figure", ".sure", ".people svg"),
        reverse("release", args=[release.pk]): ("h1", ".key-figure", ".limits", ".privacy-label h2"),
    }
    for address, places in sights.items():
        visit.goto(address)
        unseen = [place for place in places if not visit.locator(place).first.evaluate(_IN_SIGHT)]
        assert (address, unseen) == (address, [])
        for figure in visit.locator(".large-figure strong, .key-figure strong").all():
            assert float(figure.evaluate("(it) => parseFloat(getComputedStyle(it).fontSize)")) >= 64


def test_pages_say_no_more_than_their_budgets_and_what_people_came_for_above_the_fold(visit: Page) -> None:
    _see_what_people_came_for(visit)
    steps = _steps(visit)
    assert len(steps) >= 14
    assert {place: words for place, words in steps.items() if words > 60} == {}
    assert _pages_above_their_budget(visit) == {}
