"""Scores are sent at night, all of a survey at once and in no order: none shows when its student asked for it."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db import connection, transaction
from django.db.models import F

from surveys.common.services import failing_alone
from surveys.models import CoursePlatform, SpentReceipt, Survey, WaitingScore
from surveys.responses.services import erasing

# Nights after which a score that its platform does not take is given up.
MOST_TRIES = 14
_CHANCE = secrets.SystemRandom()


class SendScores(Protocol):
    """Sends scores to their platform and returns those that it has taken."""

    def __call__(self, *, platform: CoursePlatform, scores: Sequence[WaitingScore]) -> list[WaitingScore]: ...


@dataclass(frozen=True, slots=True)
class ScoreBatch:
    """What became of a survey's scores in one night."""

    survey: Survey
    sent: int
    left: int
    given_up: int


def send_waiting_scores(*, send_scores: SendScores) -> Iterator[ScoreBatch]:
    """Send the scores of every survey that enough receipts have been redeemed of; yield what became of each batch.

    One that is killed leaves all scores that are not known to be sent: sent again, a score is the same.
    """
    for survey in Survey.objects.filter(waiting_scores__isnull=False).distinct().order_by("pk"):
        if SpentReceipt.objects.filter(survey=survey).count() >= survey.minimum_n:
            with failing_alone(f"sending scores of survey {survey.pk}"):
                yield _sent(survey, send_scores)


def _sent(survey: Survey, send_scores: SendScores) -> ScoreBatch:
    sent, given_up = 0, 0
    for platform in CoursePlatform.objects.filter(waiting_scores__survey=survey).distinct():
        scores = list(WaitingScore.objects.filter(survey=survey, platform=platform).order_by("key"))
        _CHANCE.shuffle(scores)
        taken: list[WaitingScore] = []
        with failing_alone(f"sending scores of survey {survey.pk}"):
            taken = send_scores(platform=platform, scores=scores)
        keys = {bytes(score.key) for score in taken}
        sent += len(keys)
        given_up += _forget(survey, keys, [key for score in scores if (key := bytes(score.key)) not in keys])
    return ScoreBatch(survey, sent, WaitingScore.objects.filter(survey=survey).count(), given_up)


@transaction.atomic
def _forget(survey: Survey, sent: set[bytes], left: list[bytes]) -> int:
    """Delete what was sent and what has been tried often enough, and return how many of these there were."""
    erasing.overwrite_what_is_deleted()
    WaitingScore.objects.filter(key__in=sent).delete()
    tried = WaitingScore.objects.filter(key__in=left)
    tried.update(tries=F("tries") + 1)
    given_up, _rows = tried.filter(tries__gte=MOST_TRIES).delete()
    if sent or given_up:
        erasing.note_deletion(survey, rewriting=connection.vendor == "postgresql")
    return given_up
