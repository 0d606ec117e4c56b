"""Programs that read a survey with an access token."""

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.course.services import close_survey
from surveys.models import Survey
from surveys.tokens.services import make_token
from tests.factories import fill, make_open

# What a token opens; the document for programs has these and no others.
READ = (
    *(f"survey-export-{name}" for name in ("csv", "labels", "json", "figures-csv", "figures-json", "codebook-csv")),
    *(f"survey-export-{name}" for name in ("r", "python", "notebook", "spss", "stata", "deposit")),
    "survey-document",
)


def closed_survey(**fields: object) -> Survey:
    survey = make_open(**fields)
    fill(survey, {"1": 20, "0": 20})
    return close_survey(survey=survey)


def token_of(survey: Survey, label: str = "report") -> str:
    return make_token(survey=survey, maker=survey.owner, label=label, days=30)


def read(
    survey: Survey | str,
    token: str,
    address: str = "survey-export-figures-csv",
    *,
    client: Client | None = None,
    scheme: str = "Bearer",
    query: str = "",
) -> HttpResponse:
    """Let a program ask for a file of a survey."""
    path = reverse(address, args=[survey if isinstance(survey, str) else survey.code])
    return (client or Client()).get(path + query, headers={"Authorization": f"{scheme} {token}"})
