"""Random order. SQLite makes both tables anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0019_item_counts")]

    operations = [
        migrations.RunPython(guards.remove_of_arms, guards.install_of_arms),
        migrations.RunPython(guards.remove_of_purge_days, guards.install_of_purge_days),
        migrations.RunPython(guards.remove_of_proposals, guards.install_of_proposals),
        migrations.RunPython(guards.remove, guards.install),
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
        migrations.RunPython(guards.install, guards.remove),
        migrations.RunPython(guards.install_of_proposals, guards.remove_of_proposals),
        migrations.RunPython(guards.install_of_purge_days, guards.remove_of_purge_days),
        migrations.RunPython(guards.install_of_arms, guards.remove_of_arms),
        migrations.RunPython(guards.install_of_order, guards.remove_of_order),
    ]
