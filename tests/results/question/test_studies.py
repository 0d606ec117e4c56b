"""How often the limits on a question's page hold the truth, over 2,000 studies of each design, from counts.

Each has a twin: where people do not do as is supposed, or nothing is corrected, they hold it clearly less often.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from surveys.drafts.figures import models_of
from surveys.results.figures.arms import ArmComparison, compare_arms
from surveys.results.figures.questions import FigureOptions, question_result
from surveys.results.figures.two_arms import fit_two_arms
from tests.factories import (
    crosswise,
    kuk,
    mangat,
    number_mean,
    number_window,
    plain,
    scrambled_number,
    triangular,
    unrelated,
    unrelated_number,
    warner,
    yes_no,
)
from tests.questionnaire.test_branches import after
from tests.results.studied import Ask, Codes, Studied, both_arms, held_as_said, holds, shares_held

pytestmark = [pytest.mark.django_db, pytest.mark.studies]
WANTED = FigureOptions()
DIRECT: dict[str, Any] = {"design": "plain", "parameters": {}}


def _compared(studied: Studied, truths: tuple[Codes, Codes]) -> ArmComparison:
    first, second = (studied.sent(number, codes) for number, codes in enumerate(truths, start=1))
    definition, snapshot = studied.told([first, None], [None, second])
    compared = compare_arms(definition.questions[0], definition, snapshot, WANTED)
    assert compared
    return compared


# Two ways of asking, each of 300 people; asked directly a third of those with Yes say No.


@pytest.mark.parametrize(
    ("one", "other", "shares"),
    [
        (yes_no, lambda **changes: yes_no(**(changes | DIRECT)), (0.3, 0.2)),
        (kuk, mangat, (0.3, 0.3)),
        (warner, unrelated, (0.4, 0.4)),
        (crosswise, triangular, (0.3, 0.3)),
    ],
    ids=["direct", "kuk and mangat", "warner and unrelated", "crosswise and triangular"],
)
def test_both_ways_of_asking_and_their_difference(one: Ask, other: Ask, shares: tuple[float, float]) -> None:
    studied = Studied.of(*both_arms(one, other), arms=2)

    def study() -> Sequence[bool]:
        compared = _compared(studied, (studied.have(shares[0], 300), studied.have(shares[1], 300)))
        [difference] = compared.differences or [None]
        held = [holds(answer.share, share) for answer, share in zip(compared.answers, shares, strict=True)]
        held.append(difference is not None and holds(difference.interval, shares[0] - shares[1]))
        if shares[0] == shares[1]:
            held.append(compared.together is not None and holds(compared.together, shares[0]))
        return held

    held_as_said(study)


def test_one_share_for_both_is_not_believed_where_a_third_deny() -> None:
    studied = Studied.of(*both_arms(yes_no, lambda **changes: yes_no(**(changes | DIRECT))), arms=2)

    def study() -> Sequence[bool]:
        compared = _compared(studied, (studied.have(0.3, 300), studied.have(0.2, 300)))
        return [compared.together is not None and holds(compared.together, 0.3)]

    assert shares_held(study, 60)[0] < 0.7


# Two arms of one design, which tell one thing more.

_PAIRS = [
    ("cheating_detection", yes_no, [{"truth": [1, 2], "yes": [1, 10]}, {"truth": [1, 2], "yes": [9, 10]}]),
    ("lie_detector", mangat, [{"p": [4, 5]}, {"p": [2, 5]}]),
    ("unrelated_unknown", unrelated, [{"p": [7, 10], "q": [1, 4]}, {"p": [3, 10], "q": [1, 4]}]),
]


def _pair(name: str) -> Studied:
    _name, ask, parameters = next(pair for pair in _PAIRS if pair[0] == name)
    return Studied.of(*both_arms(ask, ask, *({"parameters": each} for each in parameters)), arms=2)


def _yes_rates(name: str, studied: Studied, truth: tuple[float, ...]) -> tuple[float, float]:
    """How often each arm says Yes, by the model's own words: not by the weights that estimates use."""
    rates = []
    for number in (1, 2):
        (_no, (if_no, if_yes)) = np.array(studied.design(number).matrix, dtype=float)
        if name == "cheating_detection":
            rates.append(truth[0] * if_yes + truth[1] * if_no)
        elif name == "lie_detector":
            rates.append(truth[0] * truth[1] + (1 - truth[0]) * if_no)
        else:
            p = (0.7, 0.3)[number - 1]
            rates.append(p * truth[0] + (1 - p) * truth[1])
    return rates[0], rates[1]


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("cheating_detection", (0.3, 0.45, 0.25)),
        ("lie_detector", (0.5, 0.7)),
        ("unrelated_unknown", (0.3, 0.4)),
    ],
)
def test_all_shares_of_a_model_of_two_arms(name: str, truth: tuple[float, ...]) -> None:
    studied = _pair(name)
    rates = _yes_rates(name, studied, truth)

    def fitted(rates: tuple[float, float]) -> list[bool]:
        arms = [(studied.generator.random(500) < rate).astype(np.int64) for rate in rates]
        definition, snapshot = studied.told([arms[0], None], [None, arms[1]])
        compared = compare_arms(definition.questions[0], definition, snapshot, WANTED)
        assert compared
        (model,) = models_of(definition.questions[0], definition.questions)
        parameters = fit_two_arms(model, compared, WANTED).parameters
        return [holds(parameter, share) for parameter, share in zip(parameters, truth, strict=True)]

    held_as_said(lambda: fitted(rates))
    # The twin: in the second arm a tenth of all say No besides.
    assert shares_held(lambda: fitted((rates[0], 0.9 * rates[1])), 200).min() < 0.9


# Means, and questions that only some are asked.


def test_means_of_numbers_by_one_bit_and_by_a_window() -> None:
    studied = Studied.of(number_mean(leave_out="no"), number_window(leave_out="no"))
    chances = np.array([0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.03, 0.02])
    hours = np.arange(9) * 1.5
    truth = float(chances @ hours)

    def study(shift: float = 0.0) -> Sequence[bool]:
        codes = studied.generator.choice(9, 400, p=chances)
        up = studied.have(np.clip(hours[codes] / 12 + shift, 0, 1), 400)
        moved = np.minimum(8, codes + studied.have(4 * shift, 400))
        definition, snapshot = studied.told([studied.sent(1, up), studied.sent(2, moved)])
        means = [question_result(question, snapshot, WANTED).first.mean for question in definition.questions]
        return [holds(mean, truth) for mean in means]

    held_as_said(study)
    assert shares_held(lambda: study(0.2), 200).max() < 0.9


def test_means_of_scrambled_and_of_unrelated_numbers() -> None:
    studied = Studied.of(scrambled_number(leave_out="no"), unrelated_number(leave_out="no"))
    of_hours, of_days = [0.3, 0.25, 0.2, 0.15, 0.1], [0.25, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.04, 0.03, 0.03]
    truths = (3 * float(np.arange(5) @ of_hours), float(np.arange(10) @ of_days))

    def study(denied: float = 0.0) -> Sequence[bool]:
        codes = [studied.generator.choice(len(chances), 400, p=chances) for chances in (of_hours, of_days)]
        reported = [np.where(studied.have(denied, 400), 0, each) for each in codes]
        definition, snapshot = studied.told(
            [studied.sent(number, each) for number, each in enumerate(reported, start=1)]
        )
        means = [question_result(question, snapshot, WANTED).first.mean for question in definition.questions]
        return [holds(mean, truth) for mean, truth in zip(means, truths, strict=True)]

    held_as_said(study)
    assert shares_held(lambda: study(0.4), 200).max() < 0.9


def test_a_share_among_those_who_are_asked() -> None:
    studied = Studied.of(plain(("Employed", "Studying"), "What do you do?"), yes_no(leave_out="no", **after(1, 0)))

    def study() -> Sequence[bool]:
        studying = studied.have(0.4, 500)
        sent = np.where(studying, 255, studied.sent(2, studied.have(0.25, 500)))
        definition, snapshot = studied.told([studying, sent])
        result = question_result(definition.questions[1], snapshot, WANTED)
        everybody.append(result.first.n == 500)
        return [holds(result.first.options[1], 0.25)]

    everybody: list[bool] = []
    held_as_said(study)
    assert not any(everybody)
