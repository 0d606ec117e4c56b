"""The lab: nothing of it is stored, and an address always shows the same."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from surveys.learn.forms import LARGEST_SEED, TIMES, PageForm
from surveys.learn.page import LabPage, as_json
from surveys.learn.pages import chapters, lab_pages
from surveys.results.views import chart_file

# An address always computes the same, until the program is another.
_HOUR = 3600


@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """List all pages."""
    return render(request, "learn/lab.html", {"chapters": chapters()})


def _of_a_page(view: Callable[[HttpRequest, LabPage, PageForm], HttpResponse]) -> Callable[..., HttpResponseBase]:
    """Hand a view the page of an address and what its visitor chose."""

    @require_safe
    @wraps(view)
    def found(request: HttpRequest, slug: str) -> HttpResponse:
        page = lab_pages().get(slug)
        if page is None:
            raise Http404
        return view(request, page, PageForm(page.controls, request.GET.dict()))

    return found


@_of_a_page
def lab_page(request: HttpRequest, page: LabPage, form: PageForm) -> HttpResponse:
    """Show a page with its controls; what cannot be is said at its control, and the page shows what it begins with."""
    result = _result(page, form)
    if "chart" in request.GET:
        return chart_file(page.slug, result["shown"].charts, request.GET["chart"])
    pages = list(lab_pages().values())
    place = pages.index(page)
    context = {
        "page": page,
        "form": form,
        "before": pages[place - 1] if place else None,
        "following": pages[place + 1] if place + 1 < len(pages) else None,
        "next_seed": form.values["seed"] % LARGEST_SEED + 1,
        "times": TIMES,
        "projector": "projector" in request.GET,
        "most": LARGEST_SEED,
    }
    return render(request, page.template, context | result, status=_status(form))


@cache_control(public=True, max_age=_HOUR)
@_of_a_page
def lab_picture(request: HttpRequest, page: LabPage, form: PageForm) -> HttpResponse:
    """Return what changes with the controls, alone."""
    return render(
        request, "learn/_shown.html", {"page": page, "form": form} | _result(page, form), status=_status(form)
    )


@cache_control(public=True, max_age=_HOUR)
@_of_a_page
def lab_numbers(_request: HttpRequest, page: LabPage, form: PageForm) -> JsonResponse:
    """Return the numbers alone."""
    if not form.is_valid():
        return JsonResponse({"errors": form.errors}, status=400)
    numbers, _shown = page.result(form.values)
    return JsonResponse({"page": page.slug, "asked": as_json(form.values), "numbers": as_json(numbers)})


def _result(page: LabPage, form: PageForm) -> dict[str, Any]:
    values = form.values
    numbers, shown = page.result(values)
    return {"values": values, "numbers": numbers, "shown": shown}


def _status(form: PageForm) -> int:
    return 200 if form.is_valid() else 400
