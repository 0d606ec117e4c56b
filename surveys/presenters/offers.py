"""What a survey's pages offer to press, and to whom."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise

from surveys.models import Right, Survey


@dataclass(frozen=True, slots=True)
class Offer:
    """Something to press, and whom it is for: whoever has one of these rights."""

    label: Promise
    name: str
    rights: frozenset[Right]
    post: bool = False


@dataclass(frozen=True, slots=True)
class Button:
    """Something that this visitor may press."""

    label: str
    address: str
    name: str  # of the address
    post: bool = False


def buttons_of(offers: Iterable[Offer], survey: Survey, rights: frozenset[Right]) -> tuple[Button, ...]:
    """Return those offers that somebody with these rights may take."""
    return tuple(
        Button(str(offer.label), reverse(offer.name, args=[survey.code]), offer.name, offer.post)
        for offer in offers
        if offer.rights & rights
    )
