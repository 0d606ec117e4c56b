"""What pages read of invitations, of those who answered, of a published result, and of this site's scripts."""

import base64
import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import connection
from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone

from surveys.common.selectors import definition_of
from surveys.common.totals import response_count, standing_of
from surveys.models import Invitation, Lesson, Survey
from surveys.models.invitation import token_hashes
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition

InvitationState = Literal["unused", "spent", "unknown"]


@dataclass(frozen=True, slots=True)
class InvitationCounts:
    """How many invitations there are, and how many of them were used at least.

    While answers come in, `used` is rounded down to full batches of the survey's minimum n, so that nobody who watches
    it sees a single invitation being used. Afterwards it is exact.
    """

    made: int
    used: int
    batch: int
    exact: bool


def invitation_state(survey: Survey, token: str) -> InvitationState:
    """Return whether this token can still be used; what no card of ours says is unknown without looking."""
    hashes = token_hashes(survey.pk, token)
    if not hashes:
        return "unknown"
    states = Invitation.objects.filter(survey_id=survey.pk, token_hash__in=hashes).values_list("spent", flat=True)
    spent = states.first()
    if spent is None:
        return "unknown"
    return "spent" if spent else "unused"


def lesson_given(survey: Survey) -> bool:
    return Lesson.objects.filter(survey_id=survey.pk, at__isnull=False).exists()


def invitation_counts(survey: Survey) -> InvitationCounts:
    # While they are being destroyed, those that are left say nothing.
    there = Invitation.objects.none() if standing_of(survey).sealing else Invitation.objects.filter(survey_id=survey.pk)
    counted = there.aggregate(made=Count("pk"), used=Count("pk", filter=Q(spent=True)))
    used, exact = counted["used"], not survey.may_collect_more
    if not exact and definition_of(survey).credit_key:
        # Beside the number of responses, one that is used by declining would be seen at a step.
        used = response_count(survey)
    return InvitationCounts(made=counted["made"], used=survey.as_others_see(used), batch=survey.minimum_n, exact=exact)


def is_full(survey: Survey) -> bool:
    return survey.response_cap is not None and response_count(survey) >= survey.response_cap


def asks_everybody(survey: Survey) -> bool:
    """Whether everybody who has the survey's code is shown its questions now."""
    asks = not survey.why_not_collecting(timezone.now()) and not is_full(survey)
    return asks and not definition_of(survey).by_invitation


def coin_questions(definition: Definition) -> list[AskedQuestion]:
    """Return the yes‑or‑no questions whose reports are called as the answers and prove nothing."""
    return [
        asked
        for asked in definition.questions
        if asked.answers.yes_or_no
        and not asked.answers.one_true
        and not asked.tapped
        and asked.design.m == 2
        and asked.epsilon < math.inf
    ]


@dataclass(frozen=True, slots=True)
class Answered:
    """How many answered, as somebody who did may see it: full batches of the minimum n until the survey is closed."""

    n: int
    exact: bool

    @property
    def columns(self) -> int:
        """How many dots stand in a row; none where there are too many to be seen."""
        return next((columns for columns in (20, 25, 30, 40, 60, 100) if self.n <= columns**2), 0)

    @property
    def width(self) -> int:
        return 10 * self.columns

    @property
    def height(self) -> int:
        return 10 * -(-self.n // self.columns)

    @property
    def path(self) -> str:
        rows, rest = divmod(self.n, self.columns)
        return f"M0 0H{self.width}V{10 * rows}H0ZM0 {10 * rows}H{10 * rest}V{self.height}H0Z"


def answered_of(survey: Survey) -> Answered:
    """Return how many answered, as far as that singles nobody out who answers now."""
    return Answered(survey.as_others_see(response_count(survey)), exact=not survey.may_collect_more)


# One statement, as everybody who answers asks both; Django takes longer to compose them than a database to run them.
_WAYS_ON = """
    SELECT EXISTS (SELECT 1 FROM surveys_lesson l WHERE l.survey_id = %(survey)s AND l.at IS NOT NULL),
    (SELECT r.id FROM surveys_release r JOIN surveys_ledgerentry e ON e.release_id = r.id
     WHERE r.survey_id = %(survey)s AND r.published ORDER BY r.created_at DESC LIMIT 1)
"""


def ways_on(survey: Survey) -> tuple[bool, str]:
    """Return whether a lesson with this survey is being given, and the address of its newest published result or ""."""
    with connection.cursor() as cursor:
        cursor.execute(_WAYS_ON, {"survey": survey.pk})
        is_given, newest = cursor.fetchone()
    return bool(is_given), reverse("release", args=[newest]) if newest else ""


# The scripts that this site serves, byte for byte, and their hashes: what "Check us" prints.


_OURS = "js/"


@dataclass(frozen=True, slots=True)
class Script:
    """One script as browsers receive it: in production its name and its imports carry hashes of their own."""

    name: str  # below static/ in the source
    path: str  # below the static root, as served
    address: str
    content: bytes

    @property
    def size(self) -> int:
        return len(self.content)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def integrity(self) -> str:
        """The same hash as browsers write it (Subresource Integrity)."""
        return "sha256-" + base64.b64encode(hashlib.sha256(self.content).digest()).decode()


def served_scripts() -> list[Script]:
    """Return every script of ours that pages can load, read anew: an altered file must show at once."""
    # The hashed storage knows what collectstatic stored; without it there is only the source.
    stored = getattr(staticfiles_storage, "hashed_files", None) or _in_the_source()
    return [_script(name) for name in sorted(set(stored)) if name.startswith(_OURS) and name.endswith(".js")]


def _in_the_source() -> list[str]:
    return [name for finder in finders.get_finders() for name, _storage in finder.list(None)]


def _script(name: str) -> Script:
    address = staticfiles_storage.url(name)
    path = address.removeprefix(str(settings.STATIC_URL))
    return Script(name, path, address, _served(path))


def _served(path: str) -> bytes:
    """Read where whitenoise reads: the source first where it uses finders, else the static root."""
    uses_finders = getattr(settings, "WHITENOISE_USE_FINDERS", settings.DEBUG)
    source = finders.find(path) if uses_finders else None
    if source:
        return Path(source).read_bytes()
    with staticfiles_storage.open(path) as file:
        content: bytes = file.read()
    return content
