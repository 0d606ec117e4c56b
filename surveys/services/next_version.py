"""Changing what has been opened: a new draft that says the same, linked to what it is to replace."""

from dataclasses import replace

from django.db import transaction
from django.utils.translation import gettext as _

from surveys.models import Membership, Survey
from surveys.selectors.documents import document_of
from surveys.selectors.editions import last_edition, next_draft
from surveys.services import documents
from surveys.services.surveys import NotAllowedNow


@transaction.atomic
def begin_next_version(*, survey: Survey) -> Survey:
    """Return the draft of a survey's next version: the one that has been begun, or a new one with all that was asked.

    It belongs to the same owner, and the same people have their roles in it; it has a join code of its own and no
    times yet. What was answered stays with the version that was answered. Raises `NotAllowedNow` for a draft.
    """
    # Of two at once the second waits here, and finds what the first has made.
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.is_draft:
        raise NotAllowedNow(_("This survey is a draft: change it in the editor."))
    if survey.is_rehearsal:
        raise NotAllowedNow(_("A copy to rehearse with has no versions."))
    if begun := next_draft(survey):
        return begun
    content = documents.read_document(document_of(survey))
    draft = documents.create_from(
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
