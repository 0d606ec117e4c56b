"""Releases that one person proposes and another approves; what is released already stays as it is."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import surveys.models.units
from surveys.models import guards


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0008_saved_by_itself"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
                ("proposed_by_name", models.CharField(max_length=150, verbose_name="by")),
                (
                    "proposed_at",
                    models.DateTimeField(default=surveys.models.units.this_second, editable=False, verbose_name="on"),
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
                        verbose_name="by",
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
        migrations.RunPython(guards.PROPOSALS.install, guards.PROPOSALS.remove),
    ]
