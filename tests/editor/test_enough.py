"""A new draft is good for a class of thirty; and one button makes the answers expected enough for what is asked."""

import math
import re
from fractions import Fraction

import pytest
from django.test import Client, override_settings

from surveys.editor.figures import Dial, remedy_of
from surveys.editor.forms.rows import QuestionRow
from surveys.linting.findings import Level
from surveys.models import Survey
from surveys.questionnaire import kinds
from tests.editor.form import NEW, arms, closed, posted, question
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def _dial(row: QuestionRow) -> Dial:
    dial = row.dial(n=30, share=Fraction(3, 10))
    assert isinstance(dial, Dial)
    return dial


def test_the_default_of_a_new_draft_is_good_for_thirty(teacher: Client) -> None:
    editor = teacher.get(NEW).context["editor"]
    [row] = editor.rows
    row.retype("text", "Have you copied in an exam this year?")
    dial = _dial(row)
    assert (editor.expected_n, editor.expected_share) == (30, Fraction(3, 10))
    assert dial.half_width <= 0.25
    assert dial.epsilon <= 2
    assert not dial.proves
    assert not row.wrong
    # With more privacy it would not be.
    assert dial.enough_at == Fraction(7, 10) == Fraction(row.typed["truth"])
    assert {finding.level for finding in editor.findings} == {Level.HINT}
    assert editor.remedy is None


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_scale_has_ends_from_the_start_and_keeps_them_closed(teacher: Client, language: str) -> None:
    headers = {"Accept-Language": language}
    [row] = teacher.get(NEW, headers=headers).context["editor"].rows
    scale = dict(row.typed) | {"kind": "scale", "design": "k_ary", "text": "How much?"}
    assert scale["low_end"]
    assert (scale["low_end"] == "Not at all") is (language == "en")
    # Closed, and read again in the other language: what stood there stays.
    kept = teacher.post(NEW, posted(scale, action="close"), headers=headers).context["editor"].rows[0]
    again = posted({"typed": kept.packed}, action="refresh")
    other = teacher.post(NEW, again, headers={"Accept-Language": "es"}).context["editor"].rows[0]
    assert (other.typed["low_end"], other.typed["high_end"]) == (scale["low_end"], scale["high_end"])
    assert not other.wrong


@pytest.mark.parametrize("kind", ["yes_no", "number_mean"])
def test_the_usual_probability_of_a_kind_is_the_most_private_that_thirty_are_enough_for(kind: str) -> None:
    row = QuestionRow({"text": "?", "kind": kind, "truth": kinds.named(kind).usual_truth})
    assert str(_dial(row).enough_at) == row.typed["truth"]


COIN, CLOSE, OPEN = {"truth": "7/10"}, {"truth": "1/2"}, {"truth": "9/10"}
NUMBER = COIN | {"kind": "number_mean"}
SCALE = COIN | {"kind": "scale", "design": "k_ary"}
SEVERAL = CLOSE | {"kind": "several_of", "options": "A\nB\nC"}
DRAFTS = {
    "one coin too private": [CLOSE],
    "a number": [NUMBER],
    "three numbers": [NUMBER] * 3,
    "a number at the end": [COIN, COIN, NUMBER],
    "four coins": [COIN] * 4,
    "four coins too private": [CLOSE] * 4,
    "four coins too open": [OPEN] * 4,
    "a scale and a coin": [SCALE, COIN],
    "several options": [SEVERAL],
    "open and private": [OPEN, CLOSE, CLOSE],
}


@override_settings(EPSILON_LEVEL=4.0)
@pytest.mark.parametrize("n", ["30", "100", "1000"])
@pytest.mark.parametrize("draft", DRAFTS.values(), ids=list(DRAFTS))
def test_what_the_one_button_does_brings_no_other_warning(teacher: Client, draft: list[dict[str, str]], n: str) -> None:
    rows = [closed(text=f"{number}?", **typed) for number, typed in enumerate(draft)]
    before = teacher.post(NEW, posted(*rows, action="refresh", expected_n=n)).context["editor"]
    warned = {finding.rule for finding in before.findings} & {"too_few", "total_epsilon"}
    assert bool(before.remedy) is bool(warned)
    editor = teacher.post(NEW, posted(*rows, action="fit", expected_n=n)).context["editor"]
    if before.remedy and not before.remedy.helps:
        assert [row.typed["truth"] for row in editor.rows] == [typed["truth"] for typed in draft]
        return
    assert editor.remedy is None
    assert {finding.level for finding in editor.findings} == {Level.HINT}
    if before.remedy:
        assert editor.epsilon == pytest.approx(before.remedy.epsilon)
    # What was alike still is, so that respondents read the same odds.
    by_kind: dict[str, set[str]] = {}
    for row, typed in zip(editor.rows, draft, strict=True):
        if not row.removed:
            by_kind.setdefault(str(typed), set()).add(row.typed["truth"])
    assert all(len(truths) == 1 for truths in by_kind.values())


@override_settings(EPSILON_LEVEL=4.0)
def test_one_button_turns_every_coin_that_is_too_private_and_says_what_it_costs(teacher: Client) -> None:
    rows = [question(text="1?"), closed(text="2?")]
    response = teacher.post(NEW, posted(*rows, action="refresh"))
    remedy = response.context["editor"].remedy
    assert (remedy.drops, remedy.hopeless, remedy.people, remedy.widest) == (0, (), None, None)
    assert [dial.factor for dial in remedy.less_private] == [3, Fraction(17, 3)]
    assert remedy.epsilon == pytest.approx(2 * math.log(17 / 3))
    # It is the only button, also beside the question that is open.
    assert re.findall(r'value="(fit|turn[^"]*)"', text_of(response)) == ["fit"]
    editor = teacher.post(NEW, posted(*rows, action="fit")).context["editor"]
    assert [row.typed["truth"] for row in editor.rows] == ["7/10", "7/10"]
    assert all(_dial(row).half_width <= 0.25 for row in editor.rows)
    assert re.findall(r"\d+", editor.said) == ["2"]


@override_settings(EPSILON_LEVEL=4.0)
def test_where_there_are_more_people_than_needed_precision_pays_for_the_total(teacher: Client) -> None:
    rows = [closed(text=f"{number}?", truth="7/10") for number in range(4)]
    remedy = teacher.post(NEW, posted(*rows, action="refresh", expected_n="100")).context["editor"].remedy
    assert {str(turn.after.probability) for turn in remedy.turns.values()} == {"9/20"}
    # One step less would not do.
    assert remedy.epsilon <= 4 < 4 * _dial(QuestionRow({"text": "?", "truth": "1/2"})).epsilon
    assert remedy.less_private is None
    assert remedy.widest == max(turn.after.half_width for turn in remedy.turns.values()) <= 0.25


@override_settings(EPSILON_LEVEL=4.0)
def test_where_not_all_questions_fit_the_first_ones_stay_and_the_others_can_be_put_back(teacher: Client) -> None:
    rows = [closed(text=f"{number}?") for number in range(10)]
    remedy = teacher.post(NEW, posted(*rows, action="refresh")).context["editor"].remedy
    assert (remedy.kept, remedy.drops) == (2, 8)
    editor = teacher.post(NEW, posted(*rows, action="fit")).context["editor"]
    assert [row.removed for row in editor.rows] == [False] * 2 + [True] * 8
    assert [row.typed["text"] for row in editor.rows] == [f"{number}?" for number in range(10)]
    # So many people as it names would be enough for all of them, and one fewer would not.
    for n, enough in ((remedy.people, True), (remedy.people - 1, False)):
        again = teacher.post(NEW, posted(*rows, action="fit", expected_n=str(n))).context["editor"]
        assert (len(again.staying) == 10) is enough
        assert again.epsilon <= 4


@override_settings(EPSILON_LEVEL=4.0)
def test_of_arms_no_question_is_dropped_and_each_arm_has_a_total_of_its_own(teacher: Client) -> None:
    both = arms(("A", "1"), ("B", "1"))
    apart = [closed(text=f"{arm}?", arms=arm, truth="7/10") for arm in "1122"]
    fits = teacher.post(NEW, posted(*apart, action="refresh", expected_n="60") | both).context["editor"]
    assert fits.remedy is None
    more = [*apart, closed(text="Both?", truth="7/10")]
    remedy = teacher.post(NEW, posted(*more, action="refresh", expected_n="60") | both).context["editor"].remedy
    assert (remedy.helps, remedy.kept) == (False, 0)
    pressed = teacher.post(NEW, posted(*more, action="fit", expected_n="200") | both).context["editor"]
    assert len(pressed.staying) == 5
    assert max(pressed.arm_totals) <= 4


def test_a_question_without_a_text_is_not_judged_yet(teacher: Client) -> None:
    typed = posted(question(text="", truth="1/2"), action="refresh")
    assert teacher.post(NEW, typed).context["editor"].remedy is None


def test_where_no_coin_would_do_it_is_said(teacher: Client) -> None:
    fact = {"innocuous": "?", "innocuous_source": "?", "innocuous_share": "1/4"}
    response = teacher.post(NEW, posted(closed(), closed(design="crosswise", **fact), action="refresh"))
    remedy = response.context["editor"].remedy
    assert (remedy.hopeless, remedy.people) == ((2,), 60)
    # The other one is mended all the same.
    assert 'value="fit"' in text_of(response)
    few = teacher.post(NEW, posted(closed(), action="refresh", expected_n="5"))
    assert few.context["editor"].remedy.hopeless == (1,)
    assert 'value="fit"' not in text_of(few)
    pressed = teacher.post(NEW, posted(closed(), action="fit", expected_n="5")).context["editor"]
    assert pressed.rows[0].typed["truth"] == "1/2"


def test_a_level_below_the_first_question_leaves_nothing_to_press() -> None:
    remedy = remedy_of([_dial(QuestionRow({"text": "?", "truth": "1/2"}))], level=1)
    assert remedy is not None
    assert (remedy.helps, remedy.kept, remedy.turns) == (False, 0, {})
    assert remedy.people
    assert remedy_of([_dial(QuestionRow({"text": "?", "truth": "1/2"}))], level=0).people is None  # type: ignore[union-attr]


@override_settings(EPSILON_LEVEL=4.0)
def test_more_is_never_dropped_than_can_be_put_back(teacher: Client) -> None:
    rows = [closed(text=f"{number}?") for number in range(40)]
    response = teacher.post(NEW, posted(*rows, action="fit"))
    assert len(response.context["editor"].staying) == 40
    assert Survey.objects.count() == 0
