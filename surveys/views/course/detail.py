"""A survey's own page: where it stands, what comes next, and everything there is to it."""

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from surveys import selectors
from surveys.models import Right, State, Survey
from surveys.presenters.next_step import next_step
from surveys.presenters.places import places_of
from surveys.selectors.course import actions_of, course_of
from surveys.selectors.editions import editions_of, next_draft
from surveys.selectors.linting import findings_of
from surveys.selectors.listing import roles_in
from surveys.selectors.releases.doors import published_releases
from surveys.selectors.releases.index import index_key
from surveys.services.copies import discard_of
from surveys.views.access import SurveyRequest, survey_page


@survey_page("GET", "HEAD", right=Right.SEE)
def survey_detail(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show where a survey stands and what comes next."""
    rights = cast("SurveyRequest", request).rights
    # Whoever comes back here has left the rehearsal.
    discard_of(user=cast("User", request.user), survey=survey)
    now = timezone.now()
    course = course_of(survey, now=now)
    editions = editions_of(survey, user=request.user)
    later = editions[-1] if editions and editions[-1].edition > survey.edition else None
    step = next_step(course, rights, later=later)
    releases_key = index_key(survey) if published_releases(survey).exists() else ""
    context = {
        "survey": survey,
        "definition": selectors.definition_of(survey),
        "findings": findings_of(survey) if survey.is_draft else (),
        "course": course,
        "n": course.received,
        "joinable": survey.state in {State.DRAFT, State.OPEN, State.PAUSED},
        "step": step,
        "places": places_of(
            course, rights, offered=step.names, groups=survey.groups.exists(), releases_key=releases_key
        ),
        "may": {right.value: right in rights for right in Right},
        "my_roles": roles_in(survey, user=request.user),
        "can": {action.name.lower() for action in actions_of(survey, rights)},
        "later": later,
        "editions": editions if len(editions) > 1 else [],
        "next_draft": next_draft(survey),
    }
    return render(request, "instructor/detail.html", context)
