"""What moves a survey on its course: opening, closing, sealing, purging, archiving, and its next version."""

import datetime as dt
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.accounts.services.mails import Letter, keep, site_address
from surveys.common import caches, record
from surveys.common.selectors import draft_of, whole_language
from surveys.common.services import failing_alone
from surveys.common.totals import response_count
from surveys.course.selectors import REMINDED_BEFORE, course_of
from surveys.credit.services import make_key
from surveys.documents.services.creating import create_from
from surveys.documents.services.reading import read_document
from surveys.documents.starters import is_as_started
from surveys.drafts.selectors import document_of, last_edition, next_draft
from surveys.drafts.services.copies import discard_of
from surveys.drafts.services.surveys import NotAllowedNow, check_questions, clean
from surveys.drafts.services.translating import require_translations
from surveys.linting.selectors import sensitive_unprotected
from surveys.models import (
    AccessToken,
    CellCount,
    CreditKey,
    Decline,
    ExactFigures,
    FoldedPart,
    Invitation,
    Lesson,
    Membership,
    PatternCount,
    Response,
    SpentNonces,
    SpentReceipt,
    State,
    Survey,
    WaitingScore,
)
from surveys.models.survey import TRANSITIONS
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import hash_of
from surveys.questionnaire.lists import pairs_of
from surveys.responses.services import erasing, folding, sealing
from surveys.responses.services.steps import OvertakenError
from surveys.responses.told import keep_partition


@transaction.atomic
def open_survey(*, survey: Survey, shown: str = "", typed: str = "") -> Survey:
    """Freeze the design and accept answers; raises ValidationError when nobody could answer it, or nobody should.

    `shown` is the version that the survey owner looked at: another one, saved meanwhile elsewhere, is not opened.
    `typed` is the join code, which somebody has to have typed where a report can prove an answer, or a sensitive one is
    sent as it is.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.closes_at is not None and survey.closes_at <= timezone.now() and State.OPEN in TRANSITIONS[survey.state]:
        raise ValidationError(
            {
                "closes_at": _(
                    "The survey can’t be opened, because its closing time has passed. Set a new closing time first."
                )
            }
        )
    if survey.purge_on is not None and survey.purge_on <= survey.day_there(timezone.now()):
        raise ValidationError(
            {"purge_on": _("The day for destroying answers has already come. Choose a later day, or none.")}
            if survey.is_draft
            else {"purge_on": _("The date set for destroying answers has been reached, so nobody can answer any more.")}
        )
    if survey.is_draft:
        if not survey.questions:
            raise ValidationError(_("Add at least one question before you open the survey."))
        clean(survey, survey.questionnaire.as_json)
        check_questions(survey.questionnaire)
        definition = draft_of(survey)
        # One arm may ask all of its questions plainly, to be compared with the others; its promise says so.
        if not definition.protected_items:
            words = _("Add a protected question, because every question in this survey is sent as it is.")
            if any(question.answers.counts_options for question in survey.questions):
                words += " " + _(
                    "Sent as it is, the number of true statements exposes people for whom none or all are "
                    "true. Let the phone randomize the number."
                )
            raise ValidationError(words)
        pairs_of(definition)
        require_translations(definition)
        survey.write(definition.document)
        if not survey.is_rehearsal:
            _require_protection(definition, typed)
        survey.content_hash = definition.version
        if shown and shown != survey.content_hash:
            raise NotAllowedNow(
                _("The draft has changed since this page was shown. Review the draft before you open it.")
            )
        if survey.questionnaire.credit and not survey.is_rehearsal:
            # Part of what respondents agree to, and of no version that anybody could look at before.
            survey.write(replace(survey.questionnaire, credit_key=make_key(survey)))
            survey.content_hash = hash_of(survey.code, survey.document)
    # Whatever takes answers stands in the list where its owner looks first.
    survey.archived = False
    record.keep_when_committed(survey)
    return _move(survey, State.OPEN)


@transaction.atomic
def pause_survey(*, survey: Survey) -> Survey:
    """Accept no answers for a while; one that is being stored at this moment still comes in."""
    return _move(Survey.objects.select_for_update(no_key=True).get(pk=survey.pk), State.PAUSED)


def close_survey(*, survey: Survey) -> Survey:
    """Accept no more answers; this can't be undone.

    First nobody begins any more, then those that have begun are waited for, then it is closed: so a survey that is
    closed gets no other answer. Asked for at once, the wait would be as long as somebody answers at each moment.
    """
    with transaction.atomic():
        survey = Survey.objects.select_for_update(no_key=True).get(pk=survey.pk)
        if survey.state == State.OPEN:
            _move(survey, State.PAUSED)
    with transaction.atomic():
        closed = _move(Survey.objects.select_for_update().get(pk=survey.pk), State.CLOSED)
        erasing.note_deletion(closed, rewriting=True)
    if not folding.fold(survey=closed, everything=True):
        erasing.erase_when_committed(closed, rewriting=True)
    keep_partition(closed)
    return closed


def _require_protection(definition: Definition, typed: str) -> None:
    """Refuse a survey that gives away more than this server allows, or more than any number says unless it is meant.

    Reports that prove something have no ε to add up: they are asked about apart.
    """
    if definition.bounded_epsilon > settings.EPSILON_CAP:
        raise ValidationError(
            _(
                "The reports of one response add up to ε = %(total)s, but this server allows at most %(most)s. "
                "Ask fewer questions, or lower the probability of sending the true answer."
            )
            % {"total": f"{math.ceil(100 * definition.bounded_epsilon) / 100:.2f}", "most": f"{settings.EPSILON_CAP:g}"}
        )
    if definition.proving and typed.strip().upper() != definition.code:
        raise ValidationError(
            {"code": _("In this survey a report can prove an answer. Enter the join code to open the survey anyway.")}
        )
    if sensitive_unprotected(definition) and typed.strip().upper() != definition.code:
        raise ValidationError(
            {
                "code": _(
                    "In this survey a sensitive answer is sent as it is. Enter the join code to open the survey anyway."
                )
            }
        )


def _move(survey: Survey, state: State) -> Survey:
    if state not in TRANSITIONS[survey.state]:
        raise NotAllowedNow(
            _(
                "A survey can’t change from “%(state)s” to “%(wanted)s”. Reload the page to see the "
                "survey’s current state."
            )
            % {"state": survey.get_state_display(), "wanted": state.label}
        )
    survey.state = state
    survey.save()
    return survey


# When an opened survey takes answers, and how many: its frozen design says nothing about either.


@transaction.atomic
def reschedule(
    *, survey: Survey, opens_at: dt.datetime | None, closes_at: dt.datetime | None, response_cap: int | None
) -> Survey:
    """Change when a survey that has been opened, and not closed, takes answers, and how many at most.

    Raises ValidationError naming the field, or NotAllowedNow; nothing is stored then.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.is_draft:
        raise NotAllowedNow(_("Set the times of a draft in the editor."))
    if not survey.may_collect_more:
        raise NotAllowedNow(_("This survey no longer accepts answers, so its times can’t be changed."))
    now, problems = timezone.now(), {}
    if opens_at != survey.opens_at and (why := _why_not_open(survey, opens_at, now)):
        problems["opens_at"] = why
    if closes_at != survey.closes_at and closes_at is not None and closes_at <= now:
        problems["closes_at"] = _("This time has passed. To stop taking answers now, close the survey.")
    if response_cap != survey.response_cap and (why := _why_no_cap(survey, response_cap)):
        problems["response_cap"] = why
    if problems:
        raise ValidationError(problems)
    survey.opens_at, survey.closes_at, survey.response_cap = opens_at, closes_at, response_cap
    survey.full_clean(validate_constraints=False)
    survey.save()
    return survey


def has_begun(survey: Survey, now: dt.datetime) -> bool:
    """Whether an opened survey's opening time, if it has any, has come."""
    return survey.opens_at is None or survey.opens_at <= now


def _why_not_open(survey: Survey, opens_at: dt.datetime | None, now: dt.datetime) -> str:
    if has_begun(survey, now):
        return _("The survey has already opened. To stop taking answers for a while, pause it.")
    if opens_at is not None and opens_at <= now:
        return _("This time has passed. Leave the field empty to open the survey at once.")
    return ""


def _why_no_cap(survey: Survey, response_cap: int | None) -> str:
    received = response_count(survey)
    if response_cap is not None and response_cap < received:
        return ngettext(
            "%(received)s response has already come in. Enter at least that number.",
            "%(received)s responses have already come in. Enter at least that number.",
            received,
        ) % {"received": received}
    return ""


# Whether those who answered find the result on their receipt: no part of what was promised, which says "may".


@transaction.atomic
def show_result(*, survey: Survey) -> Survey:
    """Show the result to those who answered; raises NotAllowedNow while there is none that may be shown."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.is_rehearsal or not course_of(survey, now=timezone.now()).enough:
        raise NotAllowedNow(_("No result can be shown yet."))
    record_exact_figures(survey=survey)
    return _shown(survey, shown=True)


@transaction.atomic
def hide_result(*, survey: Survey) -> Survey:
    return _shown(Survey.objects.select_for_update().get(pk=survey.pk), shown=False)


def _shown(survey: Survey, *, shown: bool) -> Survey:
    survey.result_on_receipt = shown
    survey.save(update_fields=["result_on_receipt", "updated_at"])
    return survey


def record_exact_figures(*, survey: Survey) -> None:
    """Store, before they are shown, that people with the code see figures without a release's noise."""
    if survey.exact_figures != ExactFigures.SHOWN:
        survey.exact_figures = ExactFigures.SHOWN
        survey.save(update_fields=["exact_figures"])


# What its owner no longer needs: put out of the way, or deleted while nothing has been collected.


@transaction.atomic
def archive_survey(*, survey: Survey) -> Survey:
    """Keep a survey out of the list; one that may take answers again stays in sight (raises NotAllowedNow)."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.may_collect_more:
        raise NotAllowedNow(_("A survey that can still take answers can’t be archived. Close the survey first."))
    if survey.archived:
        raise NotAllowedNow(_("This survey is already in the archive."))
    return _archived(survey, archived=True)


@transaction.atomic
def unarchive_survey(*, survey: Survey) -> Survey:
    """Put a survey back into the list; raises NotAllowedNow where it is there."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.archived:
        raise NotAllowedNow(_("This survey is not in the archive."))
    return _archived(survey, archived=False)


@transaction.atomic
def delete_draft(*, survey: Survey) -> None:
    """Delete a draft with its questions, groups, roles and saved versions; raises NotAllowedNow once it was opened."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not survey.is_draft:
        raise NotAllowedNow(
            _(
                "An opened survey can’t be deleted, because its questions stay on record. Once the survey is "
                "closed, you can purge its reports."
            )
        )
    for copy in survey.rehearsal_copies.select_related("owner"):
        discard_of(user=copy.owner, survey=survey)
    try:
        survey.delete()
    except ProtectedError:
        raise NotAllowedNow(
            _("This draft has a privacy budget, whose ledger must be kept. Archive the draft instead.")
        ) from None


@transaction.atomic
def delete_drafts(*, surveys: Iterable[Survey]) -> None:
    """Delete all of these drafts, or none; raises NotAllowedNow, naming the first that cannot be."""
    # In one order: of two at once the second waits for the first, and neither for the other.
    for survey in sorted(surveys, key=lambda each: each.pk):
        try:
            delete_draft(survey=survey)
        except NotAllowedNow as refused:
            words = _("Nothing was deleted. “%(title)s”: %(why)s")
            raise NotAllowedNow(words % {"title": survey.title, "why": refused}) from None


# How long an unchanged draft of a template is kept: its posters may already be printed.
UNTOUCHED_FOR = dt.timedelta(days=365)


def delete_untouched(*, now: dt.datetime) -> Iterator[Survey]:
    """Delete the drafts that say what a template says and that nobody has touched for a year; yield each once gone."""
    for survey in _untouched(now):
        if not is_as_started(survey):
            continue
        gone = False
        with failing_alone(f"deleting draft {survey.pk}"), transaction.atomic():
            # Whoever changes a draft, or adds to it, locks its row: a change has come before this, or finds it gone.
            Survey.objects.select_for_update().filter(pk=survey.pk).first()
            if _untouched(now).filter(pk=survey.pk).exists():
                delete_draft(survey=survey)
                gone = True
        if gone:
            yield survey


def _untouched(now: dt.datetime) -> QuerySet[Survey]:
    """Return the drafts saved once, that long ago, to which nothing in any table belongs but what a template makes."""
    belonging = {relation.name for relation in Survey._meta.related_objects} - {"saved_versions"}  # noqa: SLF001 - Django documents it
    return Survey.objects.filter(
        state=State.DRAFT,
        revision=1,
        archived=False,
        previous=None,
        rehearsal_of=None,
        updated_at__lt=now - UNTOUCHED_FOR,
        **{f"{name}__isnull": True for name in belonging},
    )


def _archived(survey: Survey, *, archived: bool) -> Survey:
    survey.archived = archived
    survey.save(update_fields=["archived", "updated_at"])
    return survey


# Changing what has been opened: a new draft that says the same, linked to what it is to replace.


@transaction.atomic
def begin_next_version(*, survey: Survey) -> Survey:
    """Return the draft of a survey's next version: the one that has been begun, or a new one with all that was asked.

    It belongs to the same owner, and the same people have their roles in it; it has a join code of its own and no
    times yet. What was answered stays with the version that was answered. Raises `NotAllowedNow` for a draft.
    """
    # Of two at once the second waits here, and finds what the first has made.
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.is_draft:
        raise NotAllowedNow(_("This survey is still a draft. Change it in the editor."))
    if survey.is_rehearsal:
        raise NotAllowedNow(_("A rehearsal copy can’t have versions."))
    if begun := next_draft(survey):
        return begun
    content = read_document(document_of(survey))
    draft = create_from(
        owner=survey.owner,
        content=replace(content, fields=content.fields | {"opens_at": None, "closes_at": None}),
        previous=survey,
        edition=last_edition(survey) + 1,
    )
    Membership.objects.bulk_create(
        Membership(survey=draft, user=member.user, role=member.role, invited_by=member.invited_by)
        for member in survey.memberships.select_related("user", "invited_by").order_by("pk")
    )
    return draft


# Sealing a closed survey, which can't be undone: only counts are left of the reports.


def seal_survey(*, survey: Survey, pairs_only: bool = False) -> Survey:
    """Fold what is left, destroy nonces, invitations, modes and key, then write the files anew; can't be taken back.

    `pairs_only` keeps how often each report came, and each pair of reports to two items, and no whole response.
    It goes by steps; until the last of them the survey is closed, and sealing again finishes what was interrupted.
    Where others keep the files as they are, that stays due. Raises `NotAllowedNow` for any survey that is not closed.
    """
    survey = _closed(Survey.objects.get(pk=survey.pk))
    try:
        folding.fold(survey=survey, everything=True)
        keep_partition(survey)
        sealing.keep_sums(survey, pairs_only=pairs_only)
    except OvertakenError:
        _closed(Survey.objects.get(pk=survey.pk))
    with transaction.atomic():
        survey = _closed(Survey.objects.select_for_update().get(pk=survey.pk))
        # Nothing is signed any more: whoever had the key could make receipts.
        CreditKey.objects.filter(survey=survey).delete()
        survey.state = State.SEALED
        survey.save()
        # What this process had counted before may hold more.
        transaction.on_commit(caches.clear)
        erasing.erase_when_committed(survey, rewriting=True)
        record.keep_when_committed(survey)
    return survey


def _closed(survey: Survey) -> Survey:
    if survey.state != State.CLOSED:
        raise NotAllowedNow(_("Only a closed survey can be sealed."))
    return survey


# Purging: what respondents sent is destroyed, down to the last count; what was asked and what was released stay.


_DESTROYED = (
    Response,
    SpentNonces,
    Invitation,
    Lesson,
    AccessToken,
    CreditKey,
    Decline,
    SpentReceipt,
    WaitingScore,
)


@transaction.atomic
def purge_survey(*, survey: Survey) -> Survey:
    """Destroy a closed or sealed survey's reports and counts, then write the files anew; cannot be taken back.

    Its lesson and the receipts that were shown go with them; its definition, its releases and their ledger stay. Where
    others keep the files as they are, writing them anew stays due. Raises `NotAllowedNow` in any other state.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if State.PURGED not in TRANSITIONS[survey.state]:
        raise NotAllowedNow(_why_not(survey))
    return _purge(survey)


def _purge(survey: Survey) -> Survey:
    erasing.overwrite_what_is_deleted()
    for rows in _DESTROYED:
        rows.objects.filter(survey=survey).delete()
    survey.state, survey.partition = State.PURGED, None
    survey.result_on_receipt = False
    survey.save()
    # The database lets go of what a sealed survey has counted only now.
    for counts in (PatternCount, FoldedPart, CellCount):
        counts.objects.filter(survey=survey).delete()
    transaction.on_commit(caches.clear)
    erasing.erase_when_committed(survey, rewriting=True)
    record.keep_when_committed(survey)
    return survey


def _why_not(survey: Survey) -> str:
    if survey.is_draft:
        return _("A draft has no reports to purge. Delete the draft instead.")
    if survey.state == State.PURGED:
        return _("This survey’s reports have already been deleted.")
    return _("Close the survey before you purge it.")


# The day on which that happens by itself. Respondents read it, so it may come earlier and never later.


@transaction.atomic
def promise_purge(*, survey: Survey, purge_on: dt.date) -> Survey:
    """Set the day on which an opened survey's reports are destroyed, or an earlier one; cannot be taken back.

    Raises ValidationError naming the field, or NotAllowedNow; nothing is stored then.
    """
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.is_draft:
        raise NotAllowedNow(_("Set the times of a draft in the editor."))
    if survey.state == State.PURGED:
        raise NotAllowedNow(_why_not(survey))
    if purge_on <= survey.day_there(timezone.now()):
        raise ValidationError({"purge_on": _("Choose a future day.")})
    if survey.purge_on is not None and purge_on >= survey.purge_on:
        raise ValidationError(
            {"purge_on": _("Respondents were promised the day already set, so you can only choose an earlier one.")}
        )
    survey.purge_on, survey.reminded = purge_on, None
    survey.full_clean(validate_constraints=False)
    survey.save()
    record.keep_when_committed(survey)
    return survey


def purge_due(*, now: dt.datetime) -> Iterator[Survey]:
    """Destroy the reports of every survey whose day has come, whatever state it is in, and yield each once it is done.

    Drafts have none, and copies to rehearse with go by themselves. One that fails keeps no other from it.
    """
    for survey in _with_a_day(now, within=0):
        purged = None
        with failing_alone(f"purging survey {survey.pk}"), transaction.atomic():
            current = Survey.objects.select_for_update().get(pk=survey.pk)
            days = current.days_to_purge(now)
            if days is None or days > 0:
                continue  # another process has done it meanwhile
            if current.may_collect_more:
                # Counting what came in last would only be destroyed.
                current = _move(current, State.CLOSED)
            purged = _purge(current)
        if purged is not None:
            yield purged


def remind_owners(*, now: dt.datetime) -> Iterator[tuple[Survey, bool]]:
    """Remind owners by email 14 days and 1 day before that day; yield each survey and if that was possible.

    That an email is kept is stored with it, so of two runs one keeps it.
    """
    for survey in _with_a_day(now, within=max(REMINDED_BEFORE)):
        days = survey.days_to_purge(now)
        before = next(before for before in REMINDED_BEFORE if days is not None and days <= before)
        if survey.reminded is not None and survey.reminded <= before:
            continue
        if not (survey.owner.email and survey.owner.is_active):
            yield survey, False
            continue
        kept = False
        with failing_alone(f"reminding the owner of survey {survey.pk}"), transaction.atomic():
            # Brought forward or kept by somebody else meanwhile, it is theirs.
            waiting = Survey.objects.filter(pk=survey.pk, purge_on=survey.purge_on, reminded=survey.reminded)
            kept = bool(waiting.update(reminded=before)) and _keep_reminder(survey)
            transaction.set_rollback(not kept)
        if kept:
            yield survey, True


def _with_a_day(now: dt.datetime, *, within: int) -> list[Survey]:
    """Return the surveys whose reports are to be destroyed within so many days, those of today or earlier with 0."""
    # In some time zone it may be tomorrow.
    latest = now.date() + dt.timedelta(days=within + 1)
    listed = Survey.objects.filter(purge_on__lte=latest, rehearsal_of=None).exclude(
        state__in=(State.DRAFT, State.PURGED)
    )
    counted = ((survey, survey.days_to_purge(now)) for survey in listed.select_related("owner").order_by("purge_on"))
    return [survey for survey, days in counted if days is not None and days <= within and (days > 0 or within == 0)]


def _keep_reminder(survey: Survey) -> bool:
    # No account says which language its person reads; who wrote this survey reads its own.
    with translation.override(whole_language(survey.language)):
        return keep("purge_soon", to=survey.owner.email, code=survey.code)


def reminder_letters(owner: str, *, code: str) -> Iterator[Letter]:
    """Write a reminder of the day on which a survey is purged, unless it has come."""
    for survey in Survey.objects.filter(code=code, purge_on__isnull=False).exclude(state=State.PURGED):
        link = site_address() + reverse("survey-detail", args=[code])
        yield Letter("purge_soon", owner, {"title": survey.title, "day": survey.purge_on, "link": link})
