"""Surveys that give credit, and receipts as a respondent's browser makes them."""

import secrets
from typing import Any

from surveys.course.services import close_survey
from surveys.credit import blind
from surveys.credit.services import modulus_of, read, sign, written
from surveys.models import CoursePlatform, Survey
from surveys.questionnaire.question import Question
from tests.factories import make_open


def open_with_credit(*questions: Question, **fields: Any) -> Survey:
    return make_open(*questions, credit=True, **fields)


def closed_with_credit(**fields: Any) -> Survey:
    return close_survey(survey=open_with_credit(**fields))


def make_receipt(survey: Survey, serial: bytes = b"", prefix: bytes = b"") -> str:
    modulus = modulus_of(survey.questionnaire.credit_key)
    # As a browser's, it begins with no hyphen: these begin with a letter from A to P.
    prefix = prefix or bytes([secrets.randbelow(64)]) + secrets.token_bytes(31)
    message = blind.prepare(serial or secrets.token_bytes(32), prefix)
    blinded, inverse = blind.blind(modulus, message)
    signature = read(sign(survey, written(blinded))) or b""
    return written(message + blind.finalize(modulus, message, signature, inverse))


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
