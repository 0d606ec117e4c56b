"""Proposals of releases: the list, and the page on which somebody else approves one, or its proposer withdraws it."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from surveys.common.admin import staff
from surveys.common.selectors import definition_of
from surveys.models import Proposal
from surveys.numbers.words import loss_words
from surveys.releases.admin.reach import has_permission, surveys_in_reach
from surveys.releases.admin.steps import ReleasePages, detail_address, terms_context
from surveys.releases.families.plan import Terms
from surveys.releases.forms.confirmation import DeclineForm, ReleaseConfirmForm, show
from surveys.releases.refusals import ReleaseRefused
from surveys.releases.selectors.doors import asked_of, may_approve
from surveys.releases.services import proposals, releasing
from surveys.releases.words.picture import picture_of


@admin.register(Proposal)
class ProposalAdmin(ReleasePages):
    """Every proposal and what became of it, for those who may look at releases; one's own, for those who make them."""

    list_display = ("asked", "how", "costs", "who", "when", "state")
    list_display_links = ("asked",)
    list_filter = ("state", ("survey", admin.RelatedOnlyFieldListFilter))
    search_fields = ("reason", "survey__title", "survey__code")
    ordering = ("-proposed_at", "-pk")
    list_select_related = ("survey",)
    actions = None

    def in_reach(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return those of surveys whose releases somebody may look at, and what they have proposed themselves."""
        looks = surveys_in_reach(request, "view_release", "change_release")
        if looks is None:
            return rows
        makes, proposed = surveys_in_reach(request, "add_release"), rows.filter(proposed_by=request.user.pk)
        return rows.filter(survey__in=looks) | (proposed if makes is None else proposed.filter(survey__in=makes))

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses at which it is decided."""
        views = {"approve": self.approve_view, "decline": self.decline_view, "withdraw": self.withdraw_view}
        decisions = [
            path(f"<int:proposal_id>/{name}/", self.admin_site.admin_view(view), name=f"surveys_proposal_{name}")
            for name, view in views.items()
        ]
        return [*decisions, *super().get_urls()]

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the list where somebody may propose, or has."""
        wanted = settings.RELEASES_NEED_APPROVAL or Proposal.objects.exists()
        return wanted and super().has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse: a release is proposed by its three steps."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Proposal | None = None) -> bool:
        """Refuse: it is decided, by pages of its own, and never changed."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Proposal | None = None) -> bool:
        """Refuse: who wanted what stays known."""
        return False

    def _permissions(self, *actions: str) -> list[str]:
        # People who may make releases find what they have proposed.
        return ["view_release", "add_release", "change_release"] if "view" in actions else []

    @admin.display(description=gettext_lazy("survey"), ordering="survey__title")
    def asked(self, proposal: Proposal) -> str:
        return format_html('<bdi lang="{}">{}</bdi>', proposal.survey.language, proposal.survey.title)

    @admin.display(description=gettext_lazy("mechanism"), ordering="mechanism")
    def how(self, proposal: Proposal) -> str:
        return proposal.mechanism_label

    @admin.display(description=gettext_lazy("cost"), ordering="micro_epsilon")
    def costs(self, proposal: Proposal) -> str:
        return loss_words(proposal.epsilon, proposal.delta)

    @admin.display(description=pgettext_lazy("column: who proposes it", "proposed by"), ordering="proposed_by_name")
    def who(self, proposal: Proposal) -> str:
        return format_html("<bdi>{}</bdi>", proposal.proposed_by_name)

    @admin.display(description=pgettext_lazy("column of the ledger: the day", "date"), ordering="proposed_at")
    def when(self, proposal: Proposal) -> str:
        return format_html('<span class="nowrap">{}</span>', proposal.proposed_at.date().isoformat())

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one: its terms as they are now, and what somebody may do about it."""
        if not self.has_view_permission(request) or request.method not in {"GET", "HEAD"}:
            raise PermissionDenied
        return self._shown(request, self._proposal(request, unquote(object_id)))

    def approve_view(self, request: HttpRequest, proposal_id: int) -> HttpResponse:
        """Draw and charge what somebody else has proposed, on the terms that were shown."""

        def approve(proposal: Proposal) -> HttpResponse:
            form = ReleaseConfirmForm(request.POST, user=staff(request))
            valid, shown = form.is_valid(), form.shown
            if shown is None:
                return self.refused(request, [str(problem) for problem in form.errors["terms"]], _address(proposal))
            if shown.key != proposal.request_key:
                return self.refused(
                    request,
                    [_("These terms belong to another proposal. Review this proposal’s terms again.")],
                    _address(proposal),
                )
            if not valid:
                return self._shown(request, proposal, form=form)
            release = releasing.approve(proposal=proposal, user=staff(request), lines=shown.lines)
            return self.drawn(request, release)

        return self._decision(request, proposal_id, approve, allowed=may_approve(request.user))

    def decline_view(self, request: HttpRequest, proposal_id: int) -> HttpResponse:
        def decline(proposal: Proposal) -> HttpResponse:
            form = DeclineForm(request.POST)
            if not form.is_valid():
                return self._shown(request, proposal, declines=form)
            proposals.decline(proposal=proposal, user=staff(request), reason=form.cleaned_data["reason"])
            self.message_user(request, _("Proposal declined. Nothing was drawn or charged."), messages.SUCCESS)
            return HttpResponseRedirect(_address(proposal))

        return self._decision(request, proposal_id, decline, allowed=may_approve(request.user))

    def withdraw_view(self, request: HttpRequest, proposal_id: int) -> HttpResponse:
        def withdraw(proposal: Proposal) -> HttpResponse:
            proposals.take_back(proposal=proposal, user=staff(request))
            self.message_user(request, _("Proposal withdrawn. Nothing was drawn or charged."), messages.SUCCESS)
            return HttpResponseRedirect(_address(proposal))

        return self._decision(request, proposal_id, withdraw, allowed=self.has_view_permission(request))

    def _decision(
        self, request: HttpRequest, proposal_id: int, decide: Callable[[Proposal], HttpResponse], *, allowed: bool
    ) -> HttpResponse:
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not allowed:
            raise PermissionDenied
        proposal = self._proposal(request, str(proposal_id))
        try:
            return decide(proposal)
        except ReleaseRefused as refused:
            return self.refused(request, [str(refused)], _address(proposal), refused)

    def _shown(
        self,
        request: HttpRequest,
        proposal: Proposal,
        *,
        form: ReleaseConfirmForm | None = None,
        declines: DeclineForm | None = None,
    ) -> HttpResponse:
        user = staff(request)
        is_own = proposal.proposed_by_id == user.pk
        looks = has_permission(request, "view_release", "change_release", survey_id=proposal.survey_id)
        context: dict[str, Any] = {
            "proposal": proposal,
            "questions": asked_of(definition_of(proposal.survey), proposal.questions),
            "survey": proposal.survey,
            "reason": proposal.reason,
            "is_own": is_own,
            "decides": proposal.is_open and not is_own and may_approve(user),
            "declines": declines or DeclineForm(),
            "release_address": looks and proposal.release_id and detail_address(proposal.release_id),
        }
        if proposal.is_open:
            try:
                terms = releasing.check_proposal(proposal)
                context |= terms_context(request, terms, proposal.survey)
                context["picture"] = _picture(proposal, terms)
                if context["decides"]:
                    signed = {"terms": show(proposals.request_of(proposal), user).sign()}
                    context["form"] = form or ReleaseConfirmForm(user=user, initial=signed)
            except ReleaseRefused as refused:
                context["problem"] = str(refused)
        return self.page(request, "proposal", _title(proposal), **context)

    def _proposal(self, request: HttpRequest, key: str) -> Proposal:
        rows: QuerySet[Proposal] = self.get_queryset(request).select_related("survey__budget", "release")
        try:
            return rows.get(pk=key)
        except (Proposal.DoesNotExist, ValueError, ValidationError, OverflowError):
            raise Http404 from None


def _picture(proposal: Proposal, terms: Terms) -> Any:  # noqa: ANN401 - for the template
    answered = [(question, plan.n) for plan in terms.plans for question in plan.questions]
    return picture_of(proposal.survey.budget, answered, [terms.mechanism], proposal.epsilon, proposal.delta)


def _title(proposal: Proposal) -> str:
    titles = {
        Proposal.State.OPEN: _("%(name)s proposes a release"),
        Proposal.State.APPROVED: _("%(name)s proposed this release, and it was approved"),
        Proposal.State.DECLINED: _("%(name)s proposed this release, and it was declined"),
        Proposal.State.WITHDRAWN: _("%(name)s proposed this release and withdrew it"),
    }
    return titles[Proposal.State(proposal.state)] % {"name": proposal.proposed_by_name}


def _address(proposal: Proposal) -> str:
    return reverse("admin:surveys_proposal_change", args=[proposal.pk])
