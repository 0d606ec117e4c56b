"""Accounts: names, sign-ins, invitations to sign up, what failed lately, and recovery codes."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import surveys.models.account_names
import surveys.models.texts


def keep_names(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Keep the names of accounts that are there already; two that could be taken for each other stop it."""
    for user in apps.get_model("auth", "User").objects.order_by("pk"):
        apps.get_model("surveys", "AccountName").objects.create(
            user=user, skeleton=surveys.models.account_names.skeleton(user.username)
        )


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0004_instructor"),
        ("otp_static", "0003_add_timestamps"),
        ("otp_totp", "0003_add_timestamps"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            options={"verbose_name": "session", "verbose_name_plural": "sessions", "abstract": False},
        ),
        migrations.AddConstraint(
            model_name="signin",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("seen_at", None), ("signed_in_at", None), ("user", None)),
                    models.Q(("seen_at__isnull", False), ("signed_in_at__isnull", False), ("user__isnull", False)),
                    _connector="OR",
                ),
                name="sign_in_has_its_times",
            ),
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
        migrations.RunPython(keep_names, migrations.RunPython.noop),
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
                        verbose_name="mail address",
                    ),
                ),
                (
                    "note",
                    models.CharField(
                        blank=True,
                        help_text="For the list of invitations; it is not sent.",
                        max_length=200,
                        validators=[surveys.models.texts.check_line],
                        verbose_name="note",
                    ),
                ),
                ("token_hash", models.BinaryField(max_length=16, unique=True)),
                (
                    "made_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="made"),
                ),
                ("expires_at", models.DateTimeField(editable=False, verbose_name="good until")),
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
                "verbose_name": "invitation to sign up",
                "verbose_name_plural": "invitations to sign up",
            },
        ),
        migrations.CreateModel(
            name="RecoveryCodes",
            fields=[],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("otp_static.staticdevice",),
        ),
        migrations.CreateModel(
            name="SecondFactor",
            fields=[],
            options={
                "verbose_name": "second factor",
                "verbose_name_plural": "second factors",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("otp_totp.totpdevice",),
        ),
    ]
