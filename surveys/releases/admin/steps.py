"""A new release in three steps: questions, terms, and a look at what they cost before it is drawn or proposed."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from surveys.common.admin import staff
from surveys.common.selectors import rights_of
from surveys.models import Release, Right, Survey
from surveys.privacy.accounting.composition import compose
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.admin.reach import InReach, has_permission, surveys_in_reach
from surveys.releases.families.finding import LEVELS
from surveys.releases.families.plan import RELATION, Plan, Terms
from surveys.releases.forms.confirmation import ProposeForm, ReleaseConfirmForm, ShownTerms, show
from surveys.releases.forms.questions import QuestionsForm, SurveyChoiceForm
from surveys.releases.forms.terms import TermsForm
from surveys.releases.ledger.selectors import Ledger, TruthLoss, group_losses, ledger_of, truth_loss
from surveys.releases.ledger.services import rho_of
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.selectors.doors import answer_count, charged_releases
from surveys.releases.services import releasing
from surveys.releases.services.releasing import check
from surveys.releases.words.advice import Advice, Severity, advice_on, no_release_needed
from surveys.releases.words.picture import picture_of, steps_for, usual_epsilon


@dataclass(frozen=True, slots=True)
class PartCost:
    """What a part of a release, or all of it, reveals about one response: alone, and together with those before it."""

    plan: Plan | None
    alone: TruthLoss
    together: TruthLoss


@dataclass(frozen=True)
class StatedCost:
    """A release that may be made, beside its survey's ledger as it stands."""

    terms: Terms
    ledger: Ledger
    advice: tuple[Advice, ...]

    relation = RELATION

    @cached_property
    def parts(self) -> list[PartCost]:
        return [
            _part_cost(plan, plan.local_epsilon, plan.loss, compose(self.ledger.losses_of(plan.questions)))
            for plan in self.terms.plans
        ]

    @property
    def in_all(self) -> PartCost:
        """The same for all questions of the survey."""
        return _part_cost(None, self.terms.definition.epsilon_of_truths, self.terms.loss, self.ledger.spent)

    @property
    def is_needless(self) -> bool:
        """Whether something that is free serves as well, for every question."""
        return no_release_needed(self.advice, self.terms)

    @property
    def earlier(self) -> str:
        """The address of the first release that makes this one needless; "" where there is none."""
        for each in self.advice:
            if each.severity is Severity.NO_RELEASE and "release" in each.facts:
                release = each.facts["release"]
                return reverse("release", args=[release]) if each.facts["published"] else detail_address(release)
        return ""

    @property
    def after(self) -> PrivacyLoss:
        left = self.ledger.remaining
        return PrivacyLoss(left.epsilon - self.terms.epsilon, left.delta - self.terms.delta)

    @property
    def groups(self) -> list[tuple[int, PrivacyLoss]]:
        """What the release reveals about several responses at once, all of which change."""
        return group_losses(self.terms.loss)


def _part_cost(plan: Plan | None, local_epsilon: float, loss: PrivacyLoss, earlier: PrivacyLoss) -> PartCost:
    return PartCost(plan, truth_loss(local_epsilon, loss), truth_loss(local_epsilon, compose([earlier, loss])))


# A new release in three steps, each a plain form: questions, terms, and a look at the cost before the draw.


STEPS = 3


class ReleasePages(InReach):
    """What the pages of releases and of proposals share."""

    def page(self, request: HttpRequest, name: str, title: str, **context: Any) -> HttpResponse:
        return TemplateResponse(
            request,
            f"admin/surveys/release/{name}.html",
            {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": title,
                "may_set_budgets": has_permission(request, "add_budget"),
                **context,
            },
        )

    def drawn(self, request: HttpRequest, release: Release) -> HttpResponse:
        self.message_user(
            request, _("Release %(release)s has been drawn and charged.") % {"release": release.pk}, messages.SUCCESS
        )
        return HttpResponseRedirect(detail_address(release.pk))

    def refused(
        self, request: HttpRequest, problems: list[str], again: str, why: Exception | None = None
    ) -> HttpResponse:
        """Say what is in the way of a release, and where to begin again."""
        earlier = why.facts["release"] if isinstance(why, ReleaseRefused) and why.code is Why.DUPLICATE_REQUEST else ""
        return self.page(
            request,
            "refused",
            _("This release already exists") if earlier else _("No release was made"),
            problems=problems,
            earlier=earlier and detail_address(earlier),
            again=again,
        )


def terms_context(request: HttpRequest, terms: Terms, survey: Survey) -> dict[str, Any]:
    """Return what is shown of terms before anything is drawn, to the admin who asks for them or approves them.

    It comes from the ledger, and no report is read. Somebody who may not look at releases sees published ones alone.
    """
    looks = has_permission(request, "view_release", "change_release", survey_id=survey.pk)
    earlier = charged_releases().filter(survey_id=survey.pk)
    return {
        "survey": survey,
        "cost": StatedCost(terms, ledger_of(survey), advice_on(terms, earlier, published_only=not looks)),
        "rho": rho_of(terms),
        "levels": LEVELS,
    }


class NewReleaseSteps(ReleasePages):
    """The addresses of the steps; nothing is drawn or charged before the last one is confirmed.

    Where the site asks for two people, the last one proposes, and `surveys.releases.admin.proposal` has the rest.
    """

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of the second and the third step; the first is where Django adds things."""
        steps = [
            path("add/terms/", self.admin_site.admin_view(self.terms_view), name="surveys_release_terms"),
            path("add/confirm/", self.admin_site.admin_view(self.confirm_view), name="surveys_release_confirm"),
            path("add/propose/", self.admin_site.admin_view(self.propose_view), name="surveys_release_propose"),
        ]
        return [*steps, *super().get_urls()]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Step 1: choose an opened survey that has a budget, and some of its questions."""
        self._require_permission(request)
        if "survey" not in request.GET:
            return self._questions(request, SurveyChoiceForm(among=_surveys(request)))
        chosen = SurveyChoiceForm(request.GET, among=_surveys(request))
        if not chosen.is_valid():
            return self._questions(request, chosen)
        survey = chosen.cleaned_data["survey"]
        form = QuestionsForm(among=_surveys(request), initial={"survey": survey.pk}, survey=survey)
        return self._questions(request, form, survey)

    def terms_view(self, request: HttpRequest) -> HttpResponse:
        """Step 2: choose a mechanism and what it may cost; what is posted leads to step 3."""
        self._require_permission(request)
        sent = request.POST if request.method == "POST" else request.GET
        survey = _survey_in(request, sent)
        chosen = QuestionsForm(sent, among=_surveys(request), survey=survey)
        if not chosen.is_valid():
            return self._questions(request, chosen, survey)
        about = {"survey": chosen.cleaned_data["survey"], "questions": chosen.cleaned_data["questions"]}
        if request.method == "POST":
            form = TermsForm(sent, **about)
            if form.is_valid():
                return self._shown(request, show(form.request, staff(request)))
        else:
            # An admin who goes back to refused terms finds them filled in; each is checked when it is sent.
            form = TermsForm(initial={name: sent[name] for name in TermsForm.names() if name in sent}, **about)
        return self._step(
            request,
            2,
            _("choose mechanism and cost"),
            "terms",
            form=form,
            survey=form.survey,
            questions=form.asked,
            **_picture(form, sent),
        )

    def confirm_view(self, request: HttpRequest) -> HttpResponse:
        """Step 3, confirmed: charge, draw and store, or say what is in the way."""
        return self._last_step(request, ReleaseConfirmForm, self._drawn)

    def propose_view(self, request: HttpRequest) -> HttpResponse:
        """Step 3 where two people decide: keep the terms for somebody else to look at; nothing is charged."""
        return self._last_step(request, ProposeForm, self._proposed)

    def _last_step(
        self,
        request: HttpRequest,
        form_class: type[ProposeForm],
        done: Callable[[HttpRequest, ShownTerms], HttpResponse],
    ) -> HttpResponse:
        self._require_permission(request)
        if request.method != "POST":
            return HttpResponseRedirect(reverse("admin:surveys_release_add"))
        form = form_class(request.POST, user=staff(request))
        valid, shown = form.is_valid(), form.shown
        if shown is None:
            return self._refused(request, [str(problem) for problem in form.errors["terms"]])
        # A right may have been taken away since the terms were shown.
        if not has_permission(request, "add_release", survey_id=shown.survey):
            return self._refused(
                request, [str(SurveyChoiceForm.base_fields["survey"].error_messages["invalid_choice"])]
            )
        return done(request, shown) if valid else self._shown(request, shown, form)

    def _shown(self, request: HttpRequest, shown: ShownTerms, form: ProposeForm | None = None) -> HttpResponse:
        """Show what the terms cost and how far off the result may be."""
        try:
            asked_for = shown.request()
            terms = check(asked_for)
        except (ReleaseRefused, Survey.DoesNotExist) as refused:
            return self._refused(request, [_words(refused)], shown)
        if settings.RELEASES_NEED_APPROVAL:
            what, form_class = _("review cost and error, then propose the release"), ProposeForm
        else:
            what, form_class = _("review cost and error, then draw the release"), ReleaseConfirmForm
        return self._step(
            request,
            3,
            what,
            "confirm",
            form=form or form_class(user=staff(request), initial={"terms": shown.sign()}),
            reason=shown.reason,
            back=_address_of(shown),
            **terms_context(request, terms, asked_for.survey),
        )

    def _drawn(self, request: HttpRequest, shown: ShownTerms) -> HttpResponse:
        try:
            releasing.require_new(shown.key)
            release = releasing.release(shown.request(), user=staff(request), lines=shown.lines)
        except (ReleaseRefused, Survey.DoesNotExist) as refused:
            return self._refused(request, [_words(refused)], shown, refused)
        return self.drawn(request, release)

    def _proposed(self, request: HttpRequest, shown: ShownTerms) -> HttpResponse:
        try:
            proposal = releasing.propose(shown.request(), user=staff(request))
        except (ReleaseRefused, Survey.DoesNotExist) as refused:
            return self._refused(request, [_words(refused)], shown, refused)
        if proposal.is_open:
            words = _("Release proposed. Nothing is drawn or charged until another person approves it.")
            self.message_user(request, words, messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:surveys_proposal_change", args=[proposal.pk]))

    def _refused(
        self, request: HttpRequest, problems: list[str], shown: ShownTerms | None = None, why: Exception | None = None
    ) -> HttpResponse:
        again = _address_of(shown) if shown else reverse("admin:surveys_release_add")
        return self.refused(request, problems, again, why)

    def _questions(self, request: HttpRequest, form: SurveyChoiceForm, survey: Survey | None = None) -> HttpResponse:
        analyses = survey is not None and Right.ANALYSE in rights_of(user=request.user, survey=survey)
        return self._step(
            request, 1, _("choose the questions"), "choose", form=form, survey=survey, may_analyse=analyses
        )

    def _step(self, request: HttpRequest, step: int, what: str, name: str, **context: Any) -> HttpResponse:
        title = _("New release, step %(step)s of %(steps)s: %(what)s") % {"step": step, "steps": STEPS, "what": what}
        return self.page(request, name, title, step=step, two_people=settings.RELEASES_NEED_APPROVAL, **context)

    def _require_permission(self, request: HttpRequest) -> None:
        if not self.has_add_permission(request):
            raise PermissionDenied


def _picture(form: TermsForm, sent: QueryDict) -> dict[str, Any]:
    """Return what is drawn of the ε that is typed, or of a usual one; the page's script asks for it again."""
    budget = form.survey.budget
    answered = [(asked, answer_count(form.survey, (asked,))) for asked in form.asked]
    mechanisms = [choice.mechanism for choice in form.suitable]
    epsilon = _typed(form, sent, "epsilon") or usual_epsilon(budget)
    steps = steps_for(budget)
    return {
        "picture": picture_of(budget, answered, mechanisms, epsilon, _typed(form, sent, "delta")),
        "steps": steps,
        "step_at": sum(Fraction(step) < epsilon for step in steps),
        "chosen": form["mechanism"].value() or "",
    }


def _typed(form: TermsForm, sent: QueryDict, name: str) -> Fraction:
    """Return a number as far as it is typed; 0 for none that makes sense, which the form says when it is sent."""
    try:
        return form.fields[name].clean(sent.get(name, "")) or Fraction(0)
    except ValidationError:
        return Fraction(0)


def detail_address(release_id: str) -> str:
    return reverse("admin:surveys_release_change", args=[quote(release_id)])


def _surveys(request: HttpRequest) -> QuerySet[Survey] | None:
    """Return the surveys that somebody may make a release of; None stands for all."""
    return surveys_in_reach(request, "add_release")


def _survey_in(request: HttpRequest, sent: QueryDict) -> Survey | None:
    chosen = SurveyChoiceForm(sent, among=_surveys(request))
    return chosen.cleaned_data["survey"] if chosen.is_valid() else None


def _address_of(shown: ShownTerms) -> str:
    query = QueryDict(mutable=True)
    for name, value in shown.begins_again.items():
        query.setlist(name, value if isinstance(value, list) else [value])
    return f"{reverse('admin:surveys_release_terms')}?{query.urlencode()}"


def _words(refused: Exception) -> str:
    return (
        str(refused)
        if isinstance(refused, ReleaseRefused)
        else _("The survey in these terms no longer exists. Choose another one.")
    )
