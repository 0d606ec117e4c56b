"""What comes in and what is published, and the triggers that guard all tables."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import surveys.models.release
import surveys.models.survey
from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [("surveys", "0001_initial"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Response",
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
                ("nonce_hash", models.BinaryField(max_length=16, unique=True)),
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
                "indexes": [models.Index(fields=["survey", "group"], name="response_of_survey_and_group")],
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
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "id",
                    models.CharField(
                        default=surveys.models.release.new_release_id,
                        editable=False,
                        max_length=16,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "mechanism",
                    models.CharField(
                        choices=[
                            ("laplace_histogram", "Noisy histogram (discrete Laplace)"),
                            ("most_common", "Most common answer (exponential mechanism)"),
                        ],
                        max_length=20,
                        verbose_name="mechanism",
                    ),
                ),
                ("parameters", models.JSONField()),
                ("output", models.JSONField()),
                ("relation", models.CharField(max_length=20, verbose_name="neighbouring relation")),
                ("micro_epsilon", models.PositiveBigIntegerField(verbose_name="ε charged (millionths)")),
                ("pico_delta", models.PositiveBigIntegerField(default=0, verbose_name="δ charged (trillionths)")),
                ("n", models.PositiveBigIntegerField(verbose_name="answers counted")),
                ("data_version", models.CharField(max_length=80)),
                ("request_key", models.UUIDField(unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("published", models.BooleanField(default=False, verbose_name="published")),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="releases",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="releases", to="surveys.question"
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="releases",
                        to="surveys.survey",
                        verbose_name="survey",
                    ),
                ),
            ],
            options={"verbose_name": "release", "verbose_name_plural": "releases", "ordering": ("created_at", "id")},
        ),
        migrations.CreateModel(
            name="Budget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("total_micro_epsilon", models.PositiveBigIntegerField(verbose_name="total ε (millionths)")),
                (
                    "spent_micro_epsilon",
                    models.PositiveBigIntegerField(default=0, editable=False, verbose_name="spent ε (millionths)"),
                ),
                ("total_pico_delta", models.PositiveBigIntegerField(default=0, verbose_name="total δ (trillionths)")),
                (
                    "spent_pico_delta",
                    models.PositiveBigIntegerField(default=0, editable=False, verbose_name="spent δ (trillionths)"),
                ),
                (
                    "survey",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="budget",
                        to="surveys.survey",
                        verbose_name="survey",
                    ),
                ),
            ],
            options={"verbose_name": "budget", "verbose_name_plural": "budgets"},
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(("mechanism__in", ["laplace_histogram", "most_common"])),
                name="release_mechanism_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(("micro_epsilon__gt", 0)), name="release_costs_something"
            ),
        ),
        migrations.AddConstraint(
            model_name="budget",
            constraint=models.CheckConstraint(
                condition=models.Q(("spent_micro_epsilon__lte", models.F("total_micro_epsilon"))),
                name="budget_epsilon_not_overspent",
            ),
        ),
        migrations.AddConstraint(
            model_name="budget",
            constraint=models.CheckConstraint(
                condition=models.Q(("spent_pico_delta__lte", models.F("total_pico_delta"))),
                name="budget_delta_not_overspent",
            ),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token_hash", models.BinaryField(max_length=16, unique=True)),
                ("spent", models.BooleanField(default=False)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="surveys.survey"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SpentNonce",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("nonce_hash", models.BinaryField(max_length=16, unique=True)),
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
                        condition=models.Q(("mode__in", ["device", "own_coin", "server"])),
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
                        condition=models.Q(("mode__in", ["device", "own_coin", "server"])),
                        name="folded_part_mode_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("patterns__gte", 1), ("count__gte", models.F("patterns"))),
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
        migrations.RunPython(guards.install, guards.remove),
    ]
