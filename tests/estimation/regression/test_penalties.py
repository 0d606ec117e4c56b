"""The penalty that is used holds in every setting and is the shortest; the simulation does what the program does."""

import numpy as np
import pytest

from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.regression.randomized_predictors import fit_logistic_randomized_predictors
from surveys.privacy.designs import forced_response
from tests.estimation.coverage_tables import PAGE
from tests.estimation.regression.penalties import (
    ETAS,
    LEAST,
    PAIRS,
    PENALTIES,
    SETTINGS,
    STUDIES,
    USED,
    Found,
    Studies,
    compare_everywhere,
    least_held,
    table,
)
from tests.estimation.regression.rare_answers import MODELS, RARE_STUDIES, rare_answers

CORE = {"two fair coins": forced_response(), "truth in 3 of 4": forced_response("3/4")}


def _fit(studies: Studies, counts: np.ndarray, *, penalized: bool) -> BoundedFit:
    design = CORE[studies.setting.design]
    predictor, outcome = [0, 0, 1, 1], [0, 1, 0, 1]
    if studies.setting.kind == "randomized":
        return fit_logistic_randomized_predictors(
            outcome, design, [predictor], [design], weights=counts, penalized=penalized
        )
    x = np.column_stack([np.ones(4), predictor])
    return fit_logistic(outcome, x, design, weights=counts, penalized=penalized)


@pytest.mark.parametrize("place", [0, 7, 13, 18, 26])
def test_the_simulation_computes_what_the_program_does(place: int) -> None:
    setting = SETTINGS[place]
    studies = Studies.of(setting, np.random.default_rng([2, place]), 4)
    [profile] = map(np.concatenate, zip(*studies.profiles([PENALTIES[USED](ETAS, setting)]), strict=True))
    found, sensible = Found.of(profile), studies.sensible()
    for study, counts in enumerate(studies.counts):
        assert _fit(studies, counts, penalized=False).usable == sensible[study]
        fit = _fit(studies, counts, penalized=True)
        limits = fit.penalized_interval(1)
        assert fit.coefficients[1] == pytest.approx(found.slope[study], abs=0.15)
        assert (limits.low, limits.high) == pytest.approx((found.low[study], found.high[study]), abs=0.02)


def test_there_are_thirty_settings() -> None:
    assert len(SETTINGS) == 6 * len(PAIRS) == 30


@pytest.mark.studies
def test_it_holds_in_every_setting_is_the_shortest_and_the_page_says_so() -> None:
    compared = compare_everywhere()
    assert table(compared) in PAGE.read_text(encoding="utf-8")
    held = {name: min(one.held[name] for one in compared) for name in PENALTIES}
    assert held[USED] > least_held(STUDIES)
    assert least_held(STUDIES) < LEAST
    for one in compared:
        assert all(not one.length[USED] > one.length[name] for name in PENALTIES)


@pytest.mark.studies
@pytest.mark.parametrize("name", MODELS)
def test_it_holds_in_every_model_where_a_rare_answer_leaves_no_maximum(name: str) -> None:
    rare = rare_answers(name, RARE_STUDIES)
    assert str(rare) in PAGE.read_text(encoding="utf-8")
    assert rare.answered == rare.without > 20
    assert rare.held / rare.without > 0.95 - 3 * np.sqrt(0.95 * 0.05 / rare.without)
