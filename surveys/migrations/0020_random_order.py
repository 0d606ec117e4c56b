"""Random order. SQLite makes both tables anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0019_item_counts")]

    operations = [
        *guards.aside(
            last=guards.ARMS,
            operations=[
                migrations.AddField(
                    model_name="survey",
                    name="random_order",
                    field=models.BooleanField(
                        default=False,
                        help_text="The phone draws it for each respondent. Without a script they come as written.",
                        verbose_name="ask the questions in random order",
                    ),
                ),
                migrations.AddField(
                    model_name="question",
                    name="random_order",
                    field=models.BooleanField(default=False, verbose_name="show the options in random order"),
                ),
            ],
        ),
        migrations.RunPython(guards.ORDER.install, guards.ORDER.remove),
    ]
