"""One published release of every mechanism, from a survey of every kind, its reports simulated with a seed."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from surveys.common.selectors import definition_of
from surveys.models import Mechanism, Release, Survey
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.reports import CODES
from tests.factories import (
    PROTECTED,
    crosswise,
    fill,
    make_budget,
    make_open,
    number_bands,
    number_mean,
    numbers_of,
    one_by_option,
    one_of,
    scale,
    several_of,
    triangular,
    yes_no,
)
from tests.releases.setting import published_release

DELTA = Fraction(1, 1_000_000)

HOSTILE = "<script>alert(1)</script> \u200fשלום & {{ x }}"
"""What authors may write, or somebody who wants to break a page: markup, right to left, template code."""

ONE_OF, SEVERAL, SCALE, MEAN, BANDS, YES_NO = 0, 1, 2, 3, 4, 5
PROTECTED_ONE, PROTECTED_SCALE, PROTECTED_MEAN, PROTECTED_BANDS, PROTECTED_SEVERAL = 6, 7, 8, 9, 10
CROSSWISE, TRIANGULAR, BY_OPTION = 11, 12, 13

WITH_DELTA = {
    Mechanism.GAUSSIAN_HISTOGRAM,
    Mechanism.TREE_COUNTS,
    Mechanism.STABLE_MODE,
    Mechanism.STABLE_MEDIAN,
}

# Every mechanism with every kind of question it treats in a way of its own, and the options it needs.
ALL: list[tuple[Mechanism, Sequence[int], Mapping[str, Any]]] = [
    (Mechanism.LAPLACE_HISTOGRAM, (YES_NO,), {}),
    (Mechanism.LAPLACE_HISTOGRAM, (ONE_OF, SEVERAL, MEAN, CROSSWISE, BY_OPTION), {}),
    (Mechanism.LAPLACE_HISTOGRAM, (PROTECTED_ONE, PROTECTED_MEAN, PROTECTED_SEVERAL, TRIANGULAR), {}),
    (Mechanism.GAUSSIAN_HISTOGRAM, (ONE_OF, SEVERAL), {}),
    (Mechanism.ONE_COUNT, (ONE_OF, PROTECTED_SCALE), {"answer": "1"}),
    (Mechanism.TREE_COUNTS, (SCALE, BANDS), {}),
    (Mechanism.MOST_COMMON, (ONE_OF, SEVERAL, PROTECTED_ONE, BY_OPTION), {}),
    (Mechanism.PERMUTE_AND_FLIP, (ONE_OF, SEVERAL), {}),
    (Mechanism.TOP, (ONE_OF, SEVERAL), {"how_many": "2"}),
    (Mechanism.QUANTILE, (SCALE, BANDS), {"share": "1/2"}),
    (Mechanism.QUANTILE, (PROTECTED_SCALE,), {"share": "1/3"}),
    (Mechanism.BEST_PRICE, (BANDS,), {}),
    (Mechanism.BEST_PRICE, (PROTECTED_BANDS,), {}),
    (Mechanism.TOTAL, (MEAN, BANDS, SCALE), {}),
    (Mechanism.TOTAL, (PROTECTED_MEAN,), {}),
    (Mechanism.MEAN, (MEAN, BANDS, SCALE), {}),
    (Mechanism.MEAN, (PROTECTED_BANDS,), {}),
    (Mechanism.VARIANCE, (BANDS, SCALE), {}),
    (Mechanism.VARIANCE, (PROTECTED_SCALE,), {}),
    (Mechanism.BOUNDS, (BANDS,), {}),
    (Mechanism.BOUNDS, (PROTECTED_BANDS,), {}),
    (Mechanism.SMOOTH_MEDIAN, (SCALE, BANDS), {}),
    (Mechanism.STABLE_MODE, (ONE_OF, YES_NO), {}),
    (Mechanism.STABLE_MEDIAN, (SCALE,), {"bound": "1"}),
    (Mechanism.JOINT_TABLE, (SCALE, YES_NO), {"outcome": str(SCALE + 1)}),
    (Mechanism.FIGURES_BY_GROUP, (SCALE, YES_NO), {"outcome": str(SCALE + 1)}),
    (Mechanism.BEST_PREDICTOR, (YES_NO, SCALE, ONE_OF), {"outcome": str(YES_NO + 1)}),
]


def survey_of_every_kind(n: int = 1_000, seed: int = 1, note: str = "", **fields: Any) -> Survey:
    """Return an opened survey with the largest budget and n simulated responses; the note is part of every text."""
    questions = [
        one_of(("Never" + note, "Once", "Often", "Always"), "How often?" + note),
        several_of(text="Which did you use?" + note),
        scale("How often were you afraid?" + note),
        number_mean("How many hours did you work unpaid?" + note),
        number_bands("How much did you not declare?" + note),
        yes_no("Have you ever cheated in an exam?" + note),
        one_of(text="How often, or not saying?" + note, **PROTECTED),
        scale("How afraid, or not saying?" + note, **PROTECTED),
        number_mean("How many, or not saying?" + note, **PROTECTED),
        number_bands("How much, or not saying?" + note, **PROTECTED),
        several_of(text="Which, or not saying?" + note, **PROTECTED),
        crosswise("Have you ever shoplifted?" + note),
        triangular("Have you ever dodged a fare?" + note),
        one_by_option("Which is the worst that you did?" + note),
    ]
    survey = make_open(*questions, **fields)
    fill(survey, simulated(definition_of(survey), n, seed))
    make_budget(survey, 10, Fraction(1, 1_000))
    return survey


def simulated(definition: Definition, n: int, seed: int) -> Counter[str]:
    """Return how often each reports text came from n people with random truths."""
    rng = np.random.default_rng(seed)
    columns = []
    for item in definition.items:
        matrix = np.array(item.design.matrix, dtype=float)
        shares = rng.dirichlet(np.ones(item.design.k))
        truths = rng.choice(item.design.k, size=n, p=shares)
        columns.append([rng.choice(item.design.m, p=matrix[:, truth] / matrix[:, truth].sum()) for truth in truths])
    return Counter("".join(CODES[code] for code in row) for row in zip(*columns, strict=True))


def questions_of(survey: Survey, places: Sequence[int]) -> list[int]:
    questions = numbers_of(survey)
    return [questions[place] for place in places]


def every_release(
    survey: Survey, epsilon: Fraction = Fraction(9, 25), only: Collection[str] = Mechanism.values
) -> Iterator[Release]:
    """Draw and publish all of them, or those of some mechanisms."""
    for mechanism, places, options in ALL:
        if mechanism not in only:
            continue
        yield published_release(
            survey,
            questions=questions_of(survey, places),
            mechanism=mechanism,
            options=dict(options),
            epsilon=epsilon,
            delta=DELTA * len(places) if mechanism in WITH_DELTA else Fraction(0),
        )
