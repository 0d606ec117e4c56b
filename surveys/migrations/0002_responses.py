"""What comes in: responses, invitations, and what folding makes of responses."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from surveys.models import rewriting
from surveys.models.keyed import CreateModelByKey


class Migration(migrations.Migration):
    dependencies = [("surveys", "0001_initial"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        CreateModelByKey(
            name="Response",
            fields=[
                (
                    "mode",
                    models.CharField(
                        choices=[
                            ("device", "The respondent’s device"),
                            ("own_coin", "The respondent’s own coins"),
                            ("server", "This server, for a moment"),
                        ],
                        max_length=8,
                    ),
                ),
                ("reports", models.CharField(max_length=150)),
                ("nonce_hash", models.BinaryField(max_length=16, primary_key=True, serialize=False)),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="surveys.group",
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="responses",
                        to="surveys.survey",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["survey", "group", "nonce_hash"], name="response_of_survey_and_group")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", ["device", "own_coin", "server"])), name="response_mode_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reports", ""), _negated=True), name="response_has_reports"
                    ),
                ],
            },
        ),
        CreateModelByKey(
            name="Invitation",
            fields=[
                ("token_hash", models.BinaryField(max_length=16, primary_key=True, serialize=False)),
                ("spent", models.BooleanField(default=False)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="surveys.survey"
                    ),
                ),
            ],
        ),
        CreateModelByKey(
            name="SpentNonce",
            fields=[
                ("nonce_hash", models.BinaryField(max_length=16, primary_key=True, serialize=False)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="spent_nonces", to="surveys.survey"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PatternCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "mode",
                    models.CharField(
                        choices=[
                            ("device", "The respondent’s device"),
                            ("own_coin", "The respondent’s own coins"),
                            ("server", "This server, for a moment"),
                        ],
                        max_length=8,
                    ),
                ),
                ("reports", models.CharField(max_length=150)),
                ("count", models.PositiveBigIntegerField()),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="pattern_counts",
                        to="surveys.group",
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="pattern_counts", to="surveys.survey"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("group__isnull", True)),
                        fields=("survey", "mode", "reports"),
                        name="pattern_count_unique_without_group",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("group__isnull", False)),
                        fields=("survey", "group", "mode", "reports"),
                        name="pattern_count_unique_in_group",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", ["device", "own_coin", "server", ""])),
                        name="pattern_count_mode_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reports", ""), _negated=True), name="pattern_count_has_reports"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("count__gte", 1)), name="pattern_count_counts_something"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FoldedPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "mode",
                    models.CharField(
                        choices=[
                            ("device", "The respondent’s device"),
                            ("own_coin", "The respondent’s own coins"),
                            ("server", "This server, for a moment"),
                        ],
                        max_length=8,
                    ),
                ),
                ("count", models.PositiveBigIntegerField()),
                ("patterns", models.PositiveBigIntegerField()),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="folded_parts",
                        to="surveys.group",
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="folded_parts", to="surveys.survey"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("group__isnull", True)),
                        fields=("survey", "mode"),
                        name="folded_part_unique_without_group",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("group__isnull", False)),
                        fields=("survey", "group", "mode"),
                        name="folded_part_unique_in_group",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", ["device", "own_coin", "server", ""])),
                        name="folded_part_mode_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("count__gte", 1), ("count__gte", models.F("patterns"))),
                        name="folded_part_counts_something",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CellCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first", models.PositiveSmallIntegerField()),
                ("second", models.PositiveSmallIntegerField()),
                ("codes", models.CharField(max_length=2)),
                ("count", models.PositiveBigIntegerField()),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cell_counts",
                        to="surveys.group",
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="cell_counts", to="surveys.survey"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("first__lte", models.F("second"))), name="cell_count_items_in_order"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("codes", ""), _negated=True), name="cell_count_has_reports"
                    ),
                    models.CheckConstraint(condition=models.Q(("count__gte", 1)), name="cell_count_counts_something"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Erasure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rewriting", models.BooleanField()),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="erasures", to="surveys.survey"
                    ),
                ),
            ],
        ),
        migrations.RunPython(rewriting.install, rewriting.remove),
    ]
