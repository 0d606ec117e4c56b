"""Lists of statements whose number is asked for. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards

KINDS = [
    ("yes_no", "Yes or no"),
    ("one_of", "One of several options"),
    ("several_of", "Several of the options"),
    ("scale", "A scale with labelled ends"),
    ("number_mean", "A number, for its mean"),
    ("number_bands", "A number, in bands"),
    ("item_count", "How many of some statements"),
]


class Migration(migrations.Migration):
    dependencies = [("surveys", "0018_arms")]

    operations = guards.aside(
        last=guards.ARMS,
        operations=[
            migrations.AlterField(
                model_name="question",
                name="kind",
                field=models.CharField(choices=KINDS, default="yes_no", max_length=12, verbose_name="kind"),
            ),
            migrations.RemoveConstraint(model_name="question", name="question_kind_known"),
            migrations.AddConstraint(
                model_name="question",
                constraint=models.CheckConstraint(
                    condition=models.Q(("kind__in", [name for name, _label in KINDS])), name="question_kind_known"
                ),
            ),
        ],
    )
