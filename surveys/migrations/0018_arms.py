"""Random arms. SQLite makes both tables anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

import surveys.models.arms
from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0017_plain_questions")]

    operations = [
        *guards.aside(
            last=guards.PURGE_DAYS,
            operations=[
                migrations.AddField(
                    model_name="survey",
                    name="arms",
                    field=models.JSONField(
                        blank=True,
                        default=list,
                        validators=[surveys.models.arms.check_arms],
                        verbose_name="random arms",
                    ),
                ),
                migrations.AddField(
                    model_name="question",
                    name="arms",
                    field=models.JSONField(blank=True, default=list, verbose_name="arms"),
                ),
                migrations.AddField(
                    model_name="question",
                    name="quantity",
                    field=models.PositiveSmallIntegerField(default=0, verbose_name="asks for the same"),
                ),
            ],
        ),
        migrations.RunPython(guards.ARMS.install, guards.ARMS.remove),
    ]
