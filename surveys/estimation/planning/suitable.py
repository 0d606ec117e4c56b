"""The test that holds with as many responses as are planned: the normal one, or where it does not the exact one."""

import math
from dataclasses import dataclass

from surveys.estimation.planning.exact import ExactTest
from surveys.estimation.planning.fisher import FisherTest
from surveys.estimation.planning.normal import NormalTest


@dataclass(frozen=True, slots=True)
class SuitableTest:
    """A test by the normal approximation, and by whole counts where that does not hold.

    Where nobody could have given a report under the null hypothesis, its estimate has no standard error at all: the
    normal approximation then finds significant whatever comes, and one response to be enough.

    Attributes
    ----------
    normal : NormalTest
        The approximation.
    exact : ExactTest, FisherTest or None
        The test by whole counts; None for a design that has none.
    least_for_normal : float
        From how many responses on the approximation holds; may be infinite.
    """

    normal: NormalTest
    exact: ExactTest | FisherTest | None
    least_for_normal: float

    def power(self, n: int) -> float:
        """Return the power of the one or the other with n responses."""
        if n >= self.least_for_normal:
            return self.normal.power(n)
        if self.exact is None:
            raise ValueError(
                f"n must be at least {self.least_for_normal:.6g} for the normal approximation at this null "
                f"hypothesis, and the design has no exact test, got {n!r}"
            )
        return self.exact.power(n)

    def sample_size(self, target: float) -> int:
        """Return the smallest n from which on the power stays at least the target.

        A design without an exact test gets no fewer responses than the approximation needs to hold.
        """
        if math.isfinite(self.least_for_normal):
            n, least = self.normal.sample_size(target), math.ceil(self.least_for_normal)
            if n > least or self.exact is None:
                return max(n, least)
            n = min(self.exact.sample_size(target), least)
            while n > 1 and self.power(n - 1) >= target:
                n -= 1  # the exact test asked for more because of sizes at which the normal one is used
            return n
        if self.exact is None:
            raise ValueError(
                "null_prevalence leaves chance no choice, so the normal approximation does not hold, "
                "and the design has no exact test"
            )
        return self.exact.sample_size(target)
