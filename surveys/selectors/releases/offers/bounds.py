"""Between which bands the numbers lie."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.bounds import ApproximateBounds, FoundBounds
from surveys.selectors.releases.numbers import said
from surveys.selectors.releases.offers.histograms import CountsOffer
from surveys.selectors.releases.offers.suitable import no_bands


class BoundsOffer(CountsOffer):
    """Noisy counts of the reports, and the first and the last band that passes; not saying is no band."""

    name = Mechanism.BOUNDS

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why it has no bands."""
        return no_bands(asked)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> ApproximateBounds:
        """Return the noise on the counts, and the thresholds."""
        return ApproximateBounds(epsilon=loss.epsilon, relation=relation, bins=said(asked), design=asked.design)

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the noisy counts and what they say."""
        certainty = None if output.confidence is None else str(output.confidence)
        return {
            "noisy_counts": list(output.noisy_counts),
            "low": output.low,
            "high": output.high,
            "certainty": certainty,
        }

    def restored(self, stored: Mapping[str, Any]) -> Any:  # noqa: ANN401 - CountsOffer's signature
        """Return them as they were drawn."""
        certainty = stored["certainty"]
        return FoundBounds(
            tuple(stored["noisy_counts"]),
            stored["low"],
            stored["high"],
            None if certainty is None else Fraction(certainty),
        )
