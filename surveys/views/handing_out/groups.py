"""Group links: made, renamed and removed by the survey's owner."""

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from surveys.forms.groups import GroupForm, RenameForm
from surveys.forms.problems import FieldProblem, blame, problems_of
from surveys.models import Group, Right, State, Survey
from surveys.services.grouping import MOST_GROUPS, add_group, remove_group, rename_group
from surveys.services.surveys import NotAllowedNow
from surveys.views.access import survey_page
from surveys.views.handing_out.links import answer_link
from surveys.views.qr import qr_drawing


@dataclass(frozen=True, slots=True)
class _Entry:
    group: Group
    link: str
    drawing: SafeString
    form: RenameForm


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_groups(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the groups with their links; add, rename or remove one."""
    if request.method != "POST":
        return _page(request, survey, GroupForm())
    try:
        if request.POST.get("action") == "rename":
            return _rename(request, survey)
        if request.POST.get("action") == "remove":
            group = _group(request, survey)
            remove_group(group=group)
            messages.success(request, _("The group “%(name)s” is removed.") % {"name": group.name})
            return redirect("survey-groups", code=survey.code)
        return _add(request, survey)
    except NotAllowedNow as refused:
        messages.warning(request, str(refused))
        return redirect("survey-groups", code=survey.code)


def _add(request: HttpRequest, survey: Survey) -> HttpResponse:
    form = GroupForm(request.POST)
    if form.is_valid():
        try:
            group = add_group(survey=survey, **form.cleaned_data)
        except ValidationError as refused:
            blame(form, refused)
        else:
            messages.success(request, _("The group “%(name)s” has its link.") % {"name": group.name})
            return redirect("survey-groups", code=survey.code)
    return _page(request, survey, form, problems=problems_of(form, first_field="name"))


def _rename(request: HttpRequest, survey: Survey) -> HttpResponse:
    group = _group(request, survey)
    form = RenameForm.of(group, request.POST)
    if form.is_valid():
        try:
            group = rename_group(group=group, name=form.cleaned_data["name"])
        except ValidationError as refused:
            blame(form, refused)
        else:
            messages.success(request, _("The group is called “%(name)s” now.") % {"name": group.name})
            return redirect("survey-groups", code=survey.code)
    return _page(request, survey, GroupForm(), problems=problems_of(form, first_field="name"), renaming=form)


def _group(request: HttpRequest, survey: Survey) -> Group:
    group = survey.groups.filter(slug=request.POST.get("group", "")).first()
    if group is None:
        raise Http404
    return group


def _page(
    request: HttpRequest,
    survey: Survey,
    form: GroupForm,
    *,
    problems: list[FieldProblem] | None = None,
    renaming: RenameForm | None = None,
) -> HttpResponse:
    entries = []
    for group in survey.groups.all():
        link, own = answer_link(request, survey, group.slug), RenameForm.of(group)
        if renaming is not None and renaming.auto_id == own.auto_id:
            own = renaming
        entries.append(_Entry(group, link, qr_drawing(link), own))
    context = {
        "survey": survey,
        "entries": entries,
        "form": form,
        "problems": problems,
        "can_add": survey.state in {State.DRAFT, State.OPEN, State.PAUSED} and len(entries) < MOST_GROUPS,
        "most": MOST_GROUPS,
        "sealed": survey.state in {State.SEALED, State.PURGED},
    }
    return render(request, "handing_out/groups.html", context, status=422 if problems else 200)
