"""The list of an instructor's surveys."""

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from surveys.presenters.next_step import next_step
from surveys.selectors.listing import listing_of
from surveys.services.copies import discard_of
from surveys.views.access import instructor_page

# Fewer than so many are found by looking.
_SEARCHED_FROM = 8
_LONGEST_SEARCH = 100


@instructor_page("GET", "HEAD")
def survey_list(request: HttpRequest) -> HttpResponse:
    """Show the surveys that somebody owns or works on, newest first, or those in the archive."""
    # Whoever comes back here has left all rehearsals.
    discard_of(user=cast("User", request.user))
    archived = "archived" in request.GET
    words = request.GET.get("q", "")[:_LONGEST_SEARCH]
    listing = listing_of(
        user=request.user,
        now=timezone.now(),
        archived=archived,
        words=words,
        page=request.GET.get("page", "1"),
    )
    entries = [(entry, next_step(entry.course, entry.rights, later=entry.later)) for entry in listing.entries]
    in_all = listing.archived if archived else listing.current
    context = {
        "entries": entries,
        "listing": listing,
        "archived": archived,
        "words": words,
        "searched": words or in_all >= _SEARCHED_FROM,
        "in_all": in_all,
    }
    return render(request, "instructor/list.html", context)
