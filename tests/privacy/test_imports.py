import subprocess
import sys

import pytest

EVERYTHING = """
import sys
from fractions import Fraction
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.released.histogram import estimate_released_histogram
from surveys.privacy.accounting.composition import compose
from surveys.privacy.designs import forced_response
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
estimate = estimate_prevalence([40, 60], forced_response())
estimate.interval(method="clopper_pearson"), estimate.misfit
estimate_released_histogram([40, 60], 100, forced_response(), DiscreteLaplace(Fraction(1), 2)).interval()
print(*sys.modules)
"""

RANDOMIZER_ONLY = """
import sys
from surveys.privacy.designs import forced_response
from surveys.privacy.randomness import draw_report
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
draw_report(forced_response(), 1)
print(*sys.modules)
"""


def modules_after(program: str) -> set[str]:
    return set(
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    )


def test_the_mathematics_loads_neither_django_nor_scipy_stats() -> None:
    assert modules_after(EVERYTHING).isdisjoint({"django", "scipy.stats"})


@pytest.mark.parametrize("heavy", ["numpy", "scipy"])
def test_drawing_a_report_needs_the_standard_library_only(heavy: str) -> None:
    assert heavy not in modules_after(RANDOMIZER_ONLY)
