"""Check us: what anybody can test about the promise without trusting the people who run this server."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from surveys import __version__
from surveys.answering.selectors import served_scripts
from surveys.common.content_policy import NO_MARKUP_FROM_TEXT, changes_policy, directives
from surveys.common.words import plural_forms
from surveys.numbers.words import whole_number
from surveys.privacy.designs import Design
from surveys.questionnaire.designs import USUAL, USUAL_FOR_MANY

DRAWS = 100_000
# Below "wrong" an honest browser is practically never; below "unusual" one honest run in twenty is.
WRONG, UNUSUAL = 1e-6, 0.05

# What respondent pages add to the policy of all pages; a test compares the text below with what they really send.
# By the whole directive: a changed value must not keep the sentence of the old one.
_MEANINGS: dict[str, Promise] = {
    "default-src 'none'": gettext_lazy(
        "The browser loads only what another line allows, so it loads no frames, media or workers."
    ),
    "script-src 'self'": gettext_lazy(
        "Only script files from this server run. Scripts written into the page or from another site do not."
    ),
    "style-src 'self'": gettext_lazy("Only style sheets from this server apply. Styles written into the page do not."),
    "img-src 'self'": gettext_lazy("Pictures come from this server only, so none can report your visit elsewhere."),
    "font-src 'self'": gettext_lazy("Fonts come from this server only, so none can report your visit elsewhere."),
    "connect-src 'self'": gettext_lazy("Scripts can exchange data only with this server, never with another site."),
    "form-action 'self'": gettext_lazy("Forms can be sent only to this server."),
    "frame-ancestors 'none'": gettext_lazy("No other site can embed our survey pages or lay something over them."),
    "base-uri 'none'": gettext_lazy("Nothing on a page can change where its links and scripts point."),
    "object-src 'none'": gettext_lazy("No plug-ins are loaded."),
    "worker-src 'none'": gettext_lazy(
        "No script runs in the background, either while the page is open or after you leave it."
    ),
    "require-trusted-types-for 'script'": gettext_lazy(
        "In browsers that know this rule, scripts cannot turn text into markup or into code (Trusted Types)."
    ),
    "trusted-types 'none'": gettext_lazy("No script can exempt itself from the Trusted Types rule."),
}
# What a survey sends from a device, field by field.
_FIELDS: dict[str, Promise] = {
    "nonce": gettext_lazy(
        "A new random number each time the page is opened. This number makes sure that answers sent twice "
        "count once. Only a keyed hash of the number is stored, until the survey is sealed."
    ),
    "mode": gettext_lazy(
        "The page your answers came from: “device” for the usual page, “own_coin” for real coins, "
        "“server” if the server randomizes your answers."
    ),
    "arm": gettext_lazy(
        "The number of your set of questions, with a signature. Both are sent only in surveys that assign sets "
        "at random. The signature, made when the page is opened, keeps anyone from claiming another set. Only "
        "the number is stored, with the reports."
    ),
    "padding": gettext_lazy(
        "Dots, sent only with “arm”. The dots make the data equally long for every set of questions. So nobody "
        "on the network can tell from the length which set you got. The dots are not stored."
    ),
    "blinded": gettext_lazy(
        "A random number, sent only in surveys that give credit. The server signs it, and your phone turns "
        "the signature into a credit receipt. The server can’t recognize the receipt later. The number is not stored."
    ),
    "reports": gettext_lazy(
        "Your answers in the order of the questions, one character per report. Protected answers are "
        "randomized, and unprotected ones are sent as they are. A hyphen marks a skipped question. The form "
        "for real coins instead has one numbered field per report, with what you tapped."
    ),
}
# Typed by people, translated for nobody; a test runs them.
_BUILDING = """git checkout v{version}
python3 -m venv .venv
.venv/bin/pip install --require-hashes -r deploy/requirements.txt
export DENIABLE_LOCAL_DEMO=1 DENIABLE_STATIC_ROOT=/tmp/compare
.venv/bin/python manage.py collectstatic --no-input
cd /tmp/compare
sha256sum js/*.js"""
_COMPARING = "sha256sum --check list.txt"
_FETCHING = "curl -s {address} | sha256sum"
_NO_MEANING = gettext_lazy("This server’s operators added this line. It is not explained here.")


@dataclass(frozen=True, slots=True)
class _Coin:
    design: Design
    reports: tuple[str, ...]


@require_safe
@changes_policy(NO_MARKUP_FROM_TEXT)
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
    """Return the directives that are sent with a respondent's page, those that are explained first."""
    sent = directives(NO_MARKUP_FROM_TEXT)
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
        _("Two fair coins, true answer: %(answer)s"),
        _("Four answers, true answer: %(answer)s"),
        _("Probabilities in fifths, true answer: %(answer)s"),
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
        "fits": _("The counts fit the design. Their deviations are no larger than would be expected by chance."),
        "unusual": _(
            "Unusual, but not alarming. About one in 20 honest runs has a p-value below 0.05. Flip again. If "
            "the p-value stays below 0.05 several times in a row, something is wrong."
        ),
        "wrong": _(
            "These counts don’t match the stated probabilities, so something is wrong. Don’t answer surveys "
            "with this browser. Use real coins, and tell someone about the problem."
        ),
        "failed": _(
            "The randomizing script stopped or gave an impossible report, so something is wrong. Don’t answer "
            "surveys with this browser. Use real coins, and tell someone about the problem."
        ),
        "share": plural_forms(
            lambda count: ngettext(
                "About %(count)s of 100 honest runs varies at least this much.",
                "About %(count)s of 100 honest runs vary at least this much.",
                count,
            )
        ),
        "rare": plural_forms(
            lambda count: ngettext(
                "About one in %(count)s honest run varies at least this much.",
                "About one in %(count)s honest runs varies at least this much.",
                count,
            )
        ),
        "below": _("below %(limit)s"),
        "never": _("Not even one in a million honest runs varies this much."),
        "chance": _("%(part)s of %(whole)s"),
    }
