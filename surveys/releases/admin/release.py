"""Every charge with its draw: the list, one release, and whether everybody may see it."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from surveys.common.admin import staff
from surveys.models import Release
from surveys.numbers.words import loss_words
from surveys.releases.admin.reach import has_permission, surveys_in_reach
from surveys.releases.admin.steps import NewReleaseSteps, detail_address
from surveys.releases.charts import parts_on_page
from surveys.releases.families.finding import LEVELS
from surveys.releases.ledger.admin import after
from surveys.releases.selectors import doors as releases
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services import releasing


@admin.register(Release)
class ReleaseAdmin(NewReleaseSteps):
    """Every charge with its draw; nothing of it changes but whether it is published."""

    list_display = ("asked", "how", "charged", "public_page", "spent", "who", "when")
    list_filter = ("published", "mechanism", ("survey", admin.RelatedOnlyFieldListFilter))
    search_fields = ("survey__title", "survey__code")  # and what was asked: `get_search_results`
    ordering = ("-created_at", "-entry__number", "-pk")
    actions = ("publish", "withdraw")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        """Return the releases in somebody's reach, with the lines that charged them."""
        return self.in_reach(request, releases.charged_releases())

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Release], search_term: str
    ) -> tuple[QuerySet[Release], bool]:
        """Return the releases that have every word in title, code or the text of a question that they are about."""
        if not (words := search_term.casefold().split()):
            return queryset, False
        found = []
        for release in queryset:
            texts = (release.survey.title, release.survey.code, *(part.text for part in release.parts.all()))
            if all(word in "\n".join(texts).casefold() for word in words):
                found.append(release.pk)
        return queryset.filter(pk__in=found), False

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

    def has_publish_permission(self, request: HttpRequest, release: Release | None = None) -> bool:
        """Allow those who may change releases to publish and withdraw them, which is all that ever changes."""
        return has_permission(request, "change_release", survey_id=release.survey_id if release else None)

    @admin.display(description=gettext_lazy("questions"))
    def asked(self, release: Release) -> str:
        """Show what was asked and in which survey."""
        texts = [(part.text,) for part in release.parts.all()]
        return format_html("{} ({})", format_html_join("; ", "<bdi>{}</bdi>", texts), release.survey.code)

    @admin.display(description=gettext_lazy("mechanism"), ordering="mechanism")
    def how(self, release: Release) -> str:
        return release.get_mechanism_display()

    @admin.display(
        description=pgettext_lazy("column of the ledger: who drew it", "drawn by"), ordering="entry__created_by_name"
    )
    def who(self, release: Release) -> str:
        return format_html("<bdi>{}</bdi>", release.entry.created_by_name)

    @admin.display(description=pgettext_lazy("column of the ledger: the day", "date"), ordering="created_at")
    def when(self, release: Release) -> str:
        return format_html('<span class="nowrap">{}</span>', release.created_at.date().isoformat())

    @admin.display(description=gettext_lazy("charged"), ordering="micro_epsilon")
    def charged(self, release: Release) -> str:
        return loss_words(release.epsilon, release.delta)

    @admin.display(description=gettext_lazy("spent so far"))
    def spent(self, release: Release) -> str:
        """Show how much of which total was spent after this one."""
        return after(release.entry)

    @admin.display(description=gettext_lazy("published"), ordering="published")
    def public_page(self, release: Release) -> str:
        if not release.published:
            return _("No")
        return format_html('<a href="{}">{}</a>', reverse("release", args=[release.pk]), _("Yes, view page"))

    @admin.action(
        description=gettext_lazy("Publish selected releases (anyone with the address can see them)"),
        permissions=["publish"],
    )
    def publish(self, request: HttpRequest, chosen: QuerySet[Release]) -> None:
        chosen = self._publishable(request, chosen)
        for release in chosen:
            releasing.publish(release=release, user=staff(request))
        self.message_user(
            request,
            ngettext("%(releases)s release is now public.", "%(releases)s releases are now public.", len(chosen))
            % {"releases": len(chosen)},
            messages.SUCCESS,
        )

    @admin.action(
        description=gettext_lazy("Withdraw selected releases (hides their pages without refunding their cost)"),
        permissions=["publish"],
    )
    def withdraw(self, request: HttpRequest, chosen: QuerySet[Release]) -> None:
        chosen = self._publishable(request, chosen)
        for release in chosen:
            releasing.withdraw(release=release, user=staff(request))
        self.message_user(
            request,
            ngettext(
                "%(releases)s release has been withdrawn. Its cost is not refunded.",
                "%(releases)s releases have been withdrawn. Their cost is not refunded.",
                len(chosen),
            )
            % {"releases": len(chosen)},
            messages.SUCCESS,
        )

    def publication_view(self, request: HttpRequest, release_id: str) -> HttpResponse:
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not self.has_publish_permission(request):
            raise PermissionDenied
        release = self._release(request, release_id)
        if not self.has_publish_permission(request, release):
            raise PermissionDenied
        if request.POST.get("published") == "yes":
            releasing.publish(release=release, user=staff(request))
            self.message_user(request, _("The release is now public."), messages.SUCCESS)
        else:
            releasing.withdraw(release=release, user=staff(request))
            self.message_user(request, _("The release has been withdrawn. Its cost is not refunded."), messages.SUCCESS)
        return HttpResponseRedirect(detail_address(release.pk))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_view_permission(request) or request.method not in {"GET", "HEAD"}:
            raise PermissionDenied
        release = self._release(request, unquote(object_id))
        reading = reading_of(release)
        return self.page(
            request,
            "detail",
            _("Release %(release)s") % {"release": release.pk},
            reading=reading,
            shown=parts_on_page(reading),
            publications=release.publications.order_by("number"),
            levels=LEVELS,
            may_see_ledger=has_permission(request, "view_ledgerentry", survey_id=release.survey_id),
            may_publish=self.has_publish_permission(request, release),
        )

    def _publishable(self, request: HttpRequest, chosen: QuerySet[Release]) -> QuerySet[Release]:
        """Return those of the chosen releases that somebody may not only look at."""
        surveys = surveys_in_reach(request, "change_release")
        return chosen if surveys is None else chosen.filter(survey__in=surveys)

    def _release(self, request: HttpRequest, release_id: str) -> Release:
        try:
            return self.get_queryset(request).get(pk=release_id)
        except Release.DoesNotExist:
            raise Http404 from None
