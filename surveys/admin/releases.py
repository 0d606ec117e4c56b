"""The ledger of releases, and a new release in two steps: first its terms and expected error, then the draw."""

from fractions import Fraction
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from surveys.admin.staff import staff
from surveys.forms.release import ConfirmForm, TermsForm
from surveys.models import Budget, Release
from surveys.models.release import MICRO
from surveys.selectors import releases
from surveys.selectors.release_terms import RELATION
from surveys.services import releasing


@admin.register(Release)
class ReleaseAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no parameters at run time
    """Every charge with its draw; nothing of it changes but whether it is published."""

    list_display = ("asked", "how", "charged", "spent", "left", "who", "when", "public_page")
    list_filter = ("published", "mechanism", ("survey", admin.RelatedOnlyFieldListFilter))
    search_fields = ("question__text", "survey__title", "survey__code")
    ordering = ("-created_at", "-pk")
    actions = ("publish", "withdraw")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        """Return the ledger with its running totals."""
        return releases.ledger()

    def get_urls(self) -> list[URLPattern]:
        """Add the address that publishes and withdraws one release."""
        publication = path(
            "<slug:release_id>/publication/",
            self.admin_site.admin_view(self.publication_view),
            name="surveys_release_publication",
        )
        return [publication, *super().get_urls()]

    def has_change_permission(self, request: HttpRequest, obj: Release | None = None) -> bool:
        """Refuse: a release stays as it was drawn."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Release | None = None) -> bool:
        """Refuse: what was spent stays in the ledger."""
        return False

    def has_publish_permission(self, request: HttpRequest) -> bool:
        """Allow those who may change releases to publish and withdraw them, which is all that ever changes."""
        return request.user.has_perm("surveys.change_release")

    @admin.display(description=gettext_lazy("question"), ordering="question__text")
    def asked(self, release: Release) -> str:
        """Show what was asked and in which survey."""
        return f"{release.question} ({release.survey.code})"

    @admin.display(description=gettext_lazy("mechanism"), ordering="mechanism")
    def how(self, release: Release) -> str:
        """Show the mechanism without its explanation."""
        return release.get_mechanism_display().partition(" (")[0]

    @admin.display(
        description=pgettext_lazy("column of the ledger: who drew it", "by"), ordering="created_by__username"
    )
    def who(self, release: Release) -> str:
        """Show who drew it."""
        return release.created_by.get_username()

    @admin.display(description=pgettext_lazy("column of the ledger: the day", "on"), ordering="created_at")
    def when(self, release: Release) -> str:
        """Show the day."""
        return format_html('<span class="nowrap">{}</span>', release.created_at.date().isoformat())

    @admin.display(description=gettext_lazy("epsilon"), ordering="micro_epsilon")
    def charged(self, release: Release) -> str:
        """Show the charge."""
        return releasing.written(release.epsilon)

    @admin.display(description=pgettext_lazy("column of the ledger: of the budget", "spent"))
    def spent(self, release: Release) -> str:
        """Show what the survey's releases had cost together after this one."""
        return _decimal(release.spent_so_far)  # type: ignore[attr-defined]

    @admin.display(description=pgettext_lazy("column of the ledger: of the budget", "left"))
    def left(self, release: Release) -> str:
        """Show what was left then of the total as it is now."""
        return _decimal(release.left_after)  # type: ignore[attr-defined]

    @admin.display(description=gettext_lazy("published"), ordering="published")
    def public_page(self, release: Release) -> str:
        """Link to a published release."""
        if not release.published:
            return _("No")
        return format_html('<a href="{}">{}</a>', reverse("release", args=[release.pk]), _("Yes, see it"))

    @admin.action(description=gettext_lazy("Publish the selected releases"), permissions=["publish"])
    def publish(self, request: HttpRequest, chosen: QuerySet[Release]) -> None:
        """Publish each."""
        for release in chosen:
            releasing.publish(release=release, user=staff(request))
        self.message_user(request, _("Published: %(releases)s.") % {"releases": len(chosen)}, messages.SUCCESS)

    @admin.action(
        description=gettext_lazy("Withdraw the selected releases (their charge stays)"), permissions=["publish"]
    )
    def withdraw(self, request: HttpRequest, chosen: QuerySet[Release]) -> None:
        """Withdraw each."""
        for release in chosen:
            releasing.withdraw(release=release, user=staff(request))
        self.message_user(
            request,
            _("Withdrawn: %(releases)s. What they cost stays spent.") % {"releases": len(chosen)},
            messages.SUCCESS,
        )

    def publication_view(self, request: HttpRequest, release_id: str) -> HttpResponse:
        """Publish or withdraw one release."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not self.has_publish_permission(request):
            raise PermissionDenied
        release = self._release(request, release_id)
        if request.POST.get("published") == "yes":
            releasing.publish(release=release, user=staff(request))
            self.message_user(request, _("The release is published."), messages.SUCCESS)
        else:
            releasing.withdraw(release=release, user=staff(request))
            self.message_user(request, _("The release is withdrawn. What it cost stays spent."), messages.SUCCESS)
        return HttpResponseRedirect(_detail_url(release.pk))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one release."""
        if not self.has_view_permission(request) or request.method not in {"GET", "HEAD"}:
            raise PermissionDenied
        release = self._release(request, unquote(object_id))
        return self._page(
            request,
            "detail",
            _("Release %(release)s") % {"release": release.pk},
            reading=releases.reading_of(release),
            charged=releasing.written(release.epsilon),
            may_publish=self.has_publish_permission(request),
        )

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask for the terms, show what they cost and how far off the result may be, then draw."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        if "terms" in request.POST:
            return self._confirmed(request)
        form = TermsForm(request.POST or None)
        if not form.is_valid():
            return self._page(request, "terms", _("New release, step 1 of 2: the terms"), form=form)
        return self._shown(request, form)

    def _shown(self, request: HttpRequest, form: TermsForm) -> HttpResponse:
        question = form.cleaned_data["question"]
        budget = Budget.objects.get(survey_id=question.survey_id)
        earlier = releases.spent_on(question)
        return self._page(
            request,
            "confirm",
            _("New release, step 2 of 2: look at the cost and the error, then draw"),
            terms=form.terms,
            relation=RELATION,
            question=question,
            mechanism=dict(form.fields["mechanism"].choices)[form.terms.mechanism],  # type: ignore[attr-defined]
            cost=releasing.written(form.terms.epsilon),
            before=releasing.written(budget.remaining_epsilon),
            after=releasing.written(budget.remaining_epsilon - form.terms.epsilon),
            earlier=releasing.written(earlier) if earlier else "",
            together=form.terms.truth_epsilon_together_with(earlier),
            signed=form.signed_for(staff(request)),
        )

    def _confirmed(self, request: HttpRequest) -> HttpResponse:
        form = ConfirmForm(request.POST, user=staff(request))
        earlier = ""
        if form.is_valid():
            try:
                release = releasing.release(**form.cleaned_data["terms"])
            except releasing.Refused as refused:
                form.add_error(None, str(refused))
                earlier = refused.release_id if isinstance(refused, releasing.DuplicateRequest) else ""
            else:
                self.message_user(
                    request, _("Release %(release)s is drawn and charged.") % {"release": release.pk}, messages.SUCCESS
                )
                return HttpResponseRedirect(_detail_url(release.pk))
        problems = [problem for errors in form.errors.values() for problem in errors]
        return self._page(
            request, "refused", _("No release was made"), problems=problems, earlier=earlier and _detail_url(earlier)
        )

    def _release(self, request: HttpRequest, release_id: str) -> Release:
        try:
            return self.get_queryset(request).get(pk=release_id)
        except Release.DoesNotExist:
            raise Http404 from None

    def _page(self, request: HttpRequest, name: str, title: str, **context: Any) -> HttpResponse:
        return TemplateResponse(
            request,
            f"admin/surveys/release/{name}.html",
            {**self.admin_site.each_context(request), "opts": self.opts, "title": title, **context},
        )


def _decimal(micro_epsilon: int) -> str:
    return releasing.written(Fraction(micro_epsilon, MICRO))


def _detail_url(release_id: str) -> str:
    return reverse("admin:surveys_release_change", args=[quote(release_id)])
