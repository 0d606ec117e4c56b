"""Triggers that freeze an opened design and keep releases as drawn and counts as counted, also against raw SQL.

SQLite and PostgreSQL get the same rules. Each rule is a trigger's event, table and the condition on OLD and NEW under
which the statement is refused. SQLite's `INSERT OR REPLACE` and `UPDATE OR REPLACE` delete the row in the way without
firing delete triggers, so inserts and updates there also look at the rows that they would replace.
"""

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from surveys.models.budget_guards import BUDGET_GUARDS, LINE_MOVES_BUDGET, LINE_SHOWS_RELEASE
from surveys.models.concentrated import CHARGE_MOVES_BUDGET, CONCENTRATED_GUARDS
from surveys.models.guard import Effect, Guard, columns_changed
from surveys.models.proposal_guards import PROPOSAL_GUARDS
from surveys.models.release_guards import RELEASE_GUARDS
from surveys.models.survey import TRANSITIONS


def _sealed(survey_id: str) -> str:
    return f"EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = {survey_id} AND s.state = 'sealed')"  # noqa: S608 - a column's name


def _counted(survey_id: str) -> str:
    """Whether nothing more is counted of it: it is sealed, or even its counts are destroyed."""
    return f"EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = {survey_id} AND s.state IN {_FOR_GOOD})"  # noqa: S608 - a column's name


def _left_of(survey_id: str) -> str:
    """Whether rows of a survey are left that sealing and purging have to destroy."""
    tables = ("surveys_response", "surveys_spentnonces", "surveys_invitation", "surveys_decline", "surveys_creditkey")
    return " OR ".join(f"EXISTS (SELECT 1 FROM {table} r WHERE r.survey_id = {survey_id})" for table in tables)  # noqa: S608 - names of ours


def _moved_against_the_arrows() -> str:
    arrows = ", ".join(f"'{source}>{target}'" for source, targets in TRANSITIONS.items() for target in targets)
    return f"OLD.state <> NEW.state AND (OLD.state || '>' || NEW.state) NOT IN ({arrows})"


_FROZEN = "the design is frozen: the survey has been opened"
_REPLACES_SURVEY = (
    "EXISTS (SELECT 1 FROM surveys_survey s WHERE (s.id = NEW.id OR s.code = NEW.code) AND s.state <> 'draft'{but})"
)
# Earlier is less than was promised to be kept. SQLite stores whatever it is given as a date.
_PUT_OFF = "OLD.state <> 'draft' AND OLD.purge_on IS NOT NULL AND (NEW.purge_on IS NULL OR NEW.purge_on > OLD.purge_on)"
_NO_DATE = "NEW.purge_on IS NOT DATE(NEW.purge_on, '+0 days')"
_PARTED_ANEW = (
    "COALESCE(CAST(OLD.partition AS TEXT), '') <> COALESCE(CAST(NEW.partition AS TEXT), '') AND NOT ("
    "OLD.partition IS NULL AND NEW.state = 'closed' OR NEW.partition IS NULL AND NEW.state = 'purged')"
)
_DECIDED = "what a survey tells apart is decided once, when it is closed"
_SPENT = (
    "EXISTS (SELECT 1 FROM surveys_spentnonces f WHERE f.survey_id = NEW.survey_id"
    " AND f.prefix = SUBSTR(NEW.nonce_hash, 1, 2) AND {found} > 0)"
)
_SPENT_ON_SQLITE = _SPENT.format(found="INSTR(f.hashes, SUBSTR(NEW.nonce_hash, 3))")
_SPENT_ON_POSTGRESQL = _SPENT.format(found="POSITION(SUBSTR(NEW.nonce_hash, 3) IN f.hashes)")
_FOR_GOOD = "('sealed', 'purged')"
_COUNTED = "what a sealed survey has counted is final, and of a purged one nothing is counted again"

# Tables of counts, and what of a row besides its survey says what is counted. Folding deletes and writes them anew.
_COUNTS = {
    "patterncount": ("id", "survey_id", "mode", "reports"),
    "foldedpart": ("id", "survey_id", "mode"),
    "cellcount": ("id", "survey_id", "first", "second", "codes"),
}


def _counts_stay(name: str, columns: tuple[str, ...]) -> tuple[Guard, ...]:
    table = f"surveys_{name}"
    replaces = (
        f"EXISTS (SELECT 1 FROM {table} p JOIN surveys_survey s ON s.id = p.survey_id"  # noqa: S608 - a name of ours
        f" WHERE p.id = NEW.id AND s.state IN {_FOR_GOOD})"
    )
    return (
        Guard(f"{name}_insert", table, "INSERT", f"{_counted('NEW.survey_id')} OR {replaces}", _COUNTED),
        Guard(
            f"{name}_update",
            table,
            "UPDATE",
            f"NEW.count < OLD.count OR {columns_changed(columns)}"
            " OR COALESCE(OLD.group_id, 0) <> COALESCE(NEW.group_id, 0)"
            f" OR {_counted('OLD.survey_id')}",
            "a count never goes down and counts the same for ever",
        ),
        # Of a purged survey they may go: its state is set first, in the same transaction.
        Guard(f"{name}_delete", table, "DELETE", _sealed("OLD.survey_id"), _COUNTED),
    )


GUARDS = (
    Guard(
        "survey_insert",
        "surveys_survey",
        "INSERT",
        f"NEW.state <> 'draft' OR {_REPLACES_SURVEY.format(but='')}",
        "a survey begins as a draft and replaces no other",
    ),
    Guard(
        "survey_update",
        "surveys_survey",
        "UPDATE",
        f"(OLD.state <> 'draft' AND ({columns_changed(('id', 'code', 'document', 'content_hash'))}))"
        f" OR {_REPLACES_SURVEY.format(but=' AND s.id <> OLD.id')}",
        _FROZEN,
    ),
    Guard(
        "survey_state",
        "surveys_survey",
        "UPDATE",
        _moved_against_the_arrows(),
        "a survey cannot go to that state from the one it is in",
    ),
    Guard("survey_delete", "surveys_survey", "DELETE", "OLD.state <> 'draft' AND OLD.rehearsal_of_id IS NULL", _FROZEN),
    Guard(
        "survey_descent",
        "surveys_survey",
        "UPDATE",
        "COALESCE(OLD.rehearsal_of_id, 0) <> COALESCE(NEW.rehearsal_of_id, 0)"
        " OR COALESCE(OLD.previous_id, 0) <> COALESCE(NEW.previous_id, 0) OR OLD.edition <> NEW.edition",
        "what a survey is a copy or the next version of never changes",
    ),
    Guard(
        "survey_seal",
        "surveys_survey",
        "UPDATE",
        f"NEW.state = 'sealed' AND OLD.state <> 'sealed' AND ({_left_of('NEW.id')})",
        "a survey is sealed only when its responses are folded, and its nonces, invitations and key destroyed",
    ),
    Guard(
        "survey_purge",
        "surveys_survey",
        "UPDATE",
        f"NEW.state = 'purged' AND OLD.state <> 'purged' AND ({_left_of('NEW.id')})",
        "a survey is purged only when its responses, nonces, invitations and key are destroyed",
    ),
    Guard(
        "survey_purge_put_off",
        "surveys_survey",
        "UPDATE",
        _PUT_OFF,
        "the day on which the reports are destroyed was promised: it may come earlier and never later",
        or_on_sqlite=_NO_DATE,
    ),
    Guard("survey_partition", "surveys_survey", "UPDATE", _PARTED_ANEW, _DECIDED),
    Guard("survey_partition_first", "surveys_survey", "INSERT", "NEW.partition IS NOT NULL", _DECIDED),
    Guard(
        "survey_exact_figures",
        "surveys_survey",
        "UPDATE",
        "NEW.exact_figures <> OLD.exact_figures AND NEW.exact_figures <> 'shown'",
        "figures that were shown have been seen",
    ),
    Guard(
        "budget_rehearsal",
        "surveys_budget",
        "INSERT",
        "EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.rehearsal_of_id IS NOT NULL)",
        "nothing is released from a rehearsal",
    ),
    *RELEASE_GUARDS,
    *BUDGET_GUARDS,
    *CONCENTRATED_GUARDS,
    *PROPOSAL_GUARDS,
    *(
        Guard(f"{name}_{event.lower()}_late", f"surveys_{name}", event, _counted("NEW.survey_id"), _COUNTED)
        for name in ("response", "spentnonces", "invitation", "decline")
        for event in ("INSERT", "UPDATE")
    ),
    *(guard for name, columns in _COUNTS.items() for guard in _counts_stay(name, columns)),
    Guard(
        "invitation_update",
        "surveys_invitation",
        "UPDATE",
        f"(OLD.spent AND NOT NEW.spent) OR {columns_changed(('survey_id', 'token_hash'))}",
        "a spent invitation stays spent",
    ),
    *(
        Guard(
            f"creditkey_{event.lower()}",
            "surveys_creditkey",
            event,
            "EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state <> 'draft')",
            "a survey has the key that was frozen with it",
        )
        for event in ("INSERT", "UPDATE")
    ),
)
# On PostgreSQL an error would bring its statement into the log, so `response_resent` leaves it out there.
_RESENT = Guard("response_spent", "surveys_response", "INSERT", _SPENT_ON_SQLITE, "this response has been counted")
EFFECTS = (LINE_MOVES_BUDGET, CHARGE_MOVES_BUDGET, LINE_SHOWS_RELEASE)
# TRUNCATE fires no row triggers on PostgreSQL.
_NEVER_TRUNCATED = (
    "surveys_survey",
    "surveys_release",
    "surveys_releasepart",
    "surveys_budget",
    "surveys_ledgerentry",
    "surveys_concentratedbudget",
    "surveys_concentratedcharge",
    "surveys_proposal",
    *(f"surveys_{name}" for name in _COUNTS),
)


def _create(guard: Guard, vendor: str, schema: str) -> str:
    if vendor == "sqlite":
        when = f"({guard.when}) OR ({guard.or_on_sqlite})"
        return (
            f"CREATE TRIGGER guard_{guard.name} {guard.timing} {guard.event} ON {guard.table}"
            f" FOR EACH ROW WHEN {when} BEGIN SELECT RAISE(ABORT, '{guard.message}'); END"
        )
    # PostgreSQL's WHEN takes no subqueries, so the condition stands in the function; a BEFORE DELETE must return OLD.
    row = "OLD" if guard.event == "DELETE" else "NEW"
    return (
        f"{_function(guard.name, schema)} IF {guard.when} THEN {_raise(guard.message)} END IF; RETURN {row};"
        " END $guard$;"
        f" CREATE OR REPLACE TRIGGER guard_{guard.name} {guard.timing} {guard.event} ON {guard.table}"
        f" FOR EACH ROW EXECUTE FUNCTION guard_{guard.name}()"
    )


def _create_effect(effect: Effect, vendor: str, schema: str) -> str:
    trigger = f"guard_{effect.name} AFTER INSERT ON {effect.table} FOR EACH ROW"
    if vendor == "sqlite":
        return f"CREATE TRIGGER {trigger} BEGIN {effect.then}; END"
    return (
        f"{_function(effect.name, schema)} {effect.then}; RETURN NULL; END $guard$;"
        f" CREATE OR REPLACE TRIGGER {trigger} EXECUTE FUNCTION guard_{effect.name}()"
    )


def _function(name: str, schema: str) -> str:
    """Return the beginning of a function that finds the real tables, whatever path or temporary tables are set up."""
    return (
        f"CREATE OR REPLACE FUNCTION guard_{name}() RETURNS trigger LANGUAGE plpgsql"
        f" SET search_path = {schema}, pg_temp AS $guard$ BEGIN"
    )


def _raise(message: str) -> str:
    return f"RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation';"


def _create_truncate_guards(schema: str) -> list[str]:
    return [f"{_function('truncate', schema)} {_raise('this table is never emptied')} END $guard$"] + [
        f"CREATE OR REPLACE TRIGGER guard_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT"
        f" EXECUTE FUNCTION guard_truncate()"
        for table in _NEVER_TRUNCATED
    ]


def _create_resend_guard(schema: str) -> str:
    """Skip a response that has been counted; one that is being counted now is looked for by `store_response`."""
    return (
        f"{_function('response_resent', schema)} IF {_SPENT_ON_POSTGRESQL} THEN RETURN NULL; END IF; RETURN NEW;"
        " END $guard$; CREATE OR REPLACE TRIGGER guard_response_resent BEFORE INSERT ON surveys_response"
        " FOR EACH ROW EXECUTE FUNCTION guard_response_resent()"
    )


# Every trigger that is one of ours, by whichever name and definition an earlier version gave it.
_THERE = {
    "sqlite": """SELECT printf('DROP TRIGGER "%w"', name) FROM sqlite_master
        WHERE type = 'trigger' AND name GLOB 'guard_*'""",
    "postgresql": "SELECT 'DROP ROUTINE ' || oid::regprocedure || ' CASCADE' FROM pg_proc"
    " WHERE pronamespace = current_schema()::regnamespace AND proname ^@ 'guard_'",
}


def remove(apps: Apps | None, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop every trigger that guards a table, so that a migration can alter it; `install` has to follow."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_THERE[schema_editor.connection.vendor])
        for (statement,) in cursor.fetchall():
            schema_editor.execute(statement, params=None)


def install(apps: Apps | None, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create every trigger anew, and leave none of an earlier version; safe to run again."""
    remove(apps, schema_editor)
    vendor = schema_editor.connection.vendor
    schema = _schema(schema_editor) if vendor == "postgresql" else ""
    for guard in (*GUARDS, _RESENT) if vendor == "sqlite" else GUARDS:
        schema_editor.execute(_create(guard, vendor, schema), params=None)
    for effect in EFFECTS:
        schema_editor.execute(_create_effect(effect, vendor, schema), params=None)
    if vendor == "postgresql":
        for statement in (*_create_truncate_guards(schema), _create_resend_guard(schema)):
            schema_editor.execute(statement, params=None)


def _schema(schema_editor: BaseDatabaseSchemaEditor) -> str:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        return str(cursor.fetchone()[0])
