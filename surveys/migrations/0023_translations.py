"""Translations. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

import surveys.models.translations
from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0022_designs")]

    operations = [
        migrations.RunPython(guards.remove_of_order, guards.install_of_order),
        migrations.RunPython(guards.remove_of_arms, guards.install_of_arms),
        migrations.RunPython(guards.remove_of_purge_days, guards.install_of_purge_days),
        migrations.RunPython(guards.remove_of_proposals, guards.install_of_proposals),
        migrations.RunPython(guards.remove, guards.install),
        migrations.AddField(
            model_name="survey",
            name="translations",
            field=models.JSONField(
                blank=True,
                default=dict,
                validators=[surveys.models.translations.check_translations],
                verbose_name="translations",
            ),
        ),
        migrations.RunPython(guards.install, guards.remove),
        migrations.RunPython(guards.install_of_proposals, guards.remove_of_proposals),
        migrations.RunPython(guards.install_of_purge_days, guards.remove_of_purge_days),
        migrations.RunPython(guards.install_of_arms, guards.remove_of_arms),
        migrations.RunPython(guards.install_of_order, guards.remove_of_order),
        migrations.RunPython(guards.install_of_languages, guards.remove_of_languages),
    ]
