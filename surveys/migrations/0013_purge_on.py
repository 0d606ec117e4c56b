"""The day on which a survey purges itself. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0012_lessons")]

    operations = [
        migrations.RunPython(guards.remove_of_proposals, guards.install_of_proposals),
        migrations.RunPython(guards.remove, guards.install),
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
        migrations.RunPython(guards.install, guards.remove),
        migrations.RunPython(guards.install_of_proposals, guards.remove_of_proposals),
        migrations.RunPython(guards.install_of_purge_days, guards.remove_of_purge_days),
    ]
