"""Writing drafts, whole; `surveys.course.services` opens and freezes them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from surveys.drafts.selectors import document_of
from surveys.models import Question, SavedVersion, Survey
from surveys.models.arms import ArmsUsed
from surveys.models.asked_question import items_of
from surveys.models.branches import BranchesUsed
from surveys.models.facts import FactsUsed
from surveys.models.response import MAX_ITEMS
from surveys.models.survey import CODE_ALPHABET, CODE_LENGTH
from surveys.questionnaire.document import QUESTION_FIELDS, QuestionDraft

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
def create_survey(
    *, owner: User, questions: Sequence[QuestionDraft] = (), automatic: bool = False, **fields: Any
) -> Survey:
    """Create a draft with its questions; raises ValidationError naming the field and stores nothing then."""
    for attempt in range(_CODE_TRIES):
        survey = Survey(owner_id=owner.pk, **fields)
        # As of questions below, the constraints repeat what fields and `clean` say: asking for each takes a query.
        survey.full_clean(validate_unique=False, validate_constraints=False)
        try:
            with transaction.atomic():
                survey.save()
            break
        except IntegrityError:
            # One code in 887 million is taken; a code given by hand is refused at once.
            if "code" in fields or attempt == _CODE_TRIES - 1:
                raise CodeTaken({"code": _("This join code is already in use. Choose another.")}) from None
    _write_questions(survey, questions)
    record(survey=survey, by=owner, automatic=automatic)
    return survey


@transaction.atomic
def create_once(
    *, owner: User, key: str, questions: Sequence[QuestionDraft] = (), automatic: bool = False, **fields: Any
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
    questions: Sequence[QuestionDraft],
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
    for name, value in fields.items():
        setattr(survey, name, value)
    survey.revision += 1
    survey.full_clean(validate_constraints=False)
    survey.save()
    survey.questions.all().delete()
    _write_questions(survey, questions)
    if keeps_stored:
        SavedVersion.objects.filter(survey=survey, automatic=True).update(automatic=False)
    record(survey=survey, by=by, automatic=automatic)
    return survey


def is_already(survey: Survey, drafts: Sequence[QuestionDraft], fields: dict[str, Any]) -> bool:
    """Whether exactly these questions and columns are stored."""
    stored = list(survey.questions.values(*QUESTION_FIELDS))
    return all(getattr(survey, name) == value for name, value in fields.items()) and stored == [
        asdict(draft) for draft in drafts
    ]


def _code_from(owner: User, key: str) -> str:
    number = int.from_bytes(salted_hmac("surveys.create_once", f"{owner.pk}:{key}", algorithm="sha256").digest(), "big")
    letters = ""
    for _letter in range(CODE_LENGTH):
        number, place = divmod(number, len(CODE_ALPHABET))
        letters += CODE_ALPHABET[place]
    return letters


def _write_questions(survey: Survey, drafts: Sequence[QuestionDraft]) -> None:
    if len(drafts) > MAX_QUESTIONS:
        raise ValidationError(
            _("This survey has %(given)s questions. Reduce them to at most %(most)s.")
            % {"most": MAX_QUESTIONS, "given": len(drafts)}
        )
    questions: list[Question] = []
    items = 0
    facts = FactsUsed()
    arms = ArmsUsed(survey.all_arms)
    branches = BranchesUsed(random_order=survey.random_order)
    for position, draft in enumerate(drafts, start=1):
        question = Question(survey=survey, position=position, **asdict(draft))
        try:
            # The constraints only repeat the choices, and positions are counted here: the database holds both again.
            question.full_clean(exclude={"survey"}, validate_unique=False, validate_constraints=False)
            if refused := facts.used_before(question.details, position, question.quantity):
                raise ValidationError(refused)  # noqa: TRY301 - the place of the question is added to both alike
            arms.add(
                question.arms,
                question.quantity,
                counts_options=question.traits.counts_options,
                directly=question.asks_directly,
            )
            branches.add(question)
        except ValidationError as error:
            raise QuestionRefused(error, position) from error
        items += len(items_of(question))
        # The arm is stored with the reports, and takes the room of one.
        if (most := MAX_ITEMS - bool(survey.arms)) < items:
            raise ValidationError(
                _(
                    "A survey can have at most %(most)s items. If several options can be ticked, each "
                    "option counts as one item."
                )
                % {"most": most}
            )
        questions.append(question)
    arms.require_each(questions)
    Question.objects.bulk_create(questions)


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
