"""Check us: what anybody can test about the promise without trusting the people who run this server."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from csp.decorators import csp_update
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from surveys import __version__
from surveys.answering.selectors import served_scripts
from surveys.models.designs import USUAL, USUAL_FOR_MANY
from surveys.numbers.words import whole_number
from surveys.privacy.designs import Design

DRAWS = 100_000
# Below "wrong" an honest browser is practically never; below "unusual" one honest run in twenty is.
WRONG, UNUSUAL = 1e-6, 0.05

# What respondent pages add to the policy of all pages; a test compares the text below with what they really send.
TRUSTED_TYPES = {"require-trusted-types-for": ["'script'"], "trusted-types": ["'none'"]}
# By the whole directive: a changed value must not keep the sentence of the old one.
_MEANINGS: dict[str, Promise] = {
    "default-src 'none'": gettext_lazy("What no other line allows is not loaded at all: no frames, media or workers."),
    "script-src 'self'": gettext_lazy(
        "Only script files of this server run. A script written into the page, or from another site, does not."
    ),
    "style-src 'self'": gettext_lazy("Only style sheets of this server apply, none written into the page."),
    "img-src 'self'": gettext_lazy("Pictures come from this server only, so none can report your visit elsewhere."),
    "font-src 'self'": gettext_lazy("The same for fonts."),
    "connect-src 'self'": gettext_lazy("Scripts can send and fetch data here only, never at another site."),
    "form-action 'self'": gettext_lazy("Forms can be sent to this server only."),
    "frame-ancestors 'none'": gettext_lazy(
        "No other site can show our pages inside its own and lay something over them."
    ),
    "base-uri 'none'": gettext_lazy("Nothing on a page can change where its links and scripts point."),
    "object-src 'none'": gettext_lazy("No plug-ins."),
    "worker-src 'none'": gettext_lazy("No script runs in the background, beside the page or after it."),
    "require-trusted-types-for 'script'": gettext_lazy(
        "In browsers that know this rule, scripts cannot turn text into markup or into code (Trusted Types)."
    ),
    "trusted-types 'none'": gettext_lazy("And no script can make itself an exception from that rule."),
}
# What a survey sends from a device, field by field.
_FIELDS: dict[str, Promise] = {
    "nonce": gettext_lazy(
        "A random number made for this opening of the page, so that sending twice counts once. Only its keyed "
        "hash is stored, until the survey is sealed."
    ),
    "mode": gettext_lazy(
        "Which page the answer came from: device is the one where phones flip, own_coin the one for real coins, server "
        "the one where the server flips."
    ),
    "arm": gettext_lazy(
        "Only in surveys with several sets of questions, one of which you get at random: the number of the one on this "
        "page, and a signature made for this opening of the page, so that no other set can be named. Only the number "
        "is stored, with the reports."
    ),
    "padding": gettext_lazy(
        "Only beside “arm”: dots that make every set of questions equally long, so that the length of what is sent "
        "does not tell the network which one you got. They are not stored."
    ),
    "reports": gettext_lazy(
        "What the coins made of your answers (the answer itself, where a question says that it is sent as it is), in "
        "the order of the questions, one character for each report; a hyphen stands for a question left out. On a form "
        "for real coins there are instead fields numbered like the questions, with what you tapped."
    ),
}
# Typed by people, translated for nobody; a test runs them.
_BUILDING = """git checkout v{version}
python3 -m venv .venv
.venv/bin/pip install --require-hashes -r requirements.txt
export DENIABLE_LOCAL_DEMO=1 DENIABLE_SECRET_KEY=compare DENIABLE_STATIC_ROOT=/tmp/compare
.venv/bin/python manage.py collectstatic --no-input
cd /tmp/compare
sha256sum js/*.js"""
_COMPARING = "sha256sum --check list.txt"
_FETCHING = "curl -s {address} | sha256sum"
# A number for each plural form that browsers know, to ask gettext for its text.
_COUNTS = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 1_000_000, "other": 100}
_NO_MEANING = gettext_lazy("This line was added by the people who run this server and is not explained here.")


@dataclass(frozen=True, slots=True)
class _Coin:
    """One design to try, and what each report says."""

    design: Design
    reports: tuple[str, ...]


@require_safe
@csp_update(TRUSTED_TYPES)
@cache_control(public=True, no_cache=True)  # asked for anew each time: an old list of hashes would alarm for nothing
@conditional_page
def check(request: HttpRequest) -> HttpResponse:
    """Show hashes, policy, instructions and the coins; nothing of the visitor is in it."""
    scripts = [(script, request.build_absolute_uri(script.address)) for script in served_scripts()]
    context = {
        "version": __version__,
        "scripts": scripts,
        "building": _BUILDING.format(version=__version__),
        "comparing": _COMPARING,
        "fetching": "\n".join(_FETCHING.format(address=address) for _script, address in scripts),
        "fields": _FIELDS.items(),
        "policy": [(line, _MEANINGS.get(line, _NO_MEANING)) for line in _policy()],
        "draws": DRAWS,
        "draws_in_words": whole_number(DRAWS),
        "choices": _choices(),
        "coins": _for_the_browser(),
    }
    return render(request, "answering/check/check.html", context)


def _policy() -> list[str]:
    """Return the directives that the library sends with a respondent's page; it gives them in no fixed order."""
    sent = build_policy(update=cast("dict[str, Any]", TRUSTED_TYPES)).split("; ")
    explained = list(_MEANINGS)
    return sorted(sent, key=lambda line: (explained.index(line) if line in explained else len(explained), line))


def _coins() -> list[_Coin]:
    no_yes = (_("No"), _("Yes"))
    letters = tuple(_("Answer %(letter)s") % {"letter": letter} for letter in "ABCD")
    two, four = USUAL.usual(2), USUAL_FOR_MANY.usual(4)
    # No power of two: here a careless remainder would show.
    fifths = USUAL.matrices.turned(two, Fraction(3, 5))
    return [_Coin(two, no_yes), _Coin(four, letters), _Coin(fifths, no_yes)]


def _choices() -> list[tuple[str, str]]:
    """Return what the list offers: a design and a pretended true answer, as (value, words)."""
    words = (
        _("Two fair coins, truth: %(answer)s"),
        _("Four answers, truth: %(answer)s"),
        _("Chances in fifths, truth: %(answer)s"),
    )
    return [
        (f"{number}-{truth}", sentence % {"answer": answer})
        for number, (sentence, coin) in enumerate(zip(words, _coins(), strict=True))
        for truth, answer in enumerate(coin.reports)
    ]


def _for_the_browser() -> dict[str, Any]:
    """Return the very matrices of the core, and every text that the script may have to say."""
    return {
        "draws": DRAWS,
        "wrong": WRONG,
        "unusual": UNUSUAL,
        "designs": [
            {"denominator": coin.design.denominator, "columns": coin.design.columns, "labels": coin.reports}
            for coin in _coins()
        ],
        "words": _words(),
    }


def _words() -> dict[str, Any]:
    return {
        "fits": _("The counts fit the design: they stray no further than chance makes them."),
        "unusual": _(
            "Unusual, but not alarming: one in 20 honest runs has a p-value below 0.05. Flip again; if it stays "
            "below 0.05 several times running, something is wrong."
        ),
        "wrong": _(
            "Something is wrong: these counts do not come from the stated chances. Do not answer a survey with this "
            "browser; use real coins, and tell somebody."
        ),
        "failed": _(
            "Something is wrong: the script that adds chance stopped, or gave a report that does not exist. Do not "
            "answer a survey with this browser; use real coins, and tell somebody."
        ),
        "share": _by_count(
            lambda count: ngettext(
                "Of 100 honest runs about %(count)s strays at least as far as this one.",
                "Of 100 honest runs about %(count)s stray at least as far as this one.",
                count,
            )
        ),
        "rare": _by_count(
            lambda count: ngettext(
                "Of %(count)s honest run about one strays at least as far as this one.",
                "Of %(count)s honest runs about one strays at least as far as this one.",
                count,
            )
        ),
        "below": _("below %(limit)s"),
        "never": _("Of a million honest runs not even one strays as far as this one."),
        "chance": _("%(part)s of %(whole)s"),
    }


def _by_count(text: Callable[[int], str]) -> dict[str, str]:
    """Return the text in each plural form, under the names by which a browser chooses (Intl.PluralRules)."""
    return {form: text(count) for form, count in _COUNTS.items()}
