"""The texts of a draft in further languages: saved as far as there are any, and all asked for when it opens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from surveys.drafts.services.surveys import NotAllowedNow, SavedMeanwhile, clean, record
from surveys.models import Survey
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import TEXTS, Questionnaire, clean_preamble
from surveys.questionnaire.facts import FactsUsed
from surveys.questionnaire.lists import pairs_of
from surveys.questionnaire.translations import MOST_TEXTS, language_name

# More say no more than that much is missing.
_MOST_TOLD = 5
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class AuthorText:
    """One text that the survey owner wrote and respondents read."""

    number: int  # of its question, from 1; 0 is the survey's own
    name: str  # of the field
    text: str


def texts_of(questionnaire: Questionnaire) -> list[AuthorText]:
    """Return all of them in the order of the pages; what stands in several places comes once, at the first."""
    texts: dict[str, AuthorText] = {}
    for number, part in enumerate(questionnaire.parts):
        for name, text in part.texts.items():
            texts.setdefault(text, AuthorText(number, name, text))
    return list(texts.values())


@transaction.atomic
def translate_draft(
    *, survey: Survey, code: str, words: Mapping[str, str], revision: int, by: User | None = None
) -> Survey:
    """Save what a draft's texts are called in another language; without any it is no longer offered in it.

    What texts that are no longer there were called is kept until everything is translated. Raises ValidationError by
    the text that a translation does not fit, NotAllowedNow once it has been opened, and SavedMeanwhile.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.is_draft:
        raise NotAllowedNow(_("This survey has been opened, so its content can no longer be changed."))
    if revision != survey.revision:
        raise SavedMeanwhile(survey.pk)
    questionnaire = survey.questionnaire
    texts = {each.text for each in texts_of(questionnaire)}
    given = {text: words[text] for text in texts if words.get(text, "").strip()}
    before = questionnaire.translations
    earlier = {text: translated for text, translated in before.get(code, {}).items() if text not in texts}
    if given and len(given) < len(texts) and len(given) + len(earlier) <= MOST_TEXTS:
        given |= earlier
    others = {other: translated for other, translated in before.items() if other != code}
    translations = others | ({code: given} if given else {})
    if translations == before:
        return survey
    questionnaire = replace(questionnaire, translations=translations)
    survey.revision += 1
    clean(survey, questionnaire.as_json)
    if faults := faults_of(questionnaire, code):
        raise ValidationError(faults)
    survey.write(questionnaire)
    survey.save()
    record(survey=survey, by=by)
    return survey


def faults_of(questionnaire: Questionnaire, code: str) -> dict[str, list[str]]:
    """Return by text what is wrong with its translation, by the rules that hold for the text itself."""
    words = questionnaire.translations.get(code, {})
    spoken, faults, facts = questionnaire.translated(code), _Faults(words), FactsUsed()
    if words:
        faults.judge(questionnaire.texts, partial(clean_preamble, {name: getattr(spoken, name) for name in TEXTS}))
    for number, (question, read) in enumerate(zip(questionnaire.questions, spoken.questions, strict=True), start=1):
        texts = question.texts
        options = texts.get("options", "")
        given = words.get(options, options).split("\n")
        if question.options and len(given) != len(question.options):
            lines = _("Enter %(number)s lines, one per option, in the same order. Lines entered: %(given)s.")
            faults.add(options, lines % {"number": len(question.options), "given": len(given)})
            continue
        if words.keys() & texts.values():
            faults.judge(texts, partial(read.full_clean, code))
        for name, refused in facts.used_before(read.details, number, question.quantity).items():
            faults.add(texts[name], refused)
    return faults.by_text


class _Faults:
    """What is wrong, by the text whose translation it is; of texts that are not translated nothing."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self.by_text: dict[str, list[str]] = {}
        self._words = words

    def add(self, text: str, message: str) -> None:
        if text in self._words and message not in self.by_text.setdefault(text, []):
            self.by_text[text].append(message)

    def judge(self, texts: Mapping[str, str], rule: Callable[[], None]) -> None:
        try:
            rule()
        except ValidationError as refused:
            for name, messages in refused.message_dict.items():
                for message in messages if name in texts else ():
                    self.add(texts[name], message)


def require_translations(definition: Definition) -> None:
    """Raise ValidationError where a text of an offered language is missing or does not fit, naming both."""
    refusals: list[str] = []
    questionnaire = definition.document
    for code in questionnaire.other_languages:
        words, texts = questionnaire.translations[code], texts_of(questionnaire)
        faults = faults_of(questionnaire, code)
        refusals += [_missing(each, code) for each in texts if each.text not in words]
        refusals += [_faulty(each, code, " ".join(faults[each.text])) for each in texts if each.text in faults]
        if refusals:
            continue
        try:
            pairs_of(definition.in_language(code))
        except ValidationError as refused:
            why = " ".join(refused.messages)
            refusals += [_("%(language)s: %(why)s") % {"language": language_name(code), "why": why}]
    if refusals:
        raise ValidationError(refusals[:_MOST_TOLD])


def _missing(each: AuthorText, code: str) -> str:
    return _("%(where)s: “%(text)s” is not translated. Add a translation.") % {
        "where": _where(each, code),
        "text": _short(each.text),
    }


def _faulty(each: AuthorText, code: str, why: str) -> str:
    parts = {"where": _where(each, code), "text": _short(each.text), "why": why}
    return _("%(where)s, “%(text)s”: %(why)s") % parts


def _where(each: AuthorText, code: str) -> str:
    if not each.number:
        return language_name(code)
    return _("%(language)s, question %(number)s") % {"language": language_name(code), "number": each.number}


def _short(text: str) -> str:
    line = " / ".join(filter(None, map(str.strip, text.splitlines())))
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
