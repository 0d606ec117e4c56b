"""How PostgreSQL stores an answer: a function in place of a trigger that looked after each insert."""

from django.db import migrations

from surveys.models import guards, storing


class Migration(migrations.Migration):
    dependencies = [("surveys", "0013_purge_on")]

    operations = [
        migrations.RunPython(guards.remove, guards.install),
        migrations.RunPython(guards.install, guards.remove),
        migrations.RunPython(storing.install, storing.remove),
    ]
