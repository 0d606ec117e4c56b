import numpy as np
import pytest
from scipy import stats

from surveys.estimation.learning.replicates import binomial_quantiles, replicate_tables, uniform_numbers
from tests.estimation.learning.released_data import NO_NOISE, laplace
from tests.privacy.chance import FALSE_ALARM_RATE

PUBLISHED = np.array([[30, 20], [10, 40]])
SHARES = np.array([0.4, 0.0, 0.25, 0.35])


def test_the_published_numbers_alone_decide_what_is_drawn() -> None:
    once, again = (replicate_tables(PUBLISHED, 100, SHARES, laplace(1), 5) for _ in range(2))
    assert once.tolist() == again.tolist()
    assert once.tolist() != replicate_tables(PUBLISHED + 1, 100, SHARES, laplace(1), 5).tolist()
    assert once.tolist() != replicate_tables(PUBLISHED.T, 100, SHARES, laplace(1), 5).tolist()


def test_the_stream_is_that_of_the_standard() -> None:
    # The first words of SHAKE-256 of nothing (FIPS 202): 46b9dd2b0ba88d13 233b3feb743eeb24.
    first, second = (int.from_bytes(bytes.fromhex(word), "little") for word in ("46b9dd2b0ba88d13", "233b3feb743eeb24"))
    assert uniform_numbers(b"", 2).tolist() == [((word >> 11) + 0.5) / 2**53 for word in (first, second)]


def test_numbers_are_uniform() -> None:
    assert stats.kstest(uniform_numbers(b"one", 20_000), "uniform").pvalue > FALSE_ALARM_RATE
    # The planted fault: a square.
    assert stats.kstest(uniform_numbers(b"one", 20_000) ** 1.1, "uniform").pvalue < FALSE_ALARM_RATE


@pytest.mark.parametrize("probability", [0.0, 0.3, 1.0])
def test_quantiles_are_the_binomials(probability: float) -> None:
    uniform, sizes = np.linspace(0.001, 0.999, 40), np.arange(40) % 7
    expected = stats.binom.ppf(uniform, np.maximum(sizes, 1), probability)
    expected = np.where(sizes == 0, 0, np.maximum(expected, 0))
    assert binomial_quantiles(uniform, sizes, probability).tolist() == expected.tolist()


def test_tables_are_multinomial_with_noise() -> None:
    rounds = 4000
    exact = replicate_tables(PUBLISHED, 50, SHARES, NO_NOISE, rounds)
    assert set(exact.sum(axis=1)) == {50}
    assert exact[:, 1].max() == 0
    covariance = 50 * (np.diag(SHARES) - np.outer(SHARES, SHARES))
    # 4.9 standard errors of means and of variances.
    assert exact.mean(axis=0) == pytest.approx(50 * SHARES, abs=4.9 * np.sqrt(covariance.max() / rounds))
    assert np.cov(exact.T) == pytest.approx(covariance, abs=4.9 * covariance.max() * np.sqrt(2 / rounds))
    noise = laplace(1)
    noisy = replicate_tables(PUBLISHED, 50, SHARES, noise, rounds)
    # Cell 1 holds noise only.
    values = np.arange(-6, 7)
    chances = np.array([noise.probability(int(value)) for value in values])
    seen = np.append((noisy[:, 1][:, np.newaxis] == values).sum(axis=0), (np.abs(noisy[:, 1]) > 6).sum())
    assert stats.chisquare(seen, rounds * np.append(chances, 1 - chances.sum())).pvalue > FALSE_ALARM_RATE
