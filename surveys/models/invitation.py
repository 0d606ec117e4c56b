"""Invitations: single-use links, kept as hashes with one bit each and nothing that responses have in common."""

import re

from django.db import models

from surveys.models.hashing import HASH_BYTES, keyed_hashes
from surveys.models.survey import CODE_ALPHABET, Survey

# 26 of 31 letters and digits: 128.8 bits, and nothing that is misread on a printed card.
TOKEN_LENGTH = 26
_TOKEN = re.compile(rf"[{CODE_ALPHABET}]{{{TOKEN_LENGTH}}}")


class Invitation(models.Model):
    """One token of one survey: whether it has been spent, and neither when nor by which response.

    Rows stand in the order of their hashes, which nobody can derive from the tokens without the server's key; every
    fold and every batch writes them anew in that order, so that PostgreSQL's storage reveals neither when a bit was set
    nor which were made together.
    """

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.BinaryField(max_length=HASH_BYTES, primary_key=True)
    spent = models.BooleanField(default=False)

    def __str__(self) -> str:
        return "spent" if self.spent else "unused"


def token_hashes(survey_id: int, token: str) -> list[bytes]:
    """Return what a token may be stored as, one hash for each key in use; a malformed token has none.

    A token may be typed in small letters. While keys are rotated, links that were printed under the earlier key work.
    """
    # Small letters of other scripts become capital letters of ours.
    if not token.isascii() or not _TOKEN.fullmatch(written := token.upper()):
        return []
    return keyed_hashes("invitation", f"{survey_id}:{written}")
