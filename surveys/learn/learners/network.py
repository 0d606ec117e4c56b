"""A network of two layers: a loss that is not convex, of which neither minimum nor constants are known."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.learn.learners.losses import LogisticLoss, TrainingLoss
from surveys.privacy.rationals import whole_number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TwoLayerLoss(TrainingLoss):
    """Logistic loss of the score Σ vᵢ·tanh(wᵢ·x), for outcomes of −1 and 1.

    Parameters
    ----------
    hidden : int
        How many units there are. The parameters are all w, one unit after the other, and then all v.
    """

    hidden: int

    def __post_init__(self) -> None:
        whole_number(self.hidden, "hidden", 1)

    @property
    def lipschitz(self) -> None:
        """None: gradients grow with the parameters."""
        return None

    @property
    def smoothness(self) -> None:
        """None: second derivatives grow with the parameters."""
        return None

    def scores(self, parameters: Floats, features: Floats) -> Floats:
        """Return the score of each row."""
        inner, outer = self._layers(parameters, features.shape[1])
        return self._units(inner, features) @ outer

    def values(self, parameters: Floats, features: Floats, outcomes: Floats) -> Floats:
        """Return the loss of each row."""
        return LogisticLoss().values(self.scores(parameters, features), outcomes)

    def gradients(self, parameters: Floats, features: Floats, outcomes: Floats) -> Floats:
        """Return the gradient of each row, by the chain rule."""
        inner, outer = self._layers(parameters, features.shape[1])
        units = self._units(inner, features)
        slopes = LogisticLoss().slopes(units @ outer, outcomes)[:, None]
        of_inner = (slopes * outer * (1 - units**2))[:, :, None] * features[:, None, :]
        return np.hstack([of_inner.reshape(len(features), -1), slopes * units])

    def _layers(self, parameters: Floats, width: int) -> tuple[Floats, Floats]:
        if parameters.shape != (self.hidden * (width + 1),):
            raise ValueError(f"parameters must be {self.hidden * (width + 1)}, got the shape {parameters.shape}")
        return parameters[: self.hidden * width].reshape(self.hidden, width), parameters[self.hidden * width :]

    @staticmethod
    def _units(inner: Floats, features: Floats) -> Floats:
        return np.asarray(np.tanh(features @ inner.T))
