"""The texts of a draft in further languages: saved as far as there are any, and all asked for when it opens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from surveys.drafts.services.surveys import NotAllowedNow, SavedMeanwhile, record
from surveys.models import Question, Survey
from surveys.models.definition import Definition
from surveys.models.facts import FactsUsed
from surveys.models.lists import pairs_of
from surveys.models.translations import MOST_TEXTS, language_name
from surveys.questionnaire.document import TEXTS

# More say no more than that much is missing.
_MOST_TOLD = 5
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class AuthorText:
    """One text that the survey owner wrote and respondents read."""

    number: int  # of its question, from 1; 0 is the survey's own
    name: str  # of the field
    text: str


def texts_of(survey: Survey, questions: Iterable[Question]) -> list[AuthorText]:
    """Return all of them in the order of the pages; what stands in several places comes once, at the first."""
    rows: list[Survey | Question] = [survey, *questions]
    texts: dict[str, AuthorText] = {}
    for number, row in enumerate(rows):
        for name, text in row.texts.items():
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
    questions = list(survey.questions.all())
    texts = {each.text for each in texts_of(survey, questions)}
    given = {text: words[text] for text in texts if words.get(text, "").strip()}
    earlier = {text: translated for text, translated in survey.translations.get(code, {}).items() if text not in texts}
    if given and len(given) < len(texts) and len(given) + len(earlier) <= MOST_TEXTS:
        given |= earlier
    others = {other: translated for other, translated in survey.translations.items() if other != code}
    translations = others | ({code: given} if given else {})
    if translations == survey.translations:
        return survey
    survey.translations = translations
    survey.revision += 1
    survey.full_clean(validate_constraints=False)
    if faults := faults_of(survey, questions, code):
        raise ValidationError(faults)
    survey.save()
    record(survey=survey, by=by)
    return survey


def faults_of(survey: Survey, questions: Sequence[Question], code: str) -> dict[str, list[str]]:
    """Return by text what is wrong with its translation, by the rules that hold for the text itself."""
    words = survey.translations.get(code, {})
    spoken, faults, facts = survey.translated(code), _Faults(words), FactsUsed()
    if words:
        faults.judge(survey.texts, partial(spoken.clean_fields, exclude=_all_but(Survey, *TEXTS)))
    for number, question in enumerate(questions, start=1):
        texts = question.texts
        read = question.translated(spoken, words)
        options = texts.get("options", "")
        given = words.get(options, options).split("\n")
        if question.options and len(given) != len(question.options):
            lines = _("Enter %(number)s lines, one per option, in the same order. Lines entered: %(given)s.")
            faults.add(options, lines % {"number": len(question.options), "given": len(given)})
            continue
        if words.keys() & texts.values():
            faults.judge(texts, partial(read.clean_fields, exclude=_all_but(Question, "text")))
            faults.judge(texts, read.clean)
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


def _all_but(model: type[Survey | Question], *names: str) -> set[str]:
    return {field.name for field in model._meta.fields} - set(names)  # noqa: SLF001 - Django documents it


def require_translations(survey: Survey, questions: Sequence[Question], definition: Definition) -> None:
    """Raise ValidationError where a text of an offered language is missing or does not fit, naming both."""
    refusals: list[str] = []
    for code in survey.other_languages:
        words, texts = survey.translations[code], texts_of(survey, questions)
        faults = faults_of(survey, questions, code)
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
