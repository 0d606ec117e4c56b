"""A respondent's browser on a survey that gives credit: it hides a message, asks for a signature, and takes it out."""

import secrets
from dataclasses import dataclass
from functools import cached_property

from django.http import HttpResponse
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.common.selectors import definition_of
from surveys.credit import blind
from surveys.credit.services import modulus_of, read, written
from surveys.models import Survey


@dataclass(frozen=True)
class Device:
    """One page of one survey, which has drawn its serial: it sends the same as often as it has to."""

    modulus: int
    message: bytes
    hidden: bytes
    inverse: int
    nonce: str

    @classmethod
    def at(cls, survey: Survey, *, nonce: str = "") -> "Device":
        return cls.of(modulus_of(definition_of(survey).credit_key), nonce=nonce)

    @classmethod
    def of(cls, modulus: int, *, nonce: str = "") -> "Device":
        message = blind.prepare(secrets.token_bytes(32), secrets.token_bytes(32))
        return cls(modulus, message, *blind.blind(modulus, message), nonce or new_nonce())

    @cached_property
    def blinded(self) -> str:
        return written(self.hidden)

    @property
    def declining(self) -> dict[str, str]:
        return {"nonce": self.nonce, "blinded": self.blinded}

    def answering(self, reports: str = "1") -> dict[str, str]:
        return {"mode": "device", "reports": reports, **self.declining}

    def receipt(self, signature: str) -> str:
        """Return the receipt that it makes of an answer's signature; raises ValueError where it is none."""
        return written(self.message + blind.finalize(self.modulus, self.message, read(signature) or b"", self.inverse))


BY_SCRIPT = {"Accept": "application/json"}


def post(survey: Survey, form: dict[str, str], client: Client | None = None, *, door: str = "") -> HttpResponse:
    """Send a form as the page's script does; without a client from a browser that was never here."""
    return (client or Client()).post(f"/s/{survey.code}/{door}", form, headers=BY_SCRIPT)


def answer(survey: Survey, device: Device, client: Client | None = None, *, reports: str = "1") -> HttpResponse:
    return post(survey, device.answering(reports), client)


def decline(survey: Survey, device: Device, client: Client | None = None, *, door: str = "") -> HttpResponse:
    return post(survey, device.declining, client, door=f"{door}declined/")
