"""A questionnaire as respondents meet it: in one language, its questions with their designs, each arm by itself."""

import datetime as dt
import hashlib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from django.utils import translation
from django.utils.translation import gettext

from surveys.privacy.designs import total_epsilon
from surveys.questionnaire.arms import Arm, answers_in
from surveys.questionnaire.asked_question import AskedQuestion, Item, ask
from surveys.questionnaire.document import Preamble, Questionnaire, hash_of
from surveys.questionnaire.kinds import Loss
from surveys.questionnaire.reports import CODES, LEFT_OUT


@dataclass(frozen=True)
class Definition(Preamble):
    """Everything that respondents read and that estimators need; but for a day it never changes once it is open.

    Where there are random arms this is all of it, and `in_arm` is what the respondents of one of them meet: a survey
    like any other. Stored reports have a character for each item of all arms, and one more, the arm's.
    """

    survey_id: int
    code: str
    questions: tuple[AskedQuestion, ...]
    purge_on: dt.date | None  # beside what is frozen: it may be brought forward
    document: Questionnaire = field(compare=False, repr=False)
    version: str = ""  # SHA-256 of all that a respondent agrees to; `Survey.content_hash` once the survey is open
    arm: Arm | None = None  # whose questions these are, and nobody else's
    _all_arms: "Definition | None" = field(default=None, compare=False, repr=False)
    places: tuple[int, ...] = field(default=(), compare=False, repr=False)  # of an arm's items in the survey
    languages: tuple[str, ...] = ()  # in which it can be read, its own first; none named is its own alone
    _change: Callable[["Definition"], "Definition"] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        document: Questionnaire,
        *,
        code: str = "",
        version: str = "",
        survey_id: int = 0,
        purge_on: dt.date | None = None,
    ) -> "Definition":
        """Build the definition of a questionnaire; raises ValueError when a stored design makes no matrix.

        `version` is given where it is frozen already.
        """
        document = document.without_unread()
        others = document.other_languages
        return cls._spoken(
            document,
            document=document,
            code=code,
            version=version or hash_of(code, document.text),
            survey_id=survey_id,
            purge_on=purge_on,
            languages=(document.language, *others) if others else (),
        )

    @classmethod
    def _spoken(cls, spoken: Questionnaire, **others: Any) -> "Definition":
        # “Yes”, “Prefer not to say” and the like are the pages' words: in the survey's language, whatever the
        # visitor's.
        with translation.override(spoken.language):
            asked = ask(spoken.questions, in_arms=bool(spoken.arms))
        return cls(**{each.name: getattr(spoken, each.name) for each in fields(Preamble)}, questions=asked, **others)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The items of all questions, in the order of the reports."""
        return tuple(item for question in self.questions for item in question.items)

    @cached_property
    def _by_arm(self) -> Mapping[int, "Definition"]:
        return {arm.number: _of_arm(self, arm) for arm in self.arms}

    @property
    def credit_key(self) -> str:
        """What checks this survey's receipts; "" while it is no frozen survey that gives credit."""
        return self.document.credit_key

    @property
    def credit_fingerprint(self) -> str:
        """Half of the SHA-256 hash of that key as it is written, in groups that people can compare."""
        return " ".join(re.findall("....", hashlib.sha256(self.credit_key.encode()).hexdigest()[:32]))

    @property
    def all_arms(self) -> "Definition":
        """All of it, where this is what one arm meets."""
        return self._all_arms or self

    def in_arm(self, number: int) -> "Definition":
        """Return what respondents of this arm meet; raises KeyError where there is none of this number."""
        return self._by_arm[number]

    def in_language(self, code: str) -> "Definition":
        """Return the same in one of its languages; probabilities, codes and version stay those of its own."""
        return self if code == self.language else self._by_language[code]

    def changed(self, change: Callable[["Definition"], "Definition"]) -> "Definition":
        """Return what a function makes of it, and in each other language of what is read there."""
        return replace(change(self), _change=change)

    @cached_property
    def _by_language(self) -> Mapping[str, "Definition"]:
        return {code: self._translated(code) for code in self.languages[1:]}

    def _translated(self, code: str) -> "Definition":
        kept = {
            name: getattr(self, name) for name in ("document", "code", "version", "survey_id", "purge_on", "languages")
        }
        read = self._spoken(self.document.translated(code), **kept)
        return self._change(read) if self._change else read

    @property
    def each_arm(self) -> tuple["Definition", ...]:
        """What respondents meet: of each arm, or this itself where there are none."""
        return tuple(self._by_arm.values()) or (self,)

    def asked_of(self, n: int, *questions: AskedQuestion) -> int:
        """Return how many of `n` respondents to expect in the arms that are asked one of these questions."""
        numbers = [arm.number for arm in self.arms]
        return answers_in(self.arms, {number for question in questions for number in question.arms or numbers}, n)

    def variants_of(self, question: AskedQuestion) -> tuple[AskedQuestion, ...]:
        """Return the questions that ask for the same in different arms, this one too.

        None where there is no other with the same answers, one of a list each.
        """
        alike = tuple(
            each
            for each in self.questions
            if question.quantity
            and each.quantity == question.quantity
            and each.first.labels == question.first.labels
            and len(each.items) == 1
            and not each.first.range
        )
        return alike if len(alike) > 1 and question in alike else ()

    def asks_together(self, *items: Item) -> bool:
        """Whether somebody is asked all of these: questions of different arms nobody is."""
        everywhere = {arm.number for arm in self.arms}
        asked = [set(self.questions[item.question_number - 1].arms) or everywhere for item in items]
        return not self.arms or bool(set.intersection(*asked))

    def arm_names(self, question: AskedQuestion) -> str:
        """Return the names of the arms in which a question is asked, where not everybody is asked it."""
        return ", ".join(arm.name for arm in self.arms if arm.number in question.arms)

    def name_of(self, question: AskedQuestion) -> str:
        """Return a question's text, with its arms where not all are asked it: two may have one text."""
        arms = self.arm_names(question)
        return f"{question.text} ({arms})" if arms else question.text

    @property
    def columns(self) -> tuple[int, ...]:
        """How many codes each character of stored reports has: each item's reports, then the arms."""
        return (*(item.design.m for item in self.items), *([len(self.arms)] if self.arms else []))

    def stored(self, reports: str) -> str:
        """Return as they are stored the reports that fit here: with those of no other arm, and the arm's code."""
        if self.arm is None:
            return reports
        characters = [LEFT_OUT] * len(self.all_arms.items)
        for place, report in zip(self.places, reports, strict=True):
            characters[place] = report
        return "".join(characters) + CODES[self.arm.number - 1]

    def arm_of(self, stored: str) -> "Definition":
        """Return what those met who sent these stored reports, which fit here."""
        return self.in_arm(CODES.index(stored[-1]) + 1) if self.arms else self

    def reports_here(self, stored: str) -> str:
        """Return of stored reports those to the items here."""
        return "".join(stored[place] for place in self.places) if self.arm else stored

    @cached_property
    def protected_items(self) -> tuple[Item, ...]:
        """The protected items: only they have proofs and odds."""
        return tuple(item for item in self.items if item.protects)

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """What the reports to protected questions give away, which adds up to an ε."""
        return tuple(loss for question in self.questions if question.protects for loss in question.losses)

    @property
    def protects(self) -> bool:
        """Return whether something of everybody's is protected: not where an arm has only unprotected questions."""
        return all(met.protected_items for met in self.each_arm)

    @property
    def costliest(self) -> "Definition":
        """What costs respondents most, of all that they may meet."""
        return max(self.each_arm, key=lambda met: (met.epsilon, met.bounded_epsilon))

    @cached_property
    def epsilon(self) -> float:
        """The respondent's local loss, in nats: the sum over protected questions (basic composition), rounded up.

        Of several arms that of the one which costs most.
        """
        if self._by_arm:
            return max(each.epsilon for each in self._by_arm.values())
        return total_epsilon(loss.epsilon for loss in self.losses)

    @property
    def epsilon_of_truths(self) -> float:
        """What the reports of one response tell of all its true answers: infinite where one is sent as it is."""
        return math.inf if self.unprotected else self.epsilon

    @cached_property
    def bounded_epsilon(self) -> float:
        """The same sum over what proves nothing: a proof is named apart."""
        if self._by_arm:
            return max(each.bounded_epsilon for each in self._by_arm.values())
        return total_epsilon(loss.epsilon for loss in self.losses if loss.epsilon < math.inf)

    @cached_property
    def proving(self) -> tuple[int, ...]:
        """The numbers of the protected questions one of whose reports can prove an answer."""
        return tuple(
            question.number for question in self.questions if question.protects and question.epsilon == math.inf
        )

    @cached_property
    def unprotected(self) -> tuple[int, ...]:
        """The numbers of the questions whose answers are sent as they are."""
        return tuple(question.number for question in self.questions if not question.protects)

    @property
    def withheld_until_closed(self) -> bool:
        """Whether no figure is shown before the survey closes: a batch can hold a single one of an arm, say."""
        return bool(self.unprotected or self.arms)

    @property
    def content(self) -> Mapping[str, Any]:
        """All that a respondent agrees to, as JSON can hold it."""
        return {"code": self.code, **self.document.as_json}

    @cached_property
    def browser(self) -> dict[str, Any]:
        """What the randomizer in the browser reads: the very matrices that the estimators invert."""
        order: dict[str, Any] = {"randomOrder": True} if self.random_order else {}
        return order | {"questions": [question.browser for question in self.questions]}

    def misfit(self, reports: str) -> str:
        """Return what is wrong with a reports text, in words that name the question, or "" when it fits."""
        if self._by_arm:
            return self._misfit_of_arm(reports)
        if len(reports) != len(self.items):
            return gettext(
                "Reports needed: %(wanted)s, one for each item. Reports received: %(given)s. Go to the "
                "survey and answer again."
            ) % {
                "wanted": len(self.items),
                "given": len(reports),
            }
        return next(filter(None, (question.misfit(reports) for question in self.questions)), "")

    def _misfit_of_arm(self, stored: str) -> str:
        """Judge the stored reports of a survey with arms: those of one arm, nothing else, and its code."""
        if len(stored) != len(self.columns) or stored[-1] not in CODES[: len(self.arms)]:
            return gettext("The reports do not name an arm of this survey. Go to the survey and answer again.")
        mine = self.arm_of(stored)
        reports = mine.reports_here(stored)
        if mine.stored(reports) != stored:
            return gettext("A report belongs to a question from another arm. Go to the survey and answer again.")
        return mine.misfit(reports)


def _of_arm(definition: Definition, arm: Arm) -> Definition:
    """Return what respondents of an arm meet: its questions alone, numbered as they count them."""
    here: dict[int, AskedQuestion] = {}  # by their numbers in the survey
    places: list[int] = []
    for question in definition.questions:
        if question.arms and arm.number not in question.arms:
            continue
        number, first = len(here) + 1, len(places)
        places += (item.number for item in question.items)
        asked_if = question.asked_if
        if asked_if:
            deciding = here[asked_if.question_number]
            asked_if = replace(asked_if, question_number=deciding.number, item=deciding.first.number)
        here[question.number] = question.moved(number, first, asked_if)
    questions = tuple(here.values())
    return replace(definition, questions=questions, arms=(), arm=arm, _all_arms=definition, places=tuple(places))
