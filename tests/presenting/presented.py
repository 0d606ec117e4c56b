"""Presented surveys: answered by chance, their steps, and their page."""

import re
from typing import Any

import numpy as np
from django.test import Client
from django.test.utils import ContextList
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import record_exact_figures
from surveys.models import Survey
from surveys.presenting.selectors import Reveal, reveals_of
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES
from surveys.results.figures.questions import SurveyResults
from surveys.results.report import Report
from tests.factories import (
    fill,
    make_open,
)
from tests.pages import owner_of, text_of


def answered_by_chance(*drafts: Question, seed: int = 1, n: int = 160, **fields: Any) -> Survey:
    """Return a survey that so many people have answered, their truths and all chance drawn from this seed."""
    survey, rng = make_open(*drafts, **fields), np.random.default_rng(seed)
    columns = []
    for item in definition_of(survey).items:
        shares = rng.dirichlet(np.full(item.design.k, 2.0))
        reported = np.array(item.design.matrix, dtype=float) @ shares
        columns.append([CODES[code] for code in rng.choice(item.design.m, n, p=reported / reported.sum())])
    counts: dict[str, int] = {}
    for reports in map("".join, zip(*columns, strict=True)):
        counts[reports] = counts.get(reports, 0) + 1
    fill(survey, counts)
    return survey


def read(survey: Survey) -> tuple[tuple[Reveal, ...], SurveyResults]:
    """Return the steps of all questions, and the dashboard's results."""
    report = Report(survey)
    return tuple(reveals_of(report)), report.results


def reveal_of(draft: Question, counts: dict[str, int]) -> Reveal:
    survey = make_open(draft)
    fill(survey, counts)
    return read(survey)[0][0]


def page_and_context(survey: Survey, client: Client | None = None) -> tuple[str, ContextList]:
    """Return the presentation with its figures, as the owner or this client sees it, and what it is made of."""
    record_exact_figures(survey=survey)
    response = (client or owner_of(survey)).get(reverse("survey-present", args=[survey.code]))
    return text_of(response), response.context


def page_of(survey: Survey, client: Client | None = None) -> str:
    """Return the presentation alone."""
    return page_and_context(survey, client)[0]


def slide_names(page: str) -> list[str]:
    return re.findall(r'<section [^>]*\bid="([\w-]+)"', page)
