"""Designs for the mean of a number. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.core.validators import MaxValueValidator
from django.db import migrations, models

from surveys.models import guards

DESIGNS = [
    ("forced_response", "Two coins (forced response)"),
    ("warner", "Statement or its opposite (Warner)"),
    ("k_ary", "Coin, then spinner (k-ary)"),
    ("unrelated_question", "An unrelated question instead"),
    ("crosswise", "Two questions, same or different (crosswise)"),
    ("triangular", "Two questions, No to both or not (triangular)"),
    ("kuk", "Two decks of cards (Kuk)"),
    ("mangat", "Yes as it is, No by chance (Mangat)"),
    ("number_window", "A window around the number"),
    ("scrambled_number", "The number times chance (scrambling)"),
    ("unrelated_number", "An unrelated number instead"),
    ("plain", "No chance: sent as it is"),
]


class Migration(migrations.Migration):
    dependencies = [("surveys", "0023_translations")]

    operations = guards.aside(
        last=guards.LANGUAGES,
        operations=[
            migrations.AlterField(
                model_name="question",
                name="design",
                field=models.CharField(
                    choices=DESIGNS, default="forced_response", max_length=20, verbose_name="design"
                ),
            ),
            migrations.AlterField(
                model_name="question",
                name="quantity",
                field=models.PositiveSmallIntegerField(
                    default=0, validators=[MaxValueValidator(32_767)], verbose_name="asks for the same"
                ),
            ),
            migrations.RemoveConstraint(model_name="question", name="question_design_known"),
            migrations.AddConstraint(
                model_name="question",
                constraint=models.CheckConstraint(
                    condition=models.Q(("design__in", [name for name, _label in DESIGNS])), name="question_design_known"
                ),
            ),
        ],
    )
