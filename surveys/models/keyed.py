"""Tables that have no order but their key's: SQLite otherwise numbers rows as they come, whatever their key is."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel


class CreateModelByKey(CreateModel):
    """Create a table WITHOUT ROWID on SQLite; a migration that makes such a table anew has to see to it again."""

    def database_forwards(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, *states: Any) -> None:
        if schema_editor.connection.vendor == "sqlite":
            # Of this editor alone, and for this one statement.
            schema_editor.sql_create_table += " WITHOUT ROWID"
        try:
            super().database_forwards(app_label, schema_editor, *states)
        finally:
            vars(schema_editor).pop("sql_create_table", None)
