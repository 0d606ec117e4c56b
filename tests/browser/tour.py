"""Every page and every step that a respondent can meet, one after the other, in any language."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from playwright.sync_api import Page

from surveys.models import Survey
from surveys.questionnaire.question import Question
from tests.browser.walk import to_taps
from tests.factories import PROTECTED, every_kind, make_open, scale
from tests.i18n.pseudo import long, right_to_left

DOOR = re.compile(r"/s/[A-Z0-9]+/$")
OpenPage = Callable[..., Page]

_COMPOUND = "Donaudampfschifffahrtsgesellschaftskapitänswitwe"
_SAID = {
    "he": right_to_left,
    # What authors write is long too, and has words that fit on no line of a small phone.
    "eo": lambda text: text if text.endswith(".") or " " not in text else f"{long(text)} {_COMPOUND}",
}
_AUTHORS_TEXTS = ("low_end", "high_end", "unit", "innocuous", "innocuous_source", "selector", "selector_source")


@dataclass(frozen=True, slots=True)
class Tour:
    """Who goes round: pages to go on, the language of the surveys, and whether alike questions are all seen in full."""

    open_page: OpenPage
    language: str = "en"
    in_full: bool = True

    def say(self, text: str) -> str:
        """Return what an author would have written in this language."""
        return _SAID.get(self.language, str)(text)

    def survey(self, *questions: Question, **fields: Any) -> Survey:
        texts = {"title": self.say("Honest answers about exams"), "language": self.language}
        return make_open(*map(self._translated, questions), **(texts | fields))

    def _translated(self, draft: Question) -> Question:
        details = {name: self.say(text) if name in _AUTHORS_TEXTS else text for name, text in draft.details.items()}
        return replace(
            draft, text=self.say(draft.text), options=[self.say(option) for option in draft.options], details=details
        )

    def full_survey(self, **fields: Any) -> Survey:
        """Every kind and design, a scale too long for a phone, and all texts that an author can write."""
        return self.survey(
            *every_kind(),
            scale("How much did it matter?", points=11, **PROTECTED),
            introduction=self.say("We want to know how common this is."),
            consent=self.say("You take part of your own free will."),
            support=self.say("Student counselling, room 12") + " https://example.org",
            **fields,
        )


Scene = Callable[[Tour, Page], Iterator[str]]


def choose_something(page: Page) -> None:
    """Choose or write something for all that is asked, past the steps that lead to a question of the head."""
    to_taps(page)
    for group in page.locator(
        "[data-controls] [role=radiogroup]:visible, [data-controls][role=radiogroup]:visible"
    ).all():
        group.locator("[role=radio]").first.check()
    if page.locator("[data-limits]:visible").count():
        page.locator("[data-limits]:visible").fill("7.5")


def answer(page: Page) -> None:
    choose_something(page)
    page.locator("[data-flip]:visible").click()


def to_the_first_question(page: Page, survey: Survey, rest: str = "") -> None:
    page.goto(f"/s/{survey.code}/{rest}")
    page.locator("#begin").click()


def to_the_review(page: Page, survey: Survey, rest: str = "") -> None:
    to_the_first_question(page, survey, rest)
    while not page.locator("#review").is_visible():
        answer(page)


def press_send(page: Page) -> None:
    page.locator("#sending [type=submit]").click()
