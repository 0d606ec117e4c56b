"""Questions that only some are asked. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0020_random_order")]

    operations = [
        migrations.RunPython(guards.remove_of_order, guards.install_of_order),
        migrations.RunPython(guards.remove_of_arms, guards.install_of_arms),
        migrations.RunPython(guards.remove_of_purge_days, guards.install_of_purge_days),
        migrations.RunPython(guards.remove_of_proposals, guards.install_of_proposals),
        migrations.RunPython(guards.remove, guards.install),
        migrations.AddField(
            model_name="question",
            name="asked_if",
            field=models.JSONField(blank=True, default=dict, verbose_name="asked only of some"),
        ),
        migrations.RunPython(guards.install, guards.remove),
        migrations.RunPython(guards.install_of_proposals, guards.remove_of_proposals),
        migrations.RunPython(guards.install_of_purge_days, guards.remove_of_purge_days),
        migrations.RunPython(guards.install_of_arms, guards.remove_of_arms),
        migrations.RunPython(guards.install_of_order, guards.remove_of_order),
    ]
