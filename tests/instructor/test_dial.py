"""What stands beside a question: ε, odds and the precision to expect, from the very code that decides them later."""

import math
from dataclasses import asdict
from fractions import Fraction

import pytest
from django.test import Client
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation import expected_half_width, expected_mean_half_width
from surveys.forms.dial import Dial, NoDial, dial_of, total_epsilon, typed_dial
from surveys.models import Kind, Question
from surveys.models.definition import Range
from surveys.models.kinds import DesignName
from surveys.services.surveys import QuestionDraft
from surveys.templatetags.dial import in_range
from surveys.templatetags.figures import nats, percent, points, times
from tests.factories import every_kind
from tests.instructor.editing import posted, question, signed_in, text_of

NEW = "/surveys/new/"


def _dial(class_size: int = 30, **changes: str) -> Dial:
    dial = typed_dial(question(**changes), class_size=class_size)
    assert isinstance(dial, Dial)
    return dial


def _beside(client: Client, class_size: str = "30", **changes: str) -> str:
    return text_of(client.post(NEW, posted(question(**changes), action="refresh", class_size=class_size)))


@pytest.mark.parametrize(("n", "points"), [(30, 35), (100, 19), (300, 11), (1000, 6)])
def test_fair_coins_give_the_published_half_widths(n: int, points: int) -> None:
    assert round(100 * _dial(n).half_width) == points


def test_the_epsilon_of_fair_coins_is_ln_3() -> None:
    assert _dial().epsilon == pytest.approx(math.log(3))


def test_the_number_that_would_be_enough_is_enough_and_one_fewer_is_not() -> None:
    enough = _dial().enough
    assert _dial(enough).half_width <= 0.10 < _dial(enough - 1).half_width


@pytest.mark.parametrize(("n", "too_few"), [(59, True), (60, False)])
def test_too_few_begins_where_the_half_width_reaches_25_points(n: int, too_few: bool) -> None:
    dial = _dial(n)
    assert dial.too_few is too_few
    assert (dial.half_width >= 0.25) is too_few


def test_of_several_options_the_least_precise_counts() -> None:
    options = {"kind": "one_of", "design": "k_ary", "options": "A\nB\nC"}
    skewed = _dial(**options, chance="1/10, 1/10, 4/5")
    assert skewed.half_width > _dial(**options).half_width


def test_a_protected_way_out_is_one_more_answer_of_the_design() -> None:
    dial = _dial(kind="one_of", design="k_ary", options="A\nB", leave_out="protected")
    assert dial.item.labels == ("A", "B", "Prefer not to say")


def test_an_unsaved_question_has_a_dial() -> None:
    unsaved = Question(text="?", parameters={"truth": [1, 2], "yes": [1, 2]})
    assert dial_of(unsaved, class_size=30).half_width == _dial().half_width


def test_the_total_is_the_sum_and_unknown_while_one_part_is() -> None:
    dial = _dial()
    assert total_epsilon([dial, dial]) == pytest.approx(2 * math.log(3))
    assert total_epsilon([dial, NoDial("no coin")]) is None
    assert total_epsilon([]) is None


def _of(draft: QuestionDraft, class_size: int = 30) -> Dial:
    return dial_of(Question(**asdict(draft)), class_size=class_size)


@pytest.mark.parametrize(
    "draft", [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in every_kind()]
)
def test_every_kind_has_a_dial_that_reads_its_design(draft: QuestionDraft) -> None:
    dial = _of(draft)
    items = 3 if draft.kind == "several_of" else 1
    assert len(dial.question.items) == items
    if dial.proves:
        assert draft.design == "triangular"
    else:
        assert dial.epsilon == pytest.approx(items * dial.item.design.epsilon)
    assert _of(draft, dial.enough).half_width <= 0.10 < _of(draft, dial.enough - 1).half_width
    if draft.kind == "number_mean":
        assert dial.half_width == expected_mean_half_width(n=30, design=dial.item.design, low=0, high=1)
    elif dial.item.design.k == 2:
        assert dial.half_width == expected_half_width(n=30, design=dial.item.design, prevalence=0.3)


@pytest.mark.parametrize(
    ("high", "part", "half_width", "tenth_of_it"),
    [
        # ±.358 of the range from 0 to 12: 1.96·2·√(½·½)/√30.
        (Fraction(12), 0.358, "4.3 hours", "1.2 hours"),
        (Fraction(10**9), 0.358, "358000000 hours", "100000000 hours"),
        (Fraction(1, 100), 0.358, "0.0036 hours", "0.001 hours"),
        (Fraction(1, 10**6), 0.358, "0.00000036 hours", "0.0000001 hours"),
    ],
)
def test_the_half_width_of_a_mean_is_written_in_its_units(
    high: Fraction, part: float, half_width: str, tenth_of_it: str
) -> None:
    limits = Range(Fraction(0), high, high, "hours")
    assert (in_range(limits, part), in_range(limits, 0.1)) == (half_width, tenth_of_it)


def test_numbers_are_written_as_people_of_the_language_write_them() -> None:
    with translation.override("de"):
        assert (points(0.061), nats(math.log(3)), times(Fraction(7, 3))) == ("6,1", "1,10", "2,34")
        assert (percent(-0.045, 1), nats(math.inf)) == ("−4,5\u00a0%", "∞")
        assert in_range(Range(Fraction(0), Fraction(12), Fraction(1), "h"), 0.358) == "4,3 h"


def test_a_total_with_a_report_that_can_prove_is_infinite() -> None:
    dials: list[Dial | NoDial] = [_of(draft) for draft in every_kind()]
    assert total_epsilon(dials) == math.inf
    assert total_epsilon(dials[:-1]) < math.inf  # type: ignore[operator]


TYPED = st.one_of(
    st.text(max_size=12),
    st.from_regex(r"-?[0-9]{1,3}([./][0-9]{1,3})?", fullmatch=True),
    st.lists(st.from_regex(r"[0-9]/[0-9]", fullmatch=True), max_size=4).map(", ".join),
)


@given(
    kind=st.sampled_from([*Kind.values, "?"]),
    design=st.sampled_from([*DesignName.values, "?"]),
    truth=TYPED,
    chance=TYPED,
    innocuous_share=TYPED,
    selector_share=TYPED,
    low=TYPED,
    high=TYPED,
    step=TYPED,
    edges=TYPED,
    points=TYPED,
    accepts_infinite=st.sampled_from(["", "on"]),
    options=st.lists(st.text(max_size=4), max_size=6).map("\n".join),
    leave_out=st.sampled_from(["no", "visibly", "protected", "?"]),
)
def test_whatever_is_typed_there_are_finite_numbers_or_a_reason(**typed: str) -> None:
    texts = dict.fromkeys(("innocuous", "innocuous_source", "selector", "selector_source", "low_end", "high_end"), "x")
    dial = typed_dial(question(**texts | typed), class_size=30)
    if isinstance(dial, NoDial):
        assert dial.reason
    else:
        assert 0 < dial.epsilon < math.inf or dial.proves
        assert 0 < dial.half_width < math.inf
        assert dial.enough >= 1


@pytest.mark.django_db
class TestOnThePage:
    """The same numbers as people read them."""

    @pytest.fixture
    def teacher(self) -> Client:
        return signed_in()

    def test_the_odds_are_told_in_both_directions(self, teacher: Client) -> None:
        page = _beside(teacher)
        assert "If the true answer is Yes, 75 of 100 phones send Yes; if it is No, 25 of 100 do." in page
        assert "ε = 1.10" in page
        assert "at most 3-fold" in page

    def test_another_coin_gets_other_odds(self, teacher: Client) -> None:
        page = _beside(teacher, design="warner", truth="9/10")
        assert "If the true answer is Yes, 90 of 100 phones send Yes; if it is No, 10 of 100 do." in page
        assert "With probability 9/10 the phone answers what is asked, else the opposite of it." in page

    def test_a_spinner_is_told_once_where_it_is_even_and_by_option_where_it_is_not(self, teacher: Client) -> None:
        options = {"kind": "one_of", "design": "k_ary", "options": "A\nB\nC"}
        even = _beside(teacher, **options)
        assert even.count("If the true answer is") == 1
        assert "The same holds for every answer to this question." in even
        skewed = _beside(teacher, **options, chance="1/2, 1/4, 1/4")
        assert skewed.count("If the true answer is") == 3
        assert "a spinner with the shares 1/2, 1/4, 1/4" in skewed

    def test_too_few_answers_are_told_in_words_and_with_the_number_that_would_do(self, teacher: Client) -> None:
        page = _beside(teacher)
        assert "With 30 answers expect ±35 points:</strong> too few to conclude anything; 369 would give ±10." in page

    def test_enough_answers_are_told_plainly(self, teacher: Client) -> None:
        page = _beside(teacher, class_size="1000")
        assert "With 1000 answers expect ±6.1 points</strong>." in page
        assert "too few" not in page

    def test_while_a_coin_is_no_number_the_reason_stands_in_its_place(self, teacher: Client) -> None:
        page = _beside(teacher, truth="abc")
        assert "No numbers yet." in page
        assert "Coin: “abc” is not a probability." in page
        assert "No total ε yet" in page

    def test_the_total_leaves_out_what_will_be_removed(self, teacher: Client) -> None:
        both = posted(question(), question(), action="refresh")
        assert "Total ε = 2.20" in text_of(teacher.post(NEW, both))
        assert "Total ε = 1.10" in text_of(teacher.post(NEW, both | {"questions-1-DELETE": "on"}))

    @pytest.mark.parametrize("typed", ["", "0", "-3", "many", "1e9", "99999999999"])
    def test_a_class_size_that_is_none_falls_back_to_the_usual_one(self, teacher: Client, typed: str) -> None:
        assert "With 30 answers expect" in _beside(teacher, class_size=typed)

    def test_a_design_without_a_device_speaks_of_people_and_of_its_own_reports(self, teacher: Client) -> None:
        page = _beside(teacher, design="crosswise", innocuous="?", innocuous_source="?", innocuous_share="1/4")
        assert "to that one it is Yes for 1/4 of people. No device takes part." in page
        assert "If the true answer is Yes, 25 of 100 people tap “The same answer”; if it is No, 75 of 100 do." in page
        assert "phone" not in page.split("data-dial>")[1].split("</section>")[0]

    def test_an_infinite_epsilon_is_said_in_words_with_what_proves_what(self, teacher: Client) -> None:
        typed = {"innocuous": "?", "innocuous_source": "?", "innocuous_share": "1/4", "accepts_infinite": "on"}
        page = _beside(teacher, design="triangular", **typed)
        assert "ε is infinite" in page
        assert "The report “No to both” proves that the true answer is No." in page
        assert "The total ε is infinite:" in page
        assert "fold" not in page.split("data-dial>")[1].split("</section>")[0]

    def test_of_several_options_each_one_and_all_are_told(self, teacher: Client) -> None:
        page = _beside(teacher, kind="several_of", options="A\nB\nC")
        assert "ε = 3.30" in page
        assert "In all: 3 options with ε = 1.10 each." in page
        assert "Seeing the report about one option changes anyone’s odds about it at most 3-fold." in page

    def test_a_number_is_first_rounded_and_its_precision_is_in_its_units(self, teacher: Client) -> None:
        page = _beside(teacher, kind="number_mean", low="0", high="12", step="0.5", unit="hours")
        assert "First the phone rounds the number by chance to 0 hours or to 12 hours, so that the mean stays." in page
        assert "else a second coin answers for it: 12 hours with probability 1/2." in page
        assert (
            "With 30 answers expect the mean ±4.3 hours:</strong> too few to conclude anything; 385 would give ±1.2"
            in page
        )
