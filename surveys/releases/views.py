"""What everybody may see of a release, kept once it has been made: rows that never change make the same bytes."""

import re
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils import translation
from django.utils.html import format_html
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import conditional_page, require_safe

from surveys.accounts.services.mails import site_address
from surveys.charts.png import png_size, to_png
from surveys.charts.svg import size_of
from surveys.common.caches import PAGES
from surveys.common.content_policy import changes_policy
from surveys.common.selectors import whole_language
from surveys.models import Release
from surveys.numbers.words import exact_number
from surveys.releases.charts import parts_on_page, picture_of
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
# The width of a frame on another site where none is asked for, and what it is higher than the picture for each part and
# for each row of a chart: there a row's name stands above its drawing.
_WIDTH, _HIGHER = 720, 40
_LENGTH = re.compile(r"[1-9][0-9]{0,5}")
_UNLIMITED = "999999"


_View = Callable[..., HttpResponse]


def _for_other_sites(view: _View) -> _View:
    """Let pages of other sites show it, those that let in only what agrees among them."""

    @wraps(view)
    def shown(request: HttpRequest, release_id: str) -> HttpResponse:
        response = view(request, release_id)
        response["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

    return shown


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release(request: HttpRequest, release_id: str) -> HttpResponse:
    """Show a published release; of the request only the site's address gets into it, and that in the demo alone."""
    return HttpResponse(_kept("page", _published(release_id), site_address(request)))


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release_json(request: HttpRequest, release_id: str) -> HttpResponse:
    return HttpResponse(_kept("json", _published(release_id), site_address(request)), content_type="application/json")


# The only page that other sites may frame: there is nothing on it to press but a link, which opens a page of its own.
@require_safe
@xframe_options_exempt
@changes_policy(
    {"frame-ancestors": ["*"], "script-src": ["'none'"], "connect-src": ["'none'"], "form-action": ["'none'"]}
)
@_for_other_sites
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release_embed(request: HttpRequest, release_id: str) -> HttpResponse:
    """Show what a release says, in a frame of another site; there a missing one says so, where a 404 page would not."""
    try:
        release = published_release(release_id)
    except Release.DoesNotExist:
        return HttpResponse(render_to_string("releases/embed.html"), status=404)
    return HttpResponse(_kept("embed", release, site_address(request)))


# As a document of its own it may do nothing but be drawn, with the styles that are written in it.
@require_safe
@changes_policy({"style-src": ["'unsafe-inline'"], "script-src": ["'none'"], "img-src": ["'none'"], "sandbox": []})
@_for_other_sites
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release_svg(request: HttpRequest, release_id: str) -> HttpResponse:
    content = _kept("svg", _published(release_id), site_address(request))
    return HttpResponse(content, content_type="image/svg+xml; charset=utf-8")


@require_safe
@_for_other_sites
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def release_png(request: HttpRequest, release_id: str) -> HttpResponse:
    return HttpResponse(_kept("png", _published(release_id), site_address(request)), content_type="image/png")


@require_safe
@cache_control(public=True, max_age=_SECONDS)
@conditional_page
def oembed(request: HttpRequest) -> HttpResponse:
    """Say how to embed the release at an address, as https://oembed.com has it."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse("format must be json", status=501, content_type="text/plain")
    limits = {name: request.GET.get(name, _UNLIMITED) for name in ("maxwidth", "maxheight")}
    for name, limit in limits.items():
        if not _LENGTH.fullmatch(limit):
            return HttpResponse(f"{name} must be a whole number above 0", status=400, content_type="text/plain")
    site = site_address(request)
    before, after = map(re.escape, (site + reverse("release", args=["ID"])).rsplit("ID", 1))
    # Of another host, and of another page of ours, there is nothing to say.
    asked = re.fullmatch(rf"{before}([-\w]+){after}([?#].*)?", request.GET.get("url", ""), re.ASCII)
    if asked is None:
        raise Http404
    return _json(_oembed_document(_published(asked[1]), site, *map(int, limits.values())))


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


def _kept(kind: str, release: Release, site: str) -> bytes:
    """Return a page, a document or a picture of a release, made once: intervals take work, and anybody may ask."""
    draws = draws_of(release)
    key = (*_key(release, draws), site)

    def make() -> bytes:
        if kind == "png":
            return to_png(_kept("svg", release, site).decode())
        # What a release says is worked out once for all of them.
        made = _all_of(reading_of(release, draws), site)
        for name, content in made.items():
            PAGES.of((name, *key), partial(bytes, content))
        return made[kind]

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


def _all_of(reading: ReadRelease, site: str) -> dict[str, bytes]:
    release = reading.release
    page, embed, svg, png = (
        site + reverse(name, args=[release.pk]) for name in ("release", "release-embed", "release-svg", "release-png")
    )
    with translation.override(whole_language(reading.definition.language)):
        parts, headline = parts_on_page(reading), release_headline(reading)
        context: dict[str, Any] = {
            "reading": reading,
            "title": release_title(reading),
            "headline": headline,
            "asked": reading.parts[0].plan.question.text if len(parts) == 1 else "",
            "citation": citation_of(reading),
            "index_key": index_key(release.survey),
            "parts": parts,
            "levels": LEVELS,
            "epsilon": exact_number(release.epsilon),
            "delta": exact_number(release.delta),
            "spent_epsilon": exact_number(reading.spent.epsilon),
            "spent_delta": exact_number(reading.spent.delta),
            "address": page,
        }
        picture = picture_of(context)
        rows = sum(len(part.chart.rows) for part in parts if part.chart and part.says_more)
        height = size_of(picture)[1] + _HIGHER * (len(parts) + rows)
        context |= {
            "frame": _frame(embed, context["title"], "100%", height),
            "svg": svg,
            "png": png,
            "oembed": f"{site}{reverse('oembed')}?{urlencode({'url': page, 'format': 'json'})}",
        }
        return {
            "page": _page("releases/release.html", context).content,
            "embed": _page("releases/embed.html", context).content,
            "svg": picture.encode(),
            "json": _json(document_of(reading)).content,
            "asked": context["title"].encode(),
            "headline": headline.encode(),
            "height": str(height).encode(),
        }


def _frame(address: str, title: str, width: int | str, height: int) -> str:
    """Return the code that embeds a release in a page.

    It is named after its question: what it says would stay there when it is withdrawn.
    """
    return format_html(
        '<iframe src="{}" title="{}" width="{}" height="{}" style="border: 0" loading="lazy"></iframe>',
        address,
        title,
        width,
        height,
    )


def _oembed_document(release: Release, site: str, max_width: int, max_height: int) -> dict[str, Any]:
    asked, headline, picture, own_height = (
        _kept(kind, release, site).decode() for kind in ("asked", "headline", "svg", "height")
    )
    width, height = min(_WIDTH, max_width), min(int(own_height), max_height)
    embed, png = (site + reverse(name, args=[release.pk]) for name in ("release-embed", "release-png"))
    document = {
        "version": "1.0",
        "type": "rich",
        "title": headline,
        "provider_name": "Deniable",
        "provider_url": site + reverse("landing"),
        "cache_age": _SECONDS,
        "html": _frame(embed, asked, width, height),
        "width": width,
        "height": height,
    }
    wide, high = png_size(picture)
    # A thumbnail has to fit as well, and there is one size of it.
    if wide <= max_width and high <= max_height:
        document |= {"thumbnail_url": png, "thumbnail_width": wide, "thumbnail_height": high}
    return document


def _index(key: str) -> Index:
    try:
        return published_index(key)
    except Release.DoesNotExist:
        raise Http404 from None


def _page(template: str, context: Mapping[str, Any]) -> HttpResponse:
    return HttpResponse(render_to_string(template, dict(context)))


def _json(document: Mapping[str, Any]) -> HttpResponse:
    return JsonResponse(dict(document), json_dumps_params={"indent": 2})
