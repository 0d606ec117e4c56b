"""A measured number that depends on answers which were randomized."""

import numpy as np
import numpy.typing as npt

from surveys.privacy.designs import Design, from_matrix, k_ary, warner
from tests.estimation.regression.data import Floats

DIRECT = from_matrix([[1, 0], [0, 1]])
DIRECT_OF_THREE = from_matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
WARNER = warner("3/4")
OF_THREE = k_ary(3)
Codes = npt.NDArray[np.int64]


def randomize(design: Design, truths: Codes, rng: np.random.Generator) -> Codes:
    cumulated = np.cumsum(np.array(design.matrix, dtype=float), axis=0)
    return (rng.random(truths.size) > cumulated[:, truths]).sum(axis=0)


def planted(n: int, seed: int) -> tuple[Floats, Floats, Codes, Codes, np.random.Generator]:
    """Y of 1 + x/2 + 1.5·(a is Yes) − (b is 1) + 2·(b is 2), X, and the truths a and b."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=n)])
    a, b = (rng.random(n) < 0.4).astype(np.int64), rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    y = x @ [1, 0.5] + 1.5 * a - (b == 1) + 2 * (b == 2) + rng.normal(size=n) * 0.8
    return y, x, a, b, rng
