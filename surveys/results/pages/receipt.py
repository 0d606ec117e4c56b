"""The result that respondents can see once they have answered: the finding of each question."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.answering.views.doors import Door, nowhere, respondent_page
from surveys.answering.views.receipt import has_answered
from surveys.results.figures.questions import QuestionResult, question_result
from surveys.results.report import Report
from surveys.results.words import Headline, finding_of


@respondent_page("receipt-result", "GET", "HEAD")
def receipt_result(request: HttpRequest, door: Door) -> HttpResponse:
    """Show the result where that is allowed: not before somebody answers, whom it could sway."""
    if not door.survey.result_on_receipt:
        return nowhere(request, door, "result")
    if not has_answered(request):
        return redirect(door.address())
    report, findings = Report(door.survey, stored=door.definition).read(_findings)
    if not report.snapshot.enough:
        return nowhere(request, door, "result")
    context = {
        "definition": door.definition,
        "n": report.snapshot.n,
        "more_may_come": door.survey.may_collect_more,
        "one_look": report.one_look,
        "findings": findings,
        "more": len(findings) - 3,
        "receipt": door.address("receipt"),
    }
    return render(request, "results/receipt.html", context)


def _findings(report: Report) -> list[tuple[QuestionResult, Headline | None]]:
    snapshot, wanted = report.snapshot, report.options.wanted
    if not snapshot.enough:
        return []
    results = [
        question_result(asked, snapshot, wanted)
        for asked in report.definition.questions
        if snapshot.shows(asked.first.number)
    ]
    level = wanted.confidence_level
    return [(result, finding_of(result, level) if result.enough else None) for result in results]
