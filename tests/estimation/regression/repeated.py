"""Several reports of each respondent, and their likelihood from its definition on a fine grid."""

import numpy as np
import scipy

from tests.estimation.regression.data import Floats, sigmoid


def repeated_reports(
    seed: int, n: int, intercepts: Floats, *, sigma: float, ends: tuple[float, float], slope: float = 0.8
) -> tuple[Floats, Floats]:
    """Return n respondents' reports, one column a question, and the predictor of half of them; ends are Pr(Yes)."""
    generator = np.random.default_rng(seed)
    z = np.arange(n) % 2.0
    eta = intercepts + (slope * z + sigma * generator.normal(size=n))[:, np.newaxis]
    truths = generator.random(eta.shape) < sigmoid(eta)
    return (generator.random(eta.shape) < np.where(truths, ends[1], ends[0])).astype(float), z


def long(reports: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return one report a row: the reports, X with a column for each question and the predictor, and who gave it."""
    n, questions = reports.shape
    x = np.column_stack([np.tile(np.eye(questions), (n, 1)), np.repeat(z, questions)])
    return reports.ravel(), x, np.repeat(np.arange(n), questions)


def grid_log_likelihood(parameters: Floats, reports: Floats, z: Floats, ends: tuple[float, float]) -> float:
    """Σ log ∫ Π Pr(report) φ(b; 0, σ²) db, on 2,001 points; the parameters are those of `long`, then log σ."""
    *intercepts, slope, log_sigma = parameters
    b = np.linspace(-8, 8, 2001)
    density = np.exp(-(b**2) / 2) / np.sqrt(2 * np.pi)
    by_person = np.ones((len(reports), b.size))
    for question, intercept in enumerate(intercepts):
        yes = sigmoid((intercept + slope * z)[:, np.newaxis] + np.exp(log_sigma) * b)
        reported = ends[0] + (ends[1] - ends[0]) * yes
        by_person *= np.where(reports[:, [question]] == 1, reported, 1 - reported)
    return float(np.log(scipy.integrate.simpson(by_person * density, x=b, axis=1)).sum())
