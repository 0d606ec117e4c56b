"""What a database holds, as it must be after any upgrade: surveys and answers, ledgers, and what was released."""

from typing import Any

from surveys.models import Budget, Invitation, LedgerEntry, ReleasePart, Survey
from surveys.responses.selectors.tally import response_count


def holding() -> dict[str, Any]:
    """Return it as JSON can say it."""
    ledger = LedgerEntry.objects.order_by("budget__survey__code", "number")
    return {
        "surveys": {
            survey.code: [
                survey.state,
                survey.title,
                response_count(survey),
                survey.questions.count(),
                survey.content_hash,
            ]
            for survey in Survey.objects.exclude(code="")
            if survey.previous_id is None
        },
        "versions": Survey.objects.filter(previous__isnull=False).count(),
        "invitations": sorted(Invitation.objects.values_list("spent", flat=True)),
        "budgets": list(
            Budget.objects.order_by("survey__code").values_list("total_micro_epsilon", "spent_micro_epsilon")
        ),
        "ledger": [[line.number, line.kind, line.micro_epsilon, line.created_by_name] for line in ledger],
        "releases": [
            [part.release_id, part.release.mechanism, part.release.published, part.micro_epsilon, part.n, part.output]
            for part in ReleasePart.objects.order_by("release_id", "position").select_related("release")
        ],
    }
