"""Every mechanism with every question that suits it: released through the service, stored as documented, exact."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from surveys.common.selectors import definition_of
from surveys.models import Mechanism, Release
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import Norm
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.question import Question
from surveys.releases.families.medians import step_of
from surveys.releases.mechanisms import PLANS
from tests.factories import (
    PROTECTED,
    fill,
    make_admin,
    make_budget,
    make_open,
    number_bands,
    number_mean,
    one_of,
    scale,
    several_of,
    yes_no,
)
from tests.privacy.chance import seeded
from tests.releases.asked import ALONE, MILLIONTH, all_drafts, asked_as, options_for, terms_of
from tests.releases.setting import make_release

N = 120
EPSILON = Fraction(1, 10)


def _is_exact(value: object) -> bool:
    return isinstance(value, str) and str(Fraction(value)) == value


def _integers(length: int) -> Callable[[Any], bool]:
    return lambda counts: len(counts) == length and all(type(count) is int for count in counts)


FORMATS: dict[str, dict[str, Callable[[Any], bool]]] = {
    Mechanism.ONE_COUNT: {"noisy_counts": lambda counts: len(counts) == 2 and sum(counts) == N},
    Mechanism.MOST_COMMON: {"index": lambda index: type(index) is int, "label": lambda label: type(label) is str},
    Mechanism.PERMUTE_AND_FLIP: {"index": lambda index: type(index) is int, "label": lambda label: type(label) is str},
    Mechanism.TOP: {"indices": lambda codes: len(set(codes)) == 2, "labels": lambda labels: len(set(labels)) == 2},
    Mechanism.QUANTILE: {"index": lambda index: type(index) is int, "label": lambda label: type(label) is str},
    Mechanism.BEST_PRICE: {"index": lambda index: type(index) is int, "price": _is_exact},
    Mechanism.TOTAL: {"total": _is_exact},
    Mechanism.MEAN: dict.fromkeys(("total", "count", "mean"), _is_exact),
    Mechanism.VARIANCE: dict.fromkeys(("total", "squares", "count", "variance"), _is_exact),
    Mechanism.BOUNDS: {
        "noisy_counts": lambda counts: all(type(count) is int for count in counts),
        "low": lambda code: code is None or code >= 0,
        "high": lambda code: code is None or code >= 0,
        "certainty": lambda share: share is None or _is_exact(share),
    },
    Mechanism.SMOOTH_MEDIAN: {"value": _is_exact, "distance": lambda distance: type(distance) is int},
    Mechanism.STABLE_MODE: {"index": lambda index: index is None, "label": lambda label: label is None},
    Mechanism.STABLE_MEDIAN: {"value": lambda value: value is None or _is_exact(value)},
}


def _released(mechanism: str) -> list[tuple[AskedQuestion, Release]]:
    """Return one release of every question that suits, all of one survey."""
    offer, user = PLANS[mechanism], make_admin()
    survey = make_open(*(draft for draft in all_drafts() if not offer.unsuitable(asked_as(draft)[0])))
    definition = definition_of(survey)
    fill(survey, {"0" * len(definition.items): N // 2, "1" * len(definition.items): N // 2})
    make_budget(survey, 1, MILLIONTH * 100)
    return [
        (
            asked,
            make_release(
                survey,
                user=user,
                questions=[asked.number],
                mechanism=mechanism,
                epsilon=EPSILON / 2,
                delta=MILLIONTH if offer.uses_delta else Fraction(0),
                options=options_for(asked, mechanism),
                randbelow=seeded(asked.number),
            ),
        )
        for asked in definition.questions
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("mechanism", ALONE)
def test_it_is_stored_as_documented_and_its_terms_are_rebuilt_from_that(mechanism: str) -> None:
    for asked, release in _released(mechanism):
        [part] = release.parts.all()
        counted = len(asked.items) if asked.answers.by_option else asked.design.m
        expected = FORMATS.get(mechanism, {"noisy_counts": _integers(counted)})
        assert part.output.keys() == expected.keys()
        for name, holds in expected.items():
            assert holds(part.output[name]), (name, part.output[name])
        terms = PLANS[mechanism].of_part(part, {asked.number: asked})
        assert terms.stored(terms.restored(part.output)) == part.output
        assert terms.n == N
        assert terms.mechanism.loss == PrivacyLoss(release.epsilon, release.delta)
        declared = terms.mechanism.sensitivity
        assert (str(declared.value), declared.norm.name) == (part.parameters["sensitivity"], part.parameters["norm"])
        assert declared.relation is NeighbouringRelation.REPLACE_ONE


# By hand: a coin that asks for the truth with probability 1/2 makes everything debiased twice as large.
SENSITIVITIES = [
    ("laplace_histogram", yes_no(), 1, Norm.L1),
    ("laplace_histogram", one_of(), 2, Norm.L1),
    ("laplace_histogram", several_of(), 3, Norm.L1),
    ("laplace_histogram", several_of(**PROTECTED), 3, Norm.L1),
    ("laplace_histogram", number_mean(), 1, Norm.L1),
    ("gaussian_histogram", one_of(), 2, Norm.L2_SQUARED),
    ("gaussian_histogram", several_of(), 3, Norm.L2_SQUARED),
    ("one_count", one_of(), 1, Norm.L1),
    ("tree_counts", scale(), 2, Norm.L2_SQUARED),
    ("tree_counts", scale(points=11), 4, Norm.L2_SQUARED),
    ("most_common", one_of(), 2, Norm.ABSOLUTE),
    ("most_common", several_of(), 2, Norm.ABSOLUTE),
    ("permute_and_flip", one_of(), 2, Norm.ABSOLUTE),
    ("top", scale(), 2, Norm.ABSOLUTE),
    ("quantile", scale(), 2, Norm.ABSOLUTE),
    ("quantile", scale(**PROTECTED), 2, Norm.ABSOLUTE),
    ("best_price", number_bands(), 2000, Norm.ABSOLUTE),
    ("total", number_mean(), 24, Norm.ABSOLUTE),
    ("total", scale(), 8, Norm.ABSOLUTE),
    ("total", number_bands(), 10900, Norm.ABSOLUTE),
    ("mean", number_mean(), 24, Norm.ABSOLUTE),
    ("mean", scale(), 8, Norm.ABSOLUTE),
    ("variance", scale(), 8, Norm.ABSOLUTE),
    ("bounds", number_bands(), 2, Norm.L1),
    ("smooth_median", scale(), 4, Norm.ABSOLUTE),
    ("stable_mode", one_of(), 1, Norm.ABSOLUTE),
    ("stable_median", scale(), 1, Norm.ABSOLUTE),
]


@pytest.mark.parametrize(("mechanism", "draft", "value", "norm"), SENSITIVITIES)
def test_its_sensitivity_is_what_it_is_by_hand(mechanism: str, draft: Question, value: int, norm: Norm) -> None:
    declared = terms_of(draft, mechanism).mechanism.sensitivity
    assert (declared.value, declared.norm) == (value, norm)
    assert declared.relation is NeighbouringRelation.REPLACE_ONE


@pytest.mark.parametrize("mechanism", ALONE)
def test_what_it_costs_is_what_it_is_paid(mechanism: str) -> None:
    terms = terms_of(number_bands(), mechanism, epsilon=Fraction(3, 7))
    assert terms.mechanism.loss == terms.loss
    assert (terms.loss.delta > 0) == PLANS[mechanism].uses_delta


@pytest.mark.django_db
def test_one_count_counts_the_answer_asked_for_and_no_other() -> None:
    survey = make_open(one_of())
    fill(survey, {"0": 10, "1": 20, "2": 70})
    make_budget(survey, 10)
    release = make_release(survey, mechanism="one_count", epsilon=Fraction(10), options={"answer": "2"})
    others, this = release.parts.get().output["noisy_counts"]
    assert others + this == 100
    # Pr(|noise| > 3) at ε = 10 is below 1e-16.
    assert abs(this - 70) <= 3


@pytest.mark.django_db
def test_of_several_options_each_has_the_count_of_those_who_report_it() -> None:
    survey = make_open(several_of(leave_out="visibly"))
    fill(survey, {"100": 50, "110": 30, "---": 40})
    make_budget(survey, 10)
    part = make_release(survey, epsilon=Fraction(10)).parts.get()
    assert part.n == 80
    # Pr(|noise| > 12) at ε/3 is below 1e-16 each.
    assert max(abs(noisy - count) for noisy, count in zip(part.output["noisy_counts"], (80, 30, 0), strict=True)) <= 12


@pytest.mark.parametrize(
    ("edges", "step"), [((0, 1, 2, 3), "1/100"), ((0, 1000, 3000, 4000), "10"), ((0, "1/2", 1, 5), "1/1000")]
)
def test_medians_are_on_a_public_grid_a_hundred_times_finer_than_the_answers(
    edges: tuple[int | str, ...], step: str
) -> None:
    pairs = [[Fraction(edge).numerator, Fraction(edge).denominator] for edge in edges]
    [asked] = asked_as(number_bands(details={"edges": pairs, "unit": "€"}))
    assert step_of(asked) == Fraction(step)
