"""The result, shown to those who answered. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0009_proposals")]

    operations = guards.aside(
        last=guards.PROPOSALS,
        operations=[
            migrations.AddField(
                model_name="survey",
                name="result_on_receipt",
                field=models.BooleanField(
                    default=False, editable=False, verbose_name="show the result to those who answered"
                ),
            ),
            migrations.AddConstraint(
                model_name="survey",
                constraint=models.CheckConstraint(
                    condition=models.Q(
                        ("result_on_receipt", False),
                        models.Q(
                            models.Q(("state__in", ("draft", "purged")), _negated=True), ("rehearsal_of__isnull", True)
                        ),
                        _connector="OR",
                    ),
                    name="survey_shows_a_result_that_there_is",
                ),
            ),
        ],
    )
