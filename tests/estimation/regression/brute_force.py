"""Profile log-likelihoods by brute force, from their definitions: many places are tried, the best climbed from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
import scipy

from tests.estimation.regression.data import Floats

BLOCK = 2_000_000
"""As many probabilities are computed at a time."""
CLOSE = 1e-4
"""So much may a log-likelihood differ."""
LEAST = 1e-300


@dataclass
class Brute(ABC):
    """The log-likelihood as one coefficient goes along a line and all others are free."""

    rows: Floats
    column: int

    def __post_init__(self) -> None:
        self.own, self.others = self.rows[:, self.column], np.delete(self.rows, self.column, axis=1)
        self.n, self.q = self.others.shape
        # What is left of its own predictor beside the others sets the scale of the coefficient.
        left = self.own - self.others @ np.linalg.lstsq(self.others, self.own, rcond=None)[0]
        self.unit = 1 / np.sqrt((left**2).mean())
        self.rng = np.random.default_rng(0)

    @abstractmethod
    def log_likelihoods(self, value: float, places: Floats) -> Floats:
        """At several places, one a row."""

    @abstractmethod
    def fall(self, place: Floats, value: float) -> tuple[float, Floats]:
        """The negative log-likelihood of one place, and its gradient."""

    @abstractmethod
    def end(self, side: int) -> float:
        """What the profile comes to at infinity."""

    def starts(self, value: float) -> Floats:
        """Places where some linear predictors are near 0 or far from it, and others at random."""
        chosen = self.corners
        if len(chosen) > 400:
            chosen = chosen[self.rng.choice(len(chosen), 400, replace=False)]
        sides = [
            np.zeros((len(chosen), self.q)),
            self.rng.choice([-40.0, -4.0, -1.0, 1.0, 4.0, 40.0], size=(len(chosen), self.q)),
        ]
        near = [
            np.linalg.solve(self.others[chosen], (side - value * self.own[chosen])[:, :, np.newaxis])[:, :, 0]
            for side in sides
        ]
        size = 1 / np.abs(self.others).max(axis=0)
        spread = [self.rng.normal(size=(100, self.q)) * size * scale for scale in (0.0, 1.0, 5.0, 40.0)]
        return np.concatenate([*near, *spread])

    @cached_property
    def corners(self) -> Floats:
        """Rows, as many as there are other coefficients, that determine them."""
        every = np.array(list(combinations(range(self.n), self.q)))
        return every[np.abs(np.linalg.det(self.others[every])) > 1e-9]

    def height(self, value: float, wanted: float = np.inf, climbs: int = 5) -> float:
        """The highest log-likelihood found; it is not climbed to if that cannot matter for whether it is as wanted."""
        places = self.starts(value)
        heights = self.log_likelihoods(value, places)
        best = float(heights.max())
        if best < wanted and not best < wanted - 3 < np.inf:
            order = np.argsort(-heights)
            # The higher places are climbed from more often than the lower ones, and of each height one of the highest.
            chosen = order[(np.linspace(0, 1, climbs) ** 2 * (len(order) - 1) / 2).astype(int)]
            highest = order[np.unique(-heights[order].round(3), return_index=True)[1][:climbs]]
            optima = [
                scipy.optimize.minimize(self.fall, places[at], args=(value,), jac=True, method="BFGS")
                for at in np.unique([*chosen, *highest])
            ]
            best = max(best, *(-climb.fun for climb in optima))
        return best

    def differences(self, limits: tuple[float, float], level: float) -> list[str]:
        """What is wrong with limits that are to be the outermost values where the profile is as high as the level."""
        return [
            difference
            for side, limit in zip((-1, 1), limits, strict=True)
            for difference in self._wrong(side, limit, level)
        ]

    def _wrong(self, side: int, limit: float, level: float) -> list[str]:
        if np.isinf(limit):
            enough = (
                np.sign(limit) == side and max(self.end(side), self.height(side * 4096 * self.unit)) >= level - CLOSE
            )
            return [] if enough else [f"{limit} although the likelihood is too low there"]
        if not np.isfinite(limit):
            return [f"{limit} is no limit"]
        differences = []
        if abs(self.height(limit) - level) > CLOSE:
            differences.append(f"at {limit:.6g} the profile is {self.height(limit) - level:+.6f} from the level")
        beyond = limit + side * self.unit * np.geomspace(0.02, 4096, 18)
        farther = [at for at in beyond if self.height(at, level + CLOSE) > level + CLOSE]
        if self.end(side) > level + CLOSE:
            farther.append(side * np.inf)
        return [*differences, f"{limit:.6g} although {farther[-1]:.6g} is high enough"] if farther else differences


@dataclass
class BruteLogistic(Brute):
    """Σ log(P[report | No]·(1−σ) + P[report | Yes]·σ)."""

    if_no: Floats
    if_yes: Floats

    def log_likelihoods(self, value: float, places: Floats) -> Floats:
        size = max(1, BLOCK // self.n)
        blocks = [places[at : at + size] @ self.others.T for at in range(0, len(places), size)]
        return np.concatenate([np.log(self._likelihood(value * self.own + eta)).sum(axis=1) for eta in blocks])

    def _likelihood(self, eta: Floats) -> Floats:
        return np.maximum(self.if_no * scipy.special.expit(-eta) + self.if_yes * scipy.special.expit(eta), LEAST)

    def fall(self, place: Floats, value: float) -> tuple[float, Floats]:
        eta = value * self.own + self.others @ place
        likelihood = self._likelihood(eta)
        slope = (self.if_yes - self.if_no) * scipy.special.expit(eta) * scipy.special.expit(-eta) / likelihood
        return -np.log(likelihood).sum(), -slope @ self.others

    def end(self, side: int) -> float:
        """The best step: its edge may be moved to as many rows as there are others, which then choose their side."""
        certain = np.log(np.maximum([self.if_no, self.if_yes], LEAST))
        best, size = -np.inf, max(1, BLOCK // self.n)
        for at in range(0, len(self.corners), size):
            rows = self.corners[at : at + size]
            edge = np.linalg.solve(self.others[rows], -side * self.own[rows][:, :, np.newaxis])[:, :, 0]
            eta = side * self.own + edge @ self.others.T
            heights = np.where(eta > 0, certain[1], certain[0])
            np.put_along_axis(heights, rows, certain.max(axis=0)[rows], axis=1)
            # Equal rows lie on an edge together, and do not choose each for itself.
            alone = (np.abs(eta) < 1e-9).sum(axis=1) <= self.q
            best = max(best, heights.sum(axis=1)[alone].max(initial=-np.inf))
        return best


@dataclass
class BruteLatent(Brute):
    """Σ counts·log(Σ_z γ_s(z)·P[predictors | z]·(P[outcome | No]·(1−σ) + P[outcome | Yes]·σ)).

    A place is the other coefficients, and for each stratum numbers whose squares are proportional to the shares γ.
    """

    counts: Floats
    if_no: Floats
    if_yes: Floats
    predictors: Floats

    def starts(self, value: float) -> Floats:
        others = np.concatenate([super().starts(value), self.cells(value)])
        strata, truths = len(self.counts), self.predictors.shape[1]
        shares = self.rng.dirichlet(np.ones(truths), size=(len(others), strata))
        for _ in range(20):
            # The EM algorithm's next shares, so that no place is judged by shares that do not fit it.
            places = np.hstack([others, np.sqrt(shares).reshape(len(others), -1)])
            _, _, _, given, likelihood = self._parts(value, places)
            shares *= ((self.counts / likelihood)[..., np.newaxis] * given).sum(axis=2)
            shares /= shares.sum(axis=2, keepdims=True)
        return np.hstack([others, np.sqrt(shares).reshape(len(others), -1)])

    def cells(self, value: float) -> Floats:
        """Every place where as many linear predictors as there are others are some of these."""
        sides = np.array(list(product([-40.0, -4.0, -1.0, 0.0, 1.0, 4.0, 40.0], repeat=self.q)))
        wanted = sides[np.newaxis] - value * self.own[self.corners][:, np.newaxis]
        every = np.linalg.solve(self.others[self.corners][:, np.newaxis], wanted[..., np.newaxis])[..., 0]
        return every.reshape(-1, self.q)

    def _parts(self, value: float, places: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        strata, truths = len(self.counts), self.predictors.shape[1]
        eta = (value * self.own + places[:, : self.q] @ self.others.T).reshape(-1, strata, 1, truths)
        roots = places[:, self.q :].reshape(-1, strata, 1, truths)
        shares = roots**2 / (roots**2).sum(axis=-1, keepdims=True)
        no, yes = self.if_no[:, np.newaxis], self.if_yes[:, np.newaxis]
        given = self.predictors * (no * scipy.special.expit(-eta) + yes * scipy.special.expit(eta))
        return eta, roots, shares, given, np.maximum((shares * given).sum(axis=-1), LEAST)

    def log_likelihoods(self, value: float, places: Floats) -> Floats:
        return (self.counts * np.log(self._parts(value, places)[-1])).sum(axis=(1, 2))

    def fall(self, place: Floats, value: float) -> tuple[float, Floats]:
        eta, roots, shares, given, likelihood = (part[0] for part in self._parts(value, place[np.newaxis]))
        weights = (self.counts / likelihood)[:, :, np.newaxis]
        slope = (self.if_yes - self.if_no)[:, np.newaxis] * self.predictors
        by_eta = (weights * shares * slope * scipy.special.expit(eta) * scipy.special.expit(-eta)).sum(axis=1)
        by_share = (weights * given).sum(axis=1)
        shares = shares[:, 0]
        by_root = (
            2 * roots[:, 0] / (roots**2).sum(axis=-1) * (by_share - (by_share * shares).sum(axis=1, keepdims=True))
        )
        gradient = np.append(by_eta.ravel() @ self.others, by_root.ravel())
        return -(self.counts * np.log(likelihood)).sum(), -gradient

    def end(self, side: int) -> float:
        """Their predictors are few: that far out all is certain that ever will be."""
        return self.height(side * 500.0, climbs=60)
