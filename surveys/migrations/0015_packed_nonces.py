"""Spent nonces that begin alike share a row: each takes its length and little more."""

from itertools import groupby

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from surveys.models import guards, rewriting, storing
from surveys.models.keyed import CreateModelByKey

BYTES, AT_ONCE = 2, 2_000


def pack(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Put all spent nonces into their rows."""
    single, packed = apps.get_model("surveys", "SpentNonce"), apps.get_model("surveys", "SpentNonces")
    nonces = single.objects.order_by("survey_id", "nonce_hash").values_list("survey_id", "nonce_hash")
    pairs = ((survey, bytes(nonce)) for survey, nonce in nonces)
    rows = []
    for (survey, prefix), alike in groupby(pairs, lambda pair: (pair[0], pair[1][:BYTES])):
        rows.append(packed(survey_id=survey, prefix=prefix, hashes=b"".join(nonce[BYTES:] for _, nonce in alike)))
    packed.objects.bulk_create(rows, batch_size=AT_ONCE)


def unpack(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give each a row of its own."""
    single, packed = apps.get_model("surveys", "SpentNonce"), apps.get_model("surveys", "SpentNonces")
    rows = [
        single(survey_id=survey, nonce_hash=bytes(prefix) + bytes(hashes)[place : place + 16 - BYTES])
        for survey, prefix, hashes in packed.objects.values_list("survey_id", "prefix", "hashes")
        for place in range(0, len(hashes), 16 - BYTES)
    ]
    single.objects.bulk_create(rows, batch_size=AT_ONCE)


class Migration(migrations.Migration):
    dependencies = [("surveys", "0014_storing")]

    operations = [
        migrations.RunPython(guards.remove, guards.install),
        CreateModelByKey(
            name="SpentNonces",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "survey_id", "prefix", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                # Columns of the key come first: for others integrity_check of SQLite 3.40 finds NULL where there is none.
                (
                    "survey",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="spent_nonces",
                        to="surveys.survey",
                    ),
                ),
                ("prefix", models.BinaryField(max_length=BYTES)),
                ("hashes", models.BinaryField()),
            ],
        ),
        migrations.RunPython(pack, unpack),
        migrations.DeleteModel(name="SpentNonce"),
        migrations.RunPython(guards.install, guards.remove),
        migrations.RunPython(storing.install, migrations.RunPython.noop),
        migrations.RunPython(rewriting.install, migrations.RunPython.noop),
    ]
