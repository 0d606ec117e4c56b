"""The page of a receipt, for the person who has it, and a survey's page of the credit that it gives."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from surveys.accounts.services.mails import site_address
from surveys.common.content_policy import NO_MARKUP_FROM_TEXT, changes_policy
from surveys.common.forms import form_page
from surveys.common.selectors import definition_of
from surveys.common.views import survey_page
from surveys.credit.forms import ReceiptListForm
from surveys.credit.selectors import credit_counts, has_platforms, survey_with_credit
from surveys.credit.services.lists import redeem_list
from surveys.credit.services.redeeming import REDEEMABLE, ReceiptRefused
from surveys.models import Right, Survey

# The receipt stands in the page's address and in a field: nothing of the page can send it anywhere.
_SENDS_NOTHING = {"connect-src": ["'none'"], "form-action": ["'none'"]}


@require_safe
@never_cache
@changes_policy(NO_MARKUP_FROM_TEXT | _SENDS_NOTHING)
def credit(request: HttpRequest, code: str) -> HttpResponse:
    """Say what a receipt is for; its script takes the receipt out of the address, which no server is sent."""
    survey = survey_with_credit(code)
    if survey is None:
        raise Http404
    definition = definition_of(survey)
    asked = request.GET.get("language", "")
    if asked in definition.languages:
        definition = definition.in_language(asked)
    context = {
        "survey": survey,
        "definition": definition,
        "redeemable": survey.state in REDEEMABLE,
        "has_platforms": has_platforms(),
    }
    with translation.override(definition.language):
        response = render(request, "credit/credit.html", context)
    response["Content-Language"] = definition.language
    return response


@survey_page("GET", "HEAD", "POST", right=Right.EDIT)
def survey_credit(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Say how many receipts were redeemed; take a list of names and receipts, and give it back with results."""
    if not survey.questionnaire.credit:
        raise Http404
    form = ReceiptListForm(request.POST, request.FILES) if request.method == "POST" else ReceiptListForm()
    if form.is_valid():
        try:
            results = redeem_list(survey=survey, handed_in=form.cleaned_data["file"])
        except ReceiptRefused as refused:
            messages.warning(request, str(refused))
            return redirect("survey-credit", code=survey.code)
        response = HttpResponse(results, content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="credit-{survey.code}.csv"'
        return response
    context = {
        "survey": survey,
        # As launches are checked against: this page may have been asked for at another host.
        "tool": site_address(request) + reverse("lti-launch"),
        "parameter": f"survey={survey.code}",
        "counts": credit_counts(survey),
        "redeemable": survey.state in REDEEMABLE,
        "has_platforms": has_platforms(),
    }
    return form_page(request, "credit/survey_credit.html", form, first_field="file", **context)
