"""A respondent's POST, field by field: what no page of ours sends is refused and never stored."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from django.http import QueryDict
from django.utils.translation import gettext

from surveys.answering.services.collecting import InvalidSubmission
from surveys.answering.services.perturbing import Tapped, Truth
from surveys.credit.services import is_blinded
from surveys.models import Mode
from surveys.privacy.rationals import exact
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.reports import CODES, LEFT_OUT

_ALWAYS = ("nonce", "mode")
_LONGEST_NUMBER = 20
_THOUSANDS = re.compile(r"[.,]\d{3}\s*$")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Submission:
    mode: str
    nonce: str
    reports: str
    blinded: str = ""  # what the server is asked to sign for a receipt, if it is


class IncompleteAnswers(InvalidSubmission):
    """Questions have no answer that can be taken: `problems` says by field what is wrong with each."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        field, message = next(iter(problems.items()))
        super().__init__(field, message)
        self.problems = problems


def parse_reports(post: QueryDict, definition: Definition) -> Submission:
    """Read what the device or the own-coin form sent; raises InvalidSubmission naming the field."""
    mode = post.get("mode", "")
    blinded = ""
    if mode == Mode.DEVICE:
        _refuse_other_fields(post, {"reports", *_of_arm(definition), *_of_credit(definition)})
        reports = post.get("reports", "")
        blinded = _blinded(post, definition) if "blinded" in post else ""
    elif mode == Mode.OWN_COIN:
        _refuse_other_fields(post, _fields("item", definition))
        reports = "".join(_each(post, definition, _tapped, LEFT_OUT))
    else:
        raise _other_form()
    return Submission(mode, post.get("nonce", ""), reports, blinded)


def parse_decline(post: QueryDict, definition: Definition) -> tuple[str, str]:
    """Read nonce and blinded number of somebody who declines and asks for a receipt; nothing else is read of them."""
    _refuse_other_fields(post, _of_credit(definition))
    return post.get("nonce", ""), _blinded(post, definition)


def _of_credit(definition: Definition) -> set[str]:
    return {"blinded"} if definition.credit_key else set()


def _blinded(post: QueryDict, definition: Definition) -> str:
    blinded = post.get("blinded", "")
    if not is_blinded(definition.credit_key, blinded):
        raise InvalidSubmission("blinded", gettext("The request for a receipt is damaged. Load the page again."))
    return blinded


def parse_truths(post: QueryDict, definition: Definition) -> tuple[str, list[Truth]]:
    """Read nonce and true answers in server mode; they live until the request ends and are written nowhere."""
    _refuse_other_fields(post, _fields("answer", definition))
    if post.get("mode") != Mode.SERVER:
        raise _other_form()
    return post.get("nonce", ""), _each(post, definition, _truth, None)


def require_truths(definition: Definition, keys: Collection[str]) -> None:
    """Raise Unfinished as if the fields with these keys had no answer; what was answered is not needed for it."""
    everybody = replace(
        definition, questions=tuple(replace(question, asked_if=None) for question in definition.questions)
    )

    def read(post: QueryDict, question: AskedQuestion, item: Item) -> Truth:
        return _truth(post, question, item) if _truth_key(question, item) in keys else None

    _each(QueryDict(), everybody, read, None)


def _other_form() -> InvalidSubmission:
    words = gettext(
        "Your answers were not accepted, because this page expects a different form. Reload the page and answer again."
    )
    return InvalidSubmission("mode", words)


def has_own_way_out(question: AskedQuestion) -> bool:
    """Whether a plain form needs a box of its own for not answering, beside what its other controls say."""
    if question.answers.by_option:
        return question.can_be_left_out
    return (
        question.first.range is not None
        and not question.tapped
        and (question.can_be_left_out or question.protects_leaving_out)
    )


def _fields(prefix: str, definition: Definition) -> set[str]:
    leaving = {f"leave-{question.number}" for question in definition.questions if has_own_way_out(question)}
    return _asked(prefix, definition) | leaving | _of_arm(definition)


def _asked(prefix: str, definition: Definition) -> set[str]:
    return {
        f"{prefix}-{_truth_key(question, item) if prefix == 'answer' else item.key}"
        for question in definition.questions
        for item in question.items
    }


def _truth_key(question: AskedQuestion, item: Item) -> str:
    """Return the key of the field with the true answer: one for all options where one of them is chosen."""
    return str(question.number) if question.answers.one_true else item.key


def _of_arm(definition: Definition) -> set[str]:
    return {"arm", "padding"} if definition.arm else set()


def padding_of(definition: Definition, mode: str) -> str:
    """Return what makes an arm's form as long as those of the other arms, where each question is answered."""
    longest = max(_length(met, mode) for met in definition.all_arms.each_arm)
    return "." * (longest - _length(definition, mode))


def _length(definition: Definition, mode: str) -> int:
    """Return how many bytes the answers of a form take, without typed numbers, whose length varies."""
    if mode == Mode.DEVICE:
        return len(definition.items)
    prefix = "item" if mode == Mode.OWN_COIN else "answer"
    return sum(len(f"&{name}=0") for name in _asked(prefix, definition))


def _each(
    post: QueryDict, definition: Definition, read: Callable[[QueryDict, AskedQuestion, Item], _T], not_asked: _T
) -> list[_T]:
    """Read every item; name everything that is missing at once.

    What is not asked of somebody is not read: what was tapped there all the same cannot be untapped.
    """
    answers: list[_T] = []
    problems: dict[str, str] = {}
    reports = ""  # of the items that decide who is asked, which are sent as they are; of others as good as skipped
    for question in definition.questions:
        asked = question.is_asked(reports)
        for item in question.items:
            answer = not_asked
            try:
                answer = read(post, question, item) if asked else not_asked
            except InvalidSubmission as problem:
                problems[problem.field] = str(problem)
            answers.append(answer)
            reports += _report(answer, item)
    if problems:
        raise IncompleteAnswers(problems)
    return answers


def _report(answer: object, item: Item) -> str:
    if item.protects:
        return LEFT_OUT
    return answer.report if isinstance(answer, Tapped) else answer if isinstance(answer, str) else LEFT_OUT


def _refuse_other_fields(post: QueryDict, expected: Collection[str]) -> None:
    # Neither the name nor the value is repeated in the message: either could be a true answer.
    if any(name not in _ALWAYS and name not in expected for name in post):
        raise InvalidSubmission("", gettext("An unknown field was sent, so nothing was stored. Load the page again."))
    if any(len(values) != 1 for _, values in post.lists()):
        raise InvalidSubmission("", gettext("A field was sent twice, so nothing was stored. Load the page again."))


def _left(post: QueryDict, question: AskedQuestion) -> bool:
    """Whether the box for not answering is ticked: it outweighs what else was tapped, which cannot be untapped."""
    return has_own_way_out(question) and f"leave-{question.number}" in post


def _tapped(post: QueryDict, question: AskedQuestion, item: Item) -> str:
    if question.can_be_left_out and _left(post, question):
        return LEFT_OUT
    value = post.get(f"item-{item.key}", "")
    if len(value) == 1 and item.accepts(value):
        return value
    if item.in_the_head:
        if item.grid:
            raise _missing("item", item, gettext("Question %(number)s: tap a number."))
        raise _missing("item", item, gettext("Question %(number)s: tap one of the two answers."))
    if not item.protects:
        raise _missing("item", item, gettext("Question %(number)s: choose an answer."))
    if item.option:
        raise _missing("item", item, gettext("Question %(number)s, “%(option)s”: tap the result of your throw."))
    raise _missing("item", item, gettext("Question %(number)s: tap the result of your throw."))


def _truth(post: QueryDict, question: AskedQuestion, item: Item) -> Truth:
    value = post.get(f"answer-{_truth_key(question, item)}", "")
    if _left(post, question):
        return None if question.can_be_left_out else item.design.k - 1
    if value == LEFT_OUT and item.can_be_left_out and not has_own_way_out(question):
        return None
    if item.range and not item.tapped:
        return _number(value, item)
    if question.answers.one_true:
        return _is_chosen(value, question, item)
    if len(value) == 1 and value in CODES[: item.design.m if item.tapped else item.design.k]:
        return Tapped(value) if item.tapped else CODES.index(value)
    if item.option:
        raise _missing("answer", item, gettext("Question %(number)s, “%(option)s”: choose an answer."))
    raise _missing("answer", item, gettext("Question %(number)s: choose an answer."))


def _is_chosen(value: str, question: AskedQuestion, item: Item) -> int:
    """Return whether it is this option that is chosen: as a code, like the answer to any other question."""
    if len(value) != 1 or value not in CODES[: len(question.items)]:
        raise InvalidSubmission(
            f"answer-{question.number}",
            gettext("Question %(number)s: choose an answer.") % {"number": question.number},
        )
    return int(question.items[CODES.index(value)] is item)


def _missing(prefix: str, item: Item, message: str) -> InvalidSubmission:
    return InvalidSubmission(f"{prefix}-{item.key}", message % {"number": item.question_number, "option": item.option})


def _number(value: str, item: Item) -> Fraction:
    """Read a typed number; no message repeats it."""
    number = _read(value.strip()) if len(value) <= _LONGEST_NUMBER else None
    if number is not None and _THOUSANDS.search(value) and (100 * number).denominator == 1:
        # 1,000 is a thousand to some and one to others.
        number = None
    if item.range is None or number is None or not item.range.holds(number):
        raise InvalidSubmission(
            f"answer-{item.key}",
            gettext("Question %(number)s: enter a number from %(low)s to %(high)s, in steps of %(step)s.")
            % {"number": item.question_number, **(item.range.shown if item.range else {})},
        )
    return number


def _read(typed: str) -> Fraction | None:
    if "/" in typed:
        return None
    try:
        return exact(typed.replace("−", "-").replace(",", "."), "number")
    except ValueError:
        return None
