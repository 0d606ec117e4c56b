"""Models learned from one released joint table: everything here is made from published numbers and costs no more."""

from surveys.estimation.learning.correlation import correlate_released
from surveys.estimation.learning.linear import ReleasedLinearFit, expect_linear_precision, fit_released_linear
from surveys.estimation.learning.logistic import ReleasedLogisticFit, expect_logistic_precision, fit_released_logistic
from surveys.estimation.learning.precision import ReleasePrecision
from surveys.estimation.learning.synthetic import draw_synthetic_rows
from surveys.estimation.learning.table import ReleasedTable

__all__ = [
    "ReleasePrecision",
    "ReleasedLinearFit",
    "ReleasedLogisticFit",
    "ReleasedTable",
    "correlate_released",
    "draw_synthetic_rows",
    "expect_linear_precision",
    "expect_logistic_precision",
    "fit_released_linear",
    "fit_released_logistic",
]
