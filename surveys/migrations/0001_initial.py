"""Surveys, their questions and their groups."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import surveys.models.release
import surveys.models.survey
import surveys.models.texts


class Migration(migrations.Migration):
    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Group",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=40)),
                ("name", models.CharField(max_length=80, validators=[surveys.models.texts.check_line])),
            ],
            options={"ordering": ("name",)},
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField(verbose_name="position")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("yes_no", "Yes or no"),
                            ("one_of", "One of several options"),
                            ("several_of", "Several of the options"),
                            ("scale", "A scale with labelled ends"),
                            ("number_mean", "A number, for its mean"),
                            ("number_bands", "A number, in bands"),
                        ],
                        default="yes_no",
                        max_length=12,
                        verbose_name="kind",
                    ),
                ),
                (
                    "text",
                    models.CharField(max_length=500, validators=[surveys.models.texts.check_line], verbose_name="text"),
                ),
                ("options", models.JSONField(blank=True, default=list, verbose_name="options")),
                ("details", models.JSONField(blank=True, default=dict)),
                (
                    "design",
                    models.CharField(
                        choices=[
                            ("forced_response", "Two coins (forced response)"),
                            ("warner", "Statement or its opposite (Warner)"),
                            ("k_ary", "Coin, then spinner (k-ary)"),
                            ("unrelated_question", "An unrelated question instead"),
                            ("crosswise", "Two questions, same or different (crosswise)"),
                            ("triangular", "Two questions, No to both or not (triangular)"),
                        ],
                        default="forced_response",
                        max_length=20,
                        verbose_name="design",
                    ),
                ),
                ("parameters", models.JSONField(default=dict, verbose_name="parameters")),
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
                (
                    "accepts_infinite",
                    models.BooleanField(
                        default=False,
                        help_text="Only where ε is infinite: the promise then says in words which report proves what.",
                        verbose_name="a report may prove the answer",
                    ),
                ),
            ],
            options={"verbose_name": "question", "verbose_name_plural": "questions", "ordering": ("position",)},
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
                (
                    "title",
                    models.CharField(
                        max_length=200, validators=[surveys.models.texts.check_line], verbose_name="title"
                    ),
                ),
                (
                    "introduction",
                    models.TextField(
                        blank=True,
                        max_length=2000,
                        validators=[surveys.models.texts.check_lines],
                        verbose_name="introduction",
                    ),
                ),
                (
                    "consent",
                    models.TextField(
                        blank=True,
                        max_length=2000,
                        validators=[surveys.models.texts.check_lines],
                        verbose_name="consent text",
                    ),
                ),
                (
                    "support",
                    models.TextField(
                        blank=True,
                        help_text="Shown on the receipt: people and places that help.",
                        max_length=1000,
                        validators=[surveys.models.texts.check_lines],
                        verbose_name="where to find support",
                    ),
                ),
                ("language", models.CharField(default="en", max_length=12, verbose_name="language of the pages")),
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
                (
                    "by_invitation",
                    models.BooleanField(
                        default=False,
                        help_text="Only somebody with a single-use link can answer. Which link was used is not stored with the answer.",
                        verbose_name="by invitation only",
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
                        verbose_name="answers expected",
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
                        verbose_name="share expected, in percent",
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
                        verbose_name="version before this one",
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
            ],
            options={"verbose_name": "survey", "verbose_name_plural": "surveys", "ordering": ("-created_at",)},
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
        migrations.AddConstraint(
            model_name="survey",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["draft", "open", "paused", "closed", "sealed", "purged"])),
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
            model_name="question",
            constraint=models.UniqueConstraint(
                fields=("survey", "position"), name="question_position_unique_in_survey"
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["yes_no", "one_of", "several_of", "scale", "number_mean", "number_bands"])
                ),
                name="question_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "design__in",
                        ["forced_response", "warner", "k_ary", "unrelated_question", "crosswise", "triangular"],
                    )
                ),
                name="question_design_known",
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
    ]
