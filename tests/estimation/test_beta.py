import math

import pytest
import scipy.stats

from surveys.estimation.bayes import posterior_prevalence
from surveys.estimation.beta import BetaDistribution
from surveys.privacy.designs import forced_response, from_matrix

SHARES = [0.0, 0.001, 0.2, 0.5, 0.77, 0.999, 1.0]


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 0.5), (1, 9), (0.01, 3), (12.5, 700), (1, 0.3)])
def test_density_distribution_and_quantiles_are_those_of_scipy(a: float, b: float) -> None:
    beta, reference = BetaDistribution(a, b), scipy.stats.beta(a, b)
    assert beta.density(SHARES) == pytest.approx(reference.pdf(SHARES), rel=1e-9)
    assert [beta.cdf(share) for share in SHARES] == pytest.approx(reference.cdf(SHARES), rel=1e-12)
    assert [beta.quantile(p) for p in (0.025, 0.5, 0.975)] == pytest.approx(reference.ppf([0.025, 0.5, 0.975]))
    assert beta.mean == pytest.approx(reference.mean())


def test_a_density_is_infinite_at_an_end_whose_parameter_is_below_one() -> None:
    assert BetaDistribution(0.5, 2).density([0.0, 1.0]).tolist() == [math.inf, 0.0]


@pytest.mark.parametrize("wrong", [0, -1, 1e10, math.nan, math.inf, "1", True, None])
def test_other_parameters_are_refused(wrong: object) -> None:
    for pair in ((wrong, 1), (1, wrong)):
        with pytest.raises(ValueError, match=r"^a and b .*0\.01.*1"):
            BetaDistribution(*pair)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan])
def test_what_is_no_share_is_refused(wrong: float) -> None:
    uniform = BetaDistribution(1, 1)
    for ask in (uniform.cdf, uniform.quantile, lambda share: uniform.density([share])):
        with pytest.raises(ValueError, match="0 and 1"):
            ask(wrong)


def test_a_posterior_knows_its_prior() -> None:
    posterior = posterior_prevalence([3, 4], forced_response(), (2, 5.5))
    assert posterior.prior_distribution == BetaDistribution(2, 5.5)


def test_the_median_leaves_half_on_either_side() -> None:
    posterior = posterior_prevalence([30, 14], forced_response(), (1, 9))
    assert posterior.cdf(posterior.median) == pytest.approx(0.5, abs=1e-12)
    # Reports that tell nothing leave the prior as it is.
    silent = from_matrix([["1/2", "1/4"], ["1/4", "1/4"], ["1/4", "1/2"]])
    assert posterior_prevalence([0, 9, 0], silent, (2, 3)).median == pytest.approx(BetaDistribution(2, 3).quantile(0.5))


@pytest.mark.parametrize("wrong", [0, 1, math.nan])
def test_a_quantile_is_of_a_probability_between_none_and_all(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"^probability"):
        posterior_prevalence([3, 4], forced_response()).quantile(wrong)
