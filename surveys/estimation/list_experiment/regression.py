"""Regression of the sensitive item of a list, by maximum likelihood.

References
----------
Imai (2011), Multivariate regression analysis for the item count technique.
Blair & Imai (2012), Statistical analysis of list experiments.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.list_experiment.arms import CountChannel, ListDesigns, list_channels, plain_designs
from surveys.estimation.list_experiment.mixture import ListGround, ListMixture
from surveys.estimation.list_experiment.types import counts_of_types
from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import StandardizedFit
from surveys.estimation.regression.penalized import DIRECT, LinearPredictor, Penalized, penalize
from surveys.estimation.regression.rows import Basis, basis_of, codes, frequency_weights, predictors
from surveys.estimation.regression.scoring import ascend
from surveys.estimation.regression.starts import Summits, maximum, summits
from surveys.estimation.regression.testing import Heights, split
from surveys.estimation.validation import Floats, integer_array, read_only
from surveys.privacy.rationals import whole_number

MOST_ITEMS = 100
COUNT_MODELS = ("binomial", "beta_binomial")
DISPERSIONS = (0.0, 0.1)
"""θ to begin with, from each maximum with binomial counts."""


@dataclass(frozen=True, slots=True, eq=False)
class ListData:
    """What a regression of list reports is of.

    Attributes
    ----------
    likelihoods : array of n × 2 × (J + 1) floats
        How probable the row's report is from somebody with each Z and Y.
    sensitive_x, count_x : arrays of n × p and n × q floats
        Predictors of the sensitive item and of the count of innocuous ones.
    weights : array of n floats
        How often the row counts.
    by_item, dispersed : bool
        Whether counts have coefficients of their own where the sensitive item holds, and whether θ is free.
    """

    likelihoods: Floats
    sensitive_x: Floats
    count_x: Floats
    weights: Floats
    by_item: bool
    dispersed: bool


@dataclass(frozen=True, slots=True, eq=False)
class ListFit(StandardizedFit):
    """A logistic regression of the sensitive item, fitted together with that of the count of innocuous items.

    Attributes
    ----------
    coefficients : array of p floats
        Log odds ratios of the sensitive item: a local maximum, the highest found.
    count_coefficients : array of 1 × q or 2 × q floats
        Log odds ratios of an innocuous item; in two rows those without and with the sensitive item.
    dispersion : float
        θ of the beta-binomial count, 0 for the binomial one: two innocuous items of a person go together with the
        correlation θ/(1 + θ).
    log_likelihood : float
        Of the reports.
    log_likelihood_bound : float
        The highest found anywhere, infinity included.
    fitted : array of n floats
        Each row's probability of the sensitive item.
    converged : bool
        Whether this is a maximum. If not, every standard error is NaN.
    separated : bool
        Whether the sensitive item, or all innocuous ones, are fitted as a certainty.
    information : Information
        What the covariances are computed from.
    data : ListData
        The rows with a weight that is not 0.
    penalized : Penalized or None
        The penalized likelihood, where the fit is its maximum.
    """

    coefficients: Floats
    count_coefficients: Floats
    dispersion: float
    log_likelihood: float
    log_likelihood_bound: float
    fitted: Floats
    converged: bool
    separated: bool
    information: Information
    data: ListData
    penalized: Penalized[ListGround] | None = None

    @property
    def estimates(self) -> Floats:
        """The sensitive item's coefficients, the counts', and θ where it is free: what the covariance is about."""
        last = [self.dispersion] if self.data.dispersed else []
        return np.concatenate([self.coefficients, self.count_coefficients.ravel(), last])

    @property
    def people(self) -> tuple[Floats, Floats]:
        """The rows that count: predictors of the sensitive item, and weights."""
        return self.data.sensitive_x, self.data.weights

    def _heights_without(self, columns: list[int]) -> Heights:
        """Leave the count of innocuous items all its predictors; at least one of the sensitive item has to stay."""
        others, _ = split(self.data.sensitive_x, columns)
        if not others.size:
            raise ValueError(f"columns must leave one predictor of the sensitive item, got all {len(columns)}")
        maxima, _ = _highest(replace(self.data, sensitive_x=others))
        return maxima.heights


def fit_list(
    reports: npt.ArrayLike,
    treated: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    *,
    items: int | None = None,
    designs: ListDesigns | None = None,
    count_X: npt.ArrayLike | None = None,  # noqa: N803
    weights: npt.ArrayLike | None = None,
    by_item: bool = False,
    counts: str = "binomial",
    together: tuple[Sequence[int], Sequence[int]] | None = None,
    penalized: bool = False,
) -> ListFit:
    """Fit Pr(Z=1) = σ(xβ) to list reports, with a binomial or beta-binomial regression of the innocuous items' count.

    The difference in means assumes nothing of that count; this does, and where its assumption is wrong β is too. That
    innocuous items are equally common and independent given x (binomial) is rarely true; beta-binomial counts may vary
    more, or less. Compare `prevalence` with the difference in means.

    Parameters
    ----------
    reports : sequence of n codes
        What was reported.
    treated : sequence of n codes
        0 for the control arm, 1 for the treatment arm; both must occur.
    X : array of n × p finite floats
        The predictors, with a column of ones for the intercept.
    items : int, optional
        J, where counts are reported as they are.
    designs : pair of Designs, optional
        Through which they were sent, as for `estimate_list`; exactly one of items and designs is given.
    count_X : array of n × q finite floats, optional
        The predictors of the count of innocuous items; by default X.
    weights : sequence of n floats, optional
        How often each row counts.
    by_item : bool, optional
        Whether the count's coefficients differ with the sensitive item. Then three numbers and more have to be
        estimated from the two distributions of counts, and standard errors are large; without it, the count is
        independent of the sensitive item given x.
    counts : str, optional
        ``"binomial"`` or ``"beta_binomial"``, which needs two items or more.
    together : pair of sequences of integers, optional
        Where some reports are merged: the class of each report of the control and of the treatment arm, from 0.
        Then `reports` are such classes.
    penalized : bool, optional
        Whether to maximize the likelihood with Jeffreys' penalty, as of `fit_logistic`; θ has none.

    Returns
    -------
    ListFit
        With `coefficients`, `count_coefficients`, `standard_errors`, `prevalence` and its interval.

    Raises
    ------
    ValueError
        Naming the argument that is not as above; where an arm's predictors do not determine their coefficients; where
        reports do not determine the counts.

    Examples
    --------
    >>> from surveys.estimation import fit_list
    >>> reports, treated = [0, 1, 2, 3, 0, 1, 2, 3, 4], [0] * 4 + [1] * 5
    >>> counts = [8, 132, 222, 227, 19, 123, 229, 219, 34]
    >>> fit = fit_list(reports, treated, [[1]] * 9, items=3, weights=counts)
    >>> [round(float(fit.coefficients[0]), 4), round(fit.prevalence, 3)]
    [-1.7046, 0.154]
    """
    if (items is None) == (designs is None):
        raise ValueError("exactly one of items and designs must be given")
    if designs is None:
        designs = plain_designs(whole_number(items, "items", 1, MOST_ITEMS))
    channels = list_channels(designs)
    if counts not in COUNT_MODELS:
        raise ValueError(f"counts must be one of {', '.join(COUNT_MODELS)}, got {counts!r}")
    dispersed, count = counts == "beta_binomial", channels[0].matrix.shape[1] - 1
    if dispersed and count < 2:
        raise ValueError("counts must be binomial with a single innocuous item: it has no dispersion")
    arm = codes(treated, 2, "treated")
    likelihoods = type_likelihoods(reports, arm, channels, together)
    x = predictors(X, arm.size, "treated")
    z = x if count_X is None else predictors(count_X, arm.size, "treated")
    counted = frequency_weights(weights, arm.size)
    kept = counted > 0
    for code, name in ((0, "control"), (1, "treatment")):
        rows = kept & (arm == code)
        if not rows.any():
            raise ValueError(f"treated must name both arms: nobody is in the {name} arm")
        for matrix in (x, z):
            _require_rank(matrix[rows], name)
    data = ListData(likelihoods[kept], x[kept], z[kept], counted[kept], by_item, dispersed)
    maxima, bases = _highest(data)
    every = report_likelihoods(arm[kept], channels, together) if penalized else None
    return _result(maxima, bases, data, x, every)


def type_likelihoods(
    reports: npt.ArrayLike,
    arm: npt.NDArray[np.int64],
    channels: tuple[CountChannel, CountChannel],
    together: tuple[Sequence[int], Sequence[int]] | None = None,
) -> Floats:
    """Return how probable each row's report is from every type, n × 2 × (J + 1); refuse one that is from none."""
    items = channels[0].matrix.shape[1] - 1
    of_arms = _lines_of_arms(channels, together)
    sent = codes(reports, max(map(len, of_arms)), "reports")
    if sent.shape != arm.shape:
        raise ValueError(f"treated must have {sent.size} codes, one a report")
    likelihoods = np.zeros((sent.size, 2 * (items + 1)))
    for code, lines in enumerate(of_arms):
        in_arm = arm == code
        if not (sent[in_arm] < len(lines)).all():
            raise ValueError(f"reports must be codes from 0 to {len(lines) - 1} where treated is {code}")
        likelihoods[in_arm] = lines[sent[in_arm]]
    if not likelihoods.any(axis=1).all():
        raise ValueError("reports must hold none that nobody of its arm can send")
    return likelihoods.reshape(-1, 2, items + 1)


def report_likelihoods(
    arm: npt.NDArray[np.int64],
    channels: tuple[CountChannel, CountChannel],
    together: tuple[Sequence[int], Sequence[int]] | None = None,
) -> Floats:
    """Return how probable each report of a row's arm is from every type, n × R × 2 × (J + 1); 0 what it cannot send."""
    of_arms = _lines_of_arms(channels, together)
    every = np.zeros((arm.size, max(map(len, of_arms)), of_arms[0].shape[1]))
    for code, lines in enumerate(of_arms):
        every[arm == code, : len(lines)] = lines
    return every.reshape(*every.shape[:2], 2, -1)


def _lines_of_arms(
    channels: tuple[CountChannel, CountChannel], together: tuple[Sequence[int], Sequence[int]] | None
) -> list[Floats]:
    """Return for each arm how probable each report, or each class of reports, is from every type."""
    items = channels[0].matrix.shape[1] - 1
    of_arms = [channel.matrix @ types for channel, types in zip(channels, counts_of_types(items), strict=True)]
    if together is None:
        return of_arms
    return [_added(lines, classes) for lines, classes in zip(of_arms, together, strict=True)]


def _added(lines: Floats, classes: Sequence[int]) -> Floats:
    """Return how probable each class of reports is, from how probable each report is."""
    given = integer_array(classes)
    number = 0 if given is None or not given.size else int(given.max()) + 1
    if given is None or given.shape != (len(lines),) or set(given.tolist()) != set(range(number)):
        raise ValueError(
            f"together must give each of {len(lines)} reports a class, from 0 without a gap, got {classes!r}"
        )
    totals = np.zeros((number, lines.shape[1]))
    np.add.at(totals, given, lines)
    return totals


def _require_rank(x: Floats, name: str) -> None:
    """Refuse predictors that one arm alone does not tell apart: the model would take the other's word for it."""
    if len(x) < x.shape[1] or np.linalg.matrix_rank(x) < x.shape[1]:
        raise ValueError(f"X must determine its coefficients in each arm, and in the {name} arm it does not")


def _highest(data: ListData) -> tuple[Summits[ListGround], tuple[Basis, Basis]]:
    """Return the maxima over all parameters, and the bases of both matrices of predictors."""
    bases = basis_of(data.sensitive_x, data.weights), basis_of(data.count_x, data.weights)
    model = ListMixture(
        data.likelihoods, bases[0].rows, bases[1].rows, data.weights, by_item=data.by_item, dispersed=False
    )
    maxima = maximum(model, sum(model.sizes))
    if data.dispersed:
        dispersed = replace(model, dispersed=True)
        places = maxima.maxima or [maxima.best.parameters]
        maxima = summits([ascend(dispersed, np.append(place, theta)) for place in places for theta in DISPERSIONS])
    return maxima, bases


def _result(
    maxima: Summits[ListGround], bases: tuple[Basis, Basis], data: ListData, x: Floats, every: Floats | None
) -> ListFit:
    """Return the fit in the units of both matrices of predictors, a penalized one if all possible reports are given."""
    models = 2 if data.by_item else 1
    back = scipy.linalg.block_diag(
        bases[0].to_coefficients, *[bases[1].to_coefficients] * models, *([np.eye(1)] if data.dispersed else [])
    )
    carried = None if every is None else _penalize(maxima, back[: data.sensitive_x.shape[1]], every)
    summit = carried.summit if carried else maxima.best
    here = summit.ground
    estimates = back @ summit.parameters
    p, q = data.sensitive_x.shape[1], data.count_x.shape[1]
    information = no_information(estimates.size)
    if summit.converged:
        information = Information((carried or here).observed(), None, here.opg(), back)
    return ListFit(
        coefficients=read_only(estimates[:p]),
        count_coefficients=read_only(estimates[p : p + models * q].reshape(models, q)),
        dispersion=float(estimates[-1]) if data.dispersed else 0.0,
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=maxima.bound,
        fitted=read_only(scipy.special.expit(x @ estimates[:p])),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        data=data,
        penalized=carried,
    )


def _penalize(maxima: Summits[ListGround], to_coefficients: Floats, every: Floats) -> Penalized[ListGround]:
    """Return the penalized likelihood; what counts are reported by is as at the maximum without the penalty."""
    here, model = maxima.best.ground, maxima.best.ground.data
    by_item = np.einsum("nrzy,nzy->nrz", every, here.counts)
    truth = LinearPredictor(model.sensitive_rows, model.weights, by_item[:, :, 0], by_item[:, :, 1])
    count = LinearPredictor(model.count_rows, model.weights, *DIRECT)
    counts = [count] * (2 if model.by_item else 1)
    return penalize(model, (truth, *counts), maxima.best.parameters, to_coefficients)
