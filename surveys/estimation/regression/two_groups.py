"""Logistic regression where two groups with other probabilities tell one share besides, the same for all.

References
----------
Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.
Clark & Desharnais (1998), Honest answers to embarrassing questions.
Moshagen, Musch & Erdfelder (2012), A stochastic lie detector.
Heck & Moshagen (2018), RRreg: an R package for correlation and regression analyses of randomized response data.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import StandardizedFit
from surveys.estimation.regression.penalized import DIRECT, LinearPredictor, Penalized, channel, penalize
from surveys.estimation.regression.rows import Basis, basis_of, codes, frequency_weights, predictors, real_numbers
from surveys.estimation.regression.starts import Summits, maximum
from surveys.estimation.regression.testing import Heights, split
from surveys.estimation.regression.two_shares import TwoShares, TwoSharesGround
from surveys.estimation.validation import Floats, read_only

# By the truth (No, then Yes), and by the share that the model estimates besides (`two_groups.models.BESIDES`): how many
# times each of a group's two weights (`two_groups.line.EndWeights`) counts in its probability of Yes.
YES: Mapping[str, npt.NDArray[np.int64]] = {
    "unrelated_unknown": np.array([[[0, 0], [1, 0]], [[0, 1], [1, 1]]]),
    "cheating_detection": np.array([[[0, 1], [0, 0]], [[1, 1], [1, 0]]]),
    "lie_detector": np.array([[[1, 0], [1, 0]], [[0, 0], [1, 1]]]),
}

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class TwoGroupFit(StandardizedFit):
    """A logistic regression fitted together with one further share that the two groups determine.

    Attributes
    ----------
    coefficients : array of p floats
        Log odds ratios of a Yes truth: a local maximum, the highest found.
    second_share : float
        The share that is the same for all: of Yes to the unrelated question, of people who say No whatever
        their instructions, or of people with a true Yes who say so.
    log_likelihood : float
        Of the reports.
    log_likelihood_bound : float
        The highest found anywhere, infinity included.
    fitted : array of n floats
        Each row's probability of a Yes truth.
    converged : bool
        Whether this is a maximum. If not, every standard error is NaN.
    separated : bool
        Whether a true answer, or the second share, is fitted as a certainty.
    information : Information
        What the covariances are computed from.
    x, data
        The rows with a weight that is not 0.
    penalized : Penalized or None
        The penalized likelihood, where the fit is its maximum.
    """

    coefficients: Floats
    second_share: float
    log_likelihood: float
    log_likelihood_bound: float
    fitted: Floats
    converged: bool
    separated: bool
    information: Information
    x: Floats
    data: TwoShares
    penalized: Penalized[TwoSharesGround] | None = None

    @property
    def estimates(self) -> Floats:
        """The p coefficients and, last, the second share: standard errors and intervals are of these p + 1."""
        return np.append(self.coefficients, self.second_share)

    @property
    def people(self) -> tuple[Floats, Floats]:
        """The rows that count: predictors, and weights."""
        return self.x, self.data.weights

    def _heights_without(self, columns: list[int]) -> Heights:
        maxima, _ = _highest(split(self.x, columns)[0], self.data)
        return maxima.heights


def fit_logistic_two_groups(
    model: str,
    reports: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    ends: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    penalized: bool = False,
) -> TwoGroupFit:
    """Fit Pr(truth Yes) = σ(xβ) and a model's second share to reports of groups whose probabilities differ.

    With a group's weights w₀ and w₁ and the second share s: λ = w₁σ(xβ) + w₀s of an unrelated question, w₀σ(xβ) +
    w₁(1 − s) of cheating detection, where s say No whatever their instructions, and w₀(1 − σ(xβ)) + (w₀ + w₁)sσ(xβ) of
    the lie detector, where s of those with a Yes truth say so and w₀ + w₁ is 1.

    Parameters
    ----------
    model : str
        ``"unrelated_unknown"``, ``"cheating_detection"`` or ``"lie_detector"``.
    reports : sequence of n codes 0 and 1
        What was reported.
    X : array of n × k finite floats
        The predictors, with a column of ones for the intercept.
    ends : array of n × 2 probabilities
        The weights with which the row's group mixes the model's two ends; those of two rows at least are no multiples
        of each other.
    weights : sequence of n floats, optional
        How often each row counts.
    penalized : bool, optional
        Whether to maximize the likelihood with Jeffreys' penalty, as of `fit_logistic`.

    Returns
    -------
    TwoGroupFit
        With `coefficients`, `second_share`, `standard_errors` and `prevalence`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.estimation import fit_logistic_two_groups
    >>> reports, counts = [0, 1, 0, 1], [350, 150, 250, 250]
    >>> ends = [[0.3, 0.7], [0.3, 0.7], [0.7, 0.3], [0.7, 0.3]]
    >>> fit = fit_logistic_two_groups("unrelated_unknown", reports, [[1]] * 4, ends, weights=counts)
    >>> [round(fit.prevalence, 3), round(fit.second_share, 3)]
    [0.15, 0.65]
    """
    if model not in YES:
        raise ValueError(f"model must be one of {', '.join(sorted(YES))}, got {model!r}")
    y = codes(reports, 2, "reports")
    x = predictors(X, y.size, "reports")
    mixed = real_numbers(ends, "ends")
    if mixed.shape != (y.size, 2) or not ((mixed >= 0) & (mixed.sum(axis=1, keepdims=True) <= 1 + _ROUNDING)).all():
        raise ValueError(f"ends must be {y.size} pairs of probabilities that sum to at most 1, one pair a report")
    counted = frequency_weights(weights, y.size)
    kept = counted > 0
    if not np.linalg.matrix_rank(mixed[kept]) > 1:
        raise ValueError("ends must differ between groups: one group alone does not tell the second share")
    yes = np.einsum("zue,ne->nzu", YES[model], mixed)
    data = TwoShares(x, np.where(y[:, np.newaxis, np.newaxis] == 1, yes, 1 - yes), counted).of(kept)
    rows = data.rows
    maxima, basis = _highest(rows, data)
    carried = None
    if penalized:
        by_truth = data.by_truth(maxima.best.parameters[-1])
        truth = LinearPredictor(basis.rows, data.weights, *channel(*by_truth.T))
        other = LinearPredictor(np.ones((data.n, 1)), data.weights, *DIRECT)
        to_coefficients = np.column_stack([basis.to_coefficients, np.zeros(x.shape[1])])
        with_rows = data.with_rows(basis.rows)
        carried = penalize(with_rows, (truth, other), maxima.best.parameters, to_coefficients)
    summit = carried.summit if carried else maxima.best
    here = summit.ground
    coefficients = basis.to_coefficients @ summit.parameters[:-1]
    share = float(scipy.special.expit(summit.parameters[-1]))
    information = no_information(x.shape[1] + 1)
    if summit.converged:
        jacobian = scipy.linalg.block_diag(basis.to_coefficients, share * (1 - share))
        information = Information((carried or here).observed(), here.definite(), here.opg(), jacobian)
    return TwoGroupFit(
        coefficients=read_only(coefficients),
        second_share=share,
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=maxima.bound,
        fitted=read_only(scipy.special.expit(x @ coefficients)),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        x=rows,
        data=data,
        penalized=carried,
    )


def _highest(x: Floats, data: TwoShares) -> tuple[Summits[TwoSharesGround], Basis]:
    """Return the maxima over the coefficients of X and φ, and the basis of X."""
    basis = basis_of(x, data.weights)
    return maximum(data.with_rows(basis.rows), x.shape[1] + 1), basis
