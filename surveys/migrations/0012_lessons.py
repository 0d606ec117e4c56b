"""Lessons, and what phones find in them."""

import django.db.models.deletion
from django.db import migrations, models

from surveys.models.keyed import CreateModelByKey


class Migration(migrations.Migration):
    dependencies = [("surveys", "0011_questions_counted_together")]

    operations = [
        migrations.CreateModel(
            name="Lesson",
            fields=[
                (
                    "survey",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="lesson",
                        serialize=False,
                        to="surveys.survey",
                    ),
                ),
                ("steps", models.JSONField(default=list)),
                ("at", models.PositiveSmallIntegerField(null=True)),
            ],
        ),
        CreateModelByKey(
            name="LessonFinding",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "lesson_id", "step", "seed", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "lesson",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="surveys.lesson",
                    ),
                ),
                ("step", models.PositiveSmallIntegerField()),
                ("seed", models.PositiveSmallIntegerField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("seed__gte", 1), ("seed__lte", 9999)), name="lesson_finding_is_a_draw"
                    )
                ],
            },
        ),
    ]
