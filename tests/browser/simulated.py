"""A survey of every kind with some hundreds of simulated responses in two groups, and the pages that show it."""

import random
from collections import Counter

from django.contrib.auth.models import User
from django.urls import reverse

from surveys.answering.services.perturbing import Truth, perturb
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey, open_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from surveys.questionnaire.asked_question import Item
from surveys.results.pages import TABS
from tests.factories import every_kind, fill, make_draft

A_GROUP = 240


def simulated_survey(owner: User) -> Survey:
    """Return a survey that looks as one does after two classes have answered it."""
    survey = make_draft(*every_kind(), owner=owner, title="What we would not say aloud")
    groups = [add_group(survey=survey, name=name) for name in ("Monday", "Tuesday")]
    survey = open_survey(survey=survey, typed=survey.code)
    chance = random.Random(20_250_321)  # noqa: S311 - truths of nobody, the same at every run
    definition = definition_of(survey)
    for group, likely in zip(groups, (0.6, 0.8), strict=True):
        reports = (
            perturb(
                definition=definition,
                truths=[_truth(item, likely, chance) for item in definition.items],
                randbelow=chance.randrange,
            )
            for _ in range(A_GROUP)
        )
        fill(survey, dict(Counter(reports)), group=group)
    return close_survey(survey=survey)


def _truth(item: Item, likely: float, chance: random.Random) -> Truth:
    """Draw an answer: the first is the likely one, and of a number small ones are."""
    if item.range:
        return item.range.low + item.range.step * int(8 * chance.random() ** 2)
    return 0 if chance.random() < likely else chance.randrange(item.design.k)


def pages(survey: Survey) -> dict[str, str]:
    """Return the address of every page of results and of files by its name."""
    tabs = {tab.name: reverse(tab.name, args=[survey.code]) for tab in TABS}
    questions = {
        f"question {number}": reverse("survey-results-question", args=[survey.code, number]) for number in (6, 8, 9, 11)
    }
    files = {
        name: reverse(name, args=[survey.code])
        for name in ("survey-export", "survey-export-codebook", "survey-ethics", "survey-tokens")
    }
    return tabs | questions | files
