"""Drafts that the editor saves by itself, beside the versions that people keep."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """One column."""

    dependencies = [("surveys", "0007_guards")]
    operations = [
        migrations.AddField(model_name="savedversion", name="automatic", field=models.BooleanField(default=False))
    ]
