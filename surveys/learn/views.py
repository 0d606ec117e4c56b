"""The lab: nothing of it is stored, and an address always shows the same."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers, patch_cache_control
from django.views.decorators.http import require_safe

from surveys.charts.svg import chart_file
from surveys.learn.budget import within_budget
from surveys.learn.forms import LARGEST_SEED, TIMES, PageForm
from surveys.learn.page import LabPage, Values, as_json
from surveys.learn.pages import chapters, lab_pages
from surveys.learn.selectors import OwnQuestion, own_budgets, own_question, own_questions
from surveys.models import Survey

# An address always computes the same, until the program is another.
_HOUR = 3600


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    return render(request, "learn/lab.html", {"chapters": chapters()})


@dataclass(frozen=True, slots=True)
class LabRequest:
    """What an address asks for: a page, what its visitor chose, and the question whose odds stand for some of that."""

    page: LabPage
    form: PageForm
    question: OwnQuestion | None

    @property
    def values(self) -> Values:
        """What the page is asked for; where that cannot be, what it begins with."""
        return self.form.values | {"own": self.question}

    @property
    def context(self) -> dict[str, Any]:
        return self.page.context(self.form, self.values) | {"own": self.question}

    @property
    def status(self) -> int:
        return 200 if self.form.is_valid() else 400


_LabView = Callable[[HttpRequest, LabRequest], HttpResponse]


def _of_a_page(*, kept: bool) -> Callable[[_LabView], Callable[..., HttpResponse]]:
    """Hand a view what its address asks for; `kept`: for an hour by all caches, where it is of nobody's survey."""

    def decorate(view: _LabView) -> Callable[..., HttpResponse]:
        @require_safe
        @wraps(view)
        def view_of_page(request: HttpRequest, slug: str) -> HttpResponse:
            page = lab_pages().get(slug)
            if page is None:
                raise Http404
            question = _question_named(request, page)
            controls = {
                name: control for name, control in page.controls.items() if not question or name not in page.replaced
            }
            response = view(request, LabRequest(page, PageForm(controls, request.GET.dict()), question))
            if question or (not kept and request.user.is_authenticated):
                add_never_cache_headers(response)
            elif kept:
                patch_cache_control(response, public=True, max_age=_HOUR)
            return response

        return view_of_page

    return decorate


def _question_named(request: HttpRequest, page: LabPage) -> OwnQuestion | None:
    """Return the question that an address names, to visitors who may know what it asks."""
    if "survey" not in request.GET:
        return None
    try:
        question = own_question(user=request.user, code=request.GET["survey"], number=request.GET.get("question", "1"))
    except Survey.DoesNotExist:
        raise Http404 from None
    if not page.replaced:
        raise Http404
    return question


@within_budget
@_of_a_page(kept=False)
def lab_page(request: HttpRequest, asked: LabRequest) -> HttpResponse:
    """Show a page with its controls; what cannot be is said at its control, and the page shows what it begins with."""
    page, context = asked.page, asked.context
    if "chart" in request.GET:
        return chart_file(page.slug, context["shown"].charts, request.GET["chart"])
    pages = list(lab_pages().values())
    place = pages.index(page)
    context |= {
        "before": pages[place - 1] if place else None,
        "following": pages[place + 1] if place + 1 < len(pages) else None,
        "next_seed": context["values"]["seed"] % LARGEST_SEED + 1,
        "times": TIMES,
        "projector": "projector" in request.GET,
        "most": LARGEST_SEED,
    }
    if request.user.is_authenticated and page.replaced:
        context["questions"] = own_questions(request.user)
    elif request.user.is_authenticated and page.real:
        context["budgets"] = own_budgets(request.user)
    return render(request, page.template, context, status=asked.status)


@within_budget
@_of_a_page(kept=True)
def lab_picture(request: HttpRequest, asked: LabRequest) -> HttpResponse:
    """Return what changes with the controls, alone."""
    return render(request, "learn/_shown.html", asked.context, status=asked.status)


@within_budget
@_of_a_page(kept=True)
def lab_numbers(_request: HttpRequest, asked: LabRequest) -> JsonResponse:
    if not asked.form.is_valid():
        return JsonResponse({"errors": asked.form.errors}, status=400)
    numbers, _shown = asked.page.result(asked.values)
    answer = {"page": asked.page.slug, "asked": as_json(asked.form.values), "numbers": as_json(numbers)}
    return JsonResponse(answer)
