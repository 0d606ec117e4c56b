"""Whether a survey's counts are in order is stored beside them. The column is added as it is, so that triggers stay."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0015_packed_nonces")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField(
                    model_name="foldedpart",
                    name="in_order",
                    field=models.BooleanField(db_default=True, default=True),
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE surveys_foldedpart ADD COLUMN in_order bool NOT NULL DEFAULT TRUE",
                    "ALTER TABLE surveys_foldedpart DROP COLUMN in_order",
                ),
            ],
        ),
    ]
