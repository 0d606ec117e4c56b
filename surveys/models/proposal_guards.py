"""Triggers of proposals: terms never change, each is decided once, and what is approved is the release of these terms.

Who decides is a check constraint's. That no release is made without a proposal, where the site asks for one, is the
service's: the database does not know how the site is set.
"""

from surveys.models.guard import Guard, columns_changed, require_whole

_TERMS = (
    "id",
    "survey_id",
    "questions",
    "answered",
    "content_hash",
    "mechanism",
    "micro_epsilon",
    "pico_delta",
    "options",
    "reason",
    "request_key",
    "proposed_by_id",
    "proposed_by_name",
    "proposed_at",
)
# Charged, by the person who approves it, for the reason that was proposed.
_AS_ITS_RELEASE = (
    "EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_ledgerentry e ON e.release_id = r.id"  # noqa: S608 - names of ours
    " WHERE r.id = NEW.release_id AND r.created_by_id = NEW.decided_by_id AND r.created_at = NEW.decided_at"
    " AND e.reason = NEW.reason AND "
    + " AND ".join(
        f"r.{column} = NEW.{column}"
        for column in ("survey_id", "mechanism", "micro_epsilon", "pico_delta", "request_key")
    )
    + ")"
)
_DECIDED = "a proposal is decided once, and its terms never change"

PROPOSAL_GUARDS = (
    Guard(
        "proposal_insert",
        "surveys_proposal",
        "INSERT",
        "NEW.state <> 'open'"
        " OR EXISTS (SELECT 1 FROM surveys_proposal p WHERE p.id = NEW.id OR p.request_key = NEW.request_key)"
        " OR EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id"
        " AND s.state IN ('draft', 'sealed', 'purged'))",
        "a proposal waits first, replaces no other, and is of an opened survey",
    ),
    Guard(
        "proposal_update",
        "surveys_proposal",
        "UPDATE",
        f"OLD.state <> 'open' OR NEW.state = 'open' OR {columns_changed(_TERMS)}"
        f" OR (NEW.state = 'approved' AND NOT {_AS_ITS_RELEASE})",
        _DECIDED,
    ),
    Guard("proposal_delete", "surveys_proposal", "DELETE", "1 = 1", _DECIDED),
    require_whole("surveys_proposal", "INSERT", ("micro_epsilon", "pico_delta")),
)
