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

    operations = [
        migrations.RunPython(guards.remove_of_arms, guards.install_of_arms),
        migrations.RunPython(guards.remove_of_purge_days, guards.install_of_purge_days),
        migrations.RunPython(guards.remove_of_proposals, guards.install_of_proposals),
        migrations.RunPython(guards.remove, guards.install),
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
        migrations.RunPython(guards.install, guards.remove),
        migrations.RunPython(guards.install_of_proposals, guards.remove_of_proposals),
        migrations.RunPython(guards.install_of_purge_days, guards.remove_of_purge_days),
        migrations.RunPython(guards.install_of_arms, guards.remove_of_arms),
    ]
