"""Whether exact figures were shown. SQLite makes the tables anew, so the triggers stand aside meanwhile."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from surveys.models import guards

CHOICES = [("not_shown", "Not Shown"), ("shown", "Shown"), ("not_recorded", "Not Recorded")]


def record_what_is_known(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Of a draft nothing was shown; a result that is shown now is; of all others nobody knows."""
    surveys = apps.get_model("surveys", "Survey").objects
    surveys.filter(state="draft").update(exact_figures="not_shown")
    surveys.filter(result_on_receipt=True).update(exact_figures="shown")


def _added(model: str, known: str) -> list[migrations.operations.base.Operation]:
    def field(default: str) -> Any:  # noqa: ANN401 - its type takes parameters for the checker alone
        return models.CharField(choices=CHOICES, default=default, editable=False, max_length=12)

    return [
        # What there is already was not recorded; what comes begins as not shown.
        migrations.AddField(model_name=model, name="exact_figures", field=field("not_recorded")),
        migrations.AlterField(model_name=model, name="exact_figures", field=field("not_shown")),
        migrations.AddConstraint(
            model_name=model,
            constraint=models.CheckConstraint(
                condition=models.Q(("exact_figures__in", [name for name, _label in CHOICES])), name=known
            ),
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [("surveys", "0025_partition")]

    operations = [
        *guards.aside(
            last=guards.PARTITION,
            operations=[
                *_added("survey", "survey_exact_figures_known"),
                *_added("release", "release_exact_figures_known"),
                migrations.RunPython(record_what_is_known, migrations.RunPython.noop),
            ],
        ),
        migrations.RunPython(guards.EXACT_FIGURES.install, guards.EXACT_FIGURES.remove),
    ]
