"""The first page of the administration: what needs attention, budgets remaining, and the latest releases."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.admin import AdminSite
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from surveys.charts.intervals import PlacedIntervals
from surveys.common.admin import staff
from surveys.common.selectors import surveys_owned_by
from surveys.common.totals import standing_of
from surveys.models import Budget, Release, State, Survey
from surveys.numbers.words import charge
from surveys.releases.admin.reach import has_permission, surveys_in_reach
from surveys.releases.admin.steps import detail_address
from surveys.releases.charts import parts_on_page
from surveys.releases.selectors.doors import charged_releases, waiting_for
from surveys.releases.selectors.reading import reading_of
from surveys.releases.words.picture import percent_of
from surveys.releases.words.release import release_headline

_MOST_OF_A_KIND = 3
_MOST_BUDGETS = 12
_LATEST = 3


@dataclass(frozen=True, slots=True)
class ToDo:
    """Something that waits for somebody: which survey, what about it, and where that is done."""

    survey: Survey
    what: str
    does: str
    address: str


@dataclass(frozen=True, slots=True)
class Gauge:
    """A budget as a bar: what is spent of it, in percent of its total, which is as long as it is of the largest."""

    budget: Budget
    n: int
    largest: Fraction

    @property
    def wide(self) -> float:
        return percent_of(self.budget.total_epsilon, self.largest)

    @property
    def spent(self) -> float:
        return percent_of(self.budget.spent_epsilon, self.budget.total_epsilon)

    @property
    def address(self) -> str:
        return reverse("admin:surveys_budget_change", args=[self.budget.pk])


@dataclass(frozen=True, slots=True)
class LatestRelease:
    """A release as a card: what it says, and its interval where it is about one number."""

    release: Release
    headline: str
    lane: PlacedIntervals | None

    @property
    def address(self) -> str:
        return detail_address(self.release.pk)


def first_page(request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
    """Show Django's first page with all this before its list of models."""
    budgets = budgets_in_reach(request)
    shown = list(budgets[:_MOST_BUDGETS])
    context = {
        "todos": list(_todos(request)),
        "gauges": [
            Gauge(budget, standing_of(budget.survey).folded, max(other.total_epsilon for other in shown))
            for budget in shown
        ],
        "more_budgets": max(0, budgets.count() - _MOST_BUDGETS),
        "latest": [_latest(release) for release in _releases_in_reach(request)[:_LATEST]],
        "may_release": has_permission(request, "add_release"),
        "two_people": settings.RELEASES_NEED_APPROVAL,
    }
    return AdminSite.index(admin.site, request, {**context, **(extra_context or {})})


def budgets_in_reach(request: HttpRequest) -> QuerySet[Budget]:
    """Return the budgets that somebody may look at, those with most left first."""
    surveys = surveys_in_reach(request, "view_budget", "change_budget")
    budgets = Budget.objects.filter(survey__rehearsal_of=None).select_related("survey")
    if surveys is not None:
        budgets = budgets.filter(survey__in=surveys)
    return budgets.order_by(F("spent_micro_epsilon") - F("total_micro_epsilon"), "pk")


def _releases_in_reach(request: HttpRequest) -> QuerySet[Release]:
    surveys = surveys_in_reach(request, "view_release", "change_release")
    return charged_releases() if surveys is None else charged_releases().filter(survey__in=surveys)


def _latest(release: Release) -> LatestRelease:
    reading = reading_of(release)
    parts = parts_on_page(reading)
    return LatestRelease(release, release_headline(reading), parts[0].lane if len(parts) == 1 else None)


def _todos(request: HttpRequest) -> Iterator[ToDo]:
    """Yield what waits, a few of each kind: people first, then what nothing can be released from."""
    for kind in (_proposed, _without_budget, _used_up, _unsealed):
        yield from islice(kind(request), _MOST_OF_A_KIND)


def _proposed(request: HttpRequest) -> Iterator[ToDo]:
    for proposal in waiting_for(request.user):
        names = {"name": proposal.proposed_by_name, "epsilon": charge(proposal.epsilon)}
        address = reverse("admin:surveys_proposal_change", args=[proposal.pk])
        yield ToDo(
            proposal.survey,
            _("%(name)s proposes a release for ε = %(epsilon)s.") % names,
            _("Review proposal"),
            address,
        )


def _without_budget(request: HttpRequest) -> Iterator[ToDo]:
    surveys = surveys_in_reach(request, "add_budget")
    waiting = Survey.objects.all() if surveys is None else surveys
    waiting = waiting.filter(rehearsal_of=None, budget=None, state__in=(State.OPEN, State.PAUSED, State.CLOSED))
    for survey in waiting.order_by("-pk"):
        address = f"{reverse('admin:surveys_budget_add')}?survey={survey.pk}"
        yield ToDo(survey, _("no budget, so nothing can be released."), _("Set a budget"), address)


def _used_up(request: HttpRequest) -> Iterator[ToDo]:
    spent = budgets_in_reach(request).filter(spent_micro_epsilon__gte=F("total_micro_epsilon"))
    for budget in spent.exclude(survey__state__in=(State.SEALED, State.PURGED)):
        address = reverse("admin:surveys_budget_change", args=[budget.pk])
        yield ToDo(budget.survey, _("the budget is used up."), _("View ledger"), address)


def _unsealed(request: HttpRequest) -> Iterator[ToDo]:
    """Yield closed surveys: their owners seal them, and people who see all surveys see which wait."""
    user = staff(request)
    looks = request.user.is_staff and has_permission(request, "view_survey")
    closed = Survey.objects.filter(rehearsal_of=None) if looks else surveys_owned_by(user=user)
    for survey in closed.filter(state=State.CLOSED).select_related("owner").order_by("-pk"):
        if survey.owner_id == user.pk:
            seal = reverse("survey-seal", args=[survey.code])
            yield ToDo(survey, _("closed but not yet sealed."), _("Seal survey"), seal)
        else:
            waits = _("closed, and %(owner)s can seal it.") % {"owner": survey.owner.get_username()}
            yield ToDo(survey, waits, _("View survey"), reverse("admin:surveys_survey_change", args=[survey.pk]))


admin.site.index = first_page  # type: ignore[method-assign, assignment]
