"""A sample of clusters in two strata, with weights, arms and groups, and what R finds in it."""

import numpy as np

from tests.golden import values

_REFERENCE = values("survey_package")
ROWS = {name: np.array(column) for name, column in _REFERENCE["rows"].items()}
FIGURES: dict[str, tuple[float, float]] = {name: tuple(pair) for name, pair in _REFERENCE["figures"].items()}
TEST: dict[str, float] = _REFERENCE["test"]
DIRECT_INTERVAL, DIRECT_P = np.array(_REFERENCE["direct_interval"]), np.array(_REFERENCE["direct_p"])
WEIGHTS, ONES = ROWS["weight"], np.ones(len(ROWS["weight"]), dtype=int)
DRAWN = {"strata": ROWS["stratum"], "clusters": ROWS["cluster"]}
