#!/usr/bin/env python3
"""Compute again what the JSON of a release says: estimates, intervals, bounds and what it costs, from the JSON alone.

    python verify_release.py RELEASE.json [ANOTHER.json …]

It needs Python 3.11 and scipy, and nothing of the program that made the release. Each number is computed by its
definition, where that program takes shorter ways; docs/formats.md of Deniable has the names. Each file is one line of
the output: how many numbers were computed again, or the first thing that is wrong. It ends with 1 where anything is.
"""

import datetime as dt
import io
import json
import math
import re
import sys
import unicodedata
import warnings
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, product
from typing import Any

import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.special
import scipy.stats

LEVEL = 0.95
LEVELS = (0.9, 0.95, 0.99)
ROUNDED = 2e-6
"""Shares and their limits are rounded to six decimals, limits outwards."""

NOBODY = 1e-9
"""A share so small is 0 but for rounding: shares of counts are coarser."""

CLOSE = 1e-7
"""As near as two ways of computing one float come, relatively."""

RELAXED = tuple(Fraction(percent, 100) for percent in (99, 95, 90, 80, 65, 50))

LARGEST_FILE = 10_000_000
LARGEST_N = 10_000_000
LARGEST_EPSILON = 10
MOST_CODES = 36
WIDEST = 10**9
"""The variance of Gaussian noise; beyond it a table of its probabilities fills the memory."""
MOST_STEPS = 300_000_000
"""Of computing a model again: some minutes."""
MOST_BITS = 20_000
"""Of an entry of an inverse."""

Form = tuple[Fraction, ...]
Matrix = tuple[Form, ...]
Checks = Iterator[tuple[str, object, object, float]]
"""What is compared: its name, what is said, what is computed, and how far both may be apart."""


class Refused(ValueError):  # noqa: N818 - reads as a sentence where it is raised
    """What a file holds is no release, or cannot be as it says."""


# What a file may hold -------------------------------------------------------------------------------------------------


def read_file(name: str) -> dict[str, Any]:
    """Return the document in a file; raises `Refused`."""
    try:
        with open(name, "rb") as file:  # noqa: PTH123 - a path may hold anything
            content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise Refused(f"the file cannot be read: {type(error).__name__}") from None
    return document_in(content)


def document_in(content: bytes) -> dict[str, Any]:
    """Return the document that bytes are; raises `Refused`, whatever they are."""
    if len(content) > LARGEST_FILE:
        raise Refused(f"the file is larger than {LARGEST_FILE} bytes")
    hooks = {"object_pairs_hook": _once, "parse_int": _whole, "parse_float": _real, "parse_constant": _real}
    try:
        document = json.loads(content.decode("utf-8"), **hooks)
    except RecursionError:
        raise Refused("the file is nested too deeply") from None
    except Refused:
        raise
    except ValueError:
        raise Refused("the file is no JSON in UTF-8") from None
    if misfit := misfit_of(document, RELEASE):
        raise Refused(f"{misfit} is missing, unknown or of another form than in a release")
    return dict(document)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refused("a name comes twice in one object")
    return found


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_WHOLE:
        raise Refused("a number has too many digits")
    return int(digits)


def _real(digits: str) -> float:
    value = float(digits)
    if not abs(value) < LARGEST_REAL:
        raise Refused("a number is too large, or none")
    return value


LONGEST_WHOLE = 15
LARGEST_REAL = 1e200
LONGEST_EXACT = 1_000
LONGEST_TEXT = 5_000
_EXACT = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?", re.ASCII)


def text(value: object) -> bool:
    """Whether it is a text without characters that nobody sees."""
    unseen = {"Cc", "Cs", "Zl", "Zp"}
    return (
        isinstance(value, str)
        and 0 < len(value) <= LONGEST_TEXT
        and not any(unicodedata.category(letter) in unseen for letter in value)
    )


def perhaps_text(value: object) -> bool:
    """Whether it is a text, which may be empty."""
    return value == "" or text(value)


def identifier(value: object) -> bool:
    """Whether it names a release."""
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,16}", value) is not None


def exact(value: object) -> bool:
    """Whether it is an exact number in lowest terms, written as a text."""
    if not (isinstance(value, str) and len(value) <= LONGEST_EXACT and _EXACT.fullmatch(value)):
        return False
    return str(Fraction(value)) == value


def not_below_0(value: object) -> bool:
    """Whether it is such a number of at least 0."""
    return exact(value) and not str(value).startswith("-")


def above_0(value: object) -> bool:
    """Whether it is such a number above 0."""
    return not_below_0(value) and value != "0"


def whole(value: object) -> bool:
    """Whether it is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def code(value: object) -> bool:
    """Whether it is one of at least 0."""
    return whole(value) and value >= 0  # type: ignore[operator]


def number(value: object) -> bool:
    """Whether it is one of at least 1."""
    return whole(value) and value >= 1  # type: ignore[operator]


def real(value: object) -> bool:
    """Whether it is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def bound(value: object) -> bool:
    """Whether it is a number of at least 0."""
    return real(value) and value >= 0  # type: ignore[operator]


def flag(value: object) -> bool:
    """Whether it is true or false."""
    return isinstance(value, bool)


def misfit_of(value: object, shape: Any, at: str = "the document") -> str:  # noqa: ANN401, PLR0911 - of any kind
    """Return where a value is not of a shape, or "".

    A shape is a question to the value; a constant; a tuple of shapes, one of which it has; a list of one, which all its
    entries have; or a dict of what each name holds, which may end in “?” where it can be missing.
    """
    if callable(shape):
        return "" if shape(value) else at
    if isinstance(shape, tuple):
        tried = [misfit_of(value, one, at) for one in shape]
        return "" if "" in tried else max(tried, key=lambda found: found.count(".") + found.count("["))
    if isinstance(shape, list):
        if not isinstance(value, list):
            return at
        return next((found for i, one in enumerate(value) if (found := misfit_of(one, shape[0], f"{at}[{i}]"))), "")
    if not isinstance(shape, dict):
        return "" if value == shape and type(value) is type(shape) else at
    if not isinstance(value, dict):
        return at
    names = {name.removesuffix("?"): one for name, one in shape.items()}
    if wrong := [name for name in value if name not in names]:
        return f"{at}.{wrong[0]}"
    missing = next((name for name in shape if not name.endswith("?") and name not in value), "")
    if missing:
        return f"{at}.{missing}"
    return next((found for name in value if (found := misfit_of(value[name], names[name], f"{at}.{name}"))), "")


TRUTH = {"local_epsilon": (bound, None), "epsilon": bound, "delta": bound}
DESIGN = {"name": text, "rows": "reports", "columns": "answers", "matrix": [[not_below_0]]}
KINDS = ("yes_no", "one_of", "several_of", "scale", "number_mean", "number_bands", "item_count")
ASKED = {"question": text, "answers": [text], "reports": [text], "prefers_not_to_say": flag, "design": DESIGN}
LAPLACE = {"on": text, "family": "discrete_laplace", "scale": above_0, "grid": above_0}
NOISE = (
    LAPLACE,
    LAPLACE | {"threshold": whole},
    {"on": "each count", "family": "discrete_gaussian", "variance_parameter": above_0, "grid": "1"},
    {"on": "choice", "family": ("exponential_mechanism", "permute_and_flip"), "rate": above_0, "rounds": number},
    {"on": "median", "family": "cauchy", "alpha": above_0, "beta": above_0, "grid": above_0},
)
ESTIMATE = {
    "answer": (text, None),
    "report": (text, None),
    "noisy_count": whole,
    **dict.fromkeys(("raw", "share", "low", "high"), real),
}
EFFECT = {
    **dict.fromkeys(("question", "answer", "against"), (text, None)),
    **dict.fromkeys(("estimate", "low", "high", "standard_error", "without_noise", "direct"), (real, None)),
}
FOUND_ANY = {"says_nothing": flag, "confidence_level": LEVEL}
FIGURE = {
    **dict.fromkeys(("value", "raw"), (real, None)),
    "low": real,
    "high": real,
    "unit": perhaps_text,
    "possible": [exact],
    "among_those_who_say": flag,
}
COUNTS = {
    "intervals": ("each", "all at once (Bonferroni)"),
    "several_answers_a_person": flag,
    "estimates": [ESTIMATE],
}
RANKED = {"among": [text], "people_short_at_most": bound}
FOUND = {
    "counts": COUNTS,
    "mean": COUNTS | FIGURE | {"what": "mean"},
    "number": FIGURE | {"what": text, "method": ("exact", "chernoff"), "middles_of_bands": flag},
    "choice": RANKED | {"chosen": text},
    "ranking": RANKED | {"chosen": [text]},
    "quantile": {
        "chosen": text,
        "among": [text],
        "share": above_0,
        "among_those_who_say": flag,
        "people_between_at_most": bound,
        "share_below_at_most": (real, None),
        "share_up_to_at_least": (real, None),
    },
    "distribution": {
        "branching": number,
        "intervals": "all at once (Bonferroni)",
        "up_to": [{"answer": text, **dict.fromkeys(("raw", "share", "low", "high"), real)}],
        "quantiles": [{"share": above_0, **dict.fromkeys(("answer", "low", "high"), text)}],
    },
    "price": {"chosen": not_below_0, "among": [not_below_0], "unit": perhaps_text, "revenue_short_at_most": bound},
    "bounds": {"first_band": (text, None), "last_band": (text, None), "certainty": (not_below_0, None)},
    "median": {"value": exact, "unit": perhaps_text, "low": real, "high": real, "people_between_at_most": bound},
    "refused": {"charged": True},
    "model": {
        "model": ("logistic", "linear"),
        "outcome": text,
        "unit": perhaps_text,
        "method": text,
        "intervals": "all at once (Bonferroni)",
        "constant": EFFECT,
        "effects": [EFFECT],
        "certificate": {"converged": flag, "exact_likelihood": flag},
        "shares_of_predictors": ([real], None),
    },
    "by_group": {
        "what": ("share", "mean"),
        "outcome": text,
        "by": text,
        "unit": perhaps_text,
        "possible": [exact],
        "intervals": "all at once (Bonferroni)",
        "figures": [
            {
                "group": text,
                "answer": (text, None),
                "raw": (real, None),
                "value": (real, None),
                "low": real,
                "high": real,
            }
        ],
        "groups": [{"group": text, **dict.fromkeys(("share", "low", "high"), real)}],
    },
    "predictor": {
        "outcome": text,
        "chosen": text,
        "among": [text],
        "people_short_in_reports_at_most": bound,
        "people_from_reports": bound,
    },
}
OUTPUT = (
    {"noisy_counts": [whole]},
    {"index": (code, None), "label": (text, None)},
    {"indices": [code], "labels": [text]},
    {"index": code, "price": not_below_0},
    {"total": exact},
    {"total": exact, "count": exact, "mean": exact},
    {"total": exact, "squares": exact, "count": exact, "variance": exact},
    {"noisy_counts": [whole], "low": (code, None), "high": (code, None), "certainty": (above_0, None)},
    {"value": (exact, None), "distance?": code},
)
DRAW = {"number": number, "release": identifier, "mechanism": text, "published": flag}
PART = {
    **ASKED,
    "kind": KINDS,
    "items": [text],
    "beside?": [ASKED | {"kind": (*KINDS, "groups")}],
    "values": ([(exact, None)], None),
    "edges": ([exact], None),
    "limits": ([exact], None),
    "n": number,
    "draws": {"number": number, "of": number, "chosen_from": number, "others": [DRAW]},
    "epsilon": above_0,
    "delta": not_below_0,
    "sensitivity": above_0,
    "norm": ("ABSOLUTE", "L1", "L2_SQUARED"),
    "noise": [NOISE],
    "options": {
        "answer?": code,
        "how_many?": number,
        "share?": above_0,
        "bound?": above_0,
        "outcome?": number,
        "groups?": 1,
    },
    "output": OUTPUT,
    "found": tuple(FOUND_ANY | {"family": family} | shape for family, shape in FOUND.items()),
    "accuracy": [
        {"confidence_level": LEVELS, "unit": text, "at_most": (bound, None), "at_best": (bound, None)}
        | {"percentage_points": (bound, None)}
    ],
    "truth": TRUTH,
}
RELEASE = {
    "$schema": text,
    "schema": "deniable-release/1",
    "id": identifier,
    "page": text,
    "survey": text,
    "language": text,
    "content_hash": text,
    "released_on": text,
    "mechanism": text,
    # Documents from before these two were written have neither.
    "neighbouring_relation": "REPLACE_ONE",
    "neighbours_share?": ["groups_apart"],
    "exact_figures?": ("not_shown", "shown_before", "shown_since"),
    "epsilon": above_0,
    "delta": not_below_0,
    "truth": TRUTH,
    "parts": [PART],
    "all_releases_so_far": {"epsilon": above_0, "delta": not_below_0, "truth": TRUTH},
    "all_versions_so_far": (
        None,
        {"versions": [number], "epsilon": above_0, "delta": not_below_0, "truth": {"epsilon": bound, "delta": bound}},
    ),
}


class Part:
    """One question of a release, read exactly."""

    def __init__(self, document: dict[str, Any], part: dict[str, Any]) -> None:
        self.said = part
        self.language: str = document["language"]
        self.mechanism: str = document["mechanism"]
        self.found: dict[str, Any] = part["found"]
        self.output: dict[str, Any] = part["output"]
        self.n: int = part["n"]
        self.epsilon, self.delta = Fraction(part["epsilon"]), Fraction(part["delta"])
        self.several = bool(part["items"])
        self.one_true = self.several and part["kind"] == "one_of"
        self.labels: list[str] = part["items"] if self.several else part["answers"]
        self.asked = matrix_of(part)
        self.matrix = self.asked
        if self.several:
            self.matrix = this_or_another(self.asked, 1)
        elif self.mechanism == "one_count":
            self.matrix = this_or_another(self.asked, part["options"]["answer"])
        self.inverse = inverse_of(self.matrix)
        self.candidates = len(self.labels) if self.several else len(self.asked[0]) - part["prefers_not_to_say"]
        self.chosen_from: int = part["draws"]["chosen_from"]
        self.numbers = [None if value is None else Fraction(value) for value in part["values"] or ()]
        self.edges = [Fraction(edge) for edge in part["edges"] or ()]
        self.low, self.high = map(Fraction, part["limits"] or (0, 0))
        self.sources = {source["on"]: source for source in part["noise"]}
        self.beside: list[dict[str, Any]] = part.get("beside", [])
        # Of all questions that were counted together, the outcome's first; groups are stored as they are.
        self.matrices = [self.asked, *map(matrix_of, self.beside)]
        questions = [self.said, *self.beside]
        self.answered = [m for m, told in zip(self.matrices, questions, strict=True) if told["kind"] != "groups"]

    def level(self, confidence_level: float = LEVEL) -> float:
        """How sure each of the draws must be for the one that is shown to be as sure as this."""
        return 1 - (1 - confidence_level) / self.chosen_from

    @property
    def half(self) -> float:
        """Half of the risk: that of the reports, and that of the noise."""
        return (1 - self.level()) / 2

    def noise(self, on: str) -> "Noise":
        """Return the noise on something."""
        return Noise(self.sources[on])

    @property
    def everybody_says(self) -> bool:
        """Whether no answer is a protected “prefer not to say”."""
        return None not in self.numbers

    @property
    def spread(self) -> float:
        """How far a number may be from the middle of its band."""
        return float(max((high - low for low, high in pairwise(self.edges)), default=Fraction(0)) / 2)

    def debiased(self, numbers: Iterable[Fraction]) -> Form:
        """Return what each report counts for, so that its mean over chance is the truth's number."""
        rows = list(zip(numbers, self.inverse, strict=True))
        return tuple(sum((x * row[j] for x, row in rows), Fraction(0)) for j in range(len(self.matrix)))


class Noise:
    """Noise of whole steps, by its family."""

    def __init__(self, source: dict[str, Any]) -> None:
        self.grid = Fraction(source["grid"])
        self.scale = Fraction(source.get("scale", 0))
        self.variance = Fraction(source.get("variance_parameter", 0))
        self.gaussian = source["family"] == "discrete_gaussian"
        self._tails: list[float] = []
        if self.variance > WIDEST:
            raise Refused("the noise is too wide to be computed here")
        if self.gaussian:
            masses = self.masses()
            total = 2 * math.fsum(masses) - masses[0]
            self._tails = [mass / total for mass in accumulate(reversed(masses))][::-1]

    def masses(self) -> list[float]:
        """Return e^(−x²/(2σ²)) for x = 0, 1, …, as far as floats go."""
        last = math.ceil(40 * math.sqrt(self.variance)) + 1
        return [math.exp(-float(x * x / (2 * self.variance))) for x in range(last + 1)]

    def at_least(self, t: int) -> float:
        """Return Pr(X ≥ t)."""
        if t <= 0:
            return 1 - self.at_least(1 - t)
        if self.gaussian:
            return self._tails[t] if t < len(self._tails) else 0.0
        return math.exp(-min(float(t / self.scale), 1000.0)) / (1 + math.exp(-float(1 / self.scale)))

    @property
    def reach(self) -> int:
        """What the noise exceeds with a probability below 1e-17."""
        t = 1
        while self.at_least(t + 1) > 1e-17:
            t *= 2
        return t

    def bound(self, level: float, counts: int = 1) -> int:
        """Return the smallest t that no noise on so many counts exceeds with this confidence."""
        each = -math.expm1(math.log(level) / counts)
        low, high = -1, 1
        while 2 * self.at_least(high + 1) > each:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if 2 * self.at_least(middle + 1) > each else (low, middle)
        return high


# Matrices ------------------------------------------------------------------------------------------------------------


def matrix_of(asked: dict[str, Any]) -> Matrix:
    """Return a question's matrix, as many reports as answers."""
    rows = asked["design"]["matrix"]
    if not 2 <= len(rows) <= MOST_CODES or any(len(row) != len(rows) for row in rows):
        raise Refused("a matrix has other rows and columns than a question can have")
    return tuple(tuple(map(Fraction, row)) for row in rows)


def this_or_another(matrix: Matrix, option: int) -> Matrix:
    """Return the matrix of “is it this answer?”."""
    if option == 1 and len(matrix) == 2:
        return matrix
    true = matrix[option][option]
    false = next(entry for truth, entry in enumerate(matrix[option]) if truth != option)
    return ((1 - false, 1 - true), (false, true))


def inverse_of(matrix: Matrix) -> Matrix:
    """Return the inverse, by Gauss and Jordan's elimination, exactly."""
    size = len(matrix)
    rows = [list(row) + [Fraction(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next(row for row in range(column, size) if rows[row][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for other in range(size):
            if other != column and (factor := rows[other][column]):
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[column], strict=True)]
        if any(entry.denominator.bit_length() > MOST_BITS for row in rows for entry in row):
            raise Refused("a matrix has numbers of too many digits")
    return tuple(tuple(row[size:]) for row in rows)


def combined(*terms: tuple[Fraction | int, Form]) -> Form:
    """Return the sum of factors times forms."""
    return tuple(
        sum((factor * entry for (factor, _), entry in zip(terms, column, strict=True)), Fraction(0))
        for column in zip(*(form for _, form in terms), strict=True)
    )


def cumulated(forms: Sequence[Form], length: int) -> list[Form]:
    """Return the sums of the first 0, 1, 2, … forms."""
    return list(accumulate(forms, lambda one, other: combined((1, one), (1, other)), initial=(Fraction(0),) * length))


# Counts --------------------------------------------------------------------------------------------------------------


def upper_tail(count: float, n: int, noise: "Noise | Weighted", rate: float) -> float:
    """Return Pr(X + Z ≥ count), X binomial, by a sum over all its likely values that the noise may lead across."""
    likely, across = 10 * math.sqrt(n * rate * (1 - rate)) + 50, noise.reach
    low = max(0, math.floor(n * rate - likely), math.floor(count) - across)
    high = min(n, math.ceil(n * rate + likely), math.ceil(count) + across)
    beyond = float(scipy.stats.binom.sf(max(high, count + across), n, rate))
    x = range(low, high + 1)
    masses = scipy.stats.binom.pmf(list(x), n, rate)
    return float(masses.dot([noise.at_least(count - value) for value in x])) + beyond if x else beyond


def rate_limits(
    count: float, n: int, noise: "Noise | Weighted", tail: float, possible: Sequence[Fraction]
) -> tuple[float, float]:
    """Return between which probabilities a report's is, if neither tail of its noisy count is below this."""
    count = min(max(count, math.floor(n * min(possible))), math.ceil(n * max(possible)))

    def root(wanted: float) -> float:
        if upper_tail(wanted, n, noise, 0.0) >= tail:
            return 0.0
        return float(scipy.optimize.brentq(lambda rate: upper_tail(wanted, n, noise, rate) - tail, 0, 1, xtol=1e-12))

    low, high = root(count), 1 - root(n - count)
    return low, max(low, high)


def nearest_distribution(point: Sequence[float]) -> list[float]:
    """Return the shares that are nearest to these numbers."""
    descending = sorted(point, reverse=True)
    shifts = [(total - 1) / k for k, total in enumerate(accumulate(descending), 1)]
    shift = [shift for value, shift in zip(descending, shifts, strict=True) if value > shift][-1]
    return [max(value - shift, 0.0) for value in point]


def share_limits(part: Part, count: int, code: int, level: float) -> tuple[float, float]:
    """Return the interval of one answer's share: the line from it to the probability of its report turned round."""
    noise, row = part.noise("each count"), part.matrix[code]
    low, high = rate_limits(count, part.n, noise, (1 - level) / 2, row)
    offset = next(entry for truth, entry in enumerate(row) if truth != code)
    ends = sorted(((limit - float(offset)) / float(row[code] - offset)) for limit in (low, high))
    return min(max(ends[0], 0.0), 1.0), min(max(ends[1], 0.0), 1.0)


def check_counts(part: Part) -> Checks:
    """Compute the shares of the true answers that noisy counts lead to."""
    counts, n, matrix = part.output["noisy_counts"], part.n, part.matrix
    if part.several:
        raw = [float((Fraction(count, n) - matrix[1][0]) / (matrix[1][1] - matrix[1][0])) for count in counts]
        shares = [min(max(value, 0.0), 1.0) for value in raw]
    else:
        raw = [float(sum(g * c for g, c in zip(row, counts, strict=True)) / n) for row in part.inverse]
        shares = nearest_distribution(raw)
    at_once = len(counts) if part.several or len(counts) > 2 else 1
    level = 1 - (1 - part.level()) / at_once
    limits = [share_limits(part, count, 1 if part.several else code, level) for code, count in enumerate(counts)]
    if part.several:
        names = [(label, label) for label in part.labels]
    elif part.mechanism == "one_count":
        names = [(None, None), (part.labels[part.said["options"]["answer"]],) * 2]
    else:
        names = list(zip(part.labels, part.said["reports"], strict=True))
    found = part.found["estimates"]
    yield "estimates", [(row["answer"], row["report"]) for row in found], names, 0
    yield "counts", len(counts), len(names), 0
    together = "all at once (Bonferroni)" if len(names) > (1 if part.several else 2) else "each"
    yield "intervals", part.found["intervals"], together, 0
    yield "several_answers_a_person", part.found["several_answers_a_person"], part.several and not part.one_true, 0
    counted = part.mechanism == "one_count" or part.said["kind"] == "yes_no"
    low, high = limits[1 if counted else shares.index(max(shares))]
    if part.found["family"] == "counts":
        yield "says_nothing", part.found["says_nothing"], low < 0.005 and high > 0.995, 0
    for code, row in enumerate(found):
        yield f"estimate {code}: noisy count", row["noisy_count"], counts[code], 0
        yield f"estimate {code}: raw", row["raw"], raw[code], ROUNDED
        yield f"estimate {code}: share", row["share"], shares[code], ROUNDED
        yield f"estimate {code}: low", row["low"], limits[code][0], ROUNDED
        yield f"estimate {code}: high", row["high"], limits[code][1], ROUNDED
    if part.found["family"] == "mean":
        yield from figure(
            part,
            raw=between(part, raw[0], raw[1]),
            value=between(part, shares[0], shares[1]),
            low=between(part, limits[0][1], limits[1][0]),
            high=between(part, limits[0][0], limits[1][1]),
        )
        yield from check_range(part, part.low, part.high)


def between(part: Part, least: float, most: float) -> float | None:
    """Return the mean of a number whose two ends have these shares."""
    if not least + most > NOBODY:
        return None
    return float(part.low) + float(part.high - part.low) * most / (least + most)


def figure(part: Part, **computed: float | None) -> Checks:
    """Compare a number with its interval; a limit that nothing leads to is that of the numbers."""
    width = float(part.high - part.low) or 1.0
    for name, value in computed.items():
        wanted = value
        if value is None and name in {"low", "high"}:
            wanted = float(part.low if name == "low" else part.high)
        yield name, part.found[name], wanted, CLOSE * max(width, abs(wanted or 0.0))


def check_range(part: Part, low: Fraction, high: Fraction, unit: str | None = None, *, of_all: bool = False) -> Checks:
    """Compare what is possible, what it is measured in and of whom it is, and whether the interval is all of that."""
    found = part.found
    yield "possible", found["possible"], [str(low), str(high)], 0
    yield "unit", found["unit"], unit_of(part) if unit is None else unit, 0
    yield "among_those_who_say", found["among_those_who_say"], part.said["prefers_not_to_say"] and not of_all, 0
    yield "says_nothing", found["says_nothing"], found["high"] - found["low"] > 0.99 * float(high - low), 0


def unit_of(part: Part, said: str | None = None) -> str:
    """Return the unit of a number: what follows the last digit of its first answer, or holds digits of its own."""
    said, label = part.found["unit"] if said is None else said, part.labels[0].translate(dict.fromkeys(map(ord, MARKS)))
    if part.said["kind"] not in {"number_mean", "number_bands"}:
        return ""
    if any(letter.isdecimal() for letter in said) and label.endswith(f" {said}"):
        return said
    last = max((place for place, letter in enumerate(label) if letter.isdecimal()), default=-1)
    return label[last + 1 :].strip()


def cost_of_counts(part: Part) -> Checks:
    """Compute what noise on counts costs, d of which a response changes: 1 of two codes, 2 of more, all options."""
    counts = len(part.output["noisy_counts"])
    changed = counts if part.several else 1 if counts == 2 and part.mechanism != "bounds" else 2
    yield "sensitivity", Fraction(part.said["sensitivity"]), changed, 0
    noise, draws = part.noise("each count"), 1 if changed == 1 else counts
    if noise.gaussian:
        delta = gaussian_delta(part.epsilon, noise, changed)
        yield "δ of the noise is at most that charged", max(delta, float(part.delta)), float(part.delta), 1e-6 * delta
    else:
        yield "ε of the noise", part.epsilon, changed / noise.scale, 0
    for row in part.said["accuracy"]:
        level = row["confidence_level"]
        yield f"accuracy at {level}", row["at_most"], noise.bound(part.level(level), draws), 0
    yield "norm", part.said["norm"], "L2_SQUARED" if noise.gaussian else "L1", 0


def gaussian_delta(epsilon: Fraction, noise: Noise, changed: int) -> float:
    """Return Σ Pr(T = t)·(1 − e^(ε − (2t + d)/(2σ²))) over t > εσ² − d/2, T the sum of d draws."""
    half = noise.masses()
    if changed * len(half) > WIDEST // 100:
        raise Refused("the noise is too wide, on too many counts, to be computed again here")
    masses = [*reversed(half[1:]), *half]
    together = [1.0]
    for _ in range(changed):
        together = scipy.signal.convolve(together, masses)
    total, reach = math.fsum(together), changed * (len(half) - 1)
    least = epsilon * noise.variance - Fraction(changed, 2)
    return math.fsum(
        float(together[t + reach]) / total * -math.expm1(float(epsilon - (2 * t + changed) / (2 * noise.variance)))
        for t in range(max(math.floor(least) + 1, -reach), reach + 1)
    )


class Weighted:
    """Noise on many counts, each times a weight: its tails are bounded by Chernoff's argument, at some exponents."""

    reach = LARGEST_N

    def __init__(self, noise: Noise, weights: Iterable[Fraction]) -> None:
        sizes = Counter(abs(float(weight)) for weight in weights if weight)
        rate, parameter = float(1 / noise.scale) if noise.scale else math.inf, float(noise.variance)
        if noise.gaussian:
            masses = noise.masses()
            whole = 2 * math.fsum(masses) - masses[0]
            spread = 2 * math.fsum(x * x * mass for x, mass in enumerate(masses)) / whole
        else:
            spread = 2 * (math.exp(-rate / 2) / -math.expm1(-rate)) ** 2
        last = 12 / math.sqrt(max(spread * math.fsum(times * size**2 for size, times in sizes.items()), 1e-12))
        last = min(last, rate * (1 - 1e-9) / max(sizes))
        self._lines = [(0.0, 0.0)]
        for i in range(400):
            h = last * 1000 ** (i / 399 - 1)
            logs = [times * h * h * size * size * parameter / 2 for size, times in sizes.items()]
            if not noise.gaussian:
                logs = [
                    2 * times * math.log(-math.expm1(-rate))
                    - times * math.log(-math.expm1(-(rate - h * size)))
                    - times * math.log(-math.expm1(-(rate + h * size)))
                    for size, times in sizes.items()
                ]
            self._lines.append((h, math.fsum(logs)))
        # From which t on the next exponent is better: the logarithm is convex in it.
        self._from = [(log - last_log) / (h - last_h) for (last_h, last_log), (h, log) in pairwise(self._lines)]

    def at_least(self, t: float) -> float:
        """Return what Pr(the sum ≥ t) is at most."""
        h, log = self._lines[bisect_left(self._from, t)]
        return math.exp(min(0.0, log - h * t))


def tree_of(length: int, branching: int) -> list[list[tuple[int, int]]]:
    """Return the runs of answers that are counted together, level by level, single ones last."""
    widths = [1]
    while widths[-1] * branching < length:
        widths.append(widths[-1] * branching)
    return [[(at, min(at + width, length)) for at in range(0, length, width)] for width in reversed(widths)]


def cuts_of(length: int, nodes: Sequence[tuple[int, int]]) -> list[Form]:
    """Return the weights of n and each node in the least-squares counts up to each answer, which sum to n.

    They solve the normal equations with a multiplier for that sum.
    """
    together = [
        [Fraction(sum(a <= min(i, j) and max(i, j) < b for a, b in nodes)) for j in range(length)]
        for i in range(length)
    ]
    bordered = [[*row, Fraction(1)] for row in together] + [[*[Fraction(1)] * length, Fraction(0)]]
    inverse = inverse_of(tuple(map(tuple, bordered)))
    rows = [(row[length], *(sum(row[a:b], Fraction(0)) for a, b in nodes)) for row in inverse[:length]]
    return cumulated(rows, 1 + len(nodes))[1:length]


def check_tree(part: Part) -> Checks:
    """Compute the shares up to each answer from counts of a tree, their intervals, and what they cost."""
    found, n, length = part.found, part.n, len(part.matrix)
    if not 2 <= found["branching"] <= length:
        raise Refused("a tree has another branching than its answers allow")
    levels = tree_of(length, found["branching"])
    nodes = [node for level in levels for node in level]
    counts, changed, noise = part.output["noisy_counts"], 2 * len(levels), part.noise("each count")
    if len(counts) != len(nodes):
        raise Refused("there are other counts than nodes of the tree")
    yield "sensitivity", Fraction(part.said["sensitivity"]), changed, 0
    yield "norm", part.said["norm"], "L2_SQUARED" if noise.gaussian else "L1", 0
    if noise.gaussian:
        delta = gaussian_delta(part.epsilon, noise, changed)
        yield "δ of the noise is at most that charged", max(delta, float(part.delta)), float(part.delta), 1e-6 * delta
    else:
        yield "ε of the noise", part.epsilon, changed / noise.scale, 0
    cuts = cuts_of(length, nodes)
    sums = [Weighted(noise, cut[1:]) for cut in cuts]
    for row in part.said["accuracy"]:
        low, high, risk = 0.0, 1.0, 1 - part.level(row["confidence_level"])
        while math.fsum(2 * one.at_least(high) for one in sums) > risk:
            low, high = high, 2 * high
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            enough = math.fsum(2 * one.at_least(middle) for one in sums) <= risk
            low, high = (low, middle) if enough else (middle, high)
        yield f"accuracy at {row['confidence_level']}", row["at_most"], high, CLOSE * high
    slope = part.matrix[0][0] - part.matrix[0][1]
    below = list(accumulate(row[(code + 1) % length] for code, row in enumerate(part.matrix)))[:-1]
    same = all(
        row[i] - slope == row[j] for i, row in enumerate(part.matrix) for j in ((i + 1) % length, (i + 2) % length)
    )
    yield "each report speaks for one answer", same or length == 2, True, 0
    consistent = [sum((w * c for w, c in zip(cut, (n, *counts), strict=True)), Fraction(0)) for cut in cuts]
    raw = [float((count / n - offset) / slope) for count, offset in zip(consistent, below, strict=True)]
    shares = [min(max(value, 0.0), 1.0) for value in scipy.optimize.isotonic_regression(raw).x.tolist()]
    tail = (1 - part.level()) / len(cuts) / 2
    limits = []
    for count, one, offset in zip(consistent, sums, below, strict=True):
        rates = rate_limits(float(count), n, one, tail, (offset, offset + slope))
        limits.append(sorted(min(max((rate - float(offset)) / float(slope), 0.0), 1.0) for rate in rates))
    lows = list(accumulate((low for low, _ in limits), max))
    highs = list(accumulate((high for _, high in reversed(limits)), min))[::-1]
    highs = [max(pair) for pair in zip(lows, highs, strict=True)]
    yield "answers", [row["answer"] for row in found["up_to"]], part.labels[:-1], 0
    for place, row in enumerate(found["up_to"]):
        for name, computed in (("raw", raw), ("share", shares), ("low", lows), ("high", highs)):
            yield f"up to answer {place}: {name}", row[name], computed[place], ROUNDED
    yield "quantiles", [one["share"] for one in found["quantiles"]], ["1/4", "1/2", "3/4"], 0
    for one in found["quantiles"]:
        for name, computed in (("answer", shares), ("low", highs), ("high", lows)):
            code = sum(share < float(Fraction(one["share"])) for share in computed)
            yield f"quantile {one['share']}: {name}", one[name], part.labels[code], 0
    yield "says_nothing", found["says_nothing"], max(lows) < 0.005 and min(highs) > 0.995, 0


# Choices -------------------------------------------------------------------------------------------------------------


def change(part: Part, form: Form) -> Fraction:
    """Return by how much one replaced response moves a form at most."""
    if part.several:
        return sum((abs(weight) for weight in form), Fraction(0))
    return max(form) - min(form)


def deviation(part: Part, form: Form, risk: float) -> float:
    """Return Hoeffding's bound on what a form of the reports exceeds its mean by."""
    return float(change(part, form)) * math.sqrt(part.n * math.log(1 / risk) / 2)


def debiased_forms(part: Part) -> list[Form]:
    """Return for each candidate what estimates how many people have it."""
    if part.several:
        slope, options = part.matrix[1][1] - part.matrix[1][0], range(part.candidates)
        return [tuple(Fraction(i == j) / slope for j in options) for i in options]
    return list(part.inverse[: part.candidates])


def shortfall(part: Part, forms: list[Form], chosen: int, others: Sequence[int], *, risk: float, noise: float) -> float:
    """Return how far a chosen candidate's true score is at most below that of these others."""
    k = len(forms)
    each, pairs = risk / (2 * k), risk / (k * (k - 1))
    apart = sum(sorted(deviation(part, form, each) for form in forms)[-2:])
    together = max(deviation(part, combined((1, a), (-1, b)), pairs) for a, b in combinations(forms, 2))
    if apart < together:
        errors = [deviation(part, forms[chosen], each) + deviation(part, forms[other], each) for other in others]
    else:
        errors = [deviation(part, combined((1, forms[other]), (-1, forms[chosen])), pairs) for other in others]
    return max((noise + error for error in errors), default=0.0)


def cost_of_choice(part: Part, forms: Sequence[Form], candidates: int) -> Checks:
    """Compute what all rounds of 2·Δ·rate cost, and how far behind a candidate of probability β/k is."""
    source, largest = part.sources["choice"], max(change(part, form) for form in forms)
    family = "permute_and_flip" if part.mechanism == "permute_and_flip" else "exponential_mechanism"
    yield "family", source["family"], family, 0
    yield "sensitivity", Fraction(part.said["sensitivity"]), largest, 0
    rounds = Fraction(source["rounds"])
    if one_for_one(part, forms):
        # Up by half a round's cost at the one answer that rises and is chosen once, and down in each round's sum.
        rounds = (rounds + 1) / 2
    yield "ε of the choices", part.epsilon, 2 * largest * Fraction(source["rate"]) * rounds, 0
    for row in part.said["accuracy"]:
        computed = bound_of_choice(part, candidates, part.level(row["confidence_level"]))
        yield f"accuracy at {row['confidence_level']}", row["at_most"], computed, CLOSE * computed


def one_for_one(part: Part, forms: Sequence[Form]) -> bool:
    """Whether a replaced response raises one score and lowers one: each has one weight above others that are equal."""
    places = {form.index(max(form)) for form in forms}
    return not part.several and len(places) == len(forms) and all(min(form) == sorted(form)[-2] for form in forms)


def bound_of_choice(part: Part, candidates: int, level: float) -> float:
    """Return ln(k/β)/rate, k the candidates of all rounds; by permute-and-flip ln((k − 1)/(2β))/rate, at least 0."""
    source = part.sources["choice"]
    possible = (candidates - 1) / 2 if source["family"] == "permute_and_flip" else candidates
    return max(0.0, math.log(possible / (1 - level))) / float(Fraction(source["rate"]))


def check_choice(part: Part) -> Checks:
    """Compute what one answer says, or several in order."""
    forms, k = debiased_forms(part), part.candidates
    several = "indices" in part.output
    if several:
        yield "how many", len(part.output["indices"]), part.said["options"]["how_many"], 0
    chosen = part.output["indices"] if several else [part.output["index"]]
    in_all = sum(range(k, k - part.sources["choice"]["rounds"], -1))
    yield from cost_of_choice(part, forms, in_all)
    labels = [part.labels[code] for code in chosen]
    yield "chosen", part.found["chosen"], labels if several else labels[0], 0
    yield "drawn", part.output["labels" if several else "label"], labels if several else labels[0], 0
    yield "drawn once each", sorted(set(chosen)), sorted(code for code in chosen if code < k), 0
    yield "among", part.found["among"], part.labels[:k], 0
    noise = bound_of_choice(part, in_all, 1 - part.half)
    short = max(
        shortfall(part, forms, code, [c for c in range(k) if c not in chosen[: place + 1]], risk=part.half, noise=noise)
        for place, code in enumerate(chosen)
    )
    yield "people_short_at_most", part.found["people_short_at_most"], short, CLOSE * (short + 1)
    yield "says_nothing", part.found["says_nothing"], not part.found["people_short_at_most"] < part.n, 0


def distances(part: Part, share: Fraction, candidates: int) -> list[tuple[Form, Form]]:
    """Return for each answer by how many people the wanted rank is below it, and above it."""
    sums = cumulated(part.inverse[:candidates], len(part.matrix))
    return [
        (combined((share, sums[-1]), (-1, below)), combined((1, up_to), (-share, sums[-1])))
        for below, up_to in pairwise(sums)
    ]


def check_quantile(part: Part) -> Checks:
    """Compute an answer by its rank."""
    forms, k = distances(part, Fraction(part.said["options"]["share"]), part.candidates), part.candidates
    yield from cost_of_choice(part, [form for both in forms for form in both], k)
    yield "share", Fraction(part.found["share"]), Fraction(part.said["options"]["share"]), 0
    chosen, share = part.output["index"], float(Fraction(part.said["options"]["share"]))
    yield "chosen", part.found["chosen"], part.labels[:k][chosen], 0
    yield "drawn", part.output["label"], part.labels[chosen], 0
    yield "among", part.found["among"], part.labels[:k], 0
    noise = bound_of_choice(part, k, 1 - part.half)
    people = noise + max(deviation(part, form, part.half / (2 * k)) for form in forms[chosen])
    yield "people_between_at_most", part.found["people_between_at_most"], people, CLOSE * people
    yield "among_those_who_say", part.found["among_those_who_say"], part.said["prefers_not_to_say"], 0
    said = part.found["people_between_at_most"] / part.n
    yield "says_nothing", part.found["says_nothing"], share + said >= 1 and share - said <= 0, 0
    if part.said["prefers_not_to_say"]:
        yield "share_below_at_most", part.found["share_below_at_most"], None, 0
        yield "share_up_to_at_least", part.found["share_up_to_at_least"], None, 0
    else:
        yield "share_below_at_most", part.found["share_below_at_most"], min(1.0, share + people / part.n), ROUNDED
        yield "share_up_to_at_least", part.found["share_up_to_at_least"], max(0.0, share - people / part.n), ROUNDED


def check_price(part: Part) -> Checks:
    """Compute a price by its revenue."""
    prices, sums = part.edges[:-1], cumulated(part.inverse[: part.candidates], len(part.matrix))
    forms = [combined((price, sums[-1]), (-price, below)) for price, below in zip(prices, sums[:-1], strict=True)]
    yield from cost_of_choice(part, forms, len(prices))
    chosen = part.output["index"]
    yield "price", Fraction(part.output["price"]), prices[chosen], 0
    yield "chosen", Fraction(part.found["chosen"]), prices[chosen], 0
    noise = bound_of_choice(part, len(prices), 1 - part.half)
    others = [other for other in range(len(prices)) if other != chosen]
    short = shortfall(part, forms, chosen, others, risk=part.half, noise=noise)
    yield "revenue_short_at_most", part.found["revenue_short_at_most"], short, CLOSE * short
    yield "among", part.found["among"], [str(price) for price in prices], 0
    yield "unit", part.found["unit"], unit_of(part), 0
    said = not part.found["revenue_short_at_most"] < prices[-1] * part.n
    yield "says_nothing", part.found["says_nothing"], said, 0


# Sums ----------------------------------------------------------------------------------------------------------------


class Sum:
    """A noisy sum of what responses count for."""

    def __init__(self, part: Part, on: str, values: Form) -> None:
        self.part, self.values, self.noise = part, values, part.noise(on)
        steps = [(value - min(values)) / self.noise.grid for value in values]
        self.steps = [int(step) for step in steps]
        self.on_grid = all(step.denominator == 1 for step in steps) and math.gcd(*self.steps) == 1
        self.sensitivity = max(values) - min(values)

    @property
    def epsilon(self) -> Fraction:
        """What it costs."""
        return self.sensitivity / (self.noise.scale * self.noise.grid)

    @property
    def method(self) -> str:
        """Whether it is one count with noise."""
        return "exact" if set(self.steps) == {0, 1} else "chernoff"

    def limits(self, total: Fraction, tail: float, method: str) -> tuple[float, float]:
        """Return limits for the mean of what a response counts for."""
        n, base, grid = self.part.n, min(self.values), self.noise.grid
        steps = (total - base * n) / grid
        if steps.denominator != 1:
            raise ValueError(f"the sum {total} is between two steps")
        columns = list(zip(*self.part.matrix, strict=True))
        expected = [sum((p * s for p, s in zip(column, self.steps, strict=True)), Fraction(0)) for column in columns]
        count = min(max(int(steps), math.floor(n * min(expected))), math.ceil(n * max(expected)))
        if method == "exact":
            low, high = rate_limits(count, n, self.noise, tail, expected)
            least, most = float(min(expected)), float(max(expected))
            low, high, scale = min(max(low, least), most), min(max(high, least), most), 1
        else:
            scale = max(self.steps)
            values = [step / scale for step in self.steps]
            low = self._lowest(values, count / scale, tail, scale)
            high = -self._lowest([-value for value in values], -count / scale, tail, scale)
        unit = float(grid * scale)
        return float(base) + unit * low, float(base) + unit * max(low, high)

    def _lowest(self, values: list[float], observed: float, tail: float, scale: int) -> float:
        """Return the largest lower limit of Chernoff's argument at exponents h from where sampling is all, to ε."""
        n, rate = self.part.n, float(1 / self.noise.scale)
        truths = [[float(p) for p in column] for column in zip(*self.part.matrix, strict=True)]
        x = [math.fsum(p * v for p, v in zip(column, values, strict=True)) for column in truths]
        steepest = min(rate * scale * (1 - 1e-9), 500.0)
        flattest = min(0.1 / (math.sqrt(n) + 1 / (rate * scale)), steepest / 10)
        exponents = [flattest * (steepest / flattest) ** (i / 159) for i in range(160)]
        exponents += [steepest * (0.2 + 0.79 * i / 39) for i in range(40)]
        best = -math.inf
        for h in exponents:
            chance = 2 * math.log(-math.expm1(-rate)) - sum(
                math.log(-math.expm1(-(rate + sign * h / scale))) for sign in (-1, 1)
            )
            bound = math.expm1((math.log(tail) + h * observed - chance) / n)
            m = [math.fsum(p * math.expm1(h * v) for p, v in zip(column, values, strict=True)) for column in truths]
            found = [x_r for x_r, m_r in zip(x, m, strict=True) if m_r >= bound]
            found += [
                x[s] + (bound - m[s]) / (m[r] - m[s]) * (x[r] - x[s])
                for r in range(len(x))
                for s in range(len(x))
                if m[r] >= bound > m[s]
            ]
            best = max(best, min([*found, max(x)]))
        return best


def sums_of(part: Part, *named: tuple[str, Form]) -> tuple[list[Sum], Sum | None]:
    """Return the sums that were drawn, and that of those who say a number where it is not public."""
    sums = [Sum(part, on, values) for on, values in named]
    answering = part.debiased([Fraction(number is not None) for number in part.numbers])
    return sums, None if part.everybody_says else Sum(part, "count", answering)


def numbers_of(part: Part) -> tuple[Form, Form, Fraction]:
    """Return what reports count for, less the middle, and the middle."""
    values = part.debiased([number or Fraction(0) for number in part.numbers])
    answering = part.debiased([Fraction(number is not None) for number in part.numbers])
    middle = (min(values) + max(values)) / 2 if part.everybody_says else (part.low + part.high) / 2
    return values, tuple(v - middle * a for v, a in zip(values, answering, strict=True)), middle


def cost_of_sums(part: Part, sums: list[Sum], count: Sum | None) -> Checks:
    """Compute what all sums cost; where everybody says, they are of n."""
    every = sums if count is None else [*sums, count]
    yield "sensitivity", Fraction(part.said["sensitivity"]), sums[0].sensitivity, 0
    for one in every:
        yield "ε of a sum", one.epsilon, part.epsilon / len(every), 0
    yield "middles_of_bands", part.found["middles_of_bands"], bool(part.edges), 0
    yield "what", part.found["what"], part.mechanism, 0
    yield "grids are as coarse as can be", all(one.on_grid for one in every), True, 0
    if count is None and "count" in part.output:
        yield "count", Fraction(part.output["count"]), part.n, 0


def ratios(
    part: Part, sums: list[Sum], count: Sum | None, names: Sequence[str], method: str
) -> list[tuple[float, float]]:
    """Return limits for each sum over the number of those who say, all holding at once."""
    tail = (1 - part.level()) / 2 / (len(sums) + (count is not None))
    found = [one.limits(Fraction(part.output[on]), tail, method) for one, on in zip(sums, names, strict=True)]
    if count is None:
        return found
    fewest, most = count.limits(Fraction(part.output["count"]), tail, "chernoff")
    if not fewest > 0:
        return [(-math.inf, math.inf)] * len(found)
    return [(min(low / fewest, low / most), max(high / fewest, high / most)) for low, high in found]


def accuracy_of_sum(part: Part, one: Sum, of: Fraction, most: float) -> Checks:
    """Compute how far the noise takes a sum, or a mean of so many."""
    for row in part.said["accuracy"]:
        steps = one.noise.bound(part.level(row["confidence_level"]))
        computed = min(float(one.noise.grid * steps / of), most)
        yield f"accuracy at {row['confidence_level']}", row["at_most"], computed, CLOSE * computed


def accuracy_of_any(part: Part, whole: float) -> Checks:
    """Compare the bounds where nothing less than all can be promised."""
    for row in part.said["accuracy"]:
        yield f"accuracy at {row['confidence_level']}", row["at_most"], whole, CLOSE * whole


def errors_at_best(part: Part, sums: list[Sum], count: Sum, level: float) -> list[float] | None:
    """Return how far off each sum over the number of those who say is, if everybody says; None for anything."""
    each = part.level(level) ** (1 / (len(sums) + 1))
    away = count.noise.grid * count.noise.bound(each)
    if not part.n - away >= 1:
        return None
    return [
        float((one.noise.grid * one.noise.bound(each) + max(map(abs, one.values)) * away) / (part.n - away))
        for one in sums
    ]


def check_total(part: Part) -> Checks:
    """Compute the total of a number."""
    values, _deviations, _middle = numbers_of(part)
    total, drawn = Sum(part, "total", values), Fraction(part.output["total"])
    yield from cost_of_sums(part, [total], None)
    ends = [part.low, part.high, *([] if part.everybody_says else [Fraction(0)])]
    yield from accuracy_of_sum(part, total, Fraction(1), math.inf)
    low, high = total.limits(drawn, (1 - part.level()) / 2, total.method)
    least, most, n = min(ends), max(ends), part.n
    yield "method", part.found["method"], total.method, 0
    yield "raw", part.found["raw"], float(drawn), CLOSE * abs(float(drawn))
    yield "value", part.found["value"], float(min(max(drawn, n * least), n * most)), CLOSE * abs(float(drawn))
    yield "low", part.found["low"], n * max(low - part.spread, float(least)), CLOSE * n * float(most - least)
    yield "high", part.found["high"], n * min(high + part.spread, float(most)), CLOSE * n * float(most - least)
    yield from check_range(part, n * least, n * most, of_all=True)


def check_mean(part: Part) -> Checks:
    """Compute the mean of a number among those who say theirs."""
    _values, deviations, middle = numbers_of(part)
    [total], count = sums_of(part, ("total", deviations))
    yield from cost_of_sums(part, [total], count)
    width = float(part.high - part.low)
    # Where the number of those who say is drawn as well, anything within the limits is possible.
    yield from accuracy_of_sum(part, total, Fraction(part.n), width) if count is None else accuracy_of_any(part, width)
    for row in part.said["accuracy"] if count else ():
        errors = errors_at_best(part, [total], count, row["confidence_level"])
        computed = min(width, errors[0]) if errors else width
        yield f"at best at {row['confidence_level']}", row["at_best"], computed, CLOSE * computed
    raw = Fraction(part.output["total"]) / max(Fraction(1), Fraction(part.output["count"])) + middle
    value = min(max(raw, part.low), part.high)
    yield "mean", Fraction(part.output["mean"]), value, 0
    yield "method", part.found["method"], total.method, 0
    [(low, high)] = ratios(part, [total], count, ["total"], total.method)
    least, most = float(part.low), float(part.high)
    yield from figure(
        part,
        raw=float(raw),
        value=float(value),
        low=min(max(low + float(middle) - part.spread, least), most),
        high=max(min(high + float(middle) + part.spread, most), least),
    )
    yield from check_range(part, part.low, part.high)


def check_variance(part: Part) -> Checks:
    """Compute the variance of a number among those who say theirs."""
    _values, deviations, middle = numbers_of(part)
    centre, largest = (part.low + part.high) / 2, ((part.high - part.low) / 2) ** 2
    squares = part.debiased([Fraction(0) if x is None else (x - centre) ** 2 for x in part.numbers])
    middle_square = (min(squares) + max(squares)) / 2 if part.everybody_says else largest / 2
    answering = part.debiased([Fraction(number is not None) for number in part.numbers])
    centred = tuple(s - middle_square * a for s, a in zip(squares, answering, strict=True))
    sums, count = sums_of(part, ("squares", centred), ("total", deviations))
    yield from cost_of_sums(part, sums, count)
    farthest = float(max(map(abs, deviations)) + abs(middle - centre))
    if count is None:
        for row in part.said["accuracy"]:
            each = part.level(row["confidence_level"]) ** 0.5
            off, mean = (float(one.noise.grid * one.noise.bound(each) / part.n) for one in sums)
            computed = min(float(largest), off + mean * (2 * farthest + mean))
            yield f"accuracy at {row['confidence_level']}", row["at_most"], computed, CLOSE * computed
    else:
        yield from accuracy_of_any(part, float(largest))
        for row in part.said["accuracy"]:
            errors = errors_at_best(part, sums, count, row["confidence_level"])
            off, mean = errors or (math.inf, 0.0)
            computed = min(float(largest), off + mean * (2 * farthest + mean))
            yield f"at best at {row['confidence_level']}", row["at_best"], computed, CLOSE * computed
    of = max(Fraction(1), Fraction(part.output["count"]))
    from_centre = Fraction(part.output["total"]) / of + middle - centre
    raw = Fraction(part.output["squares"]) / of + middle_square - from_centre**2
    value = min(max(raw, Fraction(0)), largest)
    yield "variance", Fraction(part.output["variance"]), value, 0
    (low, high), (left, right) = ratios(part, sums, count, ["squares", "total"], "chernoff")
    left, right = left + float(middle - centre), right + float(middle - centre)
    ends = low - max(abs(left), abs(right)) ** 2, high - max(left, -right, 0.0) ** 2
    deviations_of = [math.sqrt(min(max(end + float(middle_square), 0.0), float(largest))) for end in ends]
    yield from figure(
        part,
        raw=float(raw),
        value=float(value),
        low=max(deviations_of[0] - part.spread, 0.0) ** 2,
        high=min((deviations_of[1] + part.spread) ** 2, float(largest)),
    )
    unit = unit_of(part, part.found["unit"].removesuffix("²").removeprefix("(").removesuffix(")"))
    squared = "" if not unit else f"({unit})²" if " " in unit else f"{unit}²"
    yield from check_range(part, Fraction(0), largest, squared)


# Bands, and what is tested first -------------------------------------------------------------------------------------


def check_bounds(part: Part) -> Checks:
    """Compute the first and the last band whose noisy count an empty one's could hardly be."""
    yield from cost_of_counts(part)
    counts, noise, n = part.output["noisy_counts"], part.noise("each count"), part.n
    yield "counts", len(counts), len(part.labels), 0
    low = high = certainty = None
    for level in RELAXED:
        each = float((1 - level) / part.candidates)
        passed = []
        for code in range(part.candidates):
            others = max(entry for truth, entry in enumerate(part.matrix[code]) if truth != code)
            # It passes where its count is above a threshold of at least 0 that an empty band exceeds hardly ever.
            if counts[code] > 0 and upper_tail(counts[code], n, noise, float(others)) <= each:
                passed.append(code)
        if passed:
            low, high, certainty = passed[0], passed[-1], level
            break
    yield "low", part.output["low"], low, 0
    yield "high", part.output["high"], high, 0
    yield "certainty of one draw", part.output["certainty"], None if certainty is None else str(certainty), 0
    yield "says_nothing", part.found["says_nothing"], certainty is None, 0
    if certainty is None:
        found = [part.found[name] for name in ("first_band", "last_band", "certainty")]
        yield "bands", found, [None] * 3, 0
    else:
        whole = max(Fraction(0), 1 - part.chosen_from * (1 - certainty))
        yield "certainty", Fraction(part.found["certainty"]), whole, 0
        bands = [part.found["first_band"], part.found["last_band"]]
        yield "bands", bands, [part.labels[part.output["low"]], part.labels[part.output["high"]]], 0


def check_test(part: Part) -> Checks:
    """Compare the threshold of a test: the smallest T with q^T/(1 + q) ≤ δ."""
    source, noise = part.sources["stability"], part.noise("stability")
    threshold = source["threshold"]
    passes = noise.at_least(threshold) <= float(part.delta) < noise.at_least(threshold - 1)
    yield "threshold of the test", passes, True, 0
    yield "sensitivity", Fraction(part.said["sensitivity"]), 1, 0


def check_stable_mode(part: Part) -> Checks:
    """Compute what the most common answer of the reports says, unless it was refused."""
    yield from check_test(part)
    yield "ε of the test", part.epsilon, 1 / part.noise("stability").scale, 0
    if part.found["family"] != "refused":
        chosen, forms = part.output["index"], debiased_forms(part)
        yield "chosen", part.found["chosen"], part.labels[chosen], 0
        yield "drawn", part.output["label"], part.labels[chosen], 0
        yield "among", part.found["among"], part.labels, 0
        others = [other for other in range(len(forms)) if other != chosen]
        short = shortfall(part, forms, chosen, others, risk=1 - part.level(), noise=0.0)
        yield "people_short_at_most", part.found["people_short_at_most"], short, CLOSE * short
        yield "says_nothing", part.found["says_nothing"], not part.found["people_short_at_most"] < part.n, 0


def check_stable_median(part: Part) -> Checks:
    """Compute what a median with noise for a proposed bound says, unless it was refused."""
    yield from check_test(part)
    values, bound = [x for x in part.numbers if x is not None], Fraction(part.said["options"]["bound"])
    step = step_of(values)
    places = [math.floor((value - values[0]) / step + Fraction(1, 2)) for value in values]
    near = [places[j] - places[i] for i, j in combinations(range(len(values)), 2) if values[j] - values[i] <= bound]
    # Where no two values are as near as the bound, there is no noise, and the test has all of ε.
    moved, steps = max(near, default=0), 0
    yield "noise on the median", "median" in part.sources, bool(moved), 0
    yield "ε of the test", part.epsilon / 2 if moved else part.epsilon, 1 / part.noise("stability").scale, 0
    yield "bound", bound < values[-1] - values[0], True, 0
    if moved:
        noise = part.noise("median")
        yield "ε of the noise", part.epsilon / 2, moved / noise.scale, 0
        yield "grid", noise.grid, step, 0
        steps = noise.bound(1 - part.half)
    if part.found["family"] != "refused":
        yield from check_median(part, (steps + 0.5) * float(step))


def step_of(values: Sequence[Fraction]) -> Fraction:
    """Return the grid of a median: the largest power of ten that is at most a hundredth of any gap."""
    finest, step = min(high - low for low, high in pairwise(values)) / 100, Fraction(1)
    if not finest > 0:
        raise Refused("the values of answers do not increase")
    while step > finest:
        step /= 10
    while 10 * step <= finest:
        step *= 10
    return step


def check_smooth_median(part: Part) -> Checks:
    """Compute what a median with Cauchy noise says, off by what the scale leads to that follows from its distance."""
    source, noise = part.sources["median"], part.noise("distance")
    alpha, beta, grid = (Fraction(source[name]) for name in ("alpha", "beta", "grid"))
    shares = [alpha, beta, 1 / noise.scale]
    yield "ε of shift, scale and distance", shares, [part.epsilon / 2, part.epsilon / 4, part.epsilon / 4], 0
    yield "distance in reports", noise.grid, 1, 0
    yield "grid", grid, step_of([x for x in part.numbers if x is not None]), 0
    width = max(x for x in part.numbers if x is not None) - min(x for x in part.numbers if x is not None)
    yield "sensitivity", Fraction(part.said["sensitivity"]), width, 0

    def away(distance: int, level: float) -> float:
        # Half of the risk is that of the noise on the distance, half that of the noise on the median.
        least = max(0, distance - noise.bound(level))
        scale = float(width / alpha) * math.exp(-float(beta * least))
        return min(float(width), scale / math.tan(math.pi / 2 * (1 - (1 + level) / 2)) + float(grid) / 2)

    for row in part.said["accuracy"]:
        computed = away(0, part.level(row["confidence_level"]))
        yield f"accuracy at {row['confidence_level']}", row["at_most"], computed, CLOSE * computed
    yield "distance is one", 0 <= part.output["distance"] <= part.n, True, 0
    yield from check_median(part, away(part.output["distance"], 1 - part.half))


def check_median(part: Part, away: float) -> Checks:
    """Compute where the median of the reports is, and how many people are between it and their middle."""
    values = [x for x in part.numbers if x is not None]
    value, least, most = Fraction(part.output["value"]), float(values[0]), float(values[-1])
    yield "value", Fraction(part.found["value"]), value, 0
    steps = (value - values[0]) / Fraction(part.sources["median"]["grid"]) if "median" in part.sources else Fraction(0)
    yield "value on the grid", steps.denominator == 1 or value == values[-1], True, 0
    away = min(away, most - least)
    yield "low", part.found["low"], max(least, float(value) - away), CLOSE * (most - least)
    yield "high", part.found["high"], min(most, float(value) + away), CLOSE * (most - least)
    k = len(values)
    forms = [form for both in distances(part, Fraction(1, 2), k) for form in both]
    people = max(deviation(part, form, part.half / (2 * k)) for form in forms)
    yield "people_between_at_most", part.found["people_between_at_most"], people, CLOSE * people
    yield "value within", values[0] <= value <= values[-1], True, 0
    yield "unit", part.found["unit"], unit_of(part), 0
    everything = part.found["low"] <= least and part.found["high"] >= most
    yield "says_nothing", part.found["says_nothing"], everything or not 100 * people / part.n < 50, 0


# Questions counted together, and the model of their table ------------------------------------------------------------


class Table:
    """Published counts of patterns, the last question's reports changing fastest, with what lies behind them."""

    def __init__(self, part: Part) -> None:
        self.n, self.noise = part.n, part.noise("each count")
        self.counts: list[int] = part.output["noisy_counts"]
        cells = math.prod(len(matrix) for matrix in part.matrices)
        if cells != len(self.counts):
            raise Refused(f"there are {cells} patterns of reports, and {len(self.counts)} counts")
        # Each slope of a likelihood takes all noise in all cells; each variance takes all pairs of patterns.
        slopes = 2 * (cells if part.found.get("model") == "logistic" else 0)
        if self.reach > WIDEST // 100 or cells * (slopes * self.reach + (slopes + 10) * cells) > MOST_STEPS:
            raise Refused("the table is too large, or its noise too wide, to be computed again here")
        self.matrices = [[[float(entry) for entry in row] for row in matrix] for matrix in part.matrices]
        self.inverses = [[[float(entry) for entry in row] for row in inverse_of(matrix)] for matrix in part.matrices]
        self.truths = list(product(*(range(len(matrix[0])) for matrix in self.matrices)))
        self.reports = list(product(*(range(len(matrix)) for matrix in self.matrices)))
        chances = [self.noise.at_least(x) - self.noise.at_least(x + 1) for x in range(self.reach + 1)]
        self.chances = [*chances[:0:-1], *chances]
        self.variance = math.fsum(p * x * x for p, x in zip(self.chances, self.likely, strict=True))
        width = 1 + sum(len(matrix[0]) - 1 for matrix in self.matrices[1:])
        self.rows = {truth[1:]: self._row(truth[1:]) for truth in self.truths}
        self.patterns = list(self.rows)
        self.width = width

    def _row(self, truth: tuple[int, ...]) -> list[float]:
        """Return a constant, and for each predictor which of its answers but the first it is."""
        others = [
            float(code == t) for t, m in zip(truth, self.matrices[1:], strict=True) for code in range(1, len(m[0]))
        ]
        return [1.0, *others]

    @property
    def reach(self) -> int:
        """What the noise exceeds with a probability below 1e-15."""
        t = 1
        while self.noise.at_least(t + 1) > 1e-15:
            t *= 2
        return t

    @property
    def likely(self) -> range:
        """What the noise can be."""
        return range(-(len(self.chances) // 2), len(self.chances) // 2 + 1)

    def seen(self, truth: tuple[int, ...], *, direct: bool = False) -> list[float]:
        """Return the probability of each pattern of reports from a pattern of truths."""
        patterns = self.truths if direct else self.reports
        return [
            float(report == truth)
            if direct
            else math.prod(m[r][t] for m, r, t in zip(self.matrices, report, truth, strict=True))
            for report in patterns
        ]

    def debiasing(self, report: tuple[int, ...], truth: tuple[int, ...]) -> float:
        """Return what a pattern of reports counts for in the share of a pattern of truths."""
        return math.prod(m[t][r] for m, r, t in zip(self.inverses, report, truth, strict=True))

    @property
    def point(self) -> list[float]:
        """The moment estimate of the shares of the patterns of truths."""
        surplus = (sum(self.counts) - self.n) / len(self.counts)
        shares = [(count - surplus) / self.n for count in self.counts]
        return [
            math.fsum(self.debiasing(report, truth) * share for report, share in zip(self.reports, shares, strict=True))
            for truth in self.truths
        ]


def check_joint_table(part: Part) -> Checks:
    """Compute what noise on counts of patterns costs, and the model that follows from them."""
    yield from cost_of_counts(part)
    yield "patterns", len(part.output["noisy_counts"]), math.prod(len(matrix) for matrix in part.matrices), 0
    apart = [told["kind"] == "groups" for told in part.beside]
    yield "groups", part.said["options"].get("groups", 0), sum(apart), 0
    for matrix, is_group in zip(part.matrices[1:], apart, strict=True):
        if is_group:
            one = [[Fraction(i == j) for j in range(len(matrix))] for i in range(len(matrix))]
            yield "groups: stored as they are", [list(row) for row in matrix] == one, True, 0
    yield "outcome", part.found["outcome"], part.said["question"], 0
    yield "model", part.found["model"], "linear" if part.numbers else "logistic", 0
    effects = part.found["effects"]
    silent = all(one["low"] is None and one["high"] is None for one in effects)
    yield "says_nothing", part.found["says_nothing"], silent, 0
    yield "unit", part.found["unit"], unit_of(part) if part.numbers else "", 0
    constant = [part.found["constant"][name] for name in ("question", "answer", "against")]
    yield "constant", constant, [None] * 3, 0
    named = [(q["question"], answer, q["answers"][0]) for q in part.beside for answer in q["answers"][1:]]
    yield "effects", [(one["question"], one["answer"], one["against"]) for one in effects] == named, True, 0
    table, level = Table(part), 1 - (1 - part.level()) / (1 + len(effects))
    check = check_logistic if part.found["model"] == "logistic" else check_linear
    yield from check(part, table, [part.found["constant"], *effects], level)


def check_linear(part: Part, table: Table, said: list[dict[str, Any]], level: float) -> Checks:
    """Solve the normal equations of the moment estimate; the interval is what the score does not reject (Fieller)."""
    values = [float(number or 0) for number in part.numbers]
    point, n, p = table.point, table.n, table.width
    nearest = nearest_distribution(point)

    def solved(shares: list[float]) -> tuple[list[float], list[list[float]]]:
        moments, right = [[0.0] * p for _ in range(p)], [0.0] * p
        for truth, share in zip(table.truths, shares, strict=True):
            row = table.rows[truth[1:]]
            for i in range(p):
                right[i] += share * row[i] * values[truth[0]]
                for j in range(p):
                    moments[i][j] += share * row[i] * row[j]
        inverse = scipy.linalg.inv(moments).tolist()
        return [math.fsum(a * b for a, b in zip(row, right, strict=True)) for row in inverse], inverse

    def influences(theta: list[float], inverse: list[list[float]], j: int) -> tuple[list[float], list[float]]:
        pull, slope = [], []
        for truth in table.truths:
            row = table.rows[truth[1:]]
            towards = math.fsum(a * b for a, b in zip(inverse[j], row, strict=True))
            pull.append(towards * (values[truth[0]] - math.fsum(a * b for a, b in zip(theta, row, strict=True))))
            slope.append(towards**2 / inverse[j][j])
        return pull, slope

    def covariance(one: list[float], other: list[float], variance: float, *, direct: bool = False) -> float:
        """Return that of two sums over the moment estimate, if the truths were the nearest distribution."""
        patterns = table.truths if direct else table.reports
        seen = [table.seen(truth, direct=direct) for truth in table.truths]
        rates = [
            math.fsum(s * column[c] for s, column in zip(nearest, seen, strict=True)) for c in range(len(patterns))
        ]

        def weights(of: list[float]) -> list[float]:
            if direct:
                return of
            return [
                math.fsum(table.debiasing(report, truth) * h for truth, h in zip(table.truths, of, strict=True))
                for report in patterns
            ]

        u, w = weights(one), weights(other)
        sampled = math.fsum(r * a * b for r, a, b in zip(rates, u, w, strict=True)) / n
        middle = math.fsum(u) * math.fsum(w) / len(patterns)
        return sampled + variance * (math.fsum(a * b for a, b in zip(u, w, strict=True)) - middle) / n**2

    theta, inverse = solved(point)
    found, moved = solved(nearest)
    z2, corrected = scipy.stats.norm.ppf((1 + level) / 2) ** 2, n / (n - p)
    yield "method", part.found["method"], "score", 0
    yield "certificate", all(part.found["certificate"].values()), True, 0
    yield "shares", part.found["shares_of_predictors"], None, 0
    for j, row in enumerate(said):
        pull, slope = influences(theta, inverse, j)
        own = corrected * covariance(pull, pull, table.variance)
        both = corrected * covariance(pull, slope, table.variance)
        bend = 1 - z2 * corrected * covariance(slope, slope, table.variance)
        width = math.sqrt(own)
        yield f"effect {j}: estimate", row["estimate"], theta[j], CLOSE * (abs(theta[j]) + width) + ROUNDED
        if bend > 0:
            half = math.sqrt((z2 * both) ** 2 + bend * z2 * own)
            limits = [theta[j] + (-z2 * both + side * half) / bend for side in (-1, 1)]
        for place, name in enumerate(("low", "high")):
            yield f"effect {j}: {name}", row[name], limits[place] if bend > 0 else None, ROUNDED + CLOSE * width
        pull, _slope = influences(found, moved, j)
        errors = {
            "standard_error": covariance(pull, pull, table.variance),
            "without_noise": covariance(pull, pull, 0.0),
            "direct": covariance(pull, pull, 0.0, direct=True),
        }
        for name, error in errors.items():
            yield f"effect {j}: {name}", row[name], math.sqrt(error), ROUNDED + CLOSE * math.sqrt(error)


def check_by_group(part: Part) -> Checks:
    """Compute ratios of the moment estimate, and which the release does not reject (Fieller)."""
    yield from cost_of_counts(part)
    if [asked["kind"] == "groups" for asked in part.beside] != [False]:
        raise Refused("figures by group are of two questions")
    found, [groups] = part.found, part.beside
    yield "outcome", [found["outcome"], found["by"]], [part.said["question"], groups["question"]], 0
    yield "patterns", len(part.output["noisy_counts"]), math.prod(len(matrix) for matrix in part.matrices), 0
    low, high = (part.low, part.high) if part.numbers else (Fraction(0), Fraction(1))
    yield "what", found["what"], "mean" if part.numbers else "share", 0
    yield "possible", found["possible"], [str(low), str(high)], 0
    yield "unit", found["unit"], unit_of(part) if part.numbers else "", 0
    kinds, names = figures_of(part), groups["answers"]
    expected = [(name, answer) for name in names for answer, _ in kinds]
    yield "figures", [(row["group"], row["answer"]) for row in found["figures"]], expected, 0
    yield "groups", [row["group"] for row in found["groups"]], names, 0
    if len(found["figures"]) != len(expected) or len(found["groups"]) != len(names):
        raise Refused("there are other figures than groups have")
    level = 1 - (1 - part.level()) / ((len(kinds) + 1) * len(names))
    told = Groups(part, scipy.stats.norm.ppf((1 + level) / 2) ** 2)
    for place, row in enumerate(found["groups"]):
        for name, computed in told.size(place).items():
            yield f"group {place}: {name}", row[name], computed, ROUNDED
    width = float(high - low)
    for number, row in enumerate(found["figures"]):
        place, code = divmod(number, len(kinds))
        for name, wanted in told.figure(place, kinds[code][1], float(low), float(high)).items():
            apart = (ROUNDED + CLOSE) * (width + abs(wanted or 0.0))
            yield f"figure {number}: {name}", row[name], wanted, apart
    says = all(row["high"] - row["low"] > 0.99 * width for row in found["figures"])
    yield "says_nothing", found["says_nothing"], says, 0


def figures_of(part: Part) -> list[tuple[str | None, list[float]]]:
    """Return each figure's answer, and what every answer counts for; of two answers one says both."""
    if part.numbers:
        return [(None, [float(value or 0) for value in part.numbers])]
    answers = part.said["answers"]
    rows = [(answer, [float(other == code) for other in range(len(answers))]) for code, answer in enumerate(answers)]
    return rows[1:] if len(rows) == 2 else rows


class Groups:
    """What a table of two questions says of each group, at a squared quantile of the normal distribution."""

    def __init__(self, part: Part, z2: float) -> None:
        self.table, self.n, self.z2 = Table(part), part.n, z2
        self.point = self.table.point
        self.near = nearest_distribution(self.point)
        seen = [self.table.seen(truth) for truth in self.table.truths]
        cells = range(len(self.table.counts))
        self.rates = [math.fsum(s * column[c] for s, column in zip(self.near, seen, strict=True)) for c in cells]

    def sum(self, of: list[float], shares: list[float]) -> float:
        """Return what these numbers of true answers come to."""
        return math.fsum(a * b for a, b in zip(of, shares, strict=True))

    def covariance(self, one: list[float], other: list[float]) -> float:
        """Return that of two sums over the moment estimate, both of mean 0, for the nearest distribution."""
        table = self.table
        u, w = (
            [
                math.fsum(table.debiasing(report, truth) * h for truth, h in zip(table.truths, of, strict=True))
                for report in table.reports
            ]
            for of in (one, other)
        )
        sampled = math.fsum(r * a * b for r, a, b in zip(self.rates, u, w, strict=True)) / self.n
        return sampled + table.variance * (self.sum(u, w) - math.fsum(u) * math.fsum(w) / len(u)) / self.n**2

    def inside(self, place: int) -> list[float]:
        """Return 1 for each pattern of true answers in a group."""
        return [float(truth[1] == place) for truth in self.table.truths]

    def slope(self, place: int) -> list[float]:
        """Return the same, less its mean."""
        inside = self.inside(place)
        return [one - self.sum(inside, self.near) for one in inside]

    def size(self, place: int) -> dict[str, float]:
        """Return the share of people in a group."""
        size, half = (
            self.sum(self.inside(place), self.point),
            math.sqrt(self.z2 * self.covariance(*[self.slope(place)] * 2)),
        )
        size = min(max(size, 0.0), 1.0)
        low, high = max(size - half, 0.0), min(size + half, 1.0)
        return {"share": self.sum(self.inside(place), self.near), "low": low, "high": high}

    def figure(self, place: int, worth: list[float], low: float, high: float) -> dict[str, float | None]:
        """Return a figure of a group, and between which limits of all that is possible it is."""
        inside, z2 = self.inside(place), self.z2
        counted = [one * worth[truth[0]] for one, truth in zip(inside, self.table.truths, strict=True)]
        size, nearest = self.sum(inside, self.point), self.sum(inside, self.near)
        raw = self.sum(counted, self.point) / size if size > NOBODY else None
        value = self.sum(counted, self.near) / nearest if nearest > NOBODY else None
        limits = {"low": low, "high": high}
        if size > NOBODY and value is not None:
            pull = [number - one * value for number, one in zip(counted, inside, strict=True)]
            slope, surplus = self.slope(place), (min(max(raw or 0.0, low), high) - value) * size
            a = size**2 - z2 * self.covariance(slope, slope)
            b = surplus * size - z2 * self.covariance(pull, slope)
            root = math.sqrt(max(b * b - a * (surplus**2 - z2 * self.covariance(pull, pull)), 0.0))
            if a > 0:
                limits["low"] = min(max(value + (b - root) / a, low), high)
                limits["high"] = max(min(value + (b + root) / a, high), low)
        return {"raw": raw, "value": value, **limits}


def check_best_predictor(part: Part) -> Checks:
    """Compute what a choice by covariances costs: on scales from 0 to 1 each response moves one by 1 − 1/n at most."""
    largest = Fraction(part.n - 1, part.n)
    yield "sensitivity", Fraction(part.said["sensitivity"]), largest, 0
    yield "family", part.sources["choice"]["family"], "exponential_mechanism", 0
    yield "rounds", part.sources["choice"]["rounds"], 1, 0
    yield "ε of the choice", part.epsilon, 2 * largest * Fraction(part.sources["choice"]["rate"]), 0
    names = [question["question"] for question in part.beside]
    for row in part.said["accuracy"]:
        computed = bound_of_choice(part, len(names), part.level(row["confidence_level"]))
        yield f"accuracy at {row['confidence_level']}", row["at_most"], computed, CLOSE * computed
    yield "outcome", part.found["outcome"], part.said["question"], 0
    yield "among", part.found["among"], names, 0
    yield "chosen", part.found["chosen"], names[part.output["index"]], 0
    yield "drawn", part.output["label"], names[part.output["index"]], 0
    short = bound_of_choice(part, len(names), part.level())
    found = part.found["people_short_in_reports_at_most"]
    yield "people_short_in_reports_at_most", found, short, CLOSE * short
    z = scipy.stats.norm.ppf((1 + part.level()) / 2)
    chance = z * math.sqrt(part.n) * float(largest) / 2
    yield "people_from_reports", part.found["people_from_reports"], chance, CLOSE * chance
    values = [number or Fraction(0) for number in part.numbers] or [Fraction(0), Fraction(1)]
    weights = part.debiased((value - min(values)) / (max(values) - min(values)) for value in values)
    rows = [row for matrix in part.matrices[1:] for row in inverse_of(matrix)]
    narrowest = min(width for row in rows if (width := max(row) - min(row)))
    most = float(Fraction(part.n, 4) / ((max(weights) - min(weights)) * narrowest))
    yield "says_nothing", part.found["says_nothing"], not max(short, chance) < most, 0


STEP = 1e-4
"""So near to the maximum of the likelihood a model must be that is stated with nine decimals."""


class Odds:
    """A logistic regression of truths at the place that is stated: coefficients, and shares of predictors' patterns."""

    def __init__(self, part: Part, table: Table, coefficients: list[float]) -> None:
        self.table, self.p = table, table.width
        self.exact: bool = part.found["certificate"]["exact_likelihood"]
        self.place = [*coefficients, *part.found["shares_of_predictors"]]
        self.free = [i for i, value in enumerate(self.place) if i < self.p or value > 0]
        self.columns = {truth: table.seen(truth) for truth in table.truths}
        self.logs = [math.log(chance) if chance > 0 else -math.inf for chance in table.chances]

    def moved(self, i: int, by: float) -> list[float]:
        """Return the place with one parameter moved."""
        return [value + by * (i == j) for j, value in enumerate(self.place)]

    def chances(self, at: list[float]) -> Iterator[tuple[tuple[int, ...], float, float]]:
        """Yield each pattern of predictors with its share and the probability of Yes."""
        for pattern, share in zip(self.table.patterns, at[self.p :], strict=True):
            eta = math.fsum(a * b for a, b in zip(at, self.table.rows[pattern], strict=False))
            yield pattern, share, float(scipy.special.expit(eta))

    def means(self, at: list[float]) -> list[float]:
        """Return how often each pattern of reports is expected."""
        total = [0.0] * len(self.table.counts)
        for pattern, share, yes in self.chances(at):
            both = zip(total, self.columns[(0, *pattern)], self.columns[(1, *pattern)], strict=True)
            total = [t + self.table.n * share * ((1 - yes) * a + yes * b) for t, a, b in both]
        return total

    def direct(self, at: list[float]) -> list[float]:
        """Return how often each pattern of truths is expected."""
        return [self.table.n * share * x for _, share, yes in self.chances(at) for x in (1 - yes, yes)]

    def likelihood(self, at: list[float]) -> float:
        """Return its logarithm, but for a constant.

        It is summed over all noise that can have been: each cell's by itself, convolved over the cells, at what all
        noise together was; or, where the document says so, the sum of all noise is taken to be normal.
        """
        table, height, all_noise, mean, spread = self.table, 0.0, [1.0], 0.0, 0.0
        for y, mu in zip(table.counts, self.means(at), strict=True):
            terms = [
                log + (y - k) * math.log(mu) - mu - math.lgamma(y - k + 1) if y >= k else -math.inf
                for k, log in zip(table.likely, self.logs, strict=True)
            ]
            largest = max(terms)
            weights = [math.exp(term - largest) for term in terms]
            total = math.fsum(weights)
            height += largest + math.log(total)
            weights = [weight / total for weight in weights]
            if self.exact:
                all_noise = scipy.signal.fftconvolve(all_noise, weights)
            else:
                own = math.fsum(k * w for k, w in zip(table.likely, weights, strict=True))
                mean += y - own
                spread += math.fsum((k - own) ** 2 * w for k, w in zip(table.likely, weights, strict=True))
        if self.exact:
            there = sum(table.counts) - table.n + len(table.counts) * (len(table.chances) // 2)
            return height + math.log(all_noise[there])
        return height - (table.n - mean) ** 2 / (2 * spread) - math.log(spread) / 2

    @property
    def gradient(self) -> list[float]:
        """The likelihood's slopes."""
        return [
            (self.likelihood(self.moved(i, 1e-5)) - self.likelihood(self.moved(i, -1e-5))) / 2e-5 for i in self.free
        ]

    def covariance(self, expected: Callable[[list[float]], list[float]], variance: float) -> list[list[float]]:
        """Return the inverse of the information of normal counts whose sum is known."""
        ways = [(expected(self.moved(i, 1e-6)), expected(self.moved(i, -1e-6))) for i in self.free]
        slopes = [[(a - b) / 2e-6 for a, b in zip(up, down, strict=True)] for up, down in ways]
        mu = expected(self.place)
        weights = [1 / max(m + variance, 1e-9) for m in mu]
        unknown = variance * math.fsum(m * w for m, w in zip(mu, weights, strict=True))
        along = [variance * w / math.sqrt(unknown) if unknown else 0.0 for w in weights]
        pulls = [math.fsum(a * s for a, s in zip(along, slope, strict=True)) for slope in slopes]
        information = [
            [
                math.fsum(w * a * b for w, a, b in zip(weights, one, other, strict=True)) + first * second
                for other, second in zip(slopes, pulls, strict=True)
            ]
            for one, first in zip(slopes, pulls, strict=True)
        ]
        return list(scipy.linalg.inv(information).tolist())


def check_logistic(part: Part, table: Table, said: list[dict[str, Any]], level: float) -> Checks:
    """Climb one step of the likelihood from what is stated: at its maximum that leads nowhere.

    Limits from replicated tables are only held against the estimate: there is no shorter way than to fit them all.
    """
    if any(row["estimate"] is None for row in said) or not part.found["certificate"]["converged"]:
        return
    shares = part.found["shares_of_predictors"]
    yield "shares of all patterns", len(shares), len(table.patterns), 0
    yield "shares from 0 on", min(shares) >= 0, True, 0
    model = Odds(part, table, [row["estimate"] for row in said])
    released = model.covariance(model.means, table.variance)
    gradient = model.gradient
    for i, row in zip(model.free, released, strict=True):
        step = math.fsum(a * b for a, b in zip(row, gradient, strict=True))
        yield f"parameter {i}: at the maximum", model.place[i], model.place[i] + step, STEP
    for i in range(len(model.place)):
        if i not in model.free:
            rise = model.likelihood(model.moved(i, 1e-5)) - model.likelihood(model.place)
            yield f"share {i}: not above 0", rise <= 1e-3, True, 0
    yield "shares", math.fsum(part.found["shares_of_predictors"]), 1, 1e-6
    z = scipy.stats.norm.ppf((1 + level) / 2)
    others = {"without_noise": model.covariance(model.means, 0.0), "direct": model.covariance(model.direct, 0.0)}
    for j, row in enumerate(said):
        if part.found["method"] == "wald":
            for name, of in {"standard_error": released, **others}.items():
                error = math.sqrt(of[j][j])
                yield f"effect {j}: {name}", row[name], error, ROUNDED + STEP * error
            error = math.sqrt(released[j][j])
            yield f"effect {j}: low", row["low"], row["estimate"] - z * error, ROUNDED + STEP * error
            yield f"effect {j}: high", row["high"], row["estimate"] + z * error, ROUNDED + STEP * error
        else:
            low, high = row["low"], row["high"]
            inside = (low is None or low <= row["estimate"]) and (high is None or row["estimate"] <= high)
            yield f"effect {j}: within its interval", inside, True, 0


def _counts(part: Part) -> Checks:
    yield from cost_of_counts(part)
    yield from check_counts(part)


MECHANISMS: dict[str, Callable[[Part], Checks]] = {
    "laplace_histogram": _counts,
    "gaussian_histogram": _counts,
    "one_count": _counts,
    "tree_counts": check_tree,
    "most_common": check_choice,
    "permute_and_flip": check_choice,
    "top": check_choice,
    "quantile": check_quantile,
    "best_price": check_price,
    "total": check_total,
    "mean": check_mean,
    "variance": check_variance,
    "bounds": check_bounds,
    "smooth_median": check_smooth_median,
    "stable_mode": check_stable_mode,
    "stable_median": check_stable_median,
    "joint_table": check_joint_table,
    "figures_by_group": check_by_group,
    "best_predictor": check_best_predictor,
}
"""By mechanism what is computed again, and compared; a new mechanism is one more entry."""


# What it costs -------------------------------------------------------------------------------------------------------


def local_epsilon(part: Part) -> float:
    """Return the largest odds between two truths by a report, as a logarithm, for all items of all questions.

    Of options one of which is true two answers differ in two, whose reports speak for the one and against the other.
    """
    told = 0.0
    for matrix in part.answered:
        if any(min(row) == 0 < max(row) for row in matrix):
            return math.inf
        if part.one_true:
            return math.log(math.prod(max(row[code] / row[1 - code] for row in matrix) for code in (0, 1)))
        told += max(math.log(max(row) / min(row)) for row in matrix)
    return told * (len(part.labels) if part.several else 1)


def check_truth(said: dict[str, Any], local: float, epsilon: Fraction, delta: Fraction) -> Checks:
    """Compute f = ln((1 + e^(a+b))/(e^a + e^b)), and its δ."""
    a, b = local, float(epsilon)
    if a == math.inf:
        f, leaked = b, float(delta)
    else:
        gained = math.expm1(a) * math.expm1(b) / (math.exp(a) + math.exp(b))
        f, leaked = math.log1p(gained), float(delta) * math.expm1(a) / (math.exp(a) + math.exp(b))
    yield "local ε", said["local_epsilon"], None if a == math.inf else a, CLOSE * max(a, 1) if a < math.inf else 0
    yield "ε for the truth", said["epsilon"], f, CLOSE * max(f, 1e-9)
    yield "δ for the truth", said["delta"], leaked, CLOSE * leaked


def check_draws(document: dict[str, Any], draws: dict[str, Any]) -> Checks:
    """Compare how many draws there are with those named, and with the number that divides the risk."""
    others = draws["others"]
    yield "other draws", len(others) + 1, draws["of"], 0
    if draws["of"] > len(others) + 1:
        raise Refused("there are fewer draws than it says")
    yield "draws", sorted([draws["number"], *(other["number"] for other in others)]), list(range(1, draws["of"] + 1)), 0
    least = 1 if all(other["published"] for other in others) else draws["of"]
    yield "chosen from", draws["chosen_from"] in {least, draws["of"]}, True, 0
    yield "mechanisms of draws", all(other["mechanism"] in MECHANISMS for other in others), True, 0
    names = {document["id"], *(other["release"] for other in others)}
    yield "releases of draws", len(names), draws["of"], 0


def check_numbers(part: Part) -> Checks:
    """Compare what answers count for with the edges of bands, the points of a scale, the limits of a number."""
    grids = {source["grid"] for source in part.said["noise"] if source["on"] in {"each count", "stability"}}
    yield "noise on counts is of whole ones", grids <= {"1"}, True, 0
    numbers = [number for number in part.numbers if number is not None]
    if not numbers:
        return
    if part.edges:
        middles = [(low + high) / 2 for low, high in pairwise(part.edges)]
        yield "values", numbers == middles, True, 0
        yield "limits", (part.low, part.high) == (part.edges[0], part.edges[-1]), True, 0
    else:
        yield "limits", (part.low, part.high) == (numbers[0], numbers[-1]), True, 0
    if part.said["kind"] == "scale":
        yield "values", numbers == list(range(1, len(numbers) + 1)), True, 0


@dataclass(frozen=True)
class Terms:
    """What a mechanism's parts have."""

    unit: str
    output: str
    noise: tuple[str, ...]
    families: tuple[str, ...]
    options: tuple[str, ...] = ()
    people: bool = False
    """Whether a unit of its bounds is one person of n, so that percentage points follow."""


_COUNTS = ("noisy_counts", ("each count",))
_CHOICE = ("choice",)
TERMS = {
    "laplace_histogram": Terms("answers", *_COUNTS, ("counts", "mean")),
    "gaussian_histogram": Terms("answers", *_COUNTS, ("counts", "mean")),
    "one_count": Terms("answers", *_COUNTS, ("counts",), ("answer",)),
    "tree_counts": Terms("answers", *_COUNTS, ("distribution",)),
    "most_common": Terms("people", "index label", _CHOICE, ("choice",), people=True),
    "permute_and_flip": Terms("people", "index label", _CHOICE, ("choice",), people=True),
    "top": Terms("people", "indices labels", _CHOICE, ("ranking",), ("how_many",), people=True),
    "quantile": Terms("rank", "index label", _CHOICE, ("quantile",), ("share",), people=True),
    "best_price": Terms("price", "index price", _CHOICE, ("price",)),
    "total": Terms("total", "total", ("total",), ("number",)),
    "mean": Terms("number", "total count mean", ("total", "count"), ("number",)),
    "variance": Terms("square", "total squares count variance", ("squares", "total", "count"), ("number",)),
    "bounds": Terms("answers", "noisy_counts low high certainty", ("each count",), ("bounds",)),
    "smooth_median": Terms("number", "value distance", ("median", "distance"), ("median",)),
    "stable_mode": Terms("refusal", "index label", ("stability",), ("choice", "refused")),
    "stable_median": Terms("number", "value", ("stability", "median"), ("median", "refused"), ("bound",)),
    "joint_table": Terms("answers", *_COUNTS, ("model",), ("outcome", "groups")),
    "figures_by_group": Terms("answers", *_COUNTS, ("by_group",), ("outcome",)),
    "best_predictor": Terms("people", "index label", _CHOICE, ("predictor",), ("outcome",)),
}
PERHAPS_DELTA = {"joint_table", "figures_by_group", "tree_counts"}
"""What draws Gaussian noise where a δ is charged, else Laplace noise."""

NO_AND_YES = {"en": ("No", "Yes"), "de": ("Nein", "Ja"), "es": ("No", "Sí"), "he": ("לא", "כן")}
"""What the first two answers are called where a language is known here."""

MARKS = "\u200e\u200f\u2066\u2067\u2068\u2069"
"""Characters that nobody sees, which keep numbers in place beside letters that run from right to left."""

NOT_SAID = {
    "en": "Prefer not to say",
    "de": "Möchte ich nicht sagen",
    "es": "Prefiero no decirlo",
    "he": "עדיף לי לא לומר",
}
"""What the last answer is called that says nothing."""

CALLED_ALIKE = {"forced_response", "warner", "k_ary", "unrelated_question", "kuk", "mangat", "plain"}
"""The designs whose reports are called as the answers."""


def check_asked(part: Part) -> Checks:
    """Compare what was asked with its matrix, and the order of answers as far as it follows from anything."""
    said, kind = part.said, part.said["kind"]
    for asked in (said, *part.beside):
        size = len(asked["design"]["matrix"])
        yield "answers and reports", [len(asked["answers"]), len(asked["reports"])], [size] * 2, 0
        yield "different answers", len(set(asked["answers"])), size, 0
        if sorted(asked["reports"]) == sorted(asked["answers"]) or asked["design"]["name"] in CALLED_ALIKE:
            yield "order of reports", asked["reports"], asked["answers"], 0
        matrix = matrix_of(asked)
        if asked["design"]["name"] == "plain":
            yield "sent as they are", all(row[i] == 1 for i, row in enumerate(matrix)), True, 0
        if asked["design"]["name"] in CALLED_ALIKE - {"warner", "kuk"}:
            speaks = all(row[i] > max([*row[:i], *row[i + 1 :]]) for i, row in enumerate(matrix))
            yield "each report speaks for its answer", speaks, True, 0
        by_option = asked is said and part.several
        if (asked["kind"] == "yes_no" or by_option) and part.language in NO_AND_YES:
            yield "No and Yes", asked["answers"][:2], list(NO_AND_YES[part.language]), 0
        if asked["prefers_not_to_say"] and part.language in NOT_SAID:
            yield "not saying", asked["answers"][-1], NOT_SAID[part.language], 0
        if asked["kind"] == "scale":
            points = [label.partition(" ")[0].strip(MARKS) for label in asked["answers"]]
            points = points[: size - asked["prefers_not_to_say"]]
            yield "points", points, [str(point) for point in range(1, len(points) + 1)], 0
    yield "options", part.several, kind == "several_of" or (kind == "one_of" and part.several), 0
    yield "different options", len(set(said["items"])), len(said["items"]), 0
    yield "bands", bool(part.edges), kind == "number_bands", 0
    yield "empty numbers", [] in (said["values"], said["edges"], said["limits"]), False, 0
    yield "limits", said["limits"] is not None, said["values"] is not None, 0
    if kind != "item_count":
        yield "values", said["values"] is not None, kind in {"scale", "number_mean", "number_bands"}, 0
    if said["values"] is not None:
        silent = [number is None for number in part.numbers]
        yield "a value an answer", len(silent), len(said["answers"]), 0
        yield "no value for not saying", silent, [False] * part.candidates + [True] * said["prefers_not_to_say"], 0
    if kind in {"number_bands", "number_mean"} and all(x == int(x) >= 0 for x in (*part.edges, part.low, part.high)):
        ends = list(pairwise(part.edges)) if part.edges else [(number,) for number in part.numbers]
        for label, numbers in zip(said["answers"], ends, strict=False):
            if None not in numbers:
                yield "limits in answers", numbers_in(label)[: len(numbers)], [str(number) for number in numbers], 0


def numbers_in(label: str) -> list[str]:
    """Return the whole numbers in a label, without what groups their digits."""
    return re.findall(r"[0-9]+", re.sub(r"(?<=[0-9])[.,’'\u00a0\u202f](?=[0-9]{3})", "", label))


def check_terms(part: Part) -> Checks:
    """Compare what a part has with what its mechanism's parts have, and bounds with the same in percentage points."""
    terms, said = TERMS[part.mechanism], part.said
    yield "output", " ".join(sorted(part.output)), " ".join(sorted(terms.output.split())), 0
    yield "family", part.found["family"] in terms.families, True, 0
    if terms.families == ("counts", "mean"):
        yield "family", part.found["family"], "mean" if said["kind"] == "number_mean" else "counts", 0
    refused = None in part.output.values() and part.mechanism.startswith("stable_")
    yield "refused", part.found["family"] == "refused", refused, 0
    if refused:
        yield "refused", [set(part.output.values()) == {None}, part.found["says_nothing"]], [True, True], 0
    yield "options", set(said["options"]) | ({"groups"} & set(terms.options)), set(terms.options), 0
    yield "several questions", bool(part.beside), "outcome" in terms.options, 0
    drawn = {on for on in terms.noise if on != "count" or said["prefers_not_to_say"]}
    if part.mechanism == "stable_median":
        drawn -= {"median"} - set(part.sources)
    yield "noise", sorted(source["on"] for source in said["noise"]), sorted(drawn), 0
    for on, source in part.sources.items():
        families = {"choice": {source["family"]} & {"exponential_mechanism", "permute_and_flip"}}
        families |= {"median": {"cauchy" if part.mechanism == "smooth_median" else "discrete_laplace"}}
        if part.mechanism in {"gaussian_histogram", *PERHAPS_DELTA}:
            gaussian = part.mechanism == "gaussian_histogram" or part.delta > 0
            families["each count"] = {"discrete_gaussian" if gaussian else "discrete_laplace"}
        yield f"noise on {on}", source["family"] in families.get(on, {"discrete_laplace"}), True, 0
        rounds = said["options"].get("how_many", 1)
        if source.get("rounds", rounds) != rounds or rounds > part.candidates:
            raise Refused("there are other rounds of choices than answers drawn")
        yield f"threshold on {on}", "threshold" in source, on == "stability", 0
    if "each count" not in terms.noise:
        yield "norm", said["norm"], "ABSOLUTE", 0
    uses_delta = part.mechanism in {"gaussian_histogram", "stable_mode", "stable_median"}
    yield "δ", uses_delta or (part.mechanism in PERHAPS_DELTA and part.delta > 0), part.delta > 0, 0
    yield "levels", [row["confidence_level"] for row in said["accuracy"]], list(LEVELS), 0
    points = Fraction(100, part.n) if terms.people else None
    if terms.unit == "answers" and part.mechanism not in {"joint_table", "figures_by_group"}:
        points = Fraction(100, part.n) * max(sum(map(abs, row), Fraction(0)) for row in part.inverse)
    if part.mechanism == "tree_counts":
        points = Fraction(100, part.n) / abs(part.matrix[0][0] - part.matrix[0][1])
    for row in said["accuracy"]:
        level, most = row["confidence_level"], row["at_most"]
        yield f"unit at {level}", row["unit"], terms.unit, 0
        yield f"all data at {level}", most is None, part.mechanism.startswith("stable_"), 0
        computed = None if points is None or most is None else float(points * Fraction(most))
        yield f"percentage points at {level}", row["percentage_points"], computed, CLOSE * (computed or 0)
        depends = part.mechanism in {"smooth_median", "stable_mode", "stable_median"} or "count" in part.sources
        if not depends:
            yield f"at best at {level}", row["at_best"], most, 0
        elif most is not None and row["at_best"] is not None:
            yield f"at best at {level}", row["at_best"] <= most, True, 0


def check_release(document: dict[str, Any], parts: list[Part]) -> Checks:
    """Compare what a release says of itself, what it costs, and what all releases so far have cost at least."""
    yield "page", document["page"], f"/r/{document['id']}/", 0
    yield "content hash", re.fullmatch("[0-9a-f]{64}", document["content_hash"]) is not None, True, 0
    yield "language", re.fullmatch("[a-z]{2,3}(-[A-Za-z0-9]+)*", document["language"]) is not None, True, 0
    yield "day", str(dt.date.fromisoformat(document["released_on"])), document["released_on"], 0
    epsilon, delta = Fraction(document["epsilon"]), Fraction(document["delta"])
    yield "n", max(part.n for part in parts) <= LARGEST_N, True, 0
    yield "ε", epsilon, sum((part.epsilon for part in parts), Fraction(0)), 0
    yield "δ", delta, sum((part.delta for part in parts), Fraction(0)), 0
    yield "ε at most", epsilon <= LARGEST_EPSILON, True, 0
    for name, total, units in (("epsilon", epsilon, 10**6), ("delta", delta, 10**12)):
        each, rest = divmod(total * units, len(parts))
        shares = [Fraction(each + (place < rest), units) for place in range(len(parts))]
        yield f"{name} of the parts", [Fraction(part.said[name]) for part in parts], shares, 0
    apart = any(told["kind"] == "groups" for part in parts for told in part.beside)
    yield "neighbours_share", document.get("neighbours_share", []), ["groups_apart"] * apart, 0
    so_far = document["all_releases_so_far"]
    spent, spent_delta = Fraction(so_far["epsilon"]), Fraction(so_far["delta"])
    first = all(part.said["draws"]["number"] == 1 for part in parts)
    yield "all releases so far: ε", spent, max(spent, epsilon), 0
    yield "all releases so far: δ", spent_delta, max(spent_delta, delta), 0
    yield "all releases so far: more than a later draw", spent > epsilon or first, True, 0
    local = local_of(parts)
    yield "all releases so far: local ε", read_local(so_far["truth"]) >= local - CLOSE * (local < math.inf), True, 0
    yield from check_truth(document["truth"], local, epsilon, delta)
    for name, said, computed, apart_by in check_truth(so_far["truth"], read_local(so_far["truth"]), spent, spent_delta):
        yield f"all releases so far: {name}", said, computed, apart_by
    if versions := document["all_versions_so_far"]:
        yield "versions", versions["versions"], sorted(set(versions["versions"])) or ["one at least"], 0
        yield "all versions so far: ε", Fraction(versions["epsilon"]) > spent, True, 0
        yield "all versions so far: δ", Fraction(versions["delta"]) >= spent_delta, True, 0
        for name in ("epsilon", "delta"):
            least, most = so_far["truth"][name], float(Fraction(versions[name]))
            told = versions["truth"][name]
            yield f"all versions so far: {name} for the truth", least <= told <= most * (1 + CLOSE), True, 0


def local_of(parts: Iterable[Part]) -> float:
    """Return what the reports to all questions tell together."""
    return math.fsum(local_epsilon(part) for part in parts)


def read_local(truth: dict[str, Any]) -> float:
    """Return a local ε, which null says has no limit."""
    return math.inf if truth["local_epsilon"] is None else float(truth["local_epsilon"])


def checks_of(document: dict[str, Any]) -> Checks:
    """Compute a whole release again, what takes long last."""
    if document["mechanism"] not in MECHANISMS or not document["parts"]:
        raise Refused("a release has one of the mechanisms, and parts")
    parts = [Part(document, part) for part in document["parts"]]
    yield from check_release(document, parts)
    for computed in (lambda part: check_part(document, part), MECHANISMS[document["mechanism"]]):
        for place, part in enumerate(parts, 1):
            for name, said, again, apart in computed(part):
                yield f"part {place}: {name}", said, again, apart


def check_part(document: dict[str, Any], part: Part) -> Checks:
    """Compare all of a part that takes no time."""
    columns = {sum(column) for matrix in part.matrices for column in zip(*matrix, strict=True)}
    yield "columns sum to 1", columns == {1}, True, 0
    yield from check_draws(document, part.said["draws"])
    yield from check_asked(part)
    yield from check_numbers(part)
    yield from check_terms(part)
    yield from check_truth(part.said["truth"], local_epsilon(part), part.epsilon, part.delta)


def agrees(said: object, computed: object, apart: float) -> bool:
    """Whether what is said is what is computed."""
    if said is None or computed is None or isinstance(said, str | list | set | bool):
        return said == computed
    return abs(Fraction(said) - Fraction(computed)) <= apart  # type: ignore[arg-type]


def faults_of(document: dict[str, Any], most: float = math.inf) -> tuple[int, list[str]]:
    """Return how many numbers were computed again, and so many of those at most that are not as stated."""
    number, faults = 0, []
    try:
        for number, (name, said, computed, apart) in enumerate(checks_of(document), 1):  # noqa: B007 - told below
            if not agrees(said, computed, apart):
                faults.append(f"{name}: said {short(said)}, computed {short(computed)}")
                if len(faults) >= most:
                    break
    except Refused as error:
        faults.append(str(error))
    except Exception as error:  # noqa: BLE001 - whatever a file holds, it is refused in words
        faults.append(f"it cannot be computed again ({type(error).__name__})")
    return number, faults


def short(value: object) -> str:
    """Return a value as a line can hold it."""
    written = str(value)
    return written if len(written) <= 100 else f"{written[:100]}…"


def line_of(name: str) -> tuple[bool, str]:
    """Return whether a file holds a release that is as it says, and the line that says so."""
    try:
        document = read_file(name)
    except Refused as error:
        return False, f"{name}: refused: {error}"
    number, faults = faults_of(document, most=1)
    if faults:
        return False, f"{document['id']}: refused: {faults[0]}"
    return True, f"{document['id']}: {number} numbers computed again, 0 not as stated"


def main(names: Sequence[str]) -> int:
    """Check each file."""
    warnings.simplefilter("ignore")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    right = bool(names)
    if not names:
        sys.stdout.write("usage: python verify_release.py RELEASE.json [ANOTHER.json ...]\n")
    for name in names:
        is_right, line = line_of(name)
        # Whatever a name or a file holds, a terminal is told nothing but letters.
        sys.stdout.write("".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line) + "\n")
        right = right and is_right
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
