"""What stands beside a question: ε, odds and the precision to expect, from the very code that decides them later."""

import math
import re
from fractions import Fraction
from html import unescape

import pytest
from django.test import Client
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from surveys.answering.words.designs import odds_sentence, procedure
from surveys.common.words import range_part
from surveys.editor.figures import Dial, NoDial, dial_of, total_epsilon
from surveys.editor.forms.rows import QuestionRow
from surveys.editor.words import times_in
from surveys.estimation.planning.precision import expected_half_width, expected_mean_half_width
from surveys.numbers.words import nats, percent, points, times
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.kinds import Range, prefer_not_to_say
from surveys.questionnaire.question import Question
from tests.editor.form import NEW, beside, dial_on, posted, question
from tests.factories import every_kind, every_protected_kind
from tests.pages import text_of

THREE_TENTHS = Fraction(3, 10)


def _dial(class_size: int = 30, share: Fraction = THREE_TENTHS, **changes: str) -> Dial:
    dial = QuestionRow(question(**changes)).dial(n=class_size, share=share)
    assert isinstance(dial, Dial)
    return dial


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
    assert dial.item.labels == ("A", "B", prefer_not_to_say())


def test_an_unsaved_question_has_a_dial() -> None:
    unsaved = Question(text="?", parameters={"truth": [1, 2], "yes": [1, 2]})
    assert dial_of(unsaved, class_size=30).half_width == _dial().half_width


def test_the_total_is_the_sum_and_unknown_while_one_part_is() -> None:
    dial = _dial()
    assert total_epsilon([dial, dial]) == pytest.approx(2 * math.log(3))
    assert total_epsilon([dial, NoDial("no coin")]) is None
    assert total_epsilon([]) is None


def _of(draft: Question, class_size: int = 30) -> Dial:
    return dial_of(draft, class_size=class_size)


@pytest.mark.parametrize(
    "draft", [pytest.param(draft, id=f"{draft.kind} {draft.design} {draft.leave_out}") for draft in every_kind()]
)
def test_every_kind_has_a_dial_that_reads_its_design(draft: Question) -> None:
    dial = _of(draft)
    items = 3 if dial.question.answers.by_option else 1
    assert len(dial.question.items) == items
    if dial.proves:
        assert draft.design in {"triangular", "mangat"}
    else:
        one_true = dial.question.answers.one_true
        assert dial.epsilon == pytest.approx(math.log(10) if one_true else items * dial.item.design.epsilon)
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
        (Fraction(10**9), 0.358, "358,000,000 hours", "100,000,000 hours"),
        (Fraction(1, 100), 0.358, "0.0036 hours", "0.001 hours"),
        (Fraction(1, 10**6), 0.358, "0.00000036 hours", "0.0000001 hours"),
    ],
)
def test_the_half_width_of_a_mean_is_written_in_its_units(
    high: Fraction, part: float, half_width: str, tenth_of_it: str
) -> None:
    limits = Range(Fraction(0), high, high, "hours")
    assert (range_part(limits, part), range_part(limits, 0.1)) == (half_width, tenth_of_it)


def test_numbers_are_written_as_people_of_the_language_write_them() -> None:
    with translation.override("de"):
        assert (points(0.061), nats(math.log(3)), times(Fraction(7, 3))) == ("6,1", "1,10", "2,34")
        assert (percent(-0.045, 1), nats(math.inf)) == ("−4,5\u00a0%", "∞")
        assert range_part(Range(Fraction(0), Fraction(12), Fraction(1), "h"), 0.358) == "4,3 h"


def test_a_total_with_a_report_that_can_prove_is_infinite() -> None:
    dials: list[Dial | NoDial] = [_of(draft) for draft in every_protected_kind()]
    assert total_epsilon(dials) == math.inf
    assert total_epsilon([dial for dial in dials if not dial.proves]) < math.inf  # type: ignore[operator]


TYPED = st.one_of(
    st.text(max_size=12),
    st.from_regex(r"-?[0-9]{1,3}([./][0-9]{1,3})?", fullmatch=True),
    st.lists(st.from_regex(r"[0-9]/[0-9]", fullmatch=True), max_size=4).map(", ".join),
)


@pytest.mark.uncounted
@given(
    kind=st.sampled_from([*(kind.name for kind in kinds.every()), "?"]),
    design=st.sampled_from([*(design.name for design in designs.every()), "?"]),
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
    dial = QuestionRow(question(**texts | typed)).dial(n=30, share=THREE_TENTHS)
    if isinstance(dial, NoDial):
        assert dial.reason
    else:
        assert 0 < dial.epsilon < math.inf or dial.proves or not dial.protects
        assert 0 < dial.half_width < math.inf
        assert dial.enough >= 1


@pytest.mark.parametrize(
    "typed",
    [
        {},
        {"design": "warner", "truth": "3/4"},
        {"design": "warner", "truth": "1/4"},
        {"kind": "one_of", "design": "k_ary", "options": "A\nB\nC", "truth": "2/5"},
        {"kind": "several_of", "options": "A\nB"},
        {"kind": "number_mean", "low": "0", "high": "12"},
    ],
)
def test_the_turn_that_is_offered_is_the_smallest_that_tells_something(typed: dict[str, str]) -> None:
    dial = _dial(**typed)
    assert dial.too_few
    turned = dial.telling[0]
    assert turned.probability is not None
    assert dial.fitting == (turned,)
    # As the core has it for a question that is typed with this probability, and with the one before it.
    again = _dial(**typed | {"truth": str(turned.probability)})
    assert (turned.half_width, turned.epsilon, again.too_few) == (again.half_width, again.epsilon, False)
    twentieth = Fraction(1, 20)
    if dial.item.design.name == "warner" and turned.probability < Fraction(1, 2):
        twentieth = -twentieth
    assert _dial(**typed | {"truth": str(turned.probability - twentieth)}).too_few


def test_no_turn_is_offered_where_none_would_do() -> None:
    crosswise = _dial(design="crosswise", innocuous="?", innocuous_source="?", innocuous_share="1/4")
    for dial in (_dial(5), crosswise):
        assert dial.too_few
        assert (dial.telling, dial.fitting) == ((), (dial,))


FACT = {"innocuous": "?", "innocuous_source": "?", "innocuous_share": "1/4"}
CROSSWISE = FACT | {"design": "crosswise"}
PROVING = FACT | {"design": "triangular", "accepts_infinite": "on"}
THREE_OPTIONS = {"kind": "one_of", "design": "k_ary", "options": "A\nB\nC"}


def _sent_of_hundred(page: str) -> list[int]:
    """Return how many of a hundred send the report that the dots show: of those of whom it is true, and of others."""
    return [int(sent) for sent in re.findall(r"<figcaption>[^<\d]*(\d+)", dial_on(page))]


@pytest.mark.parametrize(
    ("typed", "sent"),
    [({}, [75, 25]), ({"design": "warner", "truth": "9/10"}, [90, 10]), (CROSSWISE, [25, 75])],
    ids=["forced", "warner", "crosswise"],
)
def test_of_each_true_answer_so_many_of_a_hundred_send_one_report(
    teacher: Client, typed: dict[str, str], sent: list[int]
) -> None:
    page = beside(teacher, **typed)
    assert _sent_of_hundred(page) == sent
    assert procedure(_dial(**typed).item) in unescape(page)


def test_a_design_without_a_device_speaks_of_none(teacher: Client) -> None:
    assert "phone" not in dial_on(beside(teacher, **CROSSWISE))


def test_a_spinner_has_its_odds_once_where_it_is_even_and_by_option_where_it_is_not(teacher: Client) -> None:
    even = dial_on(beside(teacher, **THREE_OPTIONS))
    assert (even.count('data-says="odds"'), even.count('data-says="same-for-all"')) == (1, 1)
    skewed = dial_on(beside(teacher, **THREE_OPTIONS, chance="1/2, 1/4, 1/4"))
    assert (skewed.count('data-says="odds"'), skewed.count('data-says="same-for-all"')) == (3, 0)
    assert "1/2, 1/4, 1/4" in skewed


@pytest.mark.parametrize(
    ("planned", "figure", "says"),
    [
        ({}, "±35", ["too-few"]),
        ({"expected_n": "59"}, "±25", ["too-few"]),
        ({"expected_n": "60"}, "±25", ["vague"]),
        ({"expected_n": "80"}, "±21", ["vague"]),
        ({"expected_n": "1000"}, "±6.1", []),
        # 1.96 · 2 · √(.275 · .725) / √30.
        ({"expected_share": "5"}, "±32", ["too-few"]),
        ({"kind": "number_mean", "low": "0", "high": "12", "step": "0.5", "unit": "hours"}, "±4.3 hours", ["too-few"]),
    ],
)
def test_a_figure_that_results_will_not_show_or_that_supports_nothing_is_announced(
    teacher: Client, planned: dict[str, str], figure: str, says: list[str]
) -> None:
    page = dial_on(beside(teacher, **planned))
    assert re.findall(r'<p class="dial-figure"><strong>(.*?)</strong>', page) == [figure]
    assert [name for name in ("too-few", "vague") if f'data-says="{name}"' in page] == says
    assert page.count('class="sign"') == says.count("too-few")


def test_while_a_coin_is_no_number_the_reason_stands_in_its_place(teacher: Client) -> None:
    response = teacher.post(NEW, posted(question(truth="abc"), action="refresh"))
    editor = response.context["editor"]
    [row] = editor.rows
    assert isinstance(row.numbers, NoDial)
    assert "“abc”" in row.numbers.reason
    assert row.numbers.reason in dial_on(text_of(response))
    assert editor.epsilon is None


def test_the_total_leaves_out_what_will_be_removed(teacher: Client) -> None:
    both = posted(question(), question(), action="refresh")
    for removed, questions in (({}, 2), ({"questions-2-removed": "on"}, 1)):
        response = teacher.post(NEW, both | removed)
        editor = response.context["editor"]
        assert (editor.epsilon, len(editor.bounded)) == (pytest.approx(questions * math.log(3)), questions)
        assert f"(ε {nats(editor.epsilon)})" in text_of(response).split('id="total"')[1]


@pytest.mark.parametrize("typed", ["", "0", "-3", "many", "1e9", "99999999999"])
def test_an_expected_number_that_is_none_falls_back_to_the_usual_one(teacher: Client, typed: str) -> None:
    response = teacher.post(NEW, posted(question(), action="refresh", expected_n=typed))
    editor = response.context["editor"]
    assert (editor.expected_n, editor.rows[0].numbers.class_size) == (30, 30)


def test_an_infinite_epsilon_has_no_odds_and_no_total(teacher: Client) -> None:
    response = teacher.post(NEW, posted(question(**PROVING), action="refresh"))
    editor = response.context["editor"]
    assert (editor.proving, editor.bounded, editor.epsilon) == ((1,), (), None)
    page = dial_on(text_of(response))
    assert "fold" not in page
    assert 'class="badge bad"' in page


def test_of_options_one_of_which_is_true_the_odds_are_those_of_all_reports(teacher: Client) -> None:
    typed = {"kind": "one_of", "options": "A\nB\nC"}
    dial = _dial(**typed)
    assert (dial.factor, dial.item.answers.one_true) == (9, True)
    assert odds_sentence(dial.item) in dial_on(beside(teacher, **typed))


def test_a_fact_is_chosen_and_not_set(teacher: Client) -> None:
    page = dial_on(beside(teacher, **CROSSWISE))
    assert 'type="range"' not in page
    assert re.search(r'<th scope="row">1/4 <span [^>]*>[^<]*</span></th><td class="number">1.10</td>', page)
    assert '<th scope="row">1/12</th><td class="number">2.40</td>' in page


def test_the_slider_has_every_probability_in_words_of_the_server(teacher: Client) -> None:
    turns = re.findall(r'<li data-value="([^"]+)" data-short="([^"]+)">(.*?)</li>', beside(teacher, truth="1/3"))
    assert [value for value, _short, _words in turns[5:8]] == ["3/10", "1/3", "7/20"]
    value, short, words = turns[-1]
    assert (value, short) == ("19/20", times_in(Fraction(19, 20)))
    assert re.findall(r"\d+\.\d+", words) == ["97.5", "2.5", "3.67"]


def test_a_wished_epsilon_becomes_a_probability_without_any_script(teacher: Client) -> None:
    response = teacher.post(NEW, posted(question(wished="2"), action="wish-1"))
    [row] = response.context["editor"].rows
    assert row.form["truth"].value() == "19/25"
    assert "ε 2.00" in text_of(response)


@pytest.mark.parametrize(
    ("wished", "limit"), [("", ""), ("abc", ""), ("1e3", ""), ("much", ""), ("0", "0.05"), ("-1", "0.05"), ("7", "6")]
)
def test_a_wish_that_cannot_be_met_is_refused_beside_it(teacher: Client, wished: str, limit: str) -> None:
    response = teacher.post(NEW, posted(question(wished=wished, truth="2/3"), action="wish-1"))
    [row] = response.context["editor"].rows
    assert row.typed["truth"] == "2/3"
    assert limit in row.wish_refused
    assert f'id="questions-1-refused">{row.wish_refused}<' in text_of(response)
    assert 'aria-describedby="questions-1-refused"' in text_of(response)
