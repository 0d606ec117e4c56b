"""How often what pages tell holds the truth, over 2,000 studies of each design: from counts by the pages' own figures.

Each has a twin: people who do not do as is supposed, or a figure that corrects nothing, are held clearly less often.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from surveys.drafts.figures import models_of
from surveys.drafts.services.surveys import QuestionDraft
from surveys.results.adherence.figures import anchored_finding, attention_points, fixed_reports, mirrored_arms
from surveys.results.figures.items import FigureOptions
from surveys.results.figures.overview import question_result
from surveys.results.lists.figures import ListComparison, compare_lists
from surveys.results.question.figures import ArmComparison, compare_arms, fit_two_arms
from surveys.results.weights.figures import GroupCategories, KnownShares, WeightingPlan, weighted_results
from tests.factories import (
    INNOCUOUS,
    SENSITIVE,
    crosswise,
    item_count,
    kuk,
    mangat,
    number_mean,
    number_window,
    plain,
    triangular,
    two_lists,
    unrelated,
    warner,
    yes_no,
)
from tests.models.test_branches import after
from tests.results.studied import Codes, Studied, held_as_said, holds, shares_held

pytestmark = [pytest.mark.django_db, pytest.mark.studies]

WANTED = FigureOptions()
DIRECT: dict[str, Any] = {"design": "plain", "parameters": {}}
Ask = Callable[..., QuestionDraft]


def _fact(who: str) -> dict[str, Any]:
    details = {"innocuous": f"Was your {who} born in January to March?", "innocuous_source": "Births by month: 1 of 4."}
    return {"details": details, "leave_out": "no"}


def _both_arms(one: Ask, other: Ask, *changes: dict[str, Any]) -> list[QuestionDraft]:
    first, second = changes or ({}, {})
    asked = {"quantity": 1, "leave_out": "no"}
    return [one(arms=[1], **(asked | first)), other(arms=[2], **(asked | second))]


def _compared(studied: Studied, truths: tuple[Codes, Codes]) -> ArmComparison:
    first, second = (studied.sent(number, codes) for number, codes in enumerate(truths, start=1))
    definition, snapshot = studied.told([first, None], [None, second])
    found = compare_arms(definition.questions[0], definition, snapshot, WANTED)
    assert found
    return found


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
    studied = Studied.of(*_both_arms(one, other), arms=2)

    def study() -> Sequence[bool]:
        compared = _compared(studied, (studied.have(shares[0], 300), studied.have(shares[1], 300)))
        [difference] = compared.differences or [None]
        found = [holds(answer.share, share) for answer, share in zip(compared.answers, shares, strict=True)]
        found.append(difference is not None and holds(difference.interval, shares[0] - shares[1]))
        if shares[0] == shares[1]:
            found.append(compared.together is not None and holds(compared.together, shares[0]))
        return found

    held_as_said(study)


def test_one_share_for_both_is_not_believed_where_a_third_deny() -> None:
    studied = Studied.of(*_both_arms(yes_no, lambda **changes: yes_no(**(changes | DIRECT))), arms=2)

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
    return Studied.of(*_both_arms(ask, ask, *({"parameters": each} for each in parameters)), arms=2)


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
        found = fit_two_arms(model, compared, WANTED)
        return [holds(parameter, share) for parameter, share in zip(found.parameters, truth, strict=True)]

    held_as_said(lambda: fitted(rates))
    # The twin: in the second arm a tenth of all say No besides.
    assert shares_held(lambda: fitted((rates[0], 0.9 * rates[1])), 200).min() < 0.9


# Who does not follow: two mirrored arms, an anchor, a curve, fixed reports.


@pytest.mark.parametrize(("ask", "turned"), [(crosswise, [3, 4]), (triangular, [1, 2])])
def test_mirrored_arms_and_how_often_they_are_called_unlike(ask: Ask, turned: list[int]) -> None:
    studied = Studied.of(*_both_arms(ask, ask, _fact("mother"), _fact("aunt") | {"parameters": {"p": turned}}), arms=2)

    def study(one_sayers: float = 0.0) -> Sequence[bool]:
        sent = [studied.sent(number, studied.have(0.3, 400)) for number in (1, 2)]
        for reports in sent:
            reports[studied.generator.random(400) < one_sayers] = 0
        definition, snapshot = studied.told([sent[0], None], [None, sent[1]])
        results = [question_result(question, snapshot, WANTED) for question in definition.questions]
        found = mirrored_arms(definition.questions[0], results, WANTED.confidence_level)
        return [found is not None and holds(found, 0.3), found is not None and found.p_value > 0.05]

    held_as_said(study)
    assert shares_held(lambda: study(0.25), 200)[1] < 0.8


def _with_anchor() -> Studied:
    anchor = crosswise("Have you been to the moon?", **_fact("father"))
    return Studied.of(crosswise(**_fact("mother")), anchor)


@pytest.mark.parametrize("method", ["likelihood_ratio", "bootstrap"])
def test_an_anchor_corrects_for_those_who_tap_at_random(method: str) -> None:
    studied, wanted = _with_anchor(), FigureOptions(method=method)

    def study() -> Sequence[bool]:
        attend = [studied.have(0.75, 1_000) for _question in range(2)]
        sent = [studied.sent(1, studied.have(0.15, 1_000)), studied.sent(2, np.zeros(1_000, dtype=np.int64))]
        random = studied.have(0.5, 1_000), studied.have(0.5, 1_000)
        both = [np.where(here, own, other) for here, own, other in zip(attend, sent, random, strict=True)]
        definition, snapshot = studied.told(both)
        item, other = (question.first for question in definition.questions)
        found = anchored_finding(item, other, Fraction(0), snapshot, wanted)
        uncorrected.append(holds(found.uncorrected, 0.15))
        return [holds(found.corrected, 0.15), holds(found.attentive, 0.75)]

    uncorrected: list[bool] = []
    held_as_said(study)
    assert np.mean(uncorrected) < 0.7


def test_the_curve_holds_where_the_share_of_followers_is_right() -> None:
    studied = _with_anchor()

    def study() -> Sequence[bool]:
        sent = np.where(studied.have(0.75, 800), studied.sent(1, studied.have(0.15, 800)), studied.have(0.5, 800))
        definition, snapshot = studied.told([sent, sent])
        points = attention_points(question_result(definition.questions[0], snapshot, WANTED), WANTED)
        by_share = {point.attentive: holds(point, 0.15) for point in points}
        everybody.append(by_share[Fraction(1)])
        return [by_share[Fraction(3, 4)]]

    everybody: list[bool] = []
    held_as_said(study)
    assert np.mean(everybody) < 0.7


def test_fixed_reports_and_the_share_of_yes_among_the_others() -> None:
    # Of two questions: of three, whose limits take two seconds a study, the core's own studies are.
    studied = Studied.of(*(crosswise(f"Have you ever robbed a {who}?", **_fact(who)) for who in ("mother", "aunt")))
    shares = (0.3, 0.4)

    def study() -> Sequence[bool]:
        same = studied.have(0.2, 1_200)
        sent = [
            np.where(same, 0, studied.sent(number, studied.have(share, 1_200)))
            for number, share in enumerate(shares, start=1)
        ]
        definition, snapshot = studied.told(sent)
        found = fixed_reports(definition.items, [0, 0], snapshot, WANTED.confidence_level)
        assert found.headline
        plainly = question_result(definition.questions[0], snapshot, WANTED).first.options[1]
        uncorrected.append(holds(plainly, shares[0]))
        return [
            holds(found.headline, 0.2),
            *(holds(other, share) for other, share in zip(found.others, shares, strict=True)),
        ]

    uncorrected: list[bool] = []
    held_as_said(study)
    assert np.mean(uncorrected) < 0.9


# Lists of statements.

_INNOCUOUS = (0.7, 0.4, 0.15)
_HAS = 0.3


def _counted(studied: Studied, n: int) -> Codes:
    return (studied.generator.random((n, 3)) < _INNOCUOUS).sum(axis=1)


def _lists_compared(studied: Studied, deny: float = 0.0) -> ListComparison:
    n = 500
    has = [studied.have(_HAS, n) for _arm in range(2)]
    said = has[1] * (1 - studied.have(deny, n))
    short, long = studied.sent(1, _counted(studied, n)), studied.sent(2, _counted(studied, n) + said)
    # Asked directly half of those who have it say so.
    direct = [each * studied.have(0.5, n) for each in has]
    protected = [studied.sent(4, studied.have(0.5, n)) for _arm in range(2)]
    _told, snapshot = studied.told([short, None, direct[0], protected[0]], [None, long, direct[1], protected[1]])
    found = compare_lists(studied.stored.questions[0], studied.stored, snapshot)
    assert found
    return found


@pytest.mark.parametrize("design", [DIRECT, {"parameters": {"truth": [3, 4]}}], ids=["plain", "coin"])
def test_a_list_by_means_by_likelihood_and_with_direct_answers(design: dict[str, Any]) -> None:
    beside = [yes_no("Cheated?", quantity=1, leave_out="no", **DIRECT), yes_no("All?", leave_out="no")]
    studied = Studied.of(*two_lists(**design), *beside, arms=2)

    def study(deny: float = 0.0) -> Sequence[bool]:
        found = _lists_compared(studied, deny)
        assert found.estimate
        low, high = found.estimate.difference.limits(0.95)
        return [
            low <= _HAS <= high,
            found.combined is not None and holds(found.combined.interval(), _HAS),
            found.likelihood is None or holds(found.likelihood.prevalence_interval(), _HAS),
            found.effect is not None and not found.effect.suspicious,
        ]

    held = shares_held(study)
    assert ((held[:3] >= 0.93) & (held[:3] <= 0.97)).all(), held
    # The test of no design effect keeps its level, and may reject less often.
    assert held[3] >= 0.93
    assert shares_held(lambda: study(2 / 3), 200)[0] < 0.9


def test_two_lists_of_the_same_people() -> None:
    others = [f"{statement} of my own" for statement in INNOCUOUS]
    crossed = [
        item_count(others, "And of these?", arms=[2], quantity=2),
        item_count([*others, SENSITIVE], "And of these?", arms=[1], quantity=2),
    ]
    studied = Studied.of(*two_lists(), *crossed, arms=2)

    def study(more: float = 0.0) -> Sequence[bool]:
        n = 500
        has = [studied.have(_HAS, n) for _arm in range(2)]
        wished = studied.have(more, n)
        first = [studied.sent(1, _counted(studied, n)), studied.sent(4, np.minimum(4, _counted(studied, n) + has[0]))]
        second = [
            studied.sent(2, _counted(studied, n) + np.maximum(has[1], wished)),
            studied.sent(3, _counted(studied, n)),
        ]
        _told, snapshot = studied.told([first[0], None, None, first[1]], [None, second[0], second[1], None])
        found = compare_lists(studied.stored.questions[0], studied.stored, snapshot)
        assert found
        assert found.double
        return [holds(found.double.interval(), _HAS), found.double.apart_p_value > 0.05]

    held_as_said(study)
    assert shares_held(lambda: study(0.5), 200).min() < 0.9


# Weights: Arts are 60 of 100 and came as 35 of 100; of them 50 of 100 have it, of the others 10.


def _weighted(studied: Studied, plan: WeightingPlan, sent: Sequence[Codes], groups: Codes | None = None) -> Any:  # noqa: ANN401
    definition, snapshot = studied.told(sent, groups=groups)
    [question] = weighted_results(definition, snapshot, plan).questions
    [item] = question.items
    return item.answers[-1]


def _known(studied: Studied, shares: tuple[float, ...]) -> KnownShares:
    item = studied.stored.questions[1].first
    return KnownShares(item, item.title, item.labels, shares)


def test_what_is_weighted_to_a_known_share() -> None:
    studied = Studied.of(yes_no(leave_out="no"), plain(("Arts", "Science"), "What do you study?"))
    plan = WeightingPlan((_known(studied, (0.6, 0.4)),), "none", None, GroupCategories((), ()), WANTED)
    truth = 0.6 * 0.5 + 0.4 * 0.1

    def study() -> Sequence[bool]:
        science = studied.have(0.65, 600)
        answer = _weighted(studied, plan, [studied.sent(1, studied.have(np.where(science, 0.1, 0.5), 600)), science])
        unweighted.append(holds(answer.unweighted, truth))
        return [holds(answer.weighted, truth)]

    unweighted: list[bool] = []
    held_as_said(study)
    assert np.mean(unweighted) < 0.9


def test_what_groups_as_clusters_tell() -> None:
    studied = Studied.of(yes_no(leave_out="no"), plain(("Arts", "Science"), "What do you study?"))
    keys = np.arange(1, 31)
    groups = GroupCategories(tuple(keys.tolist()), tuple(map(str, keys)))
    plan, alone = (WeightingPlan((), role, None, groups, WANTED) for role in ("clusters", "none"))

    def study() -> Sequence[bool]:
        # 30 classes of 30, drawn of many: in each another share has it, 30 of 100 in all.
        own = studied.generator.beta(1.5, 3.5, len(keys))
        of = np.repeat(keys, 30)
        sent = [studied.sent(1, studied.have(np.repeat(own, 30), 900)), studied.have(0.5, 900)]
        apart.append(holds(_weighted(studied, alone, sent, of).weighted, 0.3))
        return [holds(_weighted(studied, plan, sent, of).weighted, 0.3)]

    apart: list[bool] = []
    held_as_said(study)
    assert np.mean(apart) < 0.93


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


def test_a_share_among_those_who_are_asked() -> None:
    studied = Studied.of(plain(("Employed", "Studying"), "What do you do?"), yes_no(leave_out="no", **after(1, 0)))

    def study() -> Sequence[bool]:
        studying = studied.have(0.4, 500)
        sent = np.where(studying, 255, studied.sent(2, studied.have(0.25, 500)))
        definition, snapshot = studied.told([studying, sent])
        found = question_result(definition.questions[1], snapshot, WANTED)
        everybody.append(found.first.n == 500)
        return [holds(found.first.options[1], 0.25)]

    everybody: list[bool] = []
    held_as_said(study)
    assert not any(everybody)
