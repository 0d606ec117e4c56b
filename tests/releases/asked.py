"""Questions as they are asked, and the terms of releasing them, without a database."""

from fractions import Fraction
from typing import Any

from surveys.privacy.loss import PrivacyLoss
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.question import Question
from surveys.releases.families.joint import JointPlan
from surveys.releases.families.plan import Plan
from surveys.releases.families.questions import smallest_difference
from surveys.releases.mechanisms import PLANS
from tests.factories import PROTECTED, every_kind, number_bands, scale

ALONE = [name for name, offer in PLANS.items() if not issubclass(offer, JointPlan)]
"""The mechanisms whose parts are of one question each."""

MILLIONTH = Fraction(1, 1_000_000)


def asked_as(*drafts: Question) -> tuple[AskedQuestion, ...]:
    return Definition.of(Questionnaire(title="Exams", questions=drafts)).questions


def all_drafts() -> list[Question]:
    """Every kind, every design, every way of leaving out; and scales and bands with a protected one."""
    return [*every_kind(), scale("A scale, or not saying?", **PROTECTED), number_bands("Bands, or not?", **PROTECTED)]


def options_for(asked: AskedQuestion, mechanism: str) -> dict[str, Any]:
    """Return what this mechanism can be told of the question, as forms and commands send it."""
    wanted = {option.name for option in PLANS[mechanism].fields}
    options = {"answer": "1", "share": "1/2", "how_many": "2"}
    bound = {"bound": str(smallest_difference(asked))} if "bound" in wanted else {}
    return {name: value for name, value in (options | bound).items() if name in wanted}


def terms_of(
    draft: Question,
    mechanism: str,
    *,
    epsilon: Fraction = Fraction(1),
    n: int = 1000,
    delta: Fraction = MILLIONTH,
    chosen_from: int = 1,
    **options: Any,
) -> Plan:
    [asked] = asked_as(draft)
    offer = PLANS[mechanism]
    read = offer.read_options((asked,), options_for(asked, mechanism) | options)
    loss = PrivacyLoss(epsilon, delta if offer.uses_delta else Fraction(0))
    return offer((asked,), read, loss, n, chosen_from=chosen_from)
