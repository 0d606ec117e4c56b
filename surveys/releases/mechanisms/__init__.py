"""Every mechanism that the product offers: a file named after each stored value, which holds all there is to it."""

from importlib import import_module
from typing import Any

from surveys.models import Mechanism
from surveys.releases.families.mechanism import Offer
from surveys.releases.families.options import Option

OFFERS: dict[str, Offer[Any]] = {}
"""By stored value, in the order of the form."""


def register(offer: Offer[Any]) -> None:
    """Offer a mechanism: on forms, to the command, in ledgers, on pages and in documents."""
    if offer.name in OFFERS:
        raise ValueError(f"offer must have a name of its own, got {offer.name}")
    OFFERS[str(offer.name)] = offer


def unregister(offer: Offer[Any]) -> None:
    """Offer it no longer."""
    del OFFERS[str(offer.name)]


def offered_options() -> list[Option]:
    """Return what any mechanism needs besides ε and δ, in the order of the form."""
    named = {option.name: option for offer in OFFERS.values() for option in offer.options}
    return sorted(named.values(), key=lambda option: option.place)


for name in Mechanism.values:
    register(import_module(f"{__name__}.{name}").OFFER)
