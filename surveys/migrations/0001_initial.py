"""Every table with its constraints, and the triggers and functions that stand beside them."""

from typing import Any

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import surveys.models.account_names
import surveys.models.membership
import surveys.models.release
import surveys.models.survey
import surveys.questionnaire.texts
from surveys.models import guards, rewriting, storing
from surveys.models.creating import CreateModelByKey, CreateModels


def _install(*arguments: Any) -> None:
    # The triggers that guard these tables come when all are there, because they ask one another's. What each guards is
    # said where it is written, and in what it says when it refuses.
    guards.install(*arguments)
    # How PostgreSQL stores an answer, and what it needs to forget.
    storing.install(*arguments)
    rewriting.install(*arguments)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("otp_static", "0003_add_timestamps"),
        ("otp_totp", "0003_add_timestamps"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        # Surveys and their groups.
        migrations.CreateModel(
            name="Survey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "code",
                    models.CharField(
                        default=surveys.models.survey.new_code,
                        max_length=12,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[ABCDEFGHJKMNPQRSTUVWXYZ23456789]{4,12}$",
                                "Use 4 to 12 of these letters and digits: ABCDEFGHJKMNPQRSTUVWXYZ23456789",
                            )
                        ],
                        verbose_name="join code",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open"),
                            ("paused", "Paused"),
                            ("closed", "Closed"),
                            ("sealed", "Sealed"),
                            ("purged", "Purged"),
                        ],
                        default="draft",
                        editable=False,
                        max_length=6,
                        verbose_name="state",
                    ),
                ),
                ("time_zone", models.CharField(default="UTC", max_length=64, verbose_name="time zone")),
                ("opens_at", models.DateTimeField(blank=True, null=True, verbose_name="opening time")),
                ("closes_at", models.DateTimeField(blank=True, null=True, verbose_name="closing time")),
                (
                    "response_cap",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="maximum number of responses",
                    ),
                ),
                (
                    "expected_n",
                    models.PositiveIntegerField(
                        default=30,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10000000),
                        ],
                        verbose_name="expected responses",
                    ),
                ),
                (
                    "expected_share",
                    models.PositiveSmallIntegerField(
                        default=30,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(99),
                        ],
                        verbose_name="expected share, in per cent",
                    ),
                ),
                ("revision", models.PositiveIntegerField(default=1, editable=False, verbose_name="revision")),
                (
                    "previous",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="next_versions",
                        to="surveys.survey",
                        verbose_name="previous version",
                    ),
                ),
                ("edition", models.PositiveSmallIntegerField(default=1, editable=False, verbose_name="version")),
                ("archived", models.BooleanField(default=False, editable=False, verbose_name="archived")),
                (
                    "rehearsal_of",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rehearsal_copies",
                        to="surveys.survey",
                        verbose_name="rehearsal of",
                    ),
                ),
                (
                    "content_hash",
                    models.CharField(blank=True, editable=False, max_length=64, verbose_name="content hash"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="surveys",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="owner",
                    ),
                ),
                (
                    "result_on_receipt",
                    models.BooleanField(default=False, editable=False, verbose_name="show respondents the result"),
                ),
                ("purge_on", models.DateField(blank=True, null=True, verbose_name="reports destroyed on")),
                ("reminded", models.PositiveSmallIntegerField(editable=False, null=True)),
                ("partition", models.JSONField(editable=False, null=True)),
                (
                    "exact_figures",
                    models.CharField(
                        choices=[("not_shown", "Not Shown"), ("shown", "Shown")],
                        default="not_shown",
                        editable=False,
                        max_length=12,
                    ),
                ),
                ("document", models.TextField(editable=False)),
                (
                    "title",
                    models.GeneratedField(
                        db_persist=True,
                        expression=surveys.models.survey.InDocument(
                            "json_extract(%(expressions)s, '$.title')", "(%(expressions)s::json ->> 'title')"
                        ),
                        output_field=models.CharField(max_length=200),
                        verbose_name="title",
                    ),
                ),
                (
                    "minimum_n",
                    models.GeneratedField(
                        db_persist=True,
                        expression=surveys.models.survey.InDocument(
                            "CASE json_type(%(expressions)s, '$.minimum_n') WHEN 'integer'"
                            " THEN json_extract(%(expressions)s, '$.minimum_n') END",
                            "(%(expressions)s::json ->> 'minimum_n')::integer",
                        ),
                        output_field=models.PositiveIntegerField(),
                        verbose_name="minimum number of responses for results",
                    ),
                ),
                (
                    "by_invitation",
                    models.GeneratedField(
                        db_persist=True,
                        expression=surveys.models.survey.InDocument(
                            "json_extract(%(expressions)s, '$.by_invitation')",
                            "(%(expressions)s::json ->> 'by_invitation')::boolean",
                        ),
                        output_field=models.BooleanField(),
                        verbose_name="by invitation only",
                    ),
                ),
                (
                    "question_count",
                    models.GeneratedField(
                        db_persist=True,
                        expression=surveys.models.survey.InDocument(
                            "json_array_length(%(expressions)s, '$.questions')",
                            "json_array_length(%(expressions)s::json -> 'questions')",
                        ),
                        output_field=models.PositiveSmallIntegerField(),
                    ),
                ),
            ],
            options={
                "verbose_name": "survey",
                "verbose_name_plural": "surveys",
                "ordering": ("-created_at",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["draft", "open", "paused", "closed", "sealed", "purged"])),
                        name="survey_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "draft"), models.Q(("content_hash", ""), _negated=True), _connector="OR"
                        ),
                        name="survey_opened_has_hash",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("minimum_n__gte", 5), ("minimum_n__isnull", False)),
                        name="survey_minimum_n_large_enough",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("by_invitation__isnull", False),
                            ("question_count__isnull", False),
                            ("title__isnull", False),
                        ),
                        name="survey_has_a_document",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("response_cap__isnull", True), ("response_cap__gte", 1), _connector="OR"),
                        name="survey_response_cap_positive",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("opens_at__isnull", True),
                            ("closes_at__isnull", True),
                            ("opens_at__lt", models.F("closes_at")),
                            _connector="OR",
                        ),
                        name="survey_opens_before_it_closes",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("result_on_receipt", False),
                            models.Q(
                                models.Q(("state__in", ("draft", "purged")), _negated=True),
                                ("rehearsal_of__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="survey_shows_a_result_that_there_is",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("exact_figures__in", ["not_shown", "shown"])),
                        name="survey_exact_figures_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Group",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=40)),
                ("name", models.CharField(max_length=80, validators=[surveys.questionnaire.texts.check_line])),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="groups", to="surveys.survey"
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [models.UniqueConstraint(fields=("survey", "slug"), name="group_slug_unique_in_survey")],
            },
        ),
        # What comes in: responses, invitations, and what folding makes of responses.
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
                ("prefix", models.BinaryField(max_length=2)),
                ("hashes", models.BinaryField()),
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
                ("in_order", models.BooleanField(db_default=True, default=True)),
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
        migrations.CreateModel(
            name="LastRun",
            fields=[
                ("job", models.CharField(max_length=12, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="WaitingMail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=24)),
                ("to", models.CharField(max_length=254)),
                ("language", models.CharField(max_length=10)),
                ("context", models.JSONField()),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("due_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        # What is published: budgets, releases, the ledger, and releases that one person proposes and another approves.
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
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("spent_micro_epsilon__lte", models.F("total_micro_epsilon"))),
                        name="budget_epsilon_not_overspent",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("spent_pico_delta__lte", models.F("total_pico_delta"))),
                        name="budget_delta_not_overspent",
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
                            ("laplace_histogram", "Noisy counts (discrete Laplace)"),
                            ("gaussian_histogram", "Noisy counts (discrete Gaussian)"),
                            ("one_count", "Noisy count of one answer (discrete Laplace)"),
                            ("tree_counts", "Whole distribution (noisy tree of counts)"),
                            ("most_common", "Most common answer (exponential mechanism)"),
                            ("permute_and_flip", "Most common answer (permute-and-flip)"),
                            ("top", "Most common answers, in order (peeling)"),
                            ("quantile", "Median or another quantile (exponential mechanism)"),
                            ("best_price", "Revenue-maximizing price (exponential mechanism)"),
                            ("total", "Total of numeric answers (discrete Laplace)"),
                            ("mean", "Mean of numeric answers (discrete Laplace)"),
                            ("variance", "Variance of numeric answers (discrete Laplace)"),
                            ("bounds", "Range of numeric answers (approximate bounds)"),
                            ("smooth_median", "Median (smooth sensitivity, Cauchy)"),
                            ("stable_mode", "Most common answer (propose-test-release)"),
                            ("stable_median", "Median (propose-test-release)"),
                            ("joint_table", "A model of several questions (noisy joint table)"),
                            ("figures_by_group", "Figures by group (noisy joint table)"),
                            ("best_predictor", "Question most associated with an outcome (exponential mechanism)"),
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
                ("created_at", models.DateTimeField(default=surveys.models.release.this_second, editable=False)),
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
                (
                    "exact_figures",
                    models.CharField(
                        choices=[("not_shown", "Not Shown"), ("shown", "Shown")],
                        default="not_shown",
                        editable=False,
                        max_length=12,
                    ),
                ),
            ],
            options={
                "verbose_name": "release",
                "verbose_name_plural": "releases",
                "ordering": ("created_at", "id"),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("micro_epsilon__gt", 0)), name="release_costs_something"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "mechanism__in",
                                [
                                    "laplace_histogram",
                                    "gaussian_histogram",
                                    "one_count",
                                    "tree_counts",
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
                                    "joint_table",
                                    "figures_by_group",
                                    "best_predictor",
                                ],
                            )
                        ),
                        name="release_mechanism_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("exact_figures__in", ["not_shown", "shown"])),
                        name="release_exact_figures_known",
                    ),
                ],
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
                ("question", models.PositiveSmallIntegerField()),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="parts", to="surveys.release"
                    ),
                ),
            ],
            options={
                "ordering": ("release", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("release", "position"), name="release_part_position_once"),
                    models.UniqueConstraint(fields=("release", "question"), name="release_part_question_once"),
                    models.CheckConstraint(
                        condition=models.Q(("micro_epsilon__gt", 0)), name="release_part_costs_something"
                    ),
                ],
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
                            ("total", "New total"),
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
                ("created_by_name", models.CharField(max_length=150, verbose_name="made by")),
                (
                    "created_at",
                    models.DateTimeField(
                        default=surveys.models.release.this_second, editable=False, verbose_name="made on"
                    ),
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
                        verbose_name="made by",
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
                "constraints": [
                    models.UniqueConstraint(fields=("budget", "number"), name="ledger_entry_numbered_once"),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            ("spent_micro_epsilon__lte", models.F("total_micro_epsilon")),
                            ("spent_pico_delta__lte", models.F("total_pico_delta")),
                        ),
                        name="ledger_entry_not_overspent",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("kind__in", ("publish", "withdraw")), ("reason", "")),
                            models.Q(("kind__in", ("total", "charge")), models.Q(("reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="ledger_entry_has_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("created_by_name", ""), _negated=True), name="ledger_entry_has_a_name"
                    ),
                ],
            },
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
                ("created_by_name", models.CharField(max_length=150, verbose_name="made by")),
                (
                    "created_at",
                    models.DateTimeField(
                        default=surveys.models.release.this_second, editable=False, verbose_name="made on"
                    ),
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
                        verbose_name="made by",
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
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("questions", models.JSONField()),
                ("answered", models.JSONField()),
                ("content_hash", models.CharField(max_length=64)),
                ("mechanism", models.CharField(max_length=20, verbose_name="mechanism")),
                ("micro_epsilon", models.PositiveBigIntegerField()),
                ("pico_delta", models.PositiveBigIntegerField(default=0)),
                ("options", models.JSONField(default=dict)),
                ("reason", models.CharField(max_length=300, verbose_name="reason")),
                ("request_key", models.UUIDField(unique=True)),
                ("proposed_by_name", models.CharField(max_length=150, verbose_name="made by")),
                (
                    "proposed_at",
                    models.DateTimeField(
                        default=surveys.models.release.this_second, editable=False, verbose_name="made on"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Waiting"),
                            ("approved", "Approved"),
                            ("declined", "Declined"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="open",
                        max_length=9,
                        verbose_name="state",
                    ),
                ),
                ("decided_by_name", models.CharField(default="", max_length=150)),
                ("decided_at", models.DateTimeField(null=True)),
                ("why_declined", models.CharField(default="", max_length=300)),
                (
                    "decided_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decided_proposals",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="proposals",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="made by",
                    ),
                ),
                (
                    "release",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="proposal",
                        to="surveys.release",
                    ),
                ),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="proposals",
                        to="surveys.survey",
                        verbose_name="survey",
                    ),
                ),
            ],
            options={
                "verbose_name": "proposal",
                "verbose_name_plural": "proposals",
                "ordering": ("-proposed_at", "-pk"),
                "default_permissions": (),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("micro_epsilon__gt", 0)), name="proposal_costs_something"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("reason", ""), _negated=True), models.Q(("proposed_by_name", ""), _negated=True)
                        ),
                        name="proposal_says_why_and_who",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ("approved", "declined")), _negated=True),
                            models.Q(
                                ("decided_by__isnull", False),
                                models.Q(("decided_by", models.F("proposed_by")), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="proposal_decided_by_somebody_else",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("decided_at__isnull", True),
                                ("decided_by__isnull", True),
                                ("decided_by_name", ""),
                                ("release__isnull", True),
                                ("state", "open"),
                                ("why_declined", ""),
                            ),
                            models.Q(
                                ("decided_at__isnull", False),
                                ("decided_by__isnull", False),
                                models.Q(("decided_by_name", ""), _negated=True),
                                models.Q(
                                    models.Q(("release__isnull", False), ("state", "approved"), ("why_declined", "")),
                                    models.Q(
                                        ("release__isnull", True),
                                        ("state", "declined"),
                                        models.Q(("why_declined", ""), _negated=True),
                                    ),
                                    models.Q(
                                        ("decided_by", models.F("proposed_by")),
                                        ("release__isnull", True),
                                        ("state", "withdrawn"),
                                        ("why_declined", ""),
                                    ),
                                    _connector="OR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="proposal_is_in_one_state",
                    ),
                ],
            },
        ),
        # What instructors keep besides surveys: rehearsals, the versions that they or the editor saved, lessons and what phones
        # find in them.
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
                ("automatic", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ("-number",),
                "constraints": [
                    models.UniqueConstraint(fields=("survey", "number"), name="saved_version_numbered_once")
                ],
            },
        ),
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
        # Accounts: sign-ins, names, what failed lately, invitations to sign up, and second factors.
        migrations.CreateModel(
            name="SignIn",
            fields=[
                (
                    "session_key",
                    models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name="session key"),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                ("signed_in_at", models.DateTimeField(null=True)),
                ("seen_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_ins",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("seen_at", None), ("signed_in_at", None), ("user", None)),
                            models.Q(
                                ("seen_at__isnull", False), ("signed_in_at__isnull", False), ("user__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="sign_in_has_its_times",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AccountName",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("skeleton", models.CharField(max_length=300, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name="ProviderAccount",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("issuer", models.CharField(max_length=500)),
                ("subject_hash", models.BinaryField(max_length=16)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("issuer", "subject_hash"), name="provider_account_is_one_persons")
                ],
            },
        ),
        migrations.CreateModel(
            name="Tries",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name_hash", models.BinaryField(max_length=16, unique=True)),
                ("window", models.PositiveIntegerField(db_index=True)),
                ("number", models.PositiveSmallIntegerField(default=1)),
            ],
        ),
        migrations.CreateModel(
            name="SignUpInvitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "email",
                    models.EmailField(
                        max_length=254,
                        validators=[surveys.models.account_names.check_address],
                        verbose_name="email address",
                    ),
                ),
                (
                    "note",
                    models.CharField(
                        blank=True,
                        help_text="Shown only in the list of invitations and never sent.",
                        max_length=200,
                        validators=[surveys.questionnaire.texts.check_line],
                        verbose_name="note",
                    ),
                ),
                ("token_hash", models.BinaryField(max_length=16, unique=True)),
                (
                    "made_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="created"),
                ),
                ("expires_at", models.DateTimeField(editable=False, verbose_name="valid until")),
                ("used_at", models.DateTimeField(editable=False, null=True, verbose_name="used")),
                (
                    "invited_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="invited by",
                    ),
                ),
            ],
            options={
                "verbose_name": "sign-up invitation",
                "verbose_name_plural": "sign-up invitations",
            },
        ),
        migrations.CreateModel(
            name="RecoveryCodes",
            fields=[],
            options={
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("otp_static.staticdevice",),
        ),
        migrations.CreateModel(
            name="SecondFactor",
            fields=[],
            options={
                "verbose_name": "authentication app",
                "verbose_name_plural": "authentication apps",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("otp_totp.totpdevice",),
        ),
        # Who else may do what with a survey, and whom its owner has asked.
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="surveys.survey"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("editor", "Editor"), ("analyst", "Analyst"), ("releaser", "Releaser")],
                        max_length=8,
                        verbose_name="role",
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("survey", "user", "role"), name="membership_once"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["editor", "analyst", "releaser"])),
                        name="membership_role_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RoleInvitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="role_invitations",
                        to="surveys.survey",
                    ),
                ),
                ("recipient", models.CharField(max_length=254)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="role_invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("token_hash", models.BinaryField(max_length=16, null=True, unique=True)),
                ("editor", models.BooleanField(default=False)),
                ("analyst", models.BooleanField(default=False)),
                ("releaser", models.BooleanField(default=False)),
                ("ownership", models.BooleanField(default=False)),
                ("declined", models.BooleanField(default=False)),
                (
                    "invited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField(default=surveys.models.membership.good_until)),
            ],
            options={
                "ordering": ("made_at", "pk"),
                "constraints": [
                    models.UniqueConstraint(fields=("survey", "recipient", "ownership"), name="role_invitation_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("ownership", True)),
                        fields=("survey",),
                        name="role_invitation_one_new_owner",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("ownership", True),
                            ("editor", True),
                            ("analyst", True),
                            ("releaser", True),
                            _connector="OR",
                        ),
                        name="role_invitation_offers_something",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("user", None), ("token_hash", None), _connector="OR"),
                        name="role_invitation_to_a_name_or_by_mail",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AccessToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="access_tokens", to="surveys.survey"
                    ),
                ),
                (
                    "maker",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="access_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="surveys.membership",
                    ),
                ),
                ("label", models.CharField(max_length=60)),
                ("token_hash", models.BinaryField(max_length=16, unique=True)),
                ("made_on", models.DateField()),
                ("expires_on", models.DateField()),
                ("last_used_on", models.DateField(null=True)),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [models.UniqueConstraint(fields=("survey", "label"), name="access_token_label_once")],
            },
        ),
        # Credit for taking part.
        migrations.CreateModel(
            name="CreditKey",
            fields=[
                (
                    "survey",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="credit_key",
                        serialize=False,
                        to="surveys.survey",
                    ),
                ),
                ("private_key", models.BinaryField()),
            ],
        ),
        # Columns of the key come first, as above.
        CreateModelByKey(
            name="Decline",
            fields=[
                ("nonce_hash", models.BinaryField(max_length=16, primary_key=True, serialize=False)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="declines", to="surveys.survey"
                    ),
                ),
            ],
        ),
        CreateModelByKey(
            name="SpentReceipt",
            fields=[
                ("receipt_hash", models.BinaryField(max_length=16, primary_key=True, serialize=False)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="spent_receipts", to="surveys.survey"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CoursePlatform",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("issuer", models.URLField(max_length=500, verbose_name="issuer")),
                ("client_id", models.CharField(max_length=255, verbose_name="client ID")),
                (
                    "deployment_ids",
                    models.TextField(help_text="One on each line.", verbose_name="deployment IDs"),
                ),
                ("login_address", models.URLField(max_length=500, verbose_name="authentication request URL")),
                ("token_address", models.URLField(max_length=500, verbose_name="access token URL")),
                ("keys_address", models.URLField(max_length=500, verbose_name="public keyset URL")),
            ],
            options={
                "verbose_name": "course platform",
                "verbose_name_plural": "course platforms",
                "ordering": ("name",),
                "constraints": [models.UniqueConstraint(fields=("issuer", "client_id"), name="course_platform_once")],
            },
        ),
        migrations.CreateModel(
            name="ToolKey",
            fields=[
                ("key_id", models.CharField(max_length=43, primary_key=True, serialize=False)),
                ("private_key", models.BinaryField()),
            ],
        ),
        CreateModelByKey(
            name="WaitingScore",
            fields=[
                ("key", models.BinaryField(max_length=16, primary_key=True, serialize=False)),
                (
                    "survey",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="waiting_scores", to="surveys.survey"
                    ),
                ),
                (
                    "platform",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="waiting_scores",
                        to="surveys.courseplatform",
                    ),
                ),
                ("line_item", models.CharField(max_length=500)),
                ("subject", models.CharField(max_length=255)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("survey", "platform", "line_item", "subject"), name="waiting_score_once_a_student"
                    )
                ],
            },
        ),
    ]
    operations = [CreateModels(operations), migrations.RunPython(_install)]
