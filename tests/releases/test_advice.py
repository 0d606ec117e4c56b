"""What the noise adds: where no release is needed, what one costs and what it buys, said before it is charged."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from surveys.models import Release, Survey
from surveys.privacy.accounting.local_central import local_then_central
from surveys.questionnaire.question import Question
from surveys.releases.families.plan import Terms
from surveys.releases.mechanisms import PLANS
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.services.releasing import publish
from surveys.releases.words.advice import Advice, Severity, advice_class, advice_on, advice_says, no_release_needed
from tests.factories import (
    PROTECTED,
    fill,
    make_admin,
    make_budget,
    make_open,
    number_bands,
    number_mean,
    numbers_of,
    one_of,
    scale,
    several_of,
    triangular,
    yes_no,
)
from tests.privacy.chance import seeded
from tests.releases.asked import MILLIONTH, terms_of
from tests.releases.setting import check, make_release

pytestmark = pytest.mark.django_db

FINE, COARSE = Fraction(1), Fraction(1, 10)


def _survey(*drafts: Question, n: int = 1000) -> Survey:
    survey = make_open(*drafts)
    fill(survey, {"0" * len(drafts): n - n // 2, "1" * len(drafts): n // 2})
    make_budget(survey, 10, Fraction(1, 1000))
    return survey


def _fields(survey: Survey, mechanism: str, epsilon: Fraction, **options: str) -> dict[str, Any]:
    return {
        "survey": survey,
        "questions": numbers_of(survey),
        "mechanism": mechanism,
        "epsilon": epsilon,
        "delta": MILLIONTH if PLANS[mechanism].uses_delta else Fraction(0),
        "options": options,
    }


def _released(survey: Survey, mechanism: str, epsilon: Fraction = FINE, **options: str) -> Release:
    return make_release(**_fields(survey, mechanism, epsilon, **options), randbelow=seeded(5))


def _terms(survey: Survey, mechanism: str, epsilon: Fraction = COARSE, **options: str) -> Terms:
    return check(**_fields(survey, mechanism, epsilon, **options))


def _advice(survey: Survey, mechanism: str, epsilon: Fraction = COARSE, **options: str) -> dict[str, Advice]:
    advices = advice_on(_terms(survey, mechanism, epsilon, **options), charged_releases().filter(survey=survey))
    sentences = [advice_says(advice) for advice in advices]
    assert all("%(" not in sentence and sentence.endswith(".") for sentence in sentences), sentences
    return {advice.code: advice for advice in advices}


def test_what_a_truth_costs_with_and_without_noise_is_always_there() -> None:
    cost = _advice(_survey(yes_no()), "laplace_histogram", Fraction(1, 2))["what_it_costs"]
    assert cost.severity is Severity.NOTE
    assert cost.facts["local_epsilon"] == pytest.approx(math.log(3))
    assert cost.facts["truth_epsilon"] == pytest.approx(0.2462, abs=5e-5)
    assert "at most ε = 1.10" in advice_says(cost)
    assert "0.247" in advice_says(cost)


def test_earlier_releases_of_the_question_are_composed_before_what_the_truth_costs() -> None:
    survey = _survey(yes_no(), one_of())
    _released(survey, "laplace_histogram", Fraction(1, 2))
    cost = _advice(survey, "laplace_histogram", Fraction(1, 2))["what_it_costs"]
    assert cost.facts["together"] == pytest.approx(local_then_central(cost.facts["local_epsilon"], 0.5))


def test_a_release_with_a_delta_says_up_to_which_delta_its_cost_holds() -> None:
    survey = _survey(one_of())
    cost = _advice(survey, "gaussian_histogram", Fraction(1, 2))["what_it_costs"]
    assert 0 < cost.facts["delta"] < MILLIONTH
    assert "δ = 0.000000" in advice_says(cost)
    alone = cost.facts["delta"]
    _released(survey, "gaussian_histogram", Fraction(1, 2))
    assert _advice(survey, "gaussian_histogram", Fraction(1, 2))["what_it_costs"].facts["delta"] > alone
    assert "δ" not in advice_says(_advice(_survey(one_of()), "laplace_histogram")["what_it_costs"])


def test_an_epsilon_that_protects_no_better_than_no_noise_is_not_needed() -> None:
    survey = _survey(yes_no())
    # tanh(0.95·ln 3/2) = tanh(ln 3/2)·tanh(ε/2) at ε = 3.85.
    assert "free_serves" not in _advice(survey, "laplace_histogram", Fraction(38, 10))
    advice = _advice(survey, "laplace_histogram", Fraction(39, 10))["free_serves"]
    assert advice.severity is Severity.NO_RELEASE
    _released(survey, "laplace_histogram", Fraction(2))
    assert "free_serves" in _advice(survey, "most_common", Fraction(19, 10))


def test_a_report_that_proves_an_answer_is_protected_by_the_release_alone() -> None:
    advice = _advice(_survey(triangular()), "laplace_histogram", Fraction(9))
    assert "free_serves" not in advice
    assert "what_it_costs" not in advice
    assert "report_proves" in advice


Wanted: TypeAlias = tuple[str, dict[str, str]]
"""A mechanism and its options."""

ANSWERED: list[tuple[Question, Wanted, Wanted]] = [
    (one_of(), ("laplace_histogram", {}), ("most_common", {})),
    (one_of(), ("laplace_histogram", {}), ("top", {"how_many": "2"})),
    (one_of(), ("laplace_histogram", {}), ("one_count", {"answer": "1"})),
    (one_of(), ("gaussian_histogram", {}), ("laplace_histogram", {})),
    (scale(), ("laplace_histogram", {}), ("quantile", {"share": "1/4"})),
    (scale(), ("laplace_histogram", {}), ("mean", {})),
    (scale(), ("laplace_histogram", {}), ("variance", {})),
    (number_bands(), ("bounds", {}), ("best_price", {})),
    (number_bands(), ("laplace_histogram", {}), ("total", {})),
    (number_mean(), ("mean", {}), ("total", {})),
    (number_mean(), ("total", {}), ("mean", {})),
    (number_mean(), ("laplace_histogram", {}), ("mean", {})),
    (number_mean(**PROTECTED), ("laplace_histogram", {}), ("total", {})),
    (one_of(), ("top", {"how_many": "2"}), ("most_common", {})),
    (one_of(), ("top", {"how_many": "3"}), ("top", {"how_many": "2"})),
    (scale(), ("quantile", {"share": "1/2"}), ("quantile", {"share": "0.5"})),
]


@pytest.mark.parametrize(
    ("draft", "had", "wanted"), ANSWERED, ids=lambda value: value[0] if isinstance(value, tuple) else value.kind
)
def test_what_an_earlier_release_tells_as_well_is_read_off_it(draft: Question, had: Wanted, wanted: Wanted) -> None:
    survey = _survey(draft)
    earlier = _released(survey, had[0], **had[1])
    terms = _terms(survey, wanted[0], Fraction(1, 100), **wanted[1])
    advice = _advice(survey, wanted[0], Fraction(1, 100), **wanted[1])["answered"]
    assert advice.severity is Severity.NO_RELEASE
    assert advice.facts["release"] == earlier.pk
    assert advice.facts["at_most"] <= terms.plans[0].accuracy().at_most
    assert not advice.facts["published"]
    assert earlier.pk in advice_says(advice)


def test_an_earlier_release_that_is_not_public_is_to_be_published_instead() -> None:
    survey = _survey(one_of())
    earlier = _released(survey, "laplace_histogram")
    before = _advice(survey, "most_common", Fraction(1, 100))["answered"]
    publish(release=earlier, user=make_admin())
    after = _advice(survey, "most_common", Fraction(1, 100))["answered"]
    assert (before.facts["published"], after.facts["published"]) == (False, True)
    # It says one sentence more.
    assert advice_says(before).startswith(advice_says(after))
    assert len(advice_says(before)) > len(advice_says(after))


NOT_ANSWERED: list[tuple[Question, Wanted, Wanted]] = [
    (one_of(), ("most_common", {}), ("laplace_histogram", {})),
    (one_of(), ("one_count", {"answer": "1"}), ("one_count", {"answer": "2"})),
    (one_of(), ("top", {"how_many": "1"}), ("top", {"how_many": "2"})),
    (scale(), ("quantile", {"share": "1/2"}), ("quantile", {"share": "1/4"})),
    (number_mean(**PROTECTED), ("total", {}), ("mean", {})),
    (scale(), ("mean", {}), ("variance", {})),
    # With half of the reports each for two answers the test refuses: nothing was told.
    (one_of(), ("stable_mode", {}), ("most_common", {})),
]


@pytest.mark.parametrize(("draft", "had", "wanted"), NOT_ANSWERED)
def test_what_no_earlier_release_answers_is_not_read_off_one(draft: Question, had: Wanted, wanted: Wanted) -> None:
    survey = _survey(draft)
    _released(survey, had[0], **had[1])
    codes = _advice(survey, wanted[0], **wanted[1])
    assert not {"answered", "answered_roughly", "answered_before"} & codes.keys()


def test_a_less_accurate_earlier_release_is_named_with_both_bounds() -> None:
    survey = _survey(one_of())
    _released(survey, "laplace_histogram", Fraction(1, 100))
    advice = _advice(survey, "most_common", Fraction(1))["answered_roughly"]
    assert advice.severity is Severity.NOTE
    assert advice.facts["at_most"] > advice.facts["would_be"]


def test_where_no_bound_is_known_there_is_none() -> None:
    survey = _survey(scale())
    _released(survey, "laplace_histogram")
    advice = _advice(survey, "smooth_median")["answered_roughly"]
    assert advice.facts["at_most"] is None


def test_a_release_of_far_fewer_answers_is_only_mentioned() -> None:
    survey = _survey(one_of())
    _released(survey, "laplace_histogram")
    fill(survey, {"2": 200})
    advice = _advice(survey, "most_common", Fraction(1, 100))["answered_before"]
    assert (advice.severity, advice.facts["earlier_n"], advice.facts["n"]) == (Severity.NOTE, 1000, 1200)


def test_another_draw_is_warned_of_by_its_number_and_the_level_that_all_of_them_will_have() -> None:
    survey = _survey(yes_no())
    assert "another_draw" not in _advice(survey, "laplace_histogram")
    for _ in range(2):
        _released(survey, "laplace_histogram", COARSE)
    warned = _advice(survey, "laplace_histogram")["another_draw"]
    assert warned.severity is Severity.WARNING
    assert warned.facts["number"] == 3
    assert "98.3%" in advice_says(warned)


def test_noise_that_hides_everything_needs_no_release() -> None:
    survey = _survey(one_of(), n=30)
    advice = _advice(survey, "laplace_histogram", Fraction(1, 100))["noise_hides_all"]
    assert advice.severity is Severity.NO_RELEASE
    assert "noise_hides_all" not in _advice(_survey(one_of(), n=1000), "laplace_histogram", Fraction(1, 2))


def test_reports_that_hide_everything_need_no_release_at_any_epsilon() -> None:
    draft = yes_no(leave_out="no", parameters={"truth": [1, 20], "yes": [1, 2]})
    advice = _advice(_survey(draft, n=100), "laplace_histogram", Fraction(5))
    assert advice["reports_hide_all"].severity is Severity.NO_RELEASE

    assert "reports_hide_all" not in _advice(_survey(draft, n=10_000), "laplace_histogram", Fraction(5))


def test_what_the_epsilon_buys_is_in_points_or_in_the_unit_of_the_question() -> None:
    shares = _advice(_survey(yes_no()), "laplace_histogram")["what_epsilon_buys"]
    assert "percentage points" in advice_says(shares)
    assert shares.facts["reports"] < shares.facts["both"] < shares.facts["with_half"]
    assert "hours" in advice_says(_advice(_survey(number_mean()), "mean")["what_epsilon_buys"])


def test_noise_far_below_the_chance_in_the_reports_could_cost_less() -> None:
    survey = _survey(yes_no())
    advice = _advice(survey, "laplace_histogram", Fraction(2))["less_serves"]
    assert advice.severity is Severity.WARNING
    less = advice.facts["enough"]
    assert less < 2
    cheaper = _terms(survey, "laplace_histogram", less).plans[0]
    chance = cheaper.error_from_reports()
    assert chance is not None
    assert math.hypot(chance, cheaper.accuracy().points) < 1.06 * chance
    assert "less_serves" not in _advice(survey, "laplace_histogram", Fraction(1, 10))


def test_gaussian_noise_is_not_needed_where_laplace_noise_is_smaller() -> None:
    advice = _advice(_survey(one_of()), "gaussian_histogram", Fraction(1, 2))["no_delta_serves"]
    assert advice.severity is Severity.WARNING
    assert advice.facts["at_most"] < advice.facts["would_be"]

    # Of twenty options one response changes all: √20 is less than 20.
    many = several_of([f"Option {number}" for number in range(20)], leave_out="no")
    survey = make_open(many)
    fill(survey, {"1" * 20: 1000})
    make_budget(survey, 10, Fraction(1, 1000))
    assert "no_delta_serves" not in _advice(survey, "gaussian_histogram", Fraction(1, 2))


@pytest.mark.parametrize(
    ("delta", "code", "severity"),
    [
        (Fraction(1, 10**6), None, None),
        (Fraction(1, 10**6) + Fraction(1, 10**12), "delta_not_small", Severity.NOTE),
        (Fraction(1, 10**4), "delta_not_small", Severity.NOTE),
        (Fraction(1, 10**4) + Fraction(1, 10**12), "delta_large", Severity.WARNING),
        (Fraction(1, 1000), "delta_large", Severity.WARNING),
    ],
)
def test_a_delta_above_one_in_n_squared_is_noted_and_above_one_in_ten_n_is_a_warning(
    delta: Fraction, code: str | None, severity: Severity | None
) -> None:
    survey = _survey(one_of(), n=1000)
    fields = _fields(survey, "gaussian_histogram", Fraction(1, 2)) | {"delta": delta}
    advices = [each for each in advice_on(check(**fields), []) if each.code.startswith("delta_")]
    assert [(each.code, each.severity) for each in advices] == ([(code, severity)] if code else [])


def test_what_matters_most_comes_first_and_every_part_must_be_served() -> None:
    survey = _survey(one_of(), scale())
    terms = _terms(survey, "most_common", Fraction(1, 5))
    assert not no_release_needed(advice_on(terms, []), terms)
    _released(survey, "laplace_histogram", Fraction(4))
    advices = advice_on(terms, charged_releases().filter(survey=survey))
    assert no_release_needed(advices, terms)
    order = [list(Severity).index(each.severity) for each in advices]
    assert order == sorted(order)
    assert advice_class(advices[0]) == "no-release"
    assert not no_release_needed(advices[:1], terms)


def test_questions_are_not_answered_by_releases_of_others() -> None:
    survey = _survey(one_of(), scale())
    make_release(**_fields(survey, "laplace_histogram", FINE) | {"questions": [1]})
    terms = _terms(survey, "most_common", Fraction(1, 50))
    advices = advice_on(terms, charged_releases().filter(survey=survey))
    assert {each.plan.question.number for each in advices if each.code == "answered"} == {1}


def _most_off(part_of_counts: Sequence[int], signs: Sequence[int], t: int) -> list[int]:
    return [count + sign * t for count, sign in zip(part_of_counts, signs, strict=True)]


@pytest.mark.parametrize("mechanism", ["quantile", "best_price", "total", "mean", "variance", "most_common"])
def test_the_accuracy_read_off_counts_holds_for_all_counts_that_are_off_by_as_much(mechanism: str) -> None:
    """Every corner of the noise: all counts off by the bound, up or down."""
    earlier = terms_of(number_bands(), "laplace_histogram", epsilon=Fraction(1, 2))
    new = terms_of(number_bands(), mechanism, epsilon=Fraction(1, 2))
    bound, t = earlier.derived_accuracy(new, 0.95), int(earlier.accuracy().at_most)
    assert bound is not None
    exact: Any = new.mechanism
    for counts in ([400, 300, 300], [100, 800, 100], [333, 333, 334]):
        for signs in [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]:
            noisy = _most_off(counts, signs, t)
            if hasattr(exact, "scores"):
                chosen = max(range(3), key=exact.scores(noisy).__getitem__)
                off = max(exact.scores(counts)) - exact.scores(counts)[chosen]
            else:
                off = abs(_statistic(exact, noisy, 1000) - _statistic(exact, counts, 1000))
            assert off <= Fraction(bound)


def _statistic(mechanism: Any, counts: Sequence[int], n: int) -> Fraction:  # noqa: ANN401 - of three classes
    """Return a total, a mean or a variance, from counts that need not sum to n."""

    def dot(values: Sequence[Fraction]) -> Fraction:
        return sum((value * count for value, count in zip(values, counts, strict=True)), Fraction(0))

    if not hasattr(mechanism, "parts"):
        middle = (min(mechanism.values) + max(mechanism.values)) / 2
        return dot([value - middle for value in mechanism.values]) + middle * n
    *squares, mean = [dot(one.values) / n for one in mechanism.parts.sums]
    return squares[0] - (mean + mechanism.numbers.middle - mechanism.numbers.centre) ** 2 if squares else mean


def test_the_sentence_names_the_question() -> None:
    survey = _survey(yes_no("Did you?"))
    assert "“Did you?”" in advice_says(_advice(survey, "laplace_histogram")["what_it_costs"])
