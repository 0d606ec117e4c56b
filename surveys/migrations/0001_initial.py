"""The first schema, with the guards that raw SQL cannot pass."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import surveys.models.release
import surveys.models.survey
from surveys.models import guards


class Migration(migrations.Migration):
    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Group",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=40)),
                ("name", models.CharField(max_length=80)),
            ],
            options={"ordering": ("name",)},
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("yes_no", "Yes or no"), ("one_of", "One of several options")],
                        default="yes_no",
                        max_length=8,
                    ),
                ),
                ("text", models.CharField(max_length=500)),
                ("options", models.JSONField(blank=True, default=list)),
                (
                    "design",
                    models.CharField(
                        choices=[
                            ("forced_response", "Two coins (forced response)"),
                            ("warner", "Statement or its opposite (Warner)"),
                            ("k_ary", "Coin, then spinner (k-ary)"),
                        ],
                        default="forced_response",
                        max_length=20,
                    ),
                ),
                ("parameters", models.JSONField(default=dict)),
                (
                    "leave_out",
                    models.CharField(
                        choices=[
                            ("no", "Not at all"),
                            ("visibly", "Visibly: it is stored that the answer is missing"),
                            ("protected", "Protected: “prefer not to say” is one more answer that chance hides"),
                        ],
                        default="visibly",
                        max_length=9,
                        verbose_name="leaving it out",
                    ),
                ),
            ],
            options={"ordering": ("position",)},
        ),
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
                                "Use 4 to 12 of the letters and digits ABCDEFGHJKMNPQRSTUVWXYZ23456789",
                            )
                        ],
                        verbose_name="join code",
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("introduction", models.TextField(blank=True, max_length=2000)),
                ("consent", models.TextField(blank=True, max_length=2000, verbose_name="consent text")),
                (
                    "support",
                    models.TextField(
                        blank=True,
                        help_text="Shown on the receipt: people and places that help.",
                        max_length=1000,
                        verbose_name="where to find support",
                    ),
                ),
                ("language", models.CharField(default="en", max_length=12)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open"),
                            ("paused", "Paused"),
                            ("closed", "Closed"),
                            ("sealed", "Sealed"),
                        ],
                        default="draft",
                        editable=False,
                        max_length=6,
                    ),
                ),
                ("opens_at", models.DateTimeField(blank=True, null=True, verbose_name="opens")),
                ("closes_at", models.DateTimeField(blank=True, null=True, verbose_name="closes")),
                (
                    "response_cap",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="most responses accepted",
                    ),
                ),
                (
                    "minimum_n",
                    models.PositiveIntegerField(
                        default=10,
                        help_text="Below this number the results show nothing but the count.",
                        validators=[
                            django.core.validators.MinValueValidator(5),
                            django.core.validators.MaxValueValidator(100000),
                        ],
                        verbose_name="fewest responses to show results",
                    ),
                ),
                (
                    "server_mode_allowed",
                    models.BooleanField(
                        default=False,
                        help_text="For people without JavaScript and without coins. They must trust this server for that moment.",
                        verbose_name="offer “let the server flip for me”",
                    ),
                ),
                ("content_hash", models.CharField(blank=True, editable=False, max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="surveys", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={"ordering": ("-created_at",)},
        ),
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="responses", to="surveys.survey"
                    ),
                ),
            ],
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
                ("published", models.BooleanField(default=False)),
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="releases", to="surveys.survey"
                    ),
                ),
            ],
            options={"ordering": ("created_at", "id")},
        ),
        migrations.AddField(
            model_name="question",
            name="survey",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="questions", to="surveys.survey"
            ),
        ),
        migrations.AddField(
            model_name="group",
            name="survey",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="groups", to="surveys.survey"
            ),
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="budget", to="surveys.survey"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="survey",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["draft", "open", "paused", "closed", "sealed"])),
                name="survey_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="survey",
            constraint=models.CheckConstraint(
                condition=models.Q(("state", "draft"), models.Q(("content_hash", ""), _negated=True), _connector="OR"),
                name="survey_opened_has_hash",
            ),
        ),
        migrations.AddConstraint(
            model_name="survey",
            constraint=models.CheckConstraint(
                condition=models.Q(("minimum_n__gte", 5)), name="survey_minimum_n_large_enough"
            ),
        ),
        migrations.AddConstraint(
            model_name="survey",
            constraint=models.CheckConstraint(
                condition=models.Q(("response_cap__isnull", True), ("response_cap__gte", 1), _connector="OR"),
                name="survey_response_cap_positive",
            ),
        ),
        migrations.AddConstraint(
            model_name="survey",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("opens_at__isnull", True),
                    ("closes_at__isnull", True),
                    ("opens_at__lt", models.F("closes_at")),
                    _connector="OR",
                ),
                name="survey_opens_before_it_closes",
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(("mode__in", ["device", "own_coin", "server"])), name="response_mode_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(("reports", ""), _negated=True), name="response_has_reports"
            ),
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
            model_name="question",
            constraint=models.UniqueConstraint(
                fields=("survey", "position"), name="question_position_unique_in_survey"
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["yes_no", "one_of"])), name="question_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(("design__in", ["forced_response", "warner", "k_ary"])), name="question_design_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(("leave_out__in", ["no", "visibly", "protected"])), name="question_leave_out_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="group",
            constraint=models.UniqueConstraint(fields=("survey", "slug"), name="group_slug_unique_in_survey"),
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
        migrations.RunPython(guards.install, guards.remove),
    ]
