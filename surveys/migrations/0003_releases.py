"""What is published: budgets, their ledger, releases."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import surveys.models.release
import surveys.models.units


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0002_responses"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Budget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("total_micro_epsilon", models.PositiveBigIntegerField(default=0, verbose_name="total ε (millionths)")),
                (
                    "spent_micro_epsilon",
                    models.PositiveBigIntegerField(default=0, editable=False, verbose_name="spent ε (millionths)"),
                ),
                ("total_pico_delta", models.PositiveBigIntegerField(default=0, verbose_name="total δ (trillionths)")),
                (
                    "spent_pico_delta",
                    models.PositiveBigIntegerField(default=0, editable=False, verbose_name="spent δ (trillionths)"),
                ),
                ("entries", models.PositiveIntegerField(default=0, editable=False)),
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
            options={
                "verbose_name": "budget",
                "verbose_name_plural": "budgets",
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
                            ("laplace_histogram", "Noisy counts (discrete Laplace)"),
                            ("gaussian_histogram", "Noisy counts (discrete Gaussian)"),
                            ("one_count", "Noisy count of one answer (discrete Laplace)"),
                            ("most_common", "Most common answer (exponential mechanism)"),
                            ("permute_and_flip", "Most common answer (permute-and-flip)"),
                            ("top", "The most common answers in order (peeling)"),
                            ("quantile", "Median or another quantile (exponential mechanism)"),
                            ("best_price", "Price of the largest revenue (exponential mechanism)"),
                            ("total", "Total of a number (discrete Laplace)"),
                            ("mean", "Mean of a number (discrete Laplace)"),
                            ("variance", "Variance of a number (discrete Laplace)"),
                            ("bounds", "Range of a number (approximate bounds)"),
                            ("smooth_median", "Median (smooth sensitivity, Cauchy)"),
                            ("stable_mode", "Most common answer (propose-test-release)"),
                            ("stable_median", "Median (propose-test-release)"),
                        ],
                        max_length=20,
                        verbose_name="mechanism",
                    ),
                ),
                ("relation", models.CharField(max_length=20, verbose_name="neighbouring relation")),
                ("micro_epsilon", models.PositiveBigIntegerField(verbose_name="ε charged (millionths)")),
                ("pico_delta", models.PositiveBigIntegerField(default=0, verbose_name="δ charged (trillionths)")),
                ("data_version", models.CharField(max_length=80)),
                ("request_key", models.UUIDField(unique=True)),
                ("created_at", models.DateTimeField(default=surveys.models.units.this_second, editable=False)),
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
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="releases",
                        to="surveys.survey",
                        verbose_name="survey",
                    ),
                ),
            ],
            options={
                "verbose_name": "release",
                "verbose_name_plural": "releases",
                "ordering": ("created_at", "id"),
            },
        ),
        migrations.CreateModel(
            name="LedgerEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(verbose_name="number")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("total", "Total set"),
                            ("charge", "Release charged"),
                            ("publish", "Release published"),
                            ("withdraw", "Release withdrawn"),
                        ],
                        max_length=8,
                        verbose_name="kind",
                    ),
                ),
                ("micro_epsilon", models.BigIntegerField(verbose_name="ε (millionths)")),
                ("pico_delta", models.BigIntegerField(verbose_name="δ (trillionths)")),
                ("total_micro_epsilon", models.PositiveBigIntegerField(verbose_name="total ε (millionths)")),
                ("spent_micro_epsilon", models.PositiveBigIntegerField(verbose_name="spent ε (millionths)")),
                ("total_pico_delta", models.PositiveBigIntegerField(verbose_name="total δ (trillionths)")),
                ("spent_pico_delta", models.PositiveBigIntegerField(verbose_name="spent δ (trillionths)")),
                ("reason", models.CharField(max_length=300, verbose_name="reason")),
                ("created_by_name", models.CharField(max_length=150, verbose_name="by")),
                (
                    "created_at",
                    models.DateTimeField(default=surveys.models.units.this_second, editable=False, verbose_name="on"),
                ),
                (
                    "budget",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger",
                        to="surveys.budget",
                        verbose_name="budget",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ledger_entries",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
                (
                    "publication",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="publications",
                        to="surveys.release",
                        verbose_name="release",
                    ),
                ),
                (
                    "release",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entry",
                        to="surveys.release",
                        verbose_name="release",
                    ),
                ),
            ],
            options={
                "verbose_name": "ledger entry",
                "verbose_name_plural": "ledger entries",
                "ordering": ("budget", "number"),
            },
        ),
        migrations.CreateModel(
            name="ReleasePart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField()),
                ("parameters", models.JSONField()),
                ("output", models.JSONField()),
                ("micro_epsilon", models.PositiveBigIntegerField(verbose_name="ε charged (millionths)")),
                ("pico_delta", models.PositiveBigIntegerField(default=0, verbose_name="δ charged (trillionths)")),
                ("n", models.PositiveBigIntegerField(verbose_name="answers counted")),
                (
                    "question",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="released", to="surveys.question"
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="parts", to="surveys.release"
                    ),
                ),
            ],
            options={
                "ordering": ("release", "position"),
            },
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
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "mechanism__in",
                        [
                            "laplace_histogram",
                            "gaussian_histogram",
                            "one_count",
                            "most_common",
                            "permute_and_flip",
                            "top",
                            "quantile",
                            "best_price",
                            "total",
                            "mean",
                            "variance",
                            "bounds",
                            "smooth_median",
                            "stable_mode",
                            "stable_median",
                        ],
                    )
                ),
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
            model_name="ledgerentry",
            constraint=models.UniqueConstraint(fields=("budget", "number"), name="ledger_entry_numbered_once"),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "total"), ("publication__isnull", True), ("release__isnull", True)),
                    models.Q(
                        ("kind", "charge"),
                        ("micro_epsilon__gt", 0),
                        ("pico_delta__gte", 0),
                        ("publication__isnull", True),
                        ("release__isnull", False),
                    ),
                    models.Q(
                        ("kind__in", ("publish", "withdraw")),
                        ("micro_epsilon", 0),
                        ("pico_delta", 0),
                        ("publication__isnull", False),
                        ("release__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="ledger_entry_is_of_one_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("spent_micro_epsilon__lte", models.F("total_micro_epsilon")),
                    ("spent_pico_delta__lte", models.F("total_pico_delta")),
                ),
                name="ledger_entry_not_overspent",
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind__in", ("publish", "withdraw")), ("reason", "")),
                    models.Q(("kind__in", ("total", "charge")), models.Q(("reason", ""), _negated=True)),
                    _connector="OR",
                ),
                name="ledger_entry_has_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="ledgerentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("created_by_name", ""), _negated=True), name="ledger_entry_has_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="releasepart",
            constraint=models.UniqueConstraint(fields=("release", "position"), name="release_part_position_once"),
        ),
        migrations.AddConstraint(
            model_name="releasepart",
            constraint=models.UniqueConstraint(fields=("release", "question"), name="release_part_question_once"),
        ),
        migrations.AddConstraint(
            model_name="releasepart",
            constraint=models.CheckConstraint(
                condition=models.Q(("micro_epsilon__gt", 0)), name="release_part_costs_something"
            ),
        ),
        migrations.CreateModel(
            name="ConcentratedBudget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("total_pico_rho", models.PositiveBigIntegerField(verbose_name="total ρ (trillionths)")),
                (
                    "spent_pico_rho",
                    models.PositiveBigIntegerField(default=0, editable=False, verbose_name="spent ρ (trillionths)"),
                ),
                ("reason", models.CharField(max_length=300, verbose_name="reason")),
                ("created_by_name", models.CharField(max_length=150, verbose_name="by")),
                (
                    "created_at",
                    models.DateTimeField(default=surveys.models.units.this_second, editable=False, verbose_name="on"),
                ),
                (
                    "budget",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="concentrated",
                        to="surveys.budget",
                        verbose_name="budget",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="concentrated_budgets",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
            ],
            options={
                "verbose_name": "budget in ρ",
                "verbose_name_plural": "budgets in ρ",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("spent_pico_rho__lte", models.F("total_pico_rho")), ("total_pico_rho__gt", 0)
                        ),
                        name="concentrated_budget_not_overspent",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("reason", ""), _negated=True), models.Q(("created_by_name", ""), _negated=True)
                        ),
                        name="concentrated_budget_says_why_and_who",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ConcentratedCharge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("pico_rho", models.PositiveBigIntegerField(verbose_name="ρ charged (trillionths)")),
                (
                    "release",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="concentrated", to="surveys.release"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("pico_rho__gt", 0)), name="concentrated_charge_costs_something"
                    )
                ],
            },
        ),
    ]
