"""The three steps of a new release, as forms send them."""

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client

from surveys.models import Mechanism, Release, Survey
from tests.pages import words_of
from tests.releases.setting import first, spent

LIST = "/admin/surveys/release/"
STEP_1 = f"{LIST}add/"
STEP_2 = f"{LIST}add/terms/"
STEP_3 = f"{LIST}add/confirm/"
REASON = "For the yearly report."


def text_of(response: HttpResponse) -> str:
    """Return what a page says."""
    return words_of(response.content.decode())


def says(page: str) -> set[str]:
    """Return the names of what a page says."""
    return set(re.findall(r'data-says="([^"]+)"', page))


def terms_of(survey: Survey, **changes: Any) -> dict[str, Any]:
    """Return step 2 filled in."""
    return {
        "survey": survey.pk,
        "questions": [first(survey)],
        "mechanism": Mechanism.LAPLACE_HISTOGRAM,
        "epsilon": "0.5",
        "reason": REASON,
    } | changes


def look(client: Client, survey: Survey, **changes: Any) -> HttpResponse:
    """Send step 2."""
    return client.post(STEP_2, terms_of(survey, **changes))


def signed_in(response: HttpResponse) -> str:
    """Return the signed terms of step 3."""
    field = re.search(r'name="terms" value="([^"]+)"', response.content.decode())
    assert field, text_of(response)
    return field[1]


def confirm(client: Client, signed: str, epsilon: str = "0.5", **more: Any) -> HttpResponse:
    """Send step 3."""
    return client.post(STEP_3, {"terms": signed, "confirmation": epsilon}, **more)


def drawn(response: HttpResponse) -> bool:
    """Whether a page that was led to shows the release that was just drawn."""
    return "reading" in response.context and [each.level_tag for each in response.context["messages"]] == ["success"]


def refused_with(response: HttpResponse, *why: object) -> bool:
    """Whether no release was made, for these reasons and no others, which the page names."""
    problems, text = response.context.get("problems"), text_of(response)
    return problems == [str(each) for each in why] and all(problem in text for problem in problems)


def nothing_happened(survey: Survey) -> bool:
    """Whether nothing was charged, drawn or stored."""
    return spent(survey) == 0 and not Release.objects.exists()
