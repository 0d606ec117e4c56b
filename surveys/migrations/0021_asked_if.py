"""Questions that only some are asked. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0020_random_order")]

    operations = guards.aside(
        last=guards.ORDER,
        operations=[
            migrations.AddField(
                model_name="question",
                name="asked_if",
                field=models.JSONField(blank=True, default=dict, verbose_name="asked only of some"),
            ),
        ],
    )
