"""What holds of the whole database after any request, whatever it was."""

from collections.abc import Iterator

from django.db.models import F, Sum

from surveys.common.selectors import draft_of
from surveys.models import (
    Budget,
    CellCount,
    FoldedPart,
    Group,
    LedgerEntry,
    Membership,
    PatternCount,
    Release,
    Response,
    Survey,
)
from surveys.models.survey import TRANSITIONS


def states() -> dict[int, str]:
    """Return the state of every survey by primary key."""
    return dict(Survey.objects.values_list("pk", "state"))


def broken(before: dict[int, str]) -> list[str]:
    """Return in words what does not hold; `before` are the states of the surveys before the request."""
    return [*_courses(before), *_definitions(), *_responses(), *_ledger(), *_people()]


def _courses(before: dict[int, str]) -> Iterator[str]:
    for key, state in states().items():
        was = before.get(key, state)
        if state not in {was, *TRANSITIONS[was]}:
            yield f"survey {key} went from {was} to {state}"


def _definitions() -> Iterator[str]:
    for survey in Survey.objects.all():
        try:
            definition = draft_of(survey)
        except ValueError as problem:
            yield f"survey {survey.pk} has no definition: {problem}"
            continue
        if not survey.is_draft and definition.version != survey.content_hash:
            yield f"survey {survey.pk} is not what was opened"
        rows = Response.objects.filter(survey=survey).values_list("reports", flat=True).distinct()
        counts = PatternCount.objects.filter(survey=survey).values_list("reports", flat=True).distinct()
        for reports in {*rows, *counts}:
            if problem := definition.misfit(reports):
                yield f"survey {survey.pk} holds {reports!r}: {problem}"


def _responses() -> Iterator[str]:
    for table in (Response, PatternCount, FoldedPart):
        if table.objects.filter(group__isnull=False).exclude(group__survey=F("survey")).exists():
            yield f"a group of another survey in {table.__name__}"
        if table.objects.filter(survey__state="draft").exists():
            yield f"answers to a draft in {table.__name__}"
    # Sealed to pairs there are cells, and no pattern is left to compare.
    pairs = CellCount.objects.values("survey")
    sums = [
        dict(table.objects.exclude(survey__in=pairs).values_list("survey").annotate(Sum("count")).order_by())
        for table in (PatternCount, FoldedPart)
    ]
    if sums[0] != sums[1]:
        yield f"counted {sums[0]} by pattern and {sums[1]} by part"


def _ledger() -> Iterator[str]:
    for budget in Budget.objects.all():
        lines = list(LedgerEntry.objects.filter(budget=budget).order_by("number"))
        charged = sum(line.micro_epsilon for line in lines if line.kind == LedgerEntry.Kind.CHARGE)
        if (charged, len(lines)) != (budget.spent_micro_epsilon, budget.entries):
            yield f"budget {budget.pk} has spent {budget.spent_micro_epsilon}, its lines {charged}"
    for release in Release.objects.prefetch_related("parts"):
        if not release.parts.all() or not LedgerEntry.objects.filter(release=release).exists():
            yield f"release {release.pk} has no part, or no line"


def _people() -> Iterator[str]:
    if Membership.objects.filter(user=F("survey__owner")).exists():
        yield "an owner has a role in their own survey"
    names = Group.objects.values_list("survey", "name")
    if len(names) != len({(survey, name.casefold()) for survey, name in names}):
        yield "two groups of one survey have one name"
