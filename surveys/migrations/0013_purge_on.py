"""The day on which a survey purges itself. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0012_lessons")]

    operations = [
        *guards.aside(
            last=guards.PROPOSALS,
            operations=[
                migrations.AddField(
                    model_name="survey",
                    name="purge_on",
                    field=models.DateField(blank=True, null=True, verbose_name="reports destroyed on"),
                ),
                migrations.AddField(
                    model_name="survey",
                    name="reminded",
                    field=models.PositiveSmallIntegerField(editable=False, null=True),
                ),
            ],
        ),
        migrations.RunPython(guards.PURGE_DAYS.install, guards.PURGE_DAYS.remove),
    ]
