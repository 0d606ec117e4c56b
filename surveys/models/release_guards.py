"""Triggers of releases: drawn once, part by part, and complete with the line of the ledger that charges them.

Of a release only `published` ever changes, by a line of the ledger that says so. Parts are added only until the line of
its charge is written, which `surveys.models.budget_guards` allows only where they cost together what the release does.
"""

from surveys.models.guard import Guard, columns_changed, require_whole

_DRAWN = "a release is drawn once and never changed"
# Whether it is shown is what its last line about that says.
_AS_ITS_LAST_LINE = (
    "EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.publication_id = NEW.id"
    " AND (e.kind = 'publish') = NEW.published AND NOT EXISTS (SELECT 1 FROM surveys_ledgerentry l"
    " WHERE l.publication_id = NEW.id AND l.number > e.number))"
)
_AMOUNTS = ("micro_epsilon", "pico_delta")
_FROZEN_COLUMNS = (
    "id",
    "survey_id",
    "mechanism",
    "relation",
    "micro_epsilon",
    "pico_delta",
    "data_version",
    "request_key",
    "created_by_id",
    "created_at",
)

RELEASE_GUARDS = (
    Guard(
        "release_insert",
        "surveys_release",
        "INSERT",
        "EXISTS (SELECT 1 FROM surveys_release r WHERE r.id = NEW.id OR r.request_key = NEW.request_key)"
        " OR EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged'))"
        " OR NEW.published",
        "this request has already made its release, the survey is sealed or purged, or no line publishes it",
        or_on_sqlite="EXISTS (SELECT 1 FROM surveys_release r WHERE r.rowid = NEW.rowid)",
    ),
    Guard(
        "release_update",
        "surveys_release",
        "UPDATE",
        f"{columns_changed(_FROZEN_COLUMNS)} OR (NEW.published <> OLD.published AND NOT {_AS_ITS_LAST_LINE})",
        _DRAWN,
        or_on_sqlite="OLD.rowid <> NEW.rowid",
    ),
    Guard("release_delete", "surveys_release", "DELETE", "1 = 1", _DRAWN),
    Guard(
        "releasepart_insert",
        "surveys_releasepart",
        "INSERT",
        "EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.release_id = NEW.release_id)"
        " OR EXISTS (SELECT 1 FROM surveys_releasepart p WHERE p.id = NEW.id OR (p.release_id = NEW.release_id"
        " AND (p.position = NEW.position OR p.question = NEW.question)))"
        " OR NOT EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_survey s ON s.id = r.survey_id"
        " WHERE r.id = NEW.release_id AND NEW.question BETWEEN 1 AND s.question_count)",
        _DRAWN,
    ),
    Guard("releasepart_update", "surveys_releasepart", "UPDATE", "1 = 1", _DRAWN),
    Guard("releasepart_delete", "surveys_releasepart", "DELETE", "1 = 1", _DRAWN),
    require_whole("surveys_release", "INSERT", _AMOUNTS),
    Guard("release_exact_figures", "surveys_release", "UPDATE", columns_changed(("exact_figures",)), _DRAWN),
    require_whole("surveys_releasepart", "INSERT", ("question", *_AMOUNTS)),
)
