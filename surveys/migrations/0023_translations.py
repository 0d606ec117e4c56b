"""Translations. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

import surveys.models.translations
from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0022_designs")]

    operations = [
        *guards.aside(
            last=guards.ORDER,
            operations=[
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
            ],
        ),
        migrations.RunPython(guards.LANGUAGES.install, guards.LANGUAGES.remove),
    ]
