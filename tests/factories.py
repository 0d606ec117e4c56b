"""Surveys, people and responses for tests, made through the real services."""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from surveys.answering.services import collecting
from surveys.common.selectors import definition_of
from surveys.course.services import open_survey
from surveys.drafts.services.surveys import create_survey
from surveys.models import Budget, Group, Response, SpentNonces, Survey
from surveys.questionnaire.question import Question
from surveys.releases.ledger.services import set_budget
from surveys.responses.services import folding
from surveys.responses.told import keep_partition

PASSWORD = "correct horse battery staple"
_STORE = "INSERT INTO surveys_response (survey_id, group_id, mode, reports, nonce_hash) VALUES (%s, %s, %s, %s, %s)"
# Names without digits: tests look for numbers that pages must not show.
_names = ("".join(letters) for length in itertools.count(3) for letters in itertools.product("bcdfghjk", repeat=length))


def make_user(username: str = "", **fields: Any) -> User:
    return User.objects.create_user(username or f"person_{next(_names)}", password=PASSWORD, **fields)


def make_admin(username: str = "") -> User:
    return User.objects.create_superuser(username or f"admin_{next(_names)}", password=PASSWORD)


def yes_no(text: str = "Have you ever cheated in an exam?", **changes: Any) -> Question:
    fields: dict[str, Any] = {
        "kind": "yes_no",
        "text": text,
        "options": [],
        "design": "forced_response",
        "parameters": {"truth": [1, 2], "yes": [1, 2]},
        "leave_out": "visibly",
    }
    return Question(**(fields | changes))


def one_of(options: Sequence[str] = ("Never", "Once", "Often"), text: str = "How often?", **changes: Any) -> Question:
    fields: dict[str, Any] = {
        "kind": "one_of",
        "text": text,
        "options": list(options),
        "design": "k_ary",
        "parameters": {"truth": [1, 2]},
        "leave_out": "no",
    }
    return Question(**(fields | changes))


def one_by_option(text: str = "Which is the worst that you did?", **changes: Any) -> Question:
    return one_of(
        text=text, **({"design": "forced_response", "parameters": {"truth": [1, 2], "yes": [1, 3]}} | changes)
    )


def by_option(draft: Question) -> bool:
    """Whether each of its options is reported by itself."""
    return draft.kind == "several_of" or (draft.kind == "one_of" and draft.design in {"forced_response", "warner"})


def several_of(
    options: Sequence[str] = ("Coffee", "Tablets", "Something illegal"),
    text: str = "Which did you use?",
    **changes: Any,
) -> Question:
    return yes_no(text, **({"kind": "several_of", "options": list(options)} | changes))


def scale(text: str = "How often were you afraid?", points: int = 5, **changes: Any) -> Question:
    details = {"points": points, "low_end": "Never", "high_end": "Always"}
    return one_of((), text, **({"kind": "scale", "details": details} | changes))


def number_mean(text: str = "How many hours did you work unpaid?", **changes: Any) -> Question:
    details = {"low": [0, 1], "high": [12, 1], "step": [1, 2], "unit": "hours"}
    return yes_no(text, **({"kind": "number_mean", "details": details} | changes))


def number_window(text: str = "How many hours did you sleep last night?", **changes: Any) -> Question:
    parameters = {"truth": [1, 2], "grid": 9, "window": 4}
    return number_mean(text, **({"design": "number_window", "parameters": parameters} | changes))


def scrambled_number(text: str = "How many hours did you look at your phone yesterday?", **changes: Any) -> Question:
    parameters = {"truth": [1, 2], "grid": 5, "factors": 2}
    return number_mean(text, **({"design": "scrambled_number", "parameters": parameters} | changes))


def number_bands(text: str = "How much did you not declare?", **changes: Any) -> Question:
    details = {"edges": [[0, 1], [100, 1], [1000, 1], [10000, 1]], "unit": "€"}
    return one_of((), text, **({"kind": "number_bands", "details": details} | changes))


def _born(who: str = "mother") -> dict[str, str]:
    return {
        "innocuous": f"Was your {who} born in January, February or March?",
        "innocuous_source": "Births by month, national statistics: 1 of 4.",
    }


def crosswise(text: str = "Have you ever shoplifted?", **changes: Any) -> Question:
    return yes_no(text, **({"design": "crosswise", "parameters": {"p": [1, 4]}, "details": _born()} | changes))


def triangular(text: str = "Have you ever dodged a fare?", **changes: Any) -> Question:
    return crosswise(text, **({"design": "triangular", "accepts_infinite": True, "details": _born("father")} | changes))


def unrelated(text: str = "Have you ever taken drugs?", **changes: Any) -> Question:
    details = _born("oldest friend") | {
        "selector": "Is the last digit of your oldest cousin’s phone number 3 to 9?",
        "selector_source": "Last digits are spread evenly: 7 of 10.",
    }
    parameters = {"p": [7, 10], "q": [1, 4]}
    return yes_no(text, **({"design": "unrelated_question", "parameters": parameters, "details": details} | changes))


def unrelated_number(text: str = "On how many of the last 9 days did you drink alcohol?", **changes: Any) -> Question:
    details = {"low": [0, 1], "high": [9, 1], "step": [1, 1], "unit": "days"} | {
        "innocuous": "What is the last digit of your grandmother’s phone number?",
        "innocuous_source": "Last digits are spread evenly: 1 of 10 each.",
        "selector": "Was your best friend born in January to June?",
        "selector_source": "Births by month, national statistics: about 1 of 2.",
    }
    parameters = {"p": [1, 2], "grid": 10}
    return number_mean(text, **({"design": "unrelated_number", "parameters": parameters, "details": details} | changes))


def warner(text: str = "Have you ever lied to us?", **changes: Any) -> Question:
    return yes_no(text, **({"design": "warner", "parameters": {"p": [3, 4]}} | changes))


def kuk(text: str = "Have you ever sold your notes?", **changes: Any) -> Question:
    return yes_no(text, **({"design": "kuk", "parameters": {"p1": [3, 4], "p2": [1, 3]}} | changes))


def mangat(text: str = "Have you ever not paid your rent?", **changes: Any) -> Question:
    fields = {"design": "mangat", "parameters": {"p": [3, 4]}, "accepts_infinite": True}
    return yes_no(text, **(fields | changes))


def plain(
    options: Sequence[str] = ("First year", "Second year", "Later"),
    text: str = "Which year are you in?",
    **changes: Any,
) -> Question:
    return one_of(options, text, **({"design": "plain", "parameters": {}} | changes))


INNOCUOUS = ("I have a bicycle", "I have been to an opera", "I sleep on a boat")
SENSITIVE = "I have cheated in an exam"


def item_count(
    options: Sequence[str] = INNOCUOUS, text: str = "How many of these are true of you?", **changes: Any
) -> Question:
    return one_of(options, text, **({"kind": "item_count"} | changes))


def two_lists(quantity: int = 1, **changes: Any) -> list[Question]:
    """The list without the sensitive statement for the first arm, and with it for the second."""
    return [
        item_count(arms=[1], quantity=quantity, **changes),
        item_count((*INNOCUOUS, SENSITIVE), arms=[2], quantity=quantity, **changes),
    ]


PROTECTED: dict[str, Any] = {"leave_out": "protected", "design": "k_ary", "parameters": {"truth": [1, 2]}}


def every_kind() -> list[Question]:
    """Every kind and every design, and every way of leaving out that each of them knows."""
    return [*every_protected_kind(), plain()]


def every_protected_kind() -> list[Question]:
    """Those that a survey can ask alone."""
    return [
        yes_no(),
        yes_no("Asked with the spinner?", **PROTECTED),
        warner(leave_out="no"),
        one_of(),
        one_of(text="How often, or not saying?", **PROTECTED),
        one_by_option(leave_out="visibly"),
        several_of(),
        several_of(text="Which, or not saying?", **PROTECTED),
        scale(),
        number_mean(),
        number_mean("How many, or not saying?", **PROTECTED),
        number_bands(leave_out="visibly"),
        crosswise(),
        unrelated(leave_out="no"),
        triangular(),
        kuk(),
        mangat(leave_out="no"),
    ]


def twenty_of_every_kind() -> list[Question]:
    """Return as many questions as the editor takes; a fact in the head serves one of them only."""
    return [*every_kind(), *(question for question in every_kind() if "innocuous" not in question.details)][:20]


def make_draft(*questions: Question, owner: User | None = None, **fields: Any) -> Survey:
    fields = {"title": "Exams"} | fields
    return create_survey(owner=owner or make_user(), questions=questions or (yes_no(),), **fields)


def make_open(*questions: Question, **fields: Any) -> Survey:
    """Open a survey; a closing time that has passed has come since, for none is opened after it."""
    closes_at = fields.pop("closes_at", None)
    draft = make_draft(*questions, **fields)
    survey = open_survey(survey=draft, typed=draft.code)
    if closes_at is not None:
        survey.closes_at = closes_at
        survey.save()
    return survey


def rewrite(survey: Survey, question: int = 1, **changes: Any) -> None:
    """Write into a stored draft what no service would: changes of a question, or of the questionnaire for 0."""
    written = Survey.objects.get(pk=survey.pk).questionnaire
    if question:
        questions = list(written.questions)
        questions[question - 1] = replace(questions[question - 1], **changes)
        changes = {"questions": tuple(questions)}
    Survey.objects.filter(pk=survey.pk).update(document=replace(written, **changes).text)
    survey.refresh_from_db()


def numbers_of(survey: Survey) -> list[int]:
    """Return the numbers of all questions."""
    return list(range(1, survey.question_count + 1))


def send(
    survey: Survey,
    reports: str,
    *,
    nonce: str = "",
    mode: str = "device",
    group: Group | None = None,
    token: str = "",
) -> collecting.Outcome:
    return collecting.collect(
        survey=survey,
        definition=definition_of(survey),
        mode=mode,
        nonce=nonce or collecting.new_nonce(),
        reports=reports,
        group=group,
        token=token,
    )


def fill(survey: Survey, counts: dict[str, int], *, mode: str = "device", group: Group | None = None) -> None:
    """Store many responses at once and fold them all."""
    store(survey, counts, mode=mode, group=group)
    folding.fold(survey=survey, everything=True)


def store(survey: Survey, counts: dict[str, int], *, mode: str = "device", group: Group | None = None) -> None:
    """Store many responses at once, by reports text, without going through one submission each."""
    number = itertools.count(Response.objects.count() + spent_count() + 1)
    rows = [
        (survey.pk, group and group.pk, mode, reports, hash_of(next(number)))
        for reports, count in counts.items()
        for _ in range(count)
    ]
    # As rows: to make objects of them takes as long as all else.
    with connection.cursor() as cursor:
        cursor.executemany(_STORE, rows)


def settle(survey: Survey) -> None:
    """Count what is due of a survey, as housekeeping does."""
    folding.fold(survey=survey, everything=not survey.may_collect_more)
    keep_partition(survey)


def hash_of(number: int) -> bytes:
    """Return what looks like the hash of a nonce, another one for each number."""
    return hashlib.blake2b(number.to_bytes(16, "big"), digest_size=16).digest()


def spent_count(**of: Any) -> int:
    """Return how many nonces are kept of folded responses, of one survey or of all."""
    kept = SpentNonces.objects.filter(**of).values_list("hashes", flat=True)
    return sum(len(hashes) for hashes in kept) // SpentNonces.REST_BYTES


def make_budget(survey: Survey, epsilon: Fraction | int = 1, delta: Fraction = Fraction(0)) -> Budget:
    return set_budget(
        survey=survey, total_epsilon=Fraction(epsilon), total_delta=delta, reason="For the tests.", user=make_admin()
    )
