"""How precise the coefficients of a release are, beside those without noise and those of direct answers."""

from collections.abc import Callable
from dataclasses import dataclass

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.learning.table import Channel
from surveys.estimation.validation import Floats, read_only


@dataclass(frozen=True, slots=True, eq=False)
class ReleasePrecision:
    """Standard errors of coefficients for some distribution of the true answers, infinite where undetermined.

    Attributes
    ----------
    coefficients : array of p floats
        What the coefficients then are.
    released : array of p floats
        From noisy counts of randomized reports.
    without_noise : array of p floats
        From exact counts of the same reports.
    direct : array of p floats
        From exact counts of everybody's true answers.
    """

    coefficients: Floats
    released: Floats
    without_noise: Floats
    direct: Floats

    def half_widths(self, confidence_level: float = 0.95) -> Floats:
        """Return approximate margins of error from the release, for log odds or in the outcome's unit."""
        return read_only(normal_quantile(confidence_level) * self.released)


def precision_behind(channel: Channel, coefficients: Floats, errors: Callable[[Channel], Floats]) -> ReleasePrecision:
    """Return it of coefficients behind a channel; what is given determines their standard errors behind any."""
    channels = (channel, channel.without_noise(), channel.direct())
    return ReleasePrecision(read_only(coefficients), *(read_only(errors(each)) for each in channels))
