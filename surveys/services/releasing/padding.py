"""How long a release takes says nothing about its draw: an exact sampler's time depends on what it draws.

Every release, made or refused, takes a whole number of padding steps, measured from its beginning; the rest is slept
after the transaction has ended, so that nobody waits for a lock meanwhile.
"""

import functools
import math
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

STEP_SECONDS = 1.0
"""Far above what any draw takes, so that nearly all releases end after the same one step."""


def padded(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Let a function, whether it returns or raises, end at the next whole step after its beginning."""

    @functools.wraps(function)
    def slow(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        began = time.monotonic()
        try:
            return function(*args, **kwargs)
        finally:
            taken = time.monotonic() - began
            if STEP_SECONDS:
                time.sleep(math.ceil(taken / STEP_SECONDS) * STEP_SECONDS - taken)

    return slow
