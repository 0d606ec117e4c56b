"""Triggers of the ledger: a line is written first and moves its budget, and nothing else ever does; no line changes.

A line must continue what the budget holds. Writing it moves the budget's counters in the same statement, so neither is
ever there without the other, whatever is committed; a direct update finds no line ahead of the budget and is refused.
A release is shown or hidden by such a line as well, which costs nothing.
The line of a release has the time of the release, which is taken before the draw: a second time, taken after it, would
tell how long the draw took. Where the clock was set back, a line has the time of the one before it.
"""

from surveys.models.guard import Effect, Guard, require_whole

_FOR_EVER = "what is spent is never given back, and every change of a budget is a line of its ledger"
_LEDGER = "a ledger is only ever continued"
_COUNTERS = ("total_micro_epsilon", "spent_micro_epsilon", "total_pico_delta", "spent_pico_delta")
_COUNTERS_CHANGED = " OR ".join(f"NEW.{name} <> OLD.{name}" for name in _COUNTERS)


def _continues(column: str, kind: str, amount: str) -> str:
    """Whether a counter is what the budget holds, and this line's amount where the line is of that kind."""
    return f"NEW.{column} = b.{column} + CASE WHEN NEW.kind = '{kind}' THEN NEW.{amount} ELSE 0 END"


_CONTINUES_THE_BUDGET = (
    "EXISTS (SELECT 1 FROM surveys_budget b WHERE b.id = NEW.budget_id AND b.entries = NEW.number - 1 AND "  # noqa: S608
    + " AND ".join(
        (
            _continues("total_micro_epsilon", "total", "micro_epsilon"),
            _continues("total_pico_delta", "total", "pico_delta"),
            _continues("spent_micro_epsilon", "charge", "micro_epsilon"),
            _continues("spent_pico_delta", "charge", "pico_delta"),
        )
    )
    + ")"
)
_AS_ITS_RELEASE = (
    "NEW.kind <> 'charge' OR EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_budget b"
    " ON b.survey_id = r.survey_id WHERE r.id = NEW.release_id AND b.id = NEW.budget_id"
    " AND r.micro_epsilon = NEW.micro_epsilon AND r.pico_delta = NEW.pico_delta AND r.created_at = NEW.created_at"
    " AND r.created_by_id = NEW.created_by_id"
    " AND r.micro_epsilon = (SELECT SUM(p.micro_epsilon) FROM surveys_releasepart p WHERE p.release_id = r.id)"
    " AND r.pico_delta = (SELECT SUM(p.pico_delta) FROM surveys_releasepart p WHERE p.release_id = r.id))"
)
# Of a release of this survey that is paid for, and hidden or shown until now.
_CHANGES_WHAT_IS_SHOWN = (
    "NEW.kind NOT IN ('publish', 'withdraw') OR EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_budget b"
    " ON b.survey_id = r.survey_id JOIN surveys_ledgerentry e ON e.release_id = r.id"
    " WHERE r.id = NEW.publication_id AND b.id = NEW.budget_id AND r.published = (NEW.kind = 'withdraw'))"
)
_AS_ITS_LINE = (
    "EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.budget_id = NEW.id AND e.number = NEW.entries AND "  # noqa: S608
    + " AND ".join(f"e.{name} = NEW.{name}" for name in _COUNTERS)
    + ")"
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
        f" AND (NEW.entries <> OLD.entries + 1 OR NOT {_AS_ITS_LINE}))",
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
        f" OR NOT {_CONTINUES_THE_BUDGET} OR NOT ({_AS_ITS_RELEASE})"
        f" OR NOT ({_CHANGES_WHAT_IS_SHOWN})",
        _LEDGER,
    ),
    Guard(
        "ledgerentry_time",
        "surveys_ledgerentry",
        "INSERT",
        "EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.budget_id = NEW.budget_id"
        " AND e.created_at > NEW.created_at)",
        "a line is never dated before the one it follows",
        # Times are texts there, in order only where they are written in one way.
        or_on_sqlite="NEW.created_at IS NOT datetime(NEW.created_at)",
    ),
    Guard(
        "ledgerentry_name",
        "surveys_ledgerentry",
        "INSERT",
        "NOT EXISTS (SELECT 1 FROM auth_user u WHERE u.id = NEW.created_by_id AND u.username = NEW.created_by_name)",
        "a line names the account as it is called",
    ),
    Guard("ledgerentry_update", "surveys_ledgerentry", "UPDATE", "1 = 1", _LEDGER),
    Guard("ledgerentry_delete", "surveys_ledgerentry", "DELETE", "1 = 1", _LEDGER),
    require_whole("surveys_budget", "UPDATE", ("entries", *_COUNTERS)),
    require_whole("surveys_ledgerentry", "INSERT", ("number", "micro_epsilon", "pico_delta")),
)
LINE_SHOWS_RELEASE = Effect(
    "ledgerentry_shows_release",
    "surveys_ledgerentry",
    "UPDATE surveys_release SET published = (NEW.kind = 'publish') WHERE id = NEW.publication_id",
)
LINE_MOVES_BUDGET = Effect(
    "ledgerentry_moves_budget",
    "surveys_ledgerentry",
    "UPDATE surveys_budget SET entries = NEW.number, "  # noqa: S608 - names of ours
    + ", ".join(f"{name} = NEW.{name}" for name in _COUNTERS)
    + " WHERE id = NEW.budget_id",
)
