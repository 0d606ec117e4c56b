"""What two lists of items were answered with, and what of it is linear in the observed proportions.

Respondents of the control arm count how many of J innocuous items hold for them, those of the treatment arm how many
of these and the sensitive one. The count, 0 to J or 0 to J + 1, is the true answer of that arm's question. It is
reported as it is, or through a design whose matrix P has a column for each count: the plain list is the identity.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from surveys.estimation.moments import moment_covariance
from surveys.estimation.validation import Counts, Floats, as_list, read_only, report_counts, require_design
from surveys.privacy.designs.design import Design
from surveys.privacy.designs.inverse import left_inverse_of
from surveys.privacy.designs.plain import direct

ListDesigns: TypeAlias = tuple[Design, Design]
"""The designs of the control arm's and of the treatment arm's count."""


@dataclass(frozen=True, slots=True, eq=False)
class CountChannel:
    """How the true counts of one arm become reports.

    Attributes
    ----------
    matrix : array of m × t floats
        Pr(report | true count), one column for each count that can be true in this arm.
    weights : array of t × m floats
        Its left inverse: what a report adds to the estimated share of each true count.
    """

    matrix: Floats
    weights: Floats

    @property
    def scores(self) -> Floats:
        """What each report says of its sender's count: given the true count, the mean of this is that."""
        scores: Floats = np.arange(len(self.weights)) @ self.weights
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class ListArm:
    """What the respondents of one list reported: how often each of m reports came."""

    counts: npt.NDArray[np.int64]
    channel: CountChannel

    @property
    def n(self) -> int:
        """The number of respondents."""
        return int(self.counts.sum())

    @property
    def observed(self) -> Floats:
        """The observed proportions of the reports."""
        return self.counts / self.n

    def linear(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return weights times the true counts' shares: the unbiased estimates, and their covariance."""
        by_report = weights @ self.channel.weights
        return by_report @ self.observed, moment_covariance(by_report, self.observed, self.n)


@dataclass(frozen=True, slots=True, eq=False)
class ListArms:
    """Both arms of a list experiment with J innocuous items."""

    items: int
    control: ListArm
    treatment: ListArm

    def linear(self, of_control: Floats, of_treatment: Floats) -> tuple[Floats, Floats]:
        """Return the sums of weights times both arms' true counts' shares, and their covariance."""
        first, first_covariance = self.control.linear(of_control)
        second, second_covariance = self.treatment.linear(of_treatment)
        return first + second, first_covariance + second_covariance


def list_arms(control: Counts, treatment: Counts, designs: ListDesigns | None) -> ListArms:
    """Return both arms, or refuse counts and designs that are not those of lists that differ by one item."""
    if designs is None:
        designs = plain_designs(len(as_list(control) or ()) - 1)
    channels = list_channels(designs)
    return ListArms(
        designs[1].k - 2, list_arm(control, channels[0], "control"), list_arm(treatment, channels[1], "treatment")
    )


def plain_designs(items: int) -> ListDesigns:
    """Return what stands for counts that are reported as they are."""
    if not items >= 1:
        raise ValueError("control must have one number for each count from 0 to J, with at least one item")
    return direct(items + 1), direct(items + 2)


def list_channels(designs: object) -> tuple[CountChannel, CountChannel]:
    """Return what the designs of control and treatment arm make of the counts that can be true there.

    The control arm's may be one of J + 2 counts, like the other's: nobody's true count is the last of them then.
    """
    if not (isinstance(designs, tuple) and len(designs) == 2):
        raise ValueError(f"designs must be a pair, the control arm's and the treatment arm's, got {designs!r}")
    control = require_design(designs[0], "designs: the control arm's")
    treatment = require_design(designs[1], "designs: the treatment arm's")
    if not (treatment.k >= 3 and control.k in (treatment.k - 1, treatment.k)):
        raise ValueError(
            "designs must be for J + 1 or J + 2 counts in the control arm and for J + 2 in the treatment arm, "
            f"J at least 1, got {control.k} and {treatment.k}"
        )
    return _channel(control, treatment.k - 1), _channel(treatment, treatment.k)


def _channel(design: Design, truths: int) -> CountChannel:
    possible = [row[:truths] for row in design.matrix]
    sent = [any(row) for row in possible]  # a report that only an impossible count leads to never comes
    weights = np.zeros((truths, design.m))
    inverse = left_inverse_of([row for row, comes in zip(possible, sent, strict=True) if comes])
    weights[:, sent] = np.array(inverse, dtype=np.float64)
    return CountChannel(read_only(np.array(possible, dtype=np.float64)), read_only(weights))


def list_arm(counts: Counts, channel: CountChannel, name: str) -> ListArm:
    """Return what one arm reported, or refuse reports that nobody in it can send."""
    reported = report_counts(counts, len(channel.matrix), name)
    if reported[~channel.matrix.any(axis=1)].any():
        raise ValueError(f"{name} must hold no report that nobody of this arm can send, got {reported.tolist()}")
    return ListArm(reported, channel)
