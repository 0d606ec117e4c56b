"""A page of results as its owner gets it, with the context that it was made of."""

from html import unescape

from django.http import HttpResponse
from django.test.utils import ContextList
from django.urls import reverse

from surveys.common.caches import PAGES
from surveys.models import Survey
from tests.pages import owner_of, text_of, words_of


def page_and_context(
    name: str, survey: Survey, query: str = "", *, number: int | None = None
) -> tuple[str, ContextList]:
    """Return the page at an address, or at that of one of the survey's questions, and its context."""
    address = reverse(name, args=[survey.code] if number is None else [survey.code, number])
    # What is kept of a page has no context.
    PAGES.clear()
    response = owner_of(survey).get(address + query)
    assert isinstance(response, HttpResponse)
    assert response.status_code == 200
    return text_of(response), response.context


def context_of(name: str, survey: Survey, query: str = "", *, number: int | None = None) -> ContextList:
    """Return what a page is made of."""
    return page_and_context(name, survey, query, number=number)[1]


def says(page: str, sentence: str) -> bool:
    """Whether a page has a sentence in its text or in a label, whatever the markup and the spaces in it."""
    flat = " ".join(sentence.split())
    return flat in words_of(page) or flat in " ".join(unescape(page).split())
