"""Respondents who send the same reports whatever is true: how many they are, and the prevalences among the others.

Under randomized response they say No to everything, to be safe; under the crosswise model they report "different" (one
Yes) to everything. One item cannot tell them: a share of them and another prevalence give the same reports. Several
items can, if the true answers keep to a log-linear model that leaves the reports more freedom than it has parameters:
that they are independent, or that no more than two of them interact at a time. With all interactions any table of true
answers is possible, and one with more respondents who have no Yes at all takes the place of the class: then nothing
reveals how large it is, unless two arms have different designs. So the answer is as good as this model, which more
items can contradict (`fit_test`) but never prove.

References
----------
Böckenholt & van der Heijden (2007), Item randomized-response models for measuring noncompliance: risk-return
perceptions, social influences, and self-protective responses.
Cruyff, van den Hout, van der Heijden & Böckenholt (2007), Log-linear randomized-response models taking self-protective
response behavior into account.
Self & Liang (1987), Asymptotic properties of maximum likelihood estimators and likelihood ratio tests under nonstandard
conditions.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.adherence.log_linear import FixedReportGround, ReportCells, is_identified, model_of
from surveys.estimation.association.independence import chi_square_p_value
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.limits import limit_towards
from surveys.estimation.regression.scoring import NO_GAIN
from surveys.estimation.regression.testing import LikelihoodRatioTest
from surveys.estimation.validation import Floats, as_list, integer_array, read_only, require_counts, require_design
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

MOST_CELLS = 2**20
"""No more patterns times combinations of true answers than this: ten items of two answers."""
_STARTS = (0.05, 0.3)
_PRECISION = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class FixedReportEstimate:
    """The class of those who send a fixed pattern, and the true answers of the others.

    Attributes
    ----------
    best : FixedReportGround
        The highest place of the likelihood found.
    without : FixedReportGround
        The highest without such a class.
    effects : array of T × q floats
        The log-linear model of the true answers.
    shape : tuple of integers
        How many answers each item has.
    """

    best: FixedReportGround
    without: FixedReportGround
    effects: Floats
    shape: tuple[int, ...]

    @property
    def share(self) -> float:
        """θ: the share of respondents who send the fixed pattern whatever is true."""
        return self.best.share

    @property
    def truths(self) -> Floats:
        """The joint distribution of the others' true answers, one axis an item."""
        return read_only(self.best.truths.reshape(self.shape))

    @property
    def log_likelihood(self) -> float:
        """Of the reports, there."""
        return self.best.log_likelihood

    @property
    def test(self) -> LikelihoodRatioTest:
        """The likelihood-ratio test against no such class.

        A share of 0 is on the boundary: if it is the truth, and no share of true answers is 0, the statistic is 0 in
        half of all large samples and χ² with one degree of freedom in the other half. So the p-value is half of that
        χ²'s, and 1 where the statistic is 0.
        """
        statistic = max(0.0, 2 * (self.log_likelihood - self.without.log_likelihood))
        return LikelihoodRatioTest(statistic, 1, chi_square_p_value(statistic, 1) / 2 if statistic > 0 else 1.0)

    @property
    def fit_test(self) -> LikelihoodRatioTest:
        """G² against all distributions of the reports: whether the model with the class fits.

        Where many of the patterns are expected less than five times, or shares are 0, its p-value is a rough one. With
        no degrees of freedom nothing is tested.
        """
        cells = self.best.model.cells
        saturated = float(scipy.special.xlogy(cells.counts, cells.counts / cells.sizes).sum())
        freedom = cells.counts.size - int(cells.fixed.sum()) - self.best.model.effects.shape[1] - 1
        statistic = max(0.0, 2 * (saturated - self.log_likelihood))
        return LikelihoodRatioTest(statistic, freedom, chi_square_p_value(statistic, freedom) if freedom else 1.0)

    def prevalence(self, item: int, option: int = 1) -> float:
        """Return how many of those who follow the instructions have this truth to an item."""
        item, option = self._checked(item, option)
        return float(self.truths.take(option, axis=item).sum())

    def uncorrected(self, item: int, option: int = 1) -> float:
        """Return the same if there were no such class."""
        item, option = self._checked(item, option)
        return float(self.without.truths.reshape(self.shape).take(option, axis=item).sum())

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return the shares θ that a likelihood-ratio test does not reject, whatever the true answers.

        At the boundary 0 the level is kept with room to spare.
        """
        model = self.best.model
        enough = self._enough(confidence_level)

        def spare(share: float) -> float:
            held = replace(model, share=share)
            places = [held.start(truths, share) for truths in self._places]
            return held.highest(places).log_likelihood - enough

        low, high = (limit_towards(end, self.share, spare, precision=_PRECISION) for end in (0.0, 1.0))
        return ScalarInterval(low, high, confidence_level, "profile")

    def prevalence_interval(self, item: int, option: int = 1, confidence_level: float = 0.95) -> ScalarInterval:
        """Return the prevalences of a true answer that a likelihood-ratio test does not reject, whatever θ."""
        item, option = self._checked(item, option)
        # People with this true answer are one block, all others are the second.
        axes = np.indices(self.shape)[item].ravel()
        blocks = np.where(axes == option, 1, 0)
        model = model_of(self.best.model.cells, self.effects, blocks, np.array([0.5, 0.5]))
        enough = self._enough(confidence_level)

        def spare(value: float) -> float:
            held = replace(model, totals=np.array([1 - value, value]))
            places = [held.start(truths, max(self.share, 0.01)) for truths in self._places]
            return held.highest(places).log_likelihood - enough

        point = self.prevalence(item, option)
        low, high = (limit_towards(end, point, spare, precision=_PRECISION) for end in (0.0, 1.0))
        return ScalarInterval(low, high, confidence_level, "profile")

    @property
    def _places(self) -> list[Floats]:
        """True answers to climb from where something is held: nothing leads away from those that are all but 0."""
        likeliest, even = self.best.truths, np.full(self.best.truths.size, 1 / self.best.truths.size)
        others = [] if self.without is self.best else [self.without.truths]
        return [likeliest, *others, even, 0.9 * likeliest + 0.1 * even]

    def _enough(self, confidence_level: float) -> float:
        return self.log_likelihood - normal_quantile(confidence_level) ** 2 / 2

    def _checked(self, item: int, option: int) -> tuple[int, int]:
        item = whole_number(item, "item", 0, len(self.shape) - 1)
        return item, whole_number(option, "option", 0, self.shape[item] - 1)


def estimate_fixed_reports(
    tables: Sequence[npt.ArrayLike],
    designs: Sequence[Sequence[Design]],
    fixed: Sequence[int],
    order: int = 1,
) -> FixedReportEstimate:
    """Estimate how many respondents send a fixed pattern, and the prevalences among the others.

    Parameters
    ----------
    tables : sequence of arrays of integers
        How often each pattern of reports came, one axis an item; one array an arm, so mostly one.
    designs : sequence of sequences of Design
        The items' designs, one sequence an arm; an item has the same true answers in all arms.
    fixed : sequence of integers
        The reports of those who do not follow the instructions, one an item: all 0 for No to everything, and for
        "different" to everything under the crosswise design.
    order : int, optional
        How many true answers may interact at a time: 1 for independent ones, 2 for interactions of pairs.

    Returns
    -------
    FixedReportEstimate
        With `share`, the class of those who send the pattern, and the `prevalence` of each item among the others.

    Raises
    ------
    ValueError
        If tables, designs and reports do not go together, there are too many patterns, or the reports cannot tell the
        class from true answers that interact so.

    References
    ----------
    Cruyff, van den Hout, van der Heijden & Böckenholt (2007), Log-linear randomized-response models taking
    self-protective response behavior into account.

    Examples
    --------
    >>> from surveys.estimation import estimate_fixed_reports
    >>> from surveys.privacy import forced_response
    >>> design = forced_response("2/3", "1/2")
    >>> tables = [[[[420, 130], [130, 60]], [[130, 60], [60, 50]]]]
    >>> estimate = estimate_fixed_reports(tables, [[design] * 3], [0, 0, 0])
    >>> round(estimate.share, 2)
    0.18
    """
    arms = _arms(tables, designs)
    first = arms[0][1]
    shape, items = tuple(design.k for design in first), len(first)
    order = whole_number(order, "order", 1, items)
    codes = as_list(fixed) or []
    if len(codes) != items:
        raise ValueError(f"fixed must be {items} reports, one an item, got {fixed!r}")
    reports = tuple(
        whole_number(code, "fixed", 0, min(row[item].m for _, row in arms) - 1) for item, code in enumerate(codes)
    )
    cells = _cells(arms, reports)
    effects = log_linear_effects(shape, order)
    everybody = np.zeros(effects.shape[0], dtype=np.int64)
    model = model_of(cells, effects, everybody, np.ones(1))
    if not is_identified(model):
        raise ValueError(
            f"order: with {items} items whose truths interact up to {order} at a time, the reports cannot tell those "
            "who send the same reports whatever is true from truths that go together so; ask more items, or suppose "
            "fewer interactions"
        )
    plain = replace(model, share=0.0)
    begin = _independent_truths(arms)
    even = np.full(begin.size, 1 / begin.size)
    without = plain.highest([plain.start(truths, 0.0) for truths in (begin, even)])
    starts = [model.start(truths, share) for truths in (begin, even, without.truths) for share in _STARTS]
    maximum = model.highest(starts)
    # A class that gains nothing but rounding is none.
    best = maximum if maximum.log_likelihood > without.log_likelihood + NO_GAIN else without
    return FixedReportEstimate(best, without, effects, shape)


_Tables = tuple[npt.NDArray[np.int64], tuple[Design, ...]]


def _arms(tables: Sequence[npt.ArrayLike], designs: Sequence[Sequence[Design]]) -> list[_Tables]:
    """Return each arm's table and designs, or refuse what does not go together."""
    given, theirs = as_list(tables) or [], as_list(designs) or []
    if not given or len(given) != len(theirs):
        raise ValueError("tables and designs must hold the same number of arms, at least one")
    arms = []
    for arm, (table, row) in enumerate(zip(given, theirs, strict=True)):
        row_designs = tuple(require_design(design, f"designs of arm {arm}") for design in as_list(row) or ())
        counts = integer_array(table)
        if not row_designs or counts is None or counts.shape != tuple(design.m for design in row_designs):
            raise ValueError(f"table of arm {arm} must hold integers, one axis an item, as long as it has reports")
        arms.append((require_counts(counts, f"table of arm {arm}"), row_designs))
    if len({tuple(design.k for design in row_designs) for _, row_designs in arms}) != 1:
        raise ValueError("designs must be of the same items, with the same truths, in all arms")
    size = sum(counts.size for counts, _ in arms) * int(np.prod([design.k for design in arms[0][1]]))
    if not size <= MOST_CELLS:
        raise ValueError(f"tables must have at most {MOST_CELLS} patterns times combinations of truths, got {size}")
    return arms


def _cells(arms: list[_Tables], reports: tuple[int, ...]) -> ReportCells:
    counts, sizes, fixed, matrices = [], [], [], []
    for table, designs in arms:
        at = np.zeros(table.shape)
        at[reports] = 1.0
        counts.append(table.ravel().astype(np.float64))
        sizes.append(np.full(table.size, float(table.sum())))
        fixed.append(at.ravel())
        matrix = np.ones((1, 1))
        for design in designs:
            matrix = np.asarray(np.kron(matrix, np.array(design.matrix, dtype=np.float64)))
        matrices.append(matrix)
    return ReportCells(np.concatenate(counts), np.concatenate(sizes), np.concatenate(fixed), np.vstack(matrices))


def log_linear_effects(shape: tuple[int, ...], order: int) -> Floats:
    """Return the log-linear model's columns, one row a combination of true answers.

    They are the products of the indicators of answers but the first to at most so many items.
    """
    codes = np.indices(shape).reshape(len(shape), -1)
    columns = []
    for number in range(1, order + 1):
        for items in itertools.combinations(range(len(shape)), number):
            for answers in itertools.product(*(range(1, shape[item]) for item in items)):
                holds = [codes[item] == answer for item, answer in zip(items, answers, strict=True)]
                columns.append(np.all(holds, axis=0))
    return np.column_stack(columns).astype(np.float64)


def _independent_truths(arms: list[_Tables]) -> Floats:
    """Return a table of independent true answers near the moment estimates of the first arm, none of them rare."""
    table, designs = arms[0]
    joint = np.ones(1)
    for item, design in enumerate(designs):
        others = tuple(axis for axis in range(table.ndim) if axis != item)
        shares = table.sum(axis=others) / table.sum()
        marginal = np.linalg.pinv(np.array(design.matrix, dtype=np.float64)) @ shares
        marginal = np.maximum(marginal, 0.05)
        joint = np.asarray(np.kron(joint, marginal / marginal.sum()), dtype=np.float64)
    return joint
