"""The triggers that guard all tables. They come last: a table that SQLite makes anew loses its own."""

from django.db import migrations

from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0006_members")]

    operations = [migrations.RunPython(guards.install, guards.remove)]
