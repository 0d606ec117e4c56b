"""What stands beside a question: ε, odds and the precision to expect, from the very code that decides them later."""

import math
import re
from dataclasses import asdict
from fractions import Fraction

import pytest
from django.test import Client
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from surveys.common.words import range_part
from surveys.drafts.services.surveys import QuestionDraft
from surveys.editor.figures import Dial, NoDial, dial_of, total_epsilon
from surveys.editor.forms.rows import QuestionRow
from surveys.estimation import expected_half_width, expected_mean_half_width
from surveys.models import Kind, Question
from surveys.models.designs import DesignName
from surveys.models.kinds import Range
from surveys.numbers.words import nats, percent, points, times
from tests.editor.form import posted, question
from tests.factories import every_kind, every_protected_kind
from tests.pages import signed_in, text_of

NEW = "/surveys/new/blank/"


THREE_TENTHS = Fraction(3, 10)


def _dial(class_size: int = 30, share: Fraction = THREE_TENTHS, **changes: str) -> Dial:
    dial = QuestionRow(question(**changes)).dial(n=class_size, share=share)
    assert isinstance(dial, Dial)
    return dial


def _dial_on(page: str) -> str:
    """The dial without the paragraphs about terms, and without what only its slider says."""
    dial = page.split("data-dial>")[1].split("</section>", maxsplit=1)[0]
    return re.sub(r'<span class="explanation".*?</button></span>|<ol hidden data-turns>.*?</ol>', "", dial)


def _beside(client: Client, expected_n: str = "30", expected_share: str = "30", **changes: str) -> str:
    planned = {"expected_n": expected_n, "expected_share": expected_share}
    return text_of(client.post(NEW, posted(question(**changes), action="refresh", **planned)))


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
    items = 3 if dial.question.traits.by_option else 1
    assert len(dial.question.items) == items
    if dial.proves:
        assert draft.design in {"triangular", "mangat"}
    else:
        one_true = dial.question.traits.one_true
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
    assert dial.telling is not None
    probability, turned = dial.telling
    # As the core has it for a question that is typed with this probability, and with the one before it.
    again = _dial(**typed | {"truth": str(probability)})
    assert (turned.half_width, turned.epsilon, again.too_few) == (again.half_width, again.epsilon, False)
    twentieth = (
        Fraction(1, 20) if dial.item.design.name != "warner" or probability > Fraction(1, 2) else -Fraction(1, 20)
    )
    assert _dial(**typed | {"truth": str(probability - twentieth)}).too_few


def test_no_turn_is_offered_where_none_would_do() -> None:
    assert _dial(5).too_few
    assert _dial(5).telling is None
    crosswise = _dial(design="crosswise", innocuous="?", innocuous_source="?", innocuous_share="1/4")
    assert crosswise.too_few
    assert crosswise.telling is None


@pytest.mark.django_db
class TestOnThePage:
    """The same numbers as people read them."""

    @pytest.fixture
    def teacher(self) -> Client:
        return signed_in()

    def test_the_odds_are_told_in_both_directions(self, teacher: Client) -> None:
        page = _beside(teacher)
        assert "If the true answer is Yes, 75 of 100 phones send Yes; if it is No, 25 of 100 do." in page
        assert "ε 1.10" in page
        assert "Odds change at most 3-fold." in page

    def test_another_coin_gets_other_odds(self, teacher: Client) -> None:
        page = _beside(teacher, design="warner", truth="9/10")
        assert "If the true answer is Yes, 90 of 100 phones send Yes; if it is No, 10 of 100 do." in page
        assert "With probability 9/10 the phone answers what is asked, else the opposite of it." in page

    def test_a_spinner_is_told_once_where_it_is_even_and_by_option_where_it_is_not(self, teacher: Client) -> None:
        options = {"kind": "one_of", "design": "k_ary", "options": "A\nB\nC"}
        even = _dial_on(_beside(teacher, **options))
        assert even.count("If the true answer is") == 1
        assert "The same holds for every answer to this question." in even
        skewed = _dial_on(_beside(teacher, **options, chance="1/2, 1/4, 1/4"))
        assert skewed.count("If the true answer is") == 3
        assert "a spinner with the shares 1/2, 1/4, 1/4" in skewed

    def test_too_few_answers_are_told_in_words_and_with_the_number_that_would_do(self, teacher: Client) -> None:
        page = _beside(teacher)
        assert "For you, with <span>30</span> people" in page
        assert '<strong>±35</strong> <span class="quiet">of 100: the result can be off by this much</span>' in page
        assert "<strong>Too few to conclude anything.</strong> 60 people would do." in page
        assert "369 people would give ±10." in page

    def test_too_few_answers_have_a_second_remedy_that_works_without_any_script(self, teacher: Client) -> None:
        page = _beside(teacher)
        assert "±25 needs ε 1.74 an answer: odds change 5.7-fold instead of 3-fold." in page
        assert 'name="action" value="turn-1-7/10">Make it work for 30</button>' in page
        turned = text_of(teacher.post(NEW, posted(question(), action="turn-1-7/10")))
        assert 'name="questions-1-truth" value="7/10"' in turned
        assert "The coin is now 7/10." in turned
        assert "Too few" not in turned
        assert 'value="turn-' not in _beside(teacher, expected_n="5")

    @pytest.mark.parametrize(
        "action", ["turn-2-7/10", "turn-0-7/10", "turn-1-0/1", "turn-1-7", "turn-1-1/2/3", "turn-1-"]
    )
    def test_a_turn_that_no_page_offers_changes_nothing(self, teacher: Client, action: str) -> None:
        page = text_of(teacher.post(NEW, posted(question(), action=action)))
        assert 'name="questions-1-truth" value="1/2"' in page

    def test_a_figure_that_results_will_not_tell_is_announced(self, teacher: Client) -> None:
        page = _beside(teacher, expected_n="80")
        assert "Results will show a range, no single figure." in page
        assert "Too few" not in page

    def test_enough_answers_are_told_plainly(self, teacher: Client) -> None:
        page = _beside(teacher, expected_n="1000")
        assert "For you, with <span>1,000</span> people" in page
        assert "<strong>±6.1</strong>" in page
        assert "Results will show a range" not in page
        assert "If 30 of 100 is true, 95 of 100 such surveys read 23 to 37." in page
        assert "Too few" not in page

    def test_while_a_coin_is_no_number_the_reason_stands_in_its_place(self, teacher: Client) -> None:
        page = _beside(teacher, truth="abc")
        assert "No numbers yet." in page
        assert "How often chance leaves the answer alone: “abc” is not a probability." in page
        assert "No total ε yet" in page

    def test_the_total_leaves_out_what_will_be_removed(self, teacher: Client) -> None:
        both = posted(question(), question(), action="refresh")
        assert "Total ε = 2.20" in text_of(teacher.post(NEW, both))
        assert 'ε 2.20 in all</strong> <span class="quiet">for 2 questions</span>' in text_of(teacher.post(NEW, both))
        assert "Total ε = 1.10" in text_of(teacher.post(NEW, both | {"questions-2-removed": "on"}))

    @pytest.mark.parametrize("typed", ["", "0", "-3", "many", "1e9", "99999999999"])
    def test_an_expected_number_that_is_none_falls_back_to_the_usual_one(self, teacher: Client, typed: str) -> None:
        assert "For you, with <span>30</span> people" in _beside(teacher, expected_n=typed)

    def test_a_design_without_a_device_speaks_of_people_and_of_its_own_reports(self, teacher: Client) -> None:
        page = _beside(teacher, design="crosswise", innocuous="?", innocuous_source="?", innocuous_share="1/4")
        assert "to that one it is Yes for 1/4 of people. No device takes part." in page
        assert "If the true answer is Yes, 25 of 100 people tap “The same answer”; if it is No, 75 of 100 do." in page
        assert "phone" not in _dial_on(page)

    def test_an_infinite_epsilon_is_said_in_words_with_what_proves_what(self, teacher: Client) -> None:
        typed = {"innocuous": "?", "innocuous_source": "?", "innocuous_share": "1/4", "accepts_infinite": "on"}
        page = _beside(teacher, design="triangular", **typed)
        assert "ε is infinite" in page
        assert "The report “No to both” proves that the true answer is No." in page
        assert "Question 1 has a report that proves an answer: its ε is infinite, and no sum holds it." in page
        assert "Total ε =" not in page
        assert "No total ε yet" not in page
        assert "fold" not in _dial_on(page)

    def test_of_several_options_each_one_and_all_are_told(self, teacher: Client) -> None:
        page = _beside(teacher, kind="several_of", options="A\nB\nC")
        assert "Odds about one option change at most 3-fold (ε 1.10 each)." in page
        assert "ε 3.30" in page
        assert "In all: 3 options with ε = 1.10 each." in page
        assert "Seeing the report about one option changes anyone’s odds about it at most 3-fold." in page

    def test_a_number_is_first_rounded_and_its_precision_is_in_its_units(self, teacher: Client) -> None:
        page = _beside(teacher, kind="number_mean", low="0", high="12", step="0.5", unit="hours")
        assert "First the phone rounds the number by chance to 0 hours or to 12 hours, so that the mean stays." in page
        assert "else a second coin answers for it: 12 hours with probability 1/2." in page
        assert "<strong>±4.3 hours</strong>" in page
        assert "If the mean is 6.00, 95 of 100 such surveys read 1.71 to 10.29." in page
        assert "<strong>Too few to conclude anything.</strong>" in page
        assert "385 people would give ±1.2 hours." in page

    def test_the_share_that_is_expected_is_the_one_it_plans_for(self, teacher: Client) -> None:
        page = _beside(teacher, expected_share="5")
        # 1.96 · 2 · √(.275 · .725) / √30.
        assert "<strong>±32</strong>" in page
        # No share is below 0: the band ends there.
        assert "If 5 of 100 is true, 95 of 100 such surveys read 0 to 37." in page
        assert "95% interval, if the true share is about 5%. If it were 5%, expect ±32; if 50%, ±36." in page

    def test_too_few_answers_have_a_sign_and_the_number_from_which_they_tell_something(self, teacher: Client) -> None:
        page = _dial_on(_beside(teacher))
        assert "60 people would do." in page
        assert page.count('class="sign"') == 1
        assert 'class="sign"' not in _dial_on(_beside(teacher, expected_n="60"))

    def test_it_says_how_probably_the_share_is_told_from_none(self, teacher: Client) -> None:
        page = _dial_on(_beside(teacher))
        assert "If 30% is true, 30 people show with a probability of 42% that it is more than nobody." in page
        assert "For a probability of 80% it takes 68." in page

    def test_the_designs_that_suit_are_compared_at_its_epsilon(self, teacher: Client) -> None:
        page = _dial_on(_beside(teacher))
        assert "What 30 people tell with ε = 1.10 if 30% is true" in page
        assert "Two coins (forced response): ±35 points." in page
        assert "An unrelated question instead: ±47 points." in page
        assert "Asked directly, no protection: ±16 points." in page
        assert (
            "Cannot have this ε: “Two questions, No to both or not (triangular)” and "
            "“Yes as it is, No by chance (Mangat)”. There, one report always proves an answer." in page
        )
        assert "4.6 answers with chance tell as much as one without" in page

    def test_of_options_one_of_which_is_true_the_odds_are_those_of_all_reports(self, teacher: Client) -> None:
        page = _dial_on(_beside(teacher, kind="one_of", options="A\nB\nC"))
        assert "All reports together change the odds between any two options by a factor of at most 9." in page
        assert "Odds change at most 9-fold." in page
        assert "One bit an option, optimized (OUE)" in page

    def test_where_one_way_only_suits_it_is_said(self, teacher: Client) -> None:
        page = _dial_on(_beside(teacher, kind="number_bands", design="k_ary", edges="0 10 20", unit=""))
        assert "Only this way of adding chance suits this question." in page

    def test_a_fact_is_chosen_and_not_set(self, teacher: Client) -> None:
        page = _dial_on(
            _beside(teacher, design="crosswise", innocuous="?", innocuous_source="?", innocuous_share="1/4")
        )
        assert 'type="range"' not in page
        assert '<th scope="row">1/4 <span class="quiet">(now)</span></th><td class="number">1.10</td>' in page
        assert '<th scope="row">1/12</th><td class="number">2.40</td>' in page

    def test_the_slider_says_every_probability_in_words_of_the_server(self, teacher: Client) -> None:
        turns = re.findall(r'<li data-value="([^"]+)" data-short="([^"]+)">(.*?)</li>', _beside(teacher, truth="1/3"))
        assert [value for value, _short, _words in turns[5:8]] == ["3/10", "1/3", "7/20"]
        assert turns[-1] == (
            "19/20",
            "19 times in 20",
            "19 times in 20. If the true answer is Yes, 97.5 of 100 phones send Yes; if it is No, 2.5 of 100 do. "
            "ε 3.67",
        )

    def test_a_wished_epsilon_becomes_a_probability_without_any_script(self, teacher: Client) -> None:
        row = question() | {"wished": "2"}
        page = text_of(teacher.post(NEW, posted(row, action="wish-1")))
        assert 'name="questions-1-truth" value="19/25"' in page
        assert "ε 2.00" in page

    @pytest.mark.parametrize(
        ("wished", "words"),
        [
            ("", "Write ε as a number"),
            ("abc", "Write ε as a number"),
            ("1e3", "Write ε as a number"),
            ("0", "ε must be at least 0.05."),
            ("-1", "ε must be at least 0.05."),
            ("7", "ε of one answer must be at most 6"),
        ],
    )
    def test_a_wish_that_cannot_be_met_is_refused_in_words_beside_it(
        self, teacher: Client, wished: str, words: str
    ) -> None:
        page = text_of(teacher.post(NEW, posted(question() | {"wished": wished}, action="wish-1")))
        assert words in page
        assert 'aria-describedby="questions-1-refused"' in page
        assert 'name="questions-1-truth" value="1/2"' in page
