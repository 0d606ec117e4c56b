"""Surveys that give credit, and receipts as a respondent's browser makes them."""

import secrets
from base64 import urlsafe_b64encode
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_der_private_key, Encoding, NoEncryption, PrivateFormat

from surveys.course.services import close_survey, open_survey
from surveys.credit import blind
from surveys.models import CoursePlatform, CreditKey, Survey
from surveys.questionnaire.question import Question
from tests.factories import make_draft, rewrite


def open_with_credit(*questions: Question, **fields: Any) -> Survey:
    survey = make_draft(*questions, credit=True, **fields)
    key = blind.new_key()
    CreditKey.objects.create(survey=survey, private_key=key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
    rewrite(survey, 0, credit_key=written(key.public_key().public_numbers().n.to_bytes(256)))
    return open_survey(survey=survey, typed=survey.code)


def closed_with_credit(**fields: Any) -> Survey:
    return close_survey(survey=open_with_credit(**fields))


def make_receipt(survey: Survey, serial: bytes = b"") -> str:
    key = load_der_private_key(bytes(CreditKey.objects.get(survey=survey).private_key), None)
    modulus = key.public_key().public_numbers().n
    message = blind.prepare(serial or secrets.token_bytes(32), secrets.token_bytes(32))
    blinded, inverse = blind.blind(modulus, message)
    return written(message + blind.finalize(modulus, message, blind.blind_sign(key, blinded), inverse))


def written(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def make_platform(name: str = "Moodle", **fields: str) -> CoursePlatform:
    site = f"https://{name.lower()}.example.org"
    given = {
        "issuer": site,
        "client_id": "deniable",
        "deployment_ids": "1",
        "login_address": f"{site}/login",
        "token_address": f"{site}/token",
        "keys_address": f"{site}/keys",
    }
    return CoursePlatform.objects.get_or_create(name=name, **(given | fields))[0]
