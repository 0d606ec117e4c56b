"""Scores for a course's grade book (Assignment and Grade Services 2.0)."""

import datetime as dt
import json
import logging
import secrets
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.utils import timezone

from surveys.common.servers import NotReached, open_address
from surveys.lti.services.keys import sign
from surveys.lti.services.launching import SCORE_SCOPE
from surveys.models import CoursePlatform, WaitingScore

_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"
_log = logging.getLogger(__name__)


def send_scores(*, platform: CoursePlatform, scores: Sequence[WaitingScore]) -> list[WaitingScore]:
    """Send scores in the order given, all of one moment, and return those that the platform took.

    What is logged of the others is how many they are.
    """
    sent: list[WaitingScore] = []
    refused: Counter[int] = Counter()
    moment = timezone.now().astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    try:
        access = _access_token(platform)
        for score in scores:
            status = _send(score, moment, access)
            if 200 <= status < 300:
                sent.append(score)
            else:
                refused[status] += 1
    except NotReached as failure:
        # The others would wait for it one after the other.
        _log.warning("Scores for %s were not sent: %s", platform.name, failure)
    if refused:
        words = ", ".join(f"{number} with {status}" for status, number in sorted(refused.items()))
        _log.warning("%s refused scores: %s", platform.name, words)
    return sent


def _access_token(platform: CoursePlatform) -> str:
    """Ask for leave to send scores, and for nothing else; raises NotReached."""
    asking = {"iss": platform.client_id, "sub": platform.client_id, "aud": platform.token_address}
    form = {
        "grant_type": "client_credentials",
        "client_assertion_type": _ASSERTION,
        "client_assertion": sign({**asking, "jti": secrets.token_urlsafe(32)}),
        "scope": SCORE_SCOPE,
    }
    answer = open_address(platform.token_address, form=form, Accept="application/json")
    token = answer.json().get("access_token")
    if answer.status != 200 or not (isinstance(token, str) and token.isascii() and token.isprintable()):
        raise NotReached(f"{urlsplit(platform.token_address).netloc} gave no access token ({answer.status})")
    return token


def _send(score: WaitingScore, moment: str, access: str) -> int:
    """Send one score and return the status of the answer; raises NotReached."""
    place = urlsplit(score.line_item)
    body = {
        "userId": score.subject,
        "scoreGiven": 1,
        "scoreMaximum": 1,
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
        "timestamp": moment,
    }
    return open_address(
        # Moodle's line items have a query.
        place._replace(path=f"{place.path.rstrip('/')}/scores").geturl(),
        body=json.dumps(body).encode(),
        Authorization=f"Bearer {access}",
        Content_Type=_SCORE_TYPE,
    ).status
