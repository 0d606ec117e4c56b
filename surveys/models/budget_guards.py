"""Triggers of the ledger: a budget changes only together with the next line of its ledger, and no line ever changes.

A budget's counters go up by one conditional statement, which is what two spenders at once need; the line that follows
in the same transaction must continue the line before it and end where the counters are. While a line is missing,
nothing else can be charged. The line of a release has the time of the release, which is taken before the draw: a
second time, taken after it, would tell how long the draw took.
"""

from surveys.models.guard import Guard, whole

_FOR_EVER = "what is spent is never given back, and every change of a budget is a line of its ledger"
_LEDGER = "a ledger is only ever continued"
_COUNTERS = ("total_micro_epsilon", "spent_micro_epsilon", "total_pico_delta", "spent_pico_delta")
_COUNTERS_CHANGED = " OR ".join(f"NEW.{name} <> OLD.{name}" for name in _COUNTERS)
_LINES = "(SELECT COUNT(*) FROM surveys_ledgerentry e WHERE e.budget_id = OLD.id)"


def _before(column: str) -> str:
    """Return a counter as the line before this one left it."""
    return (
        f"COALESCE((SELECT e.{column} FROM surveys_ledgerentry e"  # noqa: S608 - a column's name
        " WHERE e.budget_id = NEW.budget_id AND e.number = NEW.number - 1), 0)"
    )


def _continues(column: str, kind: str, amount: str) -> str:
    """Whether a counter is what the line before left, and this line's amount where the line is of that kind."""
    return f"NEW.{column} = {_before(column)} + CASE WHEN NEW.kind = '{kind}' THEN NEW.{amount} ELSE 0 END"


_AS_THE_BUDGET = (
    "EXISTS (SELECT 1 FROM surveys_budget b WHERE b.id = NEW.budget_id AND b.entries = NEW.number AND "  # noqa: S608
    + " AND ".join(f"b.{name} = NEW.{name}" for name in _COUNTERS)
    + ")"
)
_AS_ITS_RELEASE = (
    "NEW.kind <> 'charge' OR EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_budget b"
    " ON b.survey_id = r.survey_id WHERE r.id = NEW.release_id AND b.id = NEW.budget_id"
    " AND r.micro_epsilon = NEW.micro_epsilon AND r.pico_delta = NEW.pico_delta AND r.created_at = NEW.created_at"
    " AND r.micro_epsilon = (SELECT SUM(p.micro_epsilon) FROM surveys_releasepart p WHERE p.release_id = r.id)"
    " AND r.pico_delta = (SELECT SUM(p.pico_delta) FROM surveys_releasepart p WHERE p.release_id = r.id))"
)

BUDGET_GUARDS = (
    Guard(
        "budget_insert",
        "surveys_budget",
        "INSERT",
        "NEW.entries <> 0 OR "  # noqa: S608 - names of ours
        + " OR ".join(f"NEW.{name} <> 0" for name in _COUNTERS)
        + " OR EXISTS (SELECT 1 FROM surveys_budget b WHERE b.id = NEW.id OR b.survey_id = NEW.survey_id)",
        _FOR_EVER,
    ),
    Guard(
        "budget_update",
        "surveys_budget",
        "UPDATE",
        "NEW.id <> OLD.id OR NEW.survey_id <> OLD.survey_id"
        " OR NEW.spent_micro_epsilon < OLD.spent_micro_epsilon OR NEW.spent_pico_delta < OLD.spent_pico_delta"
        f" OR ((NEW.entries <> OLD.entries OR {_COUNTERS_CHANGED})"
        f" AND (NEW.entries <> OLD.entries + 1 OR OLD.entries <> {_LINES}))",
        _FOR_EVER,
    ),
    Guard("budget_delete", "surveys_budget", "DELETE", "OLD.entries > 0", _FOR_EVER),
    Guard(
        "ledgerentry_insert",
        "surveys_ledgerentry",
        "INSERT",
        "EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.id = NEW.id"  # noqa: S608 - names of ours
        " OR (e.budget_id = NEW.budget_id AND e.number >= NEW.number)"
        " OR (NEW.release_id IS NOT NULL AND e.release_id = NEW.release_id))"
        f" OR NOT ({_AS_THE_BUDGET}) OR NOT ({_AS_ITS_RELEASE}) OR NOT ("
        + " AND ".join(
            (
                _continues("total_micro_epsilon", "total", "micro_epsilon"),
                _continues("total_pico_delta", "total", "pico_delta"),
                _continues("spent_micro_epsilon", "charge", "micro_epsilon"),
                _continues("spent_pico_delta", "charge", "pico_delta"),
            )
        )
        + ")",
        _LEDGER,
    ),
    Guard("ledgerentry_update", "surveys_ledgerentry", "UPDATE", "1 = 1", _LEDGER),
    Guard("ledgerentry_delete", "surveys_ledgerentry", "DELETE", "1 = 1", _LEDGER),
    whole("surveys_budget", "UPDATE", ("entries", *_COUNTERS)),
    whole("surveys_ledgerentry", "INSERT", ("number", "micro_epsilon", "pico_delta")),
)
