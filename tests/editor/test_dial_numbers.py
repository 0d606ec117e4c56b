"""The numbers of the dial: from the core, and the same as the core's own."""

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from surveys.drafts.figures import ExpectedPrecision
from surveys.editor.charts import designs_compared
from surveys.editor.figures import Dial, dial_of, facts_of, steps_of
from surveys.editor.figures import compare_designs as compared
from surveys.editor.forms.question import truth_at
from surveys.editor.forms.rows import QuestionRow
from surveys.estimation.planning.comparison import compare_designs
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width
from surveys.privacy.designs import epsilon_of_one, forced_response, k_ary, triangular, warner
from surveys.questionnaire.designs import label_of
from surveys.questionnaire.question import Question
from tests.editor.form import question
from tests.factories import crosswise, every_protected_kind, number_mean, one_by_option, one_of, unrelated, yes_no

SHARE = Fraction(3, 10)
EVERY_PROTECTED = pytest.mark.parametrize(
    "draft", every_protected_kind(), ids=lambda draft: f"{draft.kind} {draft.design} {draft.leave_out}"
)


def _of(draft: Question, n: int = 30, share: Fraction = SHARE) -> Dial:
    return dial_of(draft, class_size=n, share=share)


@pytest.mark.parametrize("share", [Fraction(1, 100), SHARE, Fraction(99, 100)])
def test_the_half_width_is_the_core_s(share: Fraction) -> None:
    design = forced_response()
    assert ExpectedPrecision(design, False, 30, share).half_width == expected_half_width(
        n=30, design=design, prevalence=float(share)
    )


def test_the_least_number_is_not_too_few_and_one_fewer_is() -> None:
    for design in (forced_response(), warner("9/10"), k_ary(5)):
        least = ExpectedPrecision(design, False, 30, SHARE).least
        assert not ExpectedPrecision(design, False, least, SHARE).too_few
        assert ExpectedPrecision(design, False, least - 1, SHARE).too_few


def test_the_power_is_that_of_the_exact_test_and_the_number_reaches_it() -> None:
    design = forced_response()
    plan = ExpectedPrecision(design, False, 30, SHARE)
    exact = {"design": design, "prevalence": 0.3, "alternative": "one-sided", "method": "exact"}
    assert plan.power == power(n=30, **exact)  # type: ignore[arg-type]
    assert plan.enough_to_show is not None
    assert power(n=plan.enough_to_show, **exact) >= 0.8 > power(n=plan.enough_to_show - 1, **exact)  # type: ignore[arg-type]


def test_a_share_next_to_none_needs_more_than_the_exact_test_goes_up_to() -> None:
    rare = ExpectedPrecision(forced_response(), False, 30, Fraction(1, 100))
    assert rare.enough_to_show is not None
    assert rare.enough_to_show > 3_000
    assert ExpectedPrecision(forced_response(), False, 30, Fraction(0)).power is None
    assert ExpectedPrecision(forced_response(), True, 30, SHARE).enough_to_show is None


def test_where_none_can_be_sent_by_chance_one_yes_has_to_come() -> None:
    rare = ExpectedPrecision(forced_response("3/4", 0), False, 30, Fraction(1, 100))
    assert rare.power == pytest.approx(1 - 0.9925**30)
    assert rare.enough_to_show == 214


def test_at_equal_epsilon_the_designs_have_the_half_widths_of_the_core() -> None:
    dial = _of(yes_no())
    comparison = compared(dial.question, n=30, share=SHARE)
    assert comparison is not None
    core = {row.name: row.half_width for row in compare_designs(epsilon=math.log(3), n=30, prevalence=0.3)}
    ours = {row.name: row.half_width for row in comparison.possible}
    assert ours.keys() <= core.keys()
    for name, half_width in ours.items():
        assert half_width == pytest.approx(core[name], abs=0.0005)
    assert comparison.direct.half_width == pytest.approx(core["direct"])
    assert comparison.worth == pytest.approx(((0.4 * 0.6) / 0.25) / (0.3 * 0.7))
    assert [row.name for row in comparison.impossible] == ["triangular", "mangat"]


@pytest.mark.parametrize("draft", [one_of(), one_by_option(), one_by_option(options=["A", "B", "C", "D", "E"])])
@pytest.mark.parametrize("share", [0.02, 0.3])
def test_one_of_several_options_has_the_half_widths_of_unary_encoding(draft: Question, share: float) -> None:
    """An option's Yes comes with p where it is true and with q where it is not (Wang and others 2017)."""
    dial = _of(draft)
    odds, k = math.exp(dial.epsilon), len(draft.options)
    symmetric = (math.sqrt(odds) / (math.sqrt(odds) + 1), 1 / (math.sqrt(odds) + 1))
    chances = {
        "optimized_unary": (1 / 2, 1 / (odds + 1)),
        "forced_response": symmetric,
        "warner": symmetric,
        "k_ary": (odds / (odds + k - 1), 1 / (odds + k - 1)),
    }
    comparison = compared(dial.question, n=30, share=Fraction(str(share)))
    assert comparison is not None
    ours = {row.name: row.half_width for row in comparison.possible if row.name != "own"}
    assert ours.keys() == chances.keys()
    for name, (p, q) in chances.items():
        yes = share * p + (1 - share) * q
        expected = NormalDist().inv_cdf(0.975) * math.sqrt(yes * (1 - yes) / 30) / (p - q)
        assert ours[name] == pytest.approx(expected, rel=0.0003), name


def test_a_coin_that_is_not_fair_is_a_row_of_its_own() -> None:
    comparison = compared(_of(yes_no(parameters={"truth": [1, 2], "yes": [1, 5]})).question, n=30, share=SHARE)
    assert comparison is not None
    assert [(row.name, row.is_chosen) for row in comparison.rows[:2]] == [("own", True), ("forced_response", False)]
    assert comparison.rows[0].half_width > comparison.rows[1].half_width


@pytest.mark.parametrize(
    "draft", every_protected_kind(), ids=lambda draft: f"{draft.kind} {draft.design} {draft.leave_out}"
)
def test_every_kind_is_compared_or_has_an_infinite_epsilon(draft: Question) -> None:
    dial = _of(draft)
    shown = designs_compared(dial.question, 30, SHARE, "questions-1")
    comparison = compared(dial.question, n=30, share=SHARE)
    assert (shown is None) is (comparison is None) is dial.proves
    if comparison and shown:
        assert [row.is_chosen for row in comparison.rows].count(True) == 1
        assert len(shown.chart.rows) == len(comparison.possible) + 1
        for row in comparison.possible:
            assert row.expected is not None
            # Of options of which one is true all reports together have this ε, whatever the design.
            one_true = draft.kind == "one_of" and row.expected.design.k == 2
            cost = epsilon_of_one(row.expected.design) if one_true else row.expected.design.epsilon
            assert cost <= dial.question.losses[0].epsilon
            assert row.name == "own" or cost >= 0.9998 * dial.question.losses[0].epsilon
        if draft.leave_out == "protected":
            assert [row.name for row in comparison.rows] == ["k_ary"]


def test_a_mean_is_compared_in_its_units_with_a_number_that_is_only_rounded() -> None:
    question = _of(number_mean()).question
    shown, comparison = designs_compared(question, 30, SHARE, "x"), compared(question, n=30, share=SHARE)
    assert shown is not None
    assert comparison is not None
    assert [row.value for row in shown.chart.rows] == [*["±4.3 hours"] * 4, "±8.2 hours", "±17 hours", "±2.1 hours"]
    # Numbers spread evenly scatter a little less through a window.
    assert comparison.worth == pytest.approx(3.9, abs=0.05)
    assert "3.9" in shown.worth
    assert [row.name for row in comparison.most_precise] == ["number_window"]
    assert str(label_of("number_window")) in shown.precise


def test_a_slider_goes_through_the_twentieths_and_what_is_set() -> None:
    assert [str(step.probability) for step in steps_of(_of(yes_no()).item)][::6] == ["1/20", "7/20", "13/20", "19/20"]
    third = _of(yes_no(parameters={"truth": [1, 3], "yes": [1, 2]})).item
    assert [str(step.probability) for step in steps_of(third) if step.is_now] == ["1/3"]
    below = _of(yes_no(design="warner", parameters={"p": [1, 4]})).item
    assert [str(step.probability) for step in steps_of(below)][:3] == ["9/20", "2/5", "7/20"]


@pytest.mark.parametrize(
    "draft", every_protected_kind(), ids=lambda draft: f"{draft.kind} {draft.design} {draft.leave_out}"
)
def test_further_along_the_slider_is_more_epsilon_and_more_precision(draft: Question) -> None:
    turns = steps_of(_of(draft).item)
    epsilons = [step.item.design.epsilon for step in turns]
    assert epsilons == sorted(epsilons)
    if turns and draft.kind != "number_mean":
        widths = [ExpectedPrecision(step.item.design, False, 30, SHARE).half_width for step in turns]
        assert widths == sorted(widths, reverse=True)
    assert bool(turns) is (draft.design not in {"crosswise", "unrelated_question", "triangular", "mangat"})


def test_facts_that_are_easy_to_find_are_told_with_what_they_give() -> None:
    months = facts_of(_of(crosswise()).item)
    assert [(str(step.probability), step.is_now) for step in months[:3]] == [
        ("5/12", False),
        ("1/3", False),
        ("1/4", True),
    ]
    assert months[2].item.design.epsilon == pytest.approx(math.log(3))
    assert [str(step.probability) for step in facts_of(_of(unrelated()).item) if step.is_now] == ["7/10"]
    assert facts_of(_of(yes_no()).item) == ()


WISHES = st.fractions(min_value=Fraction(1, 20), max_value=5, max_denominator=100)
WISHED_ROWS = [
    question(),
    question(design="warner", truth="abc"),
    question(chance="1/5"),
    question(kind="one_of", design="k_ary", options="A\nB\nC", chance="1/2, 1/4, 1/4"),
    question(kind="scale", design="k_ary", low_end="a", high_end="b", leave_out="protected"),
    question(design="kuk", other_deck="1/5"),
    question(kind="number_mean", low="0", high="12", unit="h"),
]


@pytest.mark.uncounted
@pytest.mark.parametrize("row", WISHED_ROWS, ids=lambda row: f"{row['kind']} {row['design']} {row['chance']}")
@given(wished=WISHES)
def test_a_wished_epsilon_is_never_exceeded_and_missed_by_one_percent_at_most(
    row: dict[str, str], wished: Fraction
) -> None:
    typed = f"{float(wished):.4f}"
    dial = QuestionRow(row | {"truth": truth_at(row, typed)}).dial(n=30, share=SHARE)
    assert isinstance(dial, Dial)
    assert 0.99 * float(typed) - 1e-9 <= dial.epsilon <= float(typed) + 1e-12


def test_of_several_options_the_wish_is_for_all_together() -> None:
    row = question(kind="several_of", options="A\nB\nC")
    dial = QuestionRow(row | {"truth": truth_at(row, "3,3")}).dial(n=30, share=SHARE)
    assert isinstance(dial, Dial)
    assert 3.267 <= dial.epsilon <= 3.3


@pytest.mark.parametrize(
    "row",
    [
        question(design="crosswise", innocuous="?", innocuous_share="1/4"),
        question(kind="one_of", design="k_ary", options="A"),
        question(design="mangat", accepts_infinite="on"),
        question(kind="?"),
    ],
)
def test_a_wish_for_what_is_not_finished_or_not_a_device_s_is_refused(row: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        truth_at(row, "1")


def test_what_proves_is_not_compared() -> None:
    assert ExpectedPrecision(triangular("1/4"), False, 30, SHARE).power is not None
