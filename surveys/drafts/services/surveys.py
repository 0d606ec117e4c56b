"""Writing drafts, whole; `surveys.course.services` opens and freezes them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from surveys.drafts.selectors import document_of
from surveys.models import SavedVersion, Survey
from surveys.models.survey import CODE_ALPHABET, CODE_LENGTH
from surveys.questionnaire.document import COLUMNS, Questionnaire, clean_preamble
from surveys.questionnaire.question import Question, refuse_all
from surveys.questionnaire.together import faults_together

MAX_QUESTIONS = 50
_CODE_TRIES = 5


class NotAllowedNow(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """The survey's state does not allow this; the message says so to people."""


class SavedMeanwhile(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """Somebody saved the draft after it was read for editing: nothing has been stored."""

    def __init__(self, survey_id: int) -> None:
        super().__init__("The draft has been saved meanwhile.")
        self.survey_id = survey_id


class CodeTaken(ValidationError):  # noqa: N818 - reads as a sentence where it is raised
    """Another survey has this join code."""


class QuestionRefused(ValidationError):  # noqa: N818 - reads as a sentence where it is raised
    """A question that cannot be stored: `number` is its place, and the messages are by field."""

    def __init__(self, error: ValidationError, number: int) -> None:
        super().__init__(error.message_dict)
        self.number = number


@transaction.atomic
def create_survey(*, owner: User, questions: Sequence[Question] = (), automatic: bool = False, **fields: Any) -> Survey:
    """Create a draft with its questions; raises ValidationError naming the field and stores nothing then."""
    for attempt in range(_CODE_TRIES):
        survey = Survey(owner_id=owner.pk)
        _write(survey, questions, fields)
        try:
            with transaction.atomic():
                survey.save()
            break
        except IntegrityError:
            # One code in 887 million is taken; a code given by hand is refused at once.
            if "code" in fields or attempt == _CODE_TRIES - 1:
                raise CodeTaken({"code": _("This join code is already in use. Choose another.")}) from None
    record(survey=survey, by=owner, automatic=automatic)
    return survey


@transaction.atomic
def create_once(
    *, owner: User, key: str, questions: Sequence[Question] = (), automatic: bool = False, **fields: Any
) -> Survey:
    """Create a draft, or save the one that the same form has created already: `key` is that form's, new for each.

    The join code comes from the key, so the database itself lets one form create one survey, however often and however
    close together it is sent. What was changed between two sendings is saved over what the first one stored; raises
    `SavedMeanwhile` when it has been saved otherwise since.
    """
    code = _code_from(owner, key)
    if not Survey.objects.filter(code=code).exists():
        try:
            with transaction.atomic():
                return create_survey(owner=owner, questions=questions, code=code, automatic=automatic, **fields)
        except CodeTaken:
            pass  # by another worker, at this very moment
    earlier = Survey.objects.filter(code=code, owner=owner).first()
    if earlier is None:
        # Somebody else's survey has this code by chance.
        return create_survey(owner=owner, questions=questions, automatic=automatic, **fields)
    return save_draft(survey=earlier, questions=questions, revision=1, by=owner, automatic=automatic, **fields)


@transaction.atomic
def save_draft(
    *,
    survey: Survey,
    questions: Sequence[Question],
    revision: int | None = None,
    by: User | None = None,
    automatic: bool = False,
    keeps_stored: bool = False,
    **fields: Any,
) -> Survey:
    """Write the whole draft anew as its next revision, and keep it among the saved ones.

    `automatic` is what the editor saves by itself: the next save of the same person takes its place among the saved
    ones, unless that one `keeps_stored`, as choosing one of two states does.
    What stands there already is not saved again: others would have to decide about a revision that changes nothing.
    Raises ValidationError (nothing stored), NotAllowedNow when it has been opened, and SavedMeanwhile when its
    revision is not the one that was edited any more; without `revision` it is written whatever stands there.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.is_draft:
        raise NotAllowedNow(_("This survey has been opened, so its content can no longer be changed."))
    if is_already(survey, questions, fields):
        if not automatic:
            SavedVersion.objects.filter(survey=survey, automatic=True).update(automatic=False)
        return survey
    if revision is not None and revision != survey.revision:
        raise SavedMeanwhile(survey.pk)
    survey.revision += 1
    _write(survey, questions, fields)
    survey.save()
    if keeps_stored:
        SavedVersion.objects.filter(survey=survey, automatic=True).update(automatic=False)
    record(survey=survey, by=by, automatic=automatic)
    return survey


def is_already(survey: Survey, questions: Sequence[Question], fields: Mapping[str, Any]) -> bool:
    """Whether exactly these questions and fields are stored."""
    columns = {name: value for name, value in fields.items() if name not in COLUMNS}
    return (
        all(getattr(survey, name) == value for name, value in columns.items())
        and written(survey, questions, fields).text == survey.document
    )


def written(survey: Survey, questions: Sequence[Question], fields: Mapping[str, Any]) -> Questionnaire:
    """Return a survey's questionnaire with other questions, and with other values of some of its fields."""
    kept = survey.questionnaire.as_json if survey.document else {}
    given = {name: value for name, value in fields.items() if name in COLUMNS}
    return replace(Questionnaire.of(kept | given | {"questions": []}), questions=tuple(questions))


def _code_from(owner: User, key: str) -> str:
    number = int.from_bytes(salted_hmac("surveys.create_once", f"{owner.pk}:{key}", algorithm="sha256").digest(), "big")
    letters = ""
    for _letter in range(CODE_LENGTH):
        number, place = divmod(number, len(CODE_ALPHABET))
        letters += CODE_ALPHABET[place]
    return letters


def _write(survey: Survey, questions: Sequence[Question], fields: Mapping[str, Any]) -> None:
    """Write into a survey, and refuse what cannot be: the questionnaire and columns by field, then each question."""
    for name, value in fields.items():
        if name not in COLUMNS:
            setattr(survey, name, value)
    clean(survey, {name: value for name, value in fields.items() if name in COLUMNS})
    questionnaire = written(survey, questions, fields)
    check_questions(questionnaire)
    survey.write(questionnaire)


def clean(survey: Survey, values: Mapping[str, Any], *, exclude: Collection[str] = ("document",)) -> None:
    """Refuse values of a questionnaire, and a survey's columns, by field; raises ValidationError."""
    # The constraints repeat what fields and `clean` say: asking for each takes a query.
    refuse_all(
        partial(clean_preamble, values),
        partial(survey.full_clean, exclude=set(exclude), validate_unique=False, validate_constraints=False),
    )


def check_questions(questionnaire: Questionnaire) -> None:
    """Refuse what cannot be asked; raises QuestionRefused for one question, ValidationError for all together."""
    if len(questionnaire.questions) > MAX_QUESTIONS:
        raise ValidationError(
            _("This survey has %(given)s questions. Reduce them to at most %(most)s.")
            % {"most": MAX_QUESTIONS, "given": len(questionnaire.questions)}
        )
    for number, question in enumerate(questionnaire.questions, start=1):
        try:
            question.full_clean(questionnaire.language)
        except ValidationError as error:
            raise QuestionRefused(error, number) from error
    for fault in faults_together(questionnaire, questionnaire.questions):
        if fault.number:
            raise QuestionRefused(ValidationError({fault.field: fault.words}), fault.number)
        raise ValidationError(fault.words)


# Keeping what a draft was at each save.


# Some weeks of busy editing. Each is up to a few hundred kilobytes, so a draft cannot fill the disk by being saved.
KEPT = 200


def record(*, survey: Survey, by: User | None, automatic: bool = False) -> None:
    """Keep the draft as it has just been saved, and drop what is older than the last 200 saves.

    What the editor saved by itself gives way to the next save of the same person: one row a sitting, however long it
    is. Once somebody else saves it stays, as what they began with.
    """
    if survey.is_rehearsal:
        return
    # Questions that were read before the save would be kept in place of those that were saved.
    saved = Survey.objects.get(pk=survey.pk)
    unfinished = SavedVersion.objects.filter(survey=saved, automatic=True)
    unfinished.filter(saved_by=by).delete()
    unfinished.update(automatic=False)
    SavedVersion.objects.create(
        survey=saved, number=saved.revision, document=document_of(saved), saved_by=by, automatic=automatic
    )
    # Revisions that gave way leave gaps, so rows are counted and not numbers.
    old = SavedVersion.objects.filter(survey=saved).order_by("-number").values_list("pk", flat=True)[KEPT:]
    SavedVersion.objects.filter(pk__in=list(old)).delete()
