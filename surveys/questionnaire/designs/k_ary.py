"""Coin, then spinner."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design
from surveys.privacy.designs.k_ary import K_ARY
from surveys.questionnaire.designs.chance import Chance, Stored


class KAry(Chance):
    """The coin says "the truth" or "where the spinner stops", among any number of answers."""

    name = "k_ary"
    label = _("Coin, then spinner (k-ary)")
    matrices = K_ARY
    citation = "Kairouz, Bonawitz & Ramage 2016"
    references = (("Kairouz, Bonawitz & Ramage (2016)", "Discrete distribution estimation under local privacy, ICML."),)
    usual_parameters = {"truth": [1, 2]}  # noqa: RUF012
    typed_in = {"truth": "truth", "weights": "chance"}  # noqa: RUF012
    sentence = _(
        "With probability %(truth)s the phone sends the true answer. Otherwise it sends the answer where a "
        "spinner with equal fields stops."
    )
    chance_stands_apart = True
    _uneven_sentence = _(
        "With probability %(truth)s the phone sends the true answer. Otherwise it sends the answer where a "
        "spinner with the shares %(shares)s stops."
    )

    def procedure(self, design: Design, labels: Sequence[str]) -> str:
        """Describe how an answer is randomized, with the spinner's shares where they are uneven."""
        exact = dict(design.exact_parameters)
        shares = ", ".join(map(str, cast("tuple[Fraction, ...]", exact.get("weights", ()))))
        words = self._uneven_sentence if shares else self.sentence
        return str(words) % {"truth": exact["truth"], "shares": shares}

    def stored(self, typed: Mapping[str, Any], answers: int) -> dict[str, Any]:
        """Return the parameters as they are stored; a spinner that is not typed is even."""
        weights = self._weights(typed, "chance", answers)
        return {"truth": self._share(typed, "truth")} | ({"weights": weights} if weights else {})

    def shares(self, stored: Stored) -> dict[str, Sequence[Sequence[int]]]:
        """Return the shares to write into each field: none for an even spinner."""
        return {"truth": [stored["truth"]], "chance": stored.get("weights", [])}
