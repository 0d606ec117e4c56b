"""How much is computed for strangers: in the lab everybody may ask, and respondents must not wait for that.

What an answer takes is measured by the clock on the wall. Where the machine is busy it is more than the processor's
time, and the lab's share of the day stays the same.
"""

import math
from collections.abc import Callable
from functools import wraps
from threading import Lock
from time import monotonic, perf_counter
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers
from django.utils.translation import get_language

from surveys.common.caches import cached


class ComputingBudget:
    """So many seconds of computing a minute, for one process; what was spent comes back evenly.

    A sixth of it may be spent at once. What an answer costs is known when it is made, so the last one may overdraw it,
    and the next ones wait until that has come back too.
    """

    def __init__(self, seconds: float, *, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._most = seconds / 60, seconds / 6
        self._left, self._clock, self._at = self._most, clock, clock()
        self._lock = Lock()

    def spend(self, seconds: float) -> None:
        """Take what an answer has cost."""
        with self._lock:
            self._refill()
            self._left -= seconds

    def seconds_to_wait(self) -> int:
        """Return in how many whole seconds something is left; 0 where something is."""
        with self._lock:
            self._refill()
            return 0 if self._left > 0 else math.floor(-self._left / self._rate) + 1

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now


LAB = ComputingBudget(settings.LAB_SECONDS)

_P = ParamSpec("_P")


def within_budget(
    view: Callable[Concatenate[HttpRequest, _P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, _P], HttpResponse]:
    """Answer strangers with 503 while the lab's budget is spent, and people who have signed in always."""

    @wraps(view)
    def bounded(request: HttpRequest, /, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponse:
        if (seconds := LAB.seconds_to_wait()) and not request.user.is_authenticated:
            return _busy(seconds)
        begin = perf_counter()
        try:
            return view(request, *args, **kwargs)
        finally:
            LAB.spend(perf_counter() - begin)

    return bounded


def _busy(seconds: int) -> HttpResponse:
    response = HttpResponse(_words(get_language()), status=503, headers={"Retry-After": str(seconds)})
    add_never_cache_headers(response)
    return response


@cached(8)
def _words(_language: str) -> str:
    """Return the page in the language in force; made anew for everybody, it would cost as much as what it refuses."""
    return render_to_string("learn/busy.html")
