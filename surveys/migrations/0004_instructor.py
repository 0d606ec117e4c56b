"""What instructors keep besides surveys: the versions that they saved, and rehearsals."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0003_releases"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Rehearsal",
            fields=[
                (
                    "survey",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="rehearsal",
                        serialize=False,
                        to="surveys.survey",
                    ),
                ),
                ("shares", models.JSONField()),
                ("left", models.JSONField()),
                ("respondents", models.PositiveIntegerField()),
                ("sent", models.PositiveIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("sent__lte", models.F("respondents"))),
                        name="rehearsal_sends_no_more_than_asked",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("document", models.JSONField()),
                ("saved_at", models.DateTimeField(auto_now_add=True)),
                (
                    "saved_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="saved_versions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="saved_versions", to="surveys.survey"
                    ),
                ),
            ],
            options={
                "ordering": ("-number",),
                "constraints": [
                    models.UniqueConstraint(fields=("survey", "number"), name="saved_version_numbered_once")
                ],
            },
        ),
    ]
