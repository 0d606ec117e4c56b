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
from tests.editor.form import NEW, closed, posted, question
from tests.pages import text_of

pytestmark = pytest.mark.django_db
THIRTY = {"n": 30, "share": Fraction(3, 10)}


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


def test_one_button_turns_every_coin_that_is_too_private_and_says_what_it_costs(teacher: Client) -> None:
    rows = [question(text="1?"), closed(text="2?"), closed(text="3?", truth="9/10")]
    response = teacher.post(NEW, posted(*rows, action="refresh"))
    remedy = response.context["editor"].remedy
    assert (remedy.alike, remedy.drops, remedy.hopeless) == (True, 0, ())
    assert (remedy.before.factor, remedy.after.factor) == (3, Fraction(17, 3))
    assert remedy.epsilon == pytest.approx(2 * math.log(17 / 3) + math.log(19))
    assert 'name="action" value="fit" id="fit"' in text_of(response)
    response = teacher.post(NEW, posted(*rows, action="fit"))
    editor = response.context["editor"]
    # What was enough already is left as it was.
    assert [row.typed["truth"] for row in editor.rows] == ["7/10", "7/10", "9/10"]
    assert all(_dial(row).half_width <= 0.25 for row in editor.rows)
    assert re.findall(r"\d+", editor.said) == ["2"]
    assert editor.remedy is None


@override_settings(EPSILON_CAP=12.0)
def test_where_the_server_would_not_open_so_many_the_first_ones_stay_and_the_others_can_be_put_back(
    teacher: Client,
) -> None:
    rows = [closed(text=f"{number}?") for number in range(10)]
    remedy = teacher.post(NEW, posted(*rows, action="refresh")).context["editor"].remedy
    assert (remedy.kept, remedy.drops, remedy.cap) == (6, 4, 12)
    assert remedy.epsilon_of_all == pytest.approx(10 * math.log(17 / 3))
    editor = teacher.post(NEW, posted(*rows, action="fit")).context["editor"]
    assert [row.removed for row in editor.rows] == [False] * 6 + [True] * 4
    assert [row.typed["text"] for row in editor.rows] == [f"{number}?" for number in range(10)]
    assert editor.epsilon <= 12
    assert all(_dial(row).half_width <= 0.25 for row in editor.staying)


def test_one_open_question_offers_it_itself(teacher: Client) -> None:
    alone = text_of(teacher.post(NEW, posted(question(), action="refresh")))
    assert 'value="turn-1-7/10"' in alone
    assert 'value="fit"' not in alone
    shut = text_of(teacher.post(NEW, posted(closed(), action="refresh")))
    assert 'value="turn-' not in shut
    assert 'value="fit"' in shut


def test_where_no_coin_would_do_it_is_said(teacher: Client) -> None:
    fact = {"innocuous": "?", "innocuous_source": "?", "innocuous_share": "1/4"}
    response = teacher.post(NEW, posted(closed(), closed(design="crosswise", **fact), action="refresh"))
    remedy = response.context["editor"].remedy
    assert (remedy.hopeless_numbers, remedy.least) == ((2,), 60)
    # The other one is mended all the same.
    assert 'value="fit"' in text_of(response)
    few = teacher.post(NEW, posted(closed(), action="refresh", expected_n="5"))
    assert few.context["editor"].remedy.hopeless_numbers == (1,)
    assert 'value="fit"' not in text_of(few)
    pressed = teacher.post(NEW, posted(closed(), action="fit", expected_n="5")).context["editor"]
    assert pressed.rows[0].typed["truth"] == "1/2"


def test_a_cap_below_the_first_question_leaves_nothing_to_press() -> None:
    remedy = remedy_of([_dial(QuestionRow({"text": "?", "truth": "1/2"}))], cap=1.5)
    assert remedy is not None
    assert (remedy.helps, remedy.kept, remedy.turns, remedy.least) == (False, 0, {}, 60)
    assert remedy.epsilon_of_all == pytest.approx(math.log(17 / 3))


@override_settings(EPSILON_CAP=12.0)
def test_more_is_never_dropped_than_can_be_put_back(teacher: Client) -> None:
    rows = [closed(text=f"{number}?") for number in range(40)]
    response = teacher.post(NEW, posted(*rows, action="fit"))
    assert len(response.context["editor"].staying) == 40
    assert Survey.objects.count() == 0
