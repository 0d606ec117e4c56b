"""How an estimate would scatter over repetitions of the survey, beside that of a direct question."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from surveys.estimation import SamplingDistribution, direct_sampling, sampling_distribution
from surveys.models.definition import AskedQuestion, Definition
from surveys.responses.selectors.small_numbers import answered_by_group, separable_groups
from surveys.responses.selectors.snapshot import Snapshot
from surveys.results.figures.items import METHODS, FigureOptions, ItemResult, shares_of, with_figures
from surveys.results.figures.overview import NamedPart, QuestionResult, parts_by_group, parts_by_mode, question_result


@dataclass(frozen=True, slots=True)
class Spread:
    """One way of asking: where its estimates would lie."""

    points: tuple[tuple[float, float], ...]  # estimates and how densely they lie there
    standard_deviation: float
    low: float
    high: float  # the estimates are between these with the confidence level's probability, at least


@dataclass(frozen=True, slots=True)
class Scatter:
    """Both ways of asking the same number of people, if the true share were the one estimated."""

    n: int
    share: float
    asked: Spread
    direct: Spread
    worth: int | None  # so many direct answers would scatter as much; None where they would not scatter at all


def scatter_of(result: ItemResult, code: int, confidence_level: float) -> Scatter | None:
    """Return how the estimate for one answer scatters; None where no estimate is to be trusted."""
    if result.prevalence is None or result.oddities or result.options[code].outside:
        return None
    shares = [min(1.0, float(share)) for share in result.prevalence.constrained]
    asked = sampling_distribution(result.n, shares, result.item.design, code)
    direct = direct_sampling(result.n, shares[code])
    worth = result.n * (direct.standard_deviation / asked.standard_deviation) ** 2 if asked.standard_deviation else None
    return Scatter(
        n=result.n,
        share=shares[code],
        asked=_spread(asked, confidence_level),
        direct=_spread(direct, confidence_level),
        worth=math.floor(worth) if worth else None,
    )


def _spread(distribution: SamplingDistribution, confidence_level: float) -> Spread:
    estimates, densities = distribution.density()
    low, high = distribution.central(confidence_level)
    return Spread(
        tuple(zip(estimates.tolist(), densities.tolist(), strict=True)), distribution.standard_deviation, low, high
    )


# All that is known of one question.


_PROFILES = "likelihood_ratio"


@dataclass(frozen=True, slots=True)
class QuestionDetail:
    """One question's results in full, and the same with every interval method."""

    result: QuestionResult
    by_method: Mapping[str, tuple[ItemResult, ...]]  # the items' results by method; empty where too few answered
    n_by_mode: tuple[NamedPart, ...]  # of all responses in the figures
    n_by_group: tuple[NamedPart, ...]  # of those who answered it


def question_detail(
    question: AskedQuestion,
    definition: Definition,
    snapshot: Snapshot,
    wanted: FigureOptions,
    groups: Mapping[int, str],
) -> QuestionDetail:
    """Return all that is known of one question; `groups` are names by primary key."""
    result = question_result(question, snapshot, wanted, in_full=True)
    told = separable_groups(snapshot, definition)
    return QuestionDetail(
        result=result,
        by_method=_by_method(result, wanted) if result.enough else {},
        n_by_mode=parts_by_mode(snapshot, definition, told),
        n_by_group=parts_by_group(answered_by_group(question.first, snapshot), groups, told) if result.enough else (),
    )


def _by_method(result: QuestionResult, wanted: FigureOptions) -> dict[str, tuple[ItemResult, ...]]:
    profiles = _with_method(result, replace(wanted, method=_PROFILES))
    found = {_PROFILES: profiles}
    for method in METHODS:
        if method != _PROFILES:
            found[method] = _with_method(result, replace(wanted, method=method), profiles)
    return found


def _with_method(
    result: QuestionResult, wanted: FigureOptions, profiles: tuple[ItemResult, ...] = ()
) -> tuple[ItemResult, ...]:
    """Return the items' results by another method; given those by profiles, they stand where it does not exist."""
    found = []
    for place, item in enumerate(result.items):
        if item.prevalence is None:
            continue
        shares = shares_of(result.question, item.item, item.prevalence.counts, item.missing, wanted)
        shares = replace(shares, too_few_say=item.too_few_say)
        if profiles and wanted.method != "wald" and _only_by_profiles(item):
            found.append(replace(shares, scale=profiles[place].scale, bands=profiles[place].bands))
        else:
            found.append(with_figures(result.question, shares, wanted))
    return tuple(found)


def _only_by_profiles(item: ItemResult) -> bool:
    """Whether what is said besides the shares has no interval but by profiles, which take long, and Wald's."""
    return bool(item.bands or (item.scale and item.scale.among_those_who_say))
