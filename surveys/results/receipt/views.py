"""What the group said, for somebody who answered: the figures of the overview, behind every door of the survey."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.answering.views.doors import Door, nowhere, respondent_page
from surveys.answering.views.receipt import has_answered
from surveys.responses.selectors.snapshot import OutdatedError, Snapshot, snapshot_of
from surveys.responses.selectors.tally import may_be_looked_at_again
from surveys.responses.told import told_together
from surveys.results.figures.intervals import FigureOptions
from surveys.results.figures.overview import QuestionResult, question_result
from surveys.results.words.finding import Headline, finding_of


@respondent_page("receipt-result", "GET", "HEAD")
def receipt_result(request: HttpRequest, door: Door) -> HttpResponse:
    """Show the result where that is allowed: not before somebody answers, whom it could sway."""
    if not door.survey.result_on_receipt:
        return nowhere(request, door, "result")
    if not has_answered(request):
        return redirect(door.address())
    try:
        snapshot, findings = _read(door)
    except OutdatedError:
        # A fold came in between; the next one is seconds away.
        snapshot, findings = _read(door)
    if not snapshot.enough:
        return nowhere(request, door, "result")
    context = {
        "definition": door.definition,
        "n": snapshot.n,
        "more_may_come": door.survey.may_collect_more,
        "one_look": may_be_looked_at_again(door.survey, snapshot.received),
        "findings": findings,
        "more": len(findings) - 3,
        "receipt": door.address("receipt"),
    }
    return render(request, "results/receipt/result.html", context)


def _read(door: Door) -> tuple[Snapshot, list[tuple[QuestionResult, Headline | None]]]:
    definition, snapshot = told_together(door.definition, snapshot_of(door.survey, door.definition))
    wanted = FigureOptions()
    if not snapshot.enough:
        return snapshot, []
    results = [
        question_result(asked, snapshot, wanted) for asked in definition.questions if snapshot.tells(asked.first.number)
    ]
    level = wanted.confidence_level
    return snapshot, [(result, finding_of(result, level) if result.enough else None) for result in results]
