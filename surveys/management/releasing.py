"""What the command line says about a release: its terms before it is drawn, and options by their names there."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from surveys.accounts.selectors import person_called
from surveys.models import Survey
from surveys.numbers.words import counted, round_up
from surveys.privacy.rationals import exact, plain_decimal
from surveys.releases.families.finding import CONFIDENCE_LEVEL
from surveys.releases.families.plan import Plan, Terms
from surveys.releases.refusals import ReleaseRefused
from surveys.releases.words.advice import exact_figures_warning
from surveys.releases.words.release import neighbours_share

# Where a refusal names a field of the service, what it is called on the command line.
_OPTIONS = {"questions": "--question", "wanted": "--accuracy"}


def option_named(field: str) -> str:
    return _OPTIONS.get(field, f"--{field.replace('_', '-')}")


def refusal_words(refused: ReleaseRefused) -> CommandError:
    """Return a refusal's words, naming the option that they are about."""
    return CommandError(f"{option_named(refused.field)}: {refused}" if refused.field else str(refused))


def require_questions(survey: Survey, numbers: Sequence[int]) -> None:
    """Refuse a number that no question has, as people count them."""
    for number in numbers:
        if not 1 <= number <= survey.question_count:
            raise CommandError(f"--question: there is no question {number}, only 1 to {survey.question_count}.")


def user_named(username: str, *, publish: bool) -> User:
    """Return who releases, for the ledger: somebody who may do the same in the admin."""
    user = person_called(username)
    if user is None:
        raise CommandError(f"--user: there is nobody called {username}.")
    wanted = ["surveys.add_release", *(["surveys.change_release"] if publish else [])]
    if not (user.is_active and user.is_staff and user.has_perms(wanted)):
        raise CommandError(f"--user: {username} may not do this in the admin either.")
    return user


def amount(text: str, field: str) -> Fraction:
    try:
        return exact(text, option_named(field))
    except ValueError as error:
        raise CommandError(f"{error}.") from None


def terms_in_words(terms: Terms, survey: Survey) -> str:
    """Return what a release costs and how far off it may be, part by part."""
    lines = [f"{terms.definition.title} ({terms.definition.code}): {terms.mechanism.name.label}"]
    for plan in terms.plans:
        cost = _cost(plan.loss.epsilon, plan.loss.delta)
        lines += [
            f"Question {plan.question.number}: {counted(plan.n, 'answer')}, {cost}.",
            f"  {plan.accuracy_says(CONFIDENCE_LEVEL)}",
            *([f"  {expected}"] if (expected := plan.expectation_says()) else []),
            f"  One report by itself tells of its truth at most {_bound(plan.local_epsilon)}, "
            f"by this release {_bound(plan.truth_epsilon)}.",
        ]
    lines.append(f"In all: {_cost(terms.epsilon, terms.delta)}.")
    if terms.groups_apart:
        lines.append(neighbours_share())
    if exact := exact_figures_warning(survey):
        lines.append(exact)
    return "\n".join(lines)


def terms_as_data(terms: Terms, survey: Survey) -> dict[str, Any]:
    return {
        "mechanism": str(terms.mechanism.name),
        "epsilon": str(terms.epsilon),
        "delta": str(terms.delta),
        "exact_figures": survey.exact_figures,
        "parts": [_part(plan) for plan in terms.plans],
    }


def _part(plan: Plan) -> dict[str, Any]:
    accuracy = plan.accuracy(CONFIDENCE_LEVEL)
    return {
        "question": plan.question.number,
        "n": plan.n,
        "epsilon": str(plan.loss.epsilon),
        "delta": str(plan.loss.delta),
        "confidence_level": accuracy.confidence_level,
        "at_most": round_up(accuracy.at_most, 6) if accuracy.at_most < math.inf else None,
        "unit": accuracy.unit,
        "local_epsilon": plan.local_epsilon if plan.local_epsilon < math.inf else None,
        "truth_epsilon": plan.truth_epsilon,
        "expected_half_widths": [
            round_up(half, 6) if half < math.inf else None for half in plan.expected_half_widths(CONFIDENCE_LEVEL)
        ],
    }


def _bound(epsilon: float) -> str:
    return "ε = ∞" if epsilon == math.inf else f"ε = {round_up(epsilon, 6)}"


def _cost(epsilon: Fraction, delta: Fraction) -> str:
    return f"ε = {plain_decimal(epsilon)}" + (f", δ = {plain_decimal(delta)}" if delta else "")
