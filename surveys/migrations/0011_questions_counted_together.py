"""Releases that count several questions together. SQLite makes the table anew, so the triggers stand aside meanwhile."""

from django.db import migrations, models

from surveys.models import guards

MECHANISMS = [
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
    ("joint_table", "A model of several questions (noisy joint table)"),
    ("best_predictor", "Which question goes most with an outcome (exponential mechanism)"),
]


class Migration(migrations.Migration):
    dependencies = [("surveys", "0010_result_on_receipt")]

    operations = guards.aside(
        last=guards.PROPOSALS,
        operations=[
            migrations.RemoveConstraint(model_name="release", name="release_mechanism_known"),
            migrations.AlterField(
                model_name="release",
                name="mechanism",
                field=models.CharField(choices=MECHANISMS, max_length=20, verbose_name="mechanism"),
            ),
            migrations.AddConstraint(
                model_name="release",
                constraint=models.CheckConstraint(
                    condition=models.Q(("mechanism__in", [value for value, _label in MECHANISMS])),
                    name="release_mechanism_known",
                ),
            ),
        ],
    )
