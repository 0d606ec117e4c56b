"""What a regression on randomized predictors is given, checked and counted: which reports came how often where."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import affine_map
from surveys.estimation.regression.latent import LatentReports
from surveys.estimation.regression.latent_shares import likeliest_shares
from surveys.estimation.regression.rows import codes, real_numbers
from surveys.estimation.regression.truths import indicators, report_codes, truth_likelihoods
from surveys.estimation.validation import Floats, as_list, read_only, require_design
from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import whole_number

Codes = npt.NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.float64)

MOST_TRUTHS = 64
"""Combinations of true predictors that are distinguished."""
MOST_SHARES = 1024
"""Combinations of true predictors in all strata together, one unknown share each."""
MOST_CELLS = 2**22
"""Numbers in the table of strata, different reports and true answers, which has to fit into memory several times."""


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Counts of the different reports in the strata, the distinct rows of x.

    Attributes
    ----------
    counts : array of S × R floats
        How often each came where.
    reports : Reports
        What they are.
    every : Reports or None
        All reports that can be, unless they are too many to sum over.
    strata : array of S × p_x floats
        The distinct rows of x.
    rows : array of S·T × p floats
        A constant, x, and the indicators of the true predictors.
    known : int
        How many of these columns are the constant and x.
    shape : tuple of ints
        How many answers each randomized predictor has.
    unit : float
        What a row weighed on average.
    start : array of S × T floats
        The shares of true answers that the reports of the predictors alone make likeliest.
    """

    counts: Floats
    reports: LatentReports
    every: LatentReports | None
    strata: Floats
    rows: Floats
    known: int
    shape: tuple[int, ...]
    unit: float
    start: Floats


def patterns_of(
    outcome: tuple[Floats, Codes],
    answers: list[Codes],
    designs: Sequence[Design],
    known: Floats,
    weights: Floats,
) -> Patterns:
    """Return how often which reports came where.

    Parameters
    ----------
    outcome : pair of an array of m × 2 floats and n codes
        Pr(report | truth No, Yes), and the reports.
    answers : list of arrays of n codes
        The reports of the randomized predictors.
    designs : sequence of Designs
        Theirs.
    known : array of n × p_x floats
        The known predictors.
    weights : array of n floats
        How often each row counts.
    """
    shape = tuple(design.k for design in designs)
    truths = math.prod(shape)
    kept = weights > 0
    strata, stratum = distinct_rows(known[kept])
    if truths > 1 and len(strata) * truths > MOST_SHARES:
        raise ValueError(
            f"x must have at most {MOST_SHARES // truths} distinct rows with {truths} combinations of truths, "
            f"got {len(strata)}"
        )
    if not len(strata) > known.shape[1]:
        raise ValueError(f"x must have more distinct rows than columns, got {len(strata)}")
    different, pattern = distinct_rows(np.column_stack([outcome[1], *answers])[kept])
    if len(strata) * len(different) * truths > MOST_CELLS:
        raise ValueError(f"predictors and x differ in too many ways: {len(different)} reports, {len(strata)} rows of x")
    counts = np.zeros((len(strata), len(different)))
    np.add.at(counts, (stratum, pattern), weights[kept])
    reports = reports_of(outcome[0], different[:, 0], list(different[:, 1:].T), designs)
    constant = np.ones((len(strata), 1))
    rows = np.hstack(
        [
            np.repeat(np.hstack([constant, strata]), truths, axis=0),
            np.tile(indicators(shape), (len(strata), 1)),
        ]
    )
    return Patterns(
        counts=read_only(counts),
        reports=reports,
        every=every_report(outcome[0], designs, len(strata) * truths),
        strata=read_only(strata),
        rows=read_only(rows),
        known=1 + known.shape[1],
        shape=shape,
        unit=float(weights[kept].mean()),
        start=start_of(counts, reports.predictors),
    )


def distinct_rows(table: npt.NDArray[Number]) -> tuple[npt.NDArray[Number], Codes]:
    """Return the different rows of a table in their order, and which of them each row is."""
    rows, places = np.unique(table, axis=0, return_inverse=True)
    return rows, places.reshape(-1)


def outcome_of(y: npt.ArrayLike, design: Design, option: int) -> tuple[Floats, Codes]:
    """Return Pr(report | truth is not, truth is the option), and the reports as codes of its rows.

    Of more than two answers only whether the option was reported is used: with k-ary designs the other reports tell
    nothing more about it unless the other true answers were modelled too.
    """
    matrix = np.array(require_design(design).matrix, dtype=np.float64)
    chosen = whole_number(option, "option", 0, design.k - 1)
    reported = codes(y, design.m, "y")
    if design.k == 2:
        return matrix[:, [1 - chosen, chosen]], reported
    line = affine_map(design)
    if line is None:
        raise ValueError(
            f"design {design.name}: whether option {chosen} is reported does not depend on that truth alone"
        )
    no, yes = line.offset[chosen], np.clip(line.offset[chosen] + line.slope, 0.0, 1.0)
    return np.array([[1 - no, 1 - yes], [no, yes]]), (reported == chosen).astype(np.int64)


def answers_of(predictors: Sequence[npt.ArrayLike], designs: Sequence[Design], n: int) -> list[Codes]:
    """Return the randomized predictors' reports as codes; refuse those that do not determine the shares."""
    if as_list(predictors) is None or as_list(designs) is None or len(predictors) != len(designs):
        raise ValueError("predictors and designs must be sequences of one array and one Design for each predictor")
    answers = report_codes(predictors, designs, n, "predictors")
    truths = math.prod(design.k for design in designs)
    if truths > MOST_TRUTHS:
        raise ValueError(f"predictors must have at most {MOST_TRUTHS} combinations of truths, these have {truths}")
    for number, design in enumerate(designs):
        if np.linalg.matrix_rank(np.array(design.matrix, dtype=np.float64)) < design.k:
            raise ValueError(f"designs[{number}]: its reports do not determine the shares of the truths")
    return answers


def given_columns(x: npt.ArrayLike | None, n: int) -> Floats:
    """Return x as n × p finite floats, where p may be 0."""
    array = np.empty((n, 0)) if x is None else real_numbers(x, "x")
    if array.ndim != 2 or len(array) != n:
        raise ValueError(f"x must have {n} rows, as y has, of one number or more each, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("x must hold finite numbers only")
    return array


def reports_of(outcome: Floats, reported: Codes, answers: list[Codes], designs: Sequence[Design]) -> LatentReports:
    """Return reports given as codes of the outcome and of each predictor."""
    if_no, if_yes = outcome[reported].T
    return LatentReports(if_no, if_yes, truth_likelihoods(answers, designs, reported.size))


def every_report(outcome: Floats, designs: Sequence[Design], shares: int) -> LatentReports | None:
    """Return all reports that can be, None where they are too many to be summed over."""
    sizes = (len(outcome), *(design.m for design in designs))
    if math.prod(sizes) * shares > MOST_CELLS:
        return None
    reported, *answers = np.indices(sizes).reshape(len(sizes), math.prod(sizes))
    return reports_of(outcome, reported, answers, designs)


def start_of(counts: Floats, predictors: Floats) -> Floats:
    """Return the shares of true answers that the reports of the predictors alone make likeliest."""
    strata, truths = len(counts), predictors.shape[1]
    likelihoods = np.broadcast_to(predictors, (strata, *predictors.shape))
    proportions = counts / counts.sum(axis=1, keepdims=True)
    return read_only(likeliest_shares(likelihoods, proportions, np.full((strata, truths), 1 / truths)))
