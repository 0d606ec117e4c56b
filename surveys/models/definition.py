"""A survey as pages and services use it: what respondents read, and the questions as they are frozen."""

import datetime as dt
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.utils import translation
from django.utils.translation import gettext

from surveys.models.arms import Arm, answers_in, arms_of
from surveys.models.asked_question import AskedQuestion, Item, ask
from surveys.models.kinds import Loss
from surveys.models.question import Question
from surveys.models.response import CODES, LEFT_OUT
from surveys.models.survey import FROZEN_COLUMNS, Survey
from surveys.privacy.designs import total_epsilon
from surveys.questionnaire.document import QUESTION_FIELDS, QUESTION_WHERE_SET, WHERE_SET, Questionnaire


@dataclass(frozen=True)
class Definition(Questionnaire):
    """Everything that respondents read and that estimators need; but for a day it never changes once it is open.

    Where there are random arms this is all of it, and `in_arm` is what the respondents of one of them meet: a survey
    like any other. Stored reports have a character for each item of all arms, and one more, the arm's.
    """

    survey_id: int
    code: str
    questions: tuple[AskedQuestion, ...]
    purge_on: dt.date | None  # beside what is frozen: it may be brought forward
    _content: Mapping[str, Any] = field(compare=False, repr=False)
    random_order: bool = False  # of its questions, on the page alone
    arms: tuple[Arm, ...] = ()
    arm: Arm | None = None  # whose questions these are, and nobody else's
    _all_arms: "Definition | None" = field(default=None, compare=False, repr=False)
    places: tuple[int, ...] = field(default=(), compare=False, repr=False)  # of an arm's items in the survey
    languages: tuple[str, ...] = ()  # in which it can be read, its own first; none named is its own alone
    _rows: tuple[Survey, list[Question]] | None = field(default=None, compare=False, repr=False)
    _change: Callable[["Definition"], "Definition"] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, survey: Survey, questions: Iterable[Question]) -> "Definition":
        """Build the definition from rows; raises ValueError when a stored design makes no matrix."""
        stored, others = list(questions), survey.other_languages
        content = {name: getattr(survey, name) for name in FROZEN_COLUMNS}
        content |= {"questions": [_content_of(question) for question in stored]}
        content |= {name: value for name in WHERE_SET if (value := getattr(survey, name))}
        if others:
            content["translations"] = _translations(survey, stored)
        definition = cls._spoken(survey, stored, content)
        languages = (survey.language, *others)
        return replace(definition, languages=languages, _rows=(survey, stored)) if others else definition

    @classmethod
    def _spoken(cls, survey: Survey, stored: list[Question], content: Mapping[str, Any]) -> "Definition":
        frozen = {name: getattr(survey, name) for name in FROZEN_COLUMNS}
        # “Yes”, “Prefer not to say” and the like are the pages' words: in the survey's language, whatever the
        # visitor's.
        with translation.override(survey.language):
            asked = ask(stored, in_arms=bool(survey.arms))
        return cls(
            survey_id=survey.pk,
            **frozen,
            questions=asked,
            purge_on=survey.purge_on,
            _content=content,
            random_order=survey.random_order,
            arms=arms_of(survey.arms),
        )

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The items of all questions, in the order of the reports."""
        return tuple(item for question in self.questions for item in question.items)

    @cached_property
    def _by_arm(self) -> Mapping[int, "Definition"]:
        return {arm.number: _of_arm(self, arm) for arm in self.arms}

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
        if self._rows is None:
            return {}
        survey, questions = self._rows
        return {code: self._translated(code, survey, questions) for code in self.languages[1:]}

    def _translated(self, code: str, survey: Survey, questions: list[Question]) -> "Definition":
        spoken, words = survey.translated(code), survey.translations[code]
        rows = [question.translated(spoken, words) for question in questions]
        read = replace(self._spoken(spoken, rows, self._content), languages=self.languages)
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
        return self._content

    @cached_property
    def version(self) -> str:
        """SHA-256 of all that a respondent agrees to; stored as `Survey.content_hash` when the survey opens."""
        return hashlib.sha256(json.dumps(self._content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

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


def _content_of(question: Question) -> dict[str, Any]:
    values = {name: getattr(question, name) for name in QUESTION_FIELDS}
    return {name: value for name, value in values.items() if value or name not in QUESTION_WHERE_SET}


def _translations(survey: Survey, questions: list[Question]) -> dict[str, dict[str, str]]:
    """Return what is translated of the texts that there are: of a text that was changed nothing is read any more."""
    rows: list[Survey | Question] = [survey, *questions]
    texts = [text for row in rows for text in row.texts.values()]
    return {
        code: {text: survey.translations[code][text] for text in texts if text in survey.translations[code]}
        for code in survey.other_languages
    }


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
