"""Shares of unseen truths, against the solver for one table of reports."""

import numpy as np
import pytest

from surveys.estimation.likelihood import simplex_maximum
from surveys.estimation.regression.latent_shares import likeliest_shares
from tests.estimation.regression.data import Floats


def problem(seed: int, strata: int = 3, truths: int = 4) -> tuple[Floats, Floats]:
    """Likelihoods and proportions with which some shares are 0."""
    rng = np.random.default_rng(seed)
    likelihoods = rng.dirichlet(np.full(7, 1.0), size=(strata, truths)).transpose(0, 2, 1)
    counts = rng.multinomial(60, rng.dirichlet(np.full(7, 2.0)), size=strata)
    return likelihoods, counts / 60


def log_likelihood(likelihoods: Floats, proportions: Floats, shares: Floats) -> Floats:
    seen = proportions > 0
    reported = np.where(seen, np.einsum("srt,st->sr", likelihoods, shares), 1.0)
    return (proportions * np.log(reported)).sum(axis=1)


@pytest.mark.parametrize("seed", range(30))
def test_all_strata_at_once_are_each_of_them_alone(seed: int) -> None:
    likelihoods, proportions = problem(seed)
    shares = likeliest_shares(likelihoods, proportions, np.full((3, 4), 0.25))
    alone = np.array([simplex_maximum(p, matrix) for p, matrix in zip(proportions, likelihoods, strict=True)])
    assert shares == pytest.approx(alone, abs=1e-6)
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-14)
    gain = log_likelihood(likelihoods, proportions, shares) - log_likelihood(likelihoods, proportions, alone)
    assert gain.min() > -1e-14
    # The conditions of a maximum: no share could grow, and those above 0 are where it is level.
    seen = np.where(proportions > 0, np.einsum("srt,st->sr", likelihoods, shares), 1.0)
    slope = np.einsum("srt,sr->st", likelihoods, proportions / seen) - 1
    assert slope.max() < 1e-9
    assert np.abs(slope[shares > 0]).max() < 1e-9


def test_a_truth_that_nobody_has_gets_a_share_of_exactly_zero() -> None:
    likelihoods = np.array([[[0.75, 0.25], [0.25, 0.75]]])
    assert likeliest_shares(likelihoods, np.array([[0.9, 0.1]]), np.full((1, 2), 0.5)).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("seed", range(10))
def test_the_start_decides_nothing(seed: int) -> None:
    likelihoods, proportions = problem(seed)
    rng = np.random.default_rng(seed)
    first = likeliest_shares(likelihoods, proportions, rng.dirichlet(np.full(4, 0.3), size=3))
    corner = likeliest_shares(likelihoods, proportions, np.eye(4)[[seed % 4] * 3])
    assert first == pytest.approx(corner, abs=1e-10)


def test_reports_that_do_not_tell_the_truths_apart_leave_some_maximum() -> None:
    likelihoods = np.array([[[0.4, 0.4, 0.1], [0.3, 0.3, 0.1], [0.3, 0.3, 0.8]]])
    shares = likeliest_shares(likelihoods, np.array([[0.4, 0.3, 0.3]]), np.array([[0.2, 0.3, 0.5]]))
    assert shares[0, 2] == pytest.approx(0, abs=1e-12)
    assert shares.sum() == pytest.approx(1)


def test_one_report_from_one_respondent_is_explained_by_its_likeliest_truth() -> None:
    shares = likeliest_shares(np.array([[[0.2, 0.7, 0.1]]]), np.ones((1, 1)), np.full((1, 3), 1 / 3))
    assert shares == pytest.approx(np.array([[0, 1, 0]]), abs=1e-12)


def test_a_report_that_no_truth_leads_to_says_nothing() -> None:
    likelihoods = np.array([[[0.75, 0.25], [0.25, 0.75], [0.0, 0.0]]])
    with_it = likeliest_shares(likelihoods, np.array([[0.3, 0.2, 0.5]]), np.full((1, 2), 0.5))
    without = likeliest_shares(likelihoods[:, :2], np.array([[0.6, 0.4]]), np.full((1, 2), 0.5))
    assert with_it == pytest.approx(without, abs=1e-12)


def test_when_steps_run_out_the_place_reached_is_still_a_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    likelihoods, proportions = problem(3)
    start = np.full((3, 4), 0.25)
    best = log_likelihood(likelihoods, proportions, likeliest_shares(likelihoods, proportions, start))
    before = log_likelihood(likelihoods, proportions, start)
    monkeypatch.setattr("surveys.estimation.regression.latent_shares.MAX_STEPS", 1)
    once = likeliest_shares(likelihoods, proportions, start)
    assert once.sum(axis=1) == pytest.approx(1)
    assert (before < log_likelihood(likelihoods, proportions, once)).all()
    assert (log_likelihood(likelihoods, proportions, once) <= best).all()


def test_a_step_that_gains_too_little_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    # The whole step makes the third report impossible.
    likelihoods = np.array([[[0.9, 0.1], [0.1, 0.2], [0.0, 0.7]]])
    proportions, start = np.array([[0.99, 0.0, 0.01]]), np.full((1, 2), 0.5)
    best = likeliest_shares(likelihoods, proportions, start)
    assert 0 < best[0, 1] < 0.02
    monkeypatch.setattr("surveys.estimation.regression.latent_shares.MAX_HALVINGS", 1)
    assert likeliest_shares(likelihoods, proportions, start).tolist() == start.tolist()
