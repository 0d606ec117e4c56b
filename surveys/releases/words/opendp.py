"""A release in OpenDP's terms: a program that builds the measurement behind each source of noise and prints its cost.

It holds numbers alone, and none of the texts that people wrote.
"""

import math
from fractions import Fraction

from surveys.releases.families.noise import Source
from surveys.releases.selectors.reading import ReadRelease

_SCORES = "scores, dp.linf_distance(T=float)"

_HEAD = '''\
"""Release {release} in OpenDP's terms, for opendp 0.16 or newer: what was measured, and what that costs.

A measurement takes whole numbers: counts, or sums in steps of a grid. A choice takes the scores of its candidates.
d_in is how far one changed response moves them, with the number of answers fixed. The release itself was drawn by
Deniable's own sampler, from the same distribution. For a choice by the exponential mechanism, OpenDP gives rho.
"""

import opendp.prelude as dp

dp.enable_features("contrib")

counts = dp.vector_domain(dp.atom_domain(T=int))
scores = dp.vector_domain(dp.atom_domain(T=float, nan=False))
'''

_TAIL = """
for number, measurements in parts.items():
    for measurement, d_in in measurements:
        print(number, measurement.output_measure, measurement.map(d_in))
"""


def opendp_program(reading: ReadRelease) -> str:
    """Return the program; where OpenDP has no such measurement, it says so."""
    lines = ["", "# By part of the release: each measurement with its d_in.", "parts = {"]
    for number, part in enumerate(reading.parts, start=1):
        sources = part.plan.noise()
        if why := _why_absent(sources):
            lines.append(f"    # Part {number}: {why}")
            continue
        lines += [
            f"    {number}: [",
            *(f"        ({_call(source)}, {_distance(source)})," for source in sources),
            "    ],",
        ]
    return _HEAD.format(release=reading.release.pk) + "\n".join([*lines, "}", _TAIL])


def measurement_words(sources: list[Source]) -> str:
    """Return the constructors of one part in one line, or why OpenDP has none."""
    return _why_absent(sources) or "; ".join(f"{_call(source)} with d_in={_distance(source)}" for source in sources)


def _why_absent(sources: list[Source]) -> str:
    if all(source.moved is not None for source in sources):
        return ""
    if any(source.family == "cauchy" for source in sources):
        return "OpenDP has no noise that is scaled by a smooth sensitivity."
    return "OpenDP has no test before a release (propose-test-release)."


def _call(source: Source) -> str:
    parameters = source.parameters
    match source.family:
        case "discrete_laplace":
            return f"dp.m.make_laplace(counts, dp.l1_distance(T=int), scale={_number(parameters['scale'])})"
        case "discrete_gaussian":
            sigma = math.sqrt(Fraction(parameters["variance_parameter"]))
            return f"dp.m.make_gaussian(counts, dp.l2_distance(T=float), scale={sigma!r})"
        case "exponential_mechanism":
            # Gumbel noise on every score, once, chooses as round after round does.
            kind, more = ("top_k", f"k={parameters['rounds']}, ") if parameters["rounds"] != 1 else ("max", "")
            measure = "dp.zero_concentrated_divergence()"
            return f"dp.m.make_noisy_{kind}({_SCORES}, {measure}, {more}scale={_of_choice(source)})"
        case _ if source.on == "choice":
            # Flipped coins choose as OpenDP's noisy maximum with exponential noise does.
            return f"dp.m.make_noisy_max({_SCORES}, dp.max_divergence(), scale={_of_choice(source)})"
    raise NotImplementedError(source.family)


def _of_choice(source: Source) -> str:
    return repr(float(1 / Fraction(source.parameters["rate"])))


def _number(text: str | int) -> str:
    return repr(float(Fraction(text)))


def _distance(source: Source) -> str:
    moved = Fraction(source.moved or 0)
    match source.family:
        case "discrete_laplace":
            return str(moved)
        case "discrete_gaussian":
            return repr(math.sqrt(moved))
    return repr(float(moved))
