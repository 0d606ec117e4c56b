"""Who else may do what with a survey, and whom its owner has asked."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import surveys.models.membership


class Migration(migrations.Migration):
    dependencies = [("surveys", "0005_accounts"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
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
    ]
