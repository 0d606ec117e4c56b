"""How a migration creates tables: many at once, and those that have no order but their key's."""

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    """Create these tables: for each of them Django else builds all related models anew, half the time of `migrate`."""

    reversible = False

    def __init__(self, models: Sequence[Operation]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        # Built once, when somebody asks for them.
        vars(state).pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, *states: Any) -> None:
        for model in self.models:
            model.database_forwards(app_label, schema_editor, *states)

    def describe(self) -> str:
        return "; ".join(model.describe() for model in self.models)


class CreateModelByKey(CreateModel):
    """Create a table WITHOUT ROWID on SQLite, which else numbers rows as they come, whatever their key is.

    A migration that makes such a table anew has to see to it again.
    """

    def database_forwards(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, *states: Any) -> None:
        if schema_editor.connection.vendor == "sqlite":
            # Of this editor alone, and for this one statement.
            schema_editor.sql_create_table += " WITHOUT ROWID"
        try:
            super().database_forwards(app_label, schema_editor, *states)
        finally:
            vars(schema_editor).pop("sql_create_table", None)
