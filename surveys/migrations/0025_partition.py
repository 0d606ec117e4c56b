"""What a closed survey tells apart, decided once."""

from django.db import migrations, models

from surveys.models.guards import PARTITION


class Migration(migrations.Migration):
    dependencies = [("surveys", "0024_designs_for_means")]

    operations = [
        migrations.AddField(model_name="survey", name="partition", field=models.JSONField(editable=False, null=True)),
        migrations.RunPython(PARTITION.install, PARTITION.remove),
    ]
