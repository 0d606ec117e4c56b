"""What everybody may see of a release, kept once it has been made: rows that never change make the same bytes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from surveys.common.caches import PAGES
from surveys.common.selectors import whole_language
from surveys.models import Release
from surveys.numbers.words import exact_number
from surveys.releases.charts import parts_on_page
from surveys.releases.families.finding import LEVELS
from surveys.releases.files import document_of, synthetic_csv
from surveys.releases.mechanisms import PLANS
from surveys.releases.selectors.doors import Index, index_document, index_key, published_index, published_release
from surveys.releases.selectors.reading import Draws, ReadRelease, draws_of, reading_of
from surveys.releases.words.opendp import opendp_program
from surveys.releases.words.registry import registry_entry, registry_name
from surveys.releases.words.release import citation_of, release_headline, release_title

# Published releases: the same bytes for everybody, at every refresh.


# A withdrawn release is gone from shared caches after so many seconds.
_SECONDS = 60


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release(_request: HttpRequest, release_id: str) -> HttpResponse:
    """Show a published release; rendered without the request, so that nothing of a visitor can get into it."""
    return HttpResponse(_kept("page", _published(release_id)))


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release_json(_request: HttpRequest, release_id: str) -> HttpResponse:
    return HttpResponse(_kept("json", _published(release_id)), content_type="application/json")


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def synthetic(_request: HttpRequest, release_id: str) -> HttpResponse:
    """Return synthetic respondents as a file; what no joint table was published for has none."""
    release = _published(release_id)
    if not PLANS[release.mechanism].synthesizes:
        raise Http404

    def write(reading: ReadRelease) -> bytes:
        with translation.override(whole_language(reading.definition.language)):
            return synthetic_csv(reading)

    return _file(release, f"synthetic-{release.pk}.csv", "text/csv; charset=utf-8", write)


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def opendp(_request: HttpRequest, release_id: str) -> HttpResponse:
    release = _published(release_id)
    name, kind = f"opendp-{release.pk}.py", "text/x-python; charset=utf-8"
    return _file(release, name, kind, lambda reading: opendp_program(reading).encode())


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def registry(_request: HttpRequest, release_id: str) -> HttpResponse:
    release = _published(release_id)
    name = registry_name(release.pk)
    return _file(release, name, "application/yaml", lambda reading: registry_entry(reading).encode())


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def index(request: HttpRequest, key: str) -> HttpResponse:
    listing = _index(key)
    with translation.override(whole_language(listing.definition.language)):
        listed = [(release, _headline(release)) for release in listing.releases]
        return _page("releases/index.html", {"index": listing, "listed": listed})


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def index_json(request: HttpRequest, key: str) -> HttpResponse:
    return _json(index_document(_index(key)))


def _published(release_id: str) -> Release:
    """Ask the database each time: a release that was withdrawn is gone, whatever is kept of it."""
    try:
        return published_release(release_id)
    except Release.DoesNotExist:
        raise Http404 from None


def _file(release: Release, name: str, content_type: str, write: Callable[[ReadRelease], bytes]) -> HttpResponse:
    """Send a file of a release, written once."""
    draws = draws_of(release)
    content = PAGES.of((name, *_key(release, draws)), lambda: write(reading_of(release, draws)))
    named = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=named)


def _kept(kind: str, release: Release) -> bytes:
    """Return a page or a document of a release, made once: intervals take work, and anybody may ask."""
    draws = draws_of(release)
    key = _key(release, draws)

    def make() -> bytes:
        reading = reading_of(release, draws)
        # What a release says is worked out once for both.
        both = {"page": _release_page(reading).content, "json": _json(document_of(reading)).content}
        for name, content in both.items():
            PAGES.of((name, *key), partial(bytes, content))
        return both[kind]

    return PAGES.of((kind, *key), make)


def _headline(release: Release) -> str:
    """Return what a release says, in the language that is active: its survey's; worked out once, as its page is."""
    draws = draws_of(release)
    words = PAGES.of(("headline", *_key(release, draws)), lambda: release_headline(reading_of(release, draws)).encode())
    return words.decode()


def _key(release: Release, draws: Mapping[int, Draws]) -> tuple[object, ...]:
    """Return what a page depends on.

    It names nothing that changes: its release's rows and ledger line are guarded, its design has the hash, and of the
    other draws of its questions there may be more tomorrow.
    """
    return (release.pk, release.survey.content_hash, tuple(draws.items()), get_script_prefix())


def _release_page(reading: ReadRelease) -> HttpResponse:
    with translation.override(whole_language(reading.definition.language)):
        context = {
            "reading": reading,
            "title": release_title(reading),
            "headline": release_headline(reading),
            "citation": citation_of(reading),
            "index_key": index_key(reading.release.survey),
            "parts": parts_on_page(reading),
            "levels": LEVELS,
            "epsilon": exact_number(reading.release.epsilon),
            "delta": exact_number(reading.release.delta),
            "spent_epsilon": exact_number(reading.spent.epsilon),
            "spent_delta": exact_number(reading.spent.delta),
        }
        return _page("releases/release.html", context)


def _index(key: str) -> Index:
    try:
        return published_index(key)
    except Release.DoesNotExist:
        raise Http404 from None


def _page(template: str, context: Mapping[str, Any]) -> HttpResponse:
    return HttpResponse(render_to_string(template, dict(context)))


def _json(document: Mapping[str, Any]) -> HttpResponse:
    return JsonResponse(dict(document), json_dumps_params={"indent": 2})
