"""A mechanism that is made up here, and nowhere else, is offered, drawn, published and gone again.

All that the product needs besides is one more stored value, which a migration brings; a fixture stands for that.
"""

import csv
import io
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import pytest
from django import forms
from django.db import connection
from django.db.models import TextChoices
from django.template import Context, Template
from django.test import Client
from django.utils.functional import Promise
from django.utils.text import format_lazy

from surveys.charts import Table
from surveys.management.commands.release import Command
from surveys.models import Release, Survey
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.releases.families.finding import Finding, facts_table
from surveys.releases.families.noise import Source, laplace
from surveys.releases.families.options import Option, read_whole_number
from surveys.releases.families.plan import RELATION, Plan
from surveys.releases.families.questions import several_answers
from surveys.releases.ledger.files import ledger_csv
from surveys.releases.ledger.selectors import ledger_of
from surveys.releases.mechanisms import PLANS, register, unregister
from surveys.releases.refusals import Why
from surveys.releases.selectors.doors import index_key
from surveys.releases.words.release import accuracy_says
from tests.factories import several_of, yes_no
from tests.releases.refused import refusing
from tests.releases.setting import first, make_release, ready_survey
from tests.releases.steps import LIST, STEP_2, confirm, drawn, look, signed_in, text_of


class MadeUp(TextChoices):
    """One line of the enum."""

    GAP = "made_up_gap", "Gap of two answers (made up)"


def text(words: str) -> Promise:
    """Return words that no catalog has."""
    return format_lazy("{}", words)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyGap(CentralMechanism[int]):
    """By how many reports the second answer leads, with discrete Laplace noise, rounded to steps."""

    epsilon: Fraction
    relation: NeighbouringRelation
    step: int

    @property
    def noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.epsilon, 2)

    @property
    def loss(self) -> PrivacyLoss:
        return PrivacyLoss(self.epsilon)

    @property
    def sensitivity(self) -> Sensitivity:
        return Sensitivity(Fraction(2), Norm.ABSOLUTE, self.relation)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> int:
        [noisy] = self.noise.add_noise([counts[1] - counts[0]], randbelow)
        return self.step * round(Fraction(noisy, self.step))

    def probability(self, output: int, counts: Sequence[int]) -> float:
        raise NotImplementedError

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        return ErrorBound(self.noise.error_bound(confidence_level) + self.step / 2, confidence_level)


@dataclass(frozen=True, slots=True)
class Gap(Finding):
    """A gap that was drawn."""

    people: int

    family = "gap"
    is_uninformative = False
    note = "It is made up."

    @property
    def template(self) -> Template:
        return Template("The gap is <strong>{{ finding.people }}</strong> people.")

    def numbers(self) -> dict[str, Any]:
        return {"people": self.people}

    def tables(self) -> list[Table]:
        return [facts_table([("Gap as drawn", str(self.people))])]


class GapPlan(Plan):
    """The gap between two answers."""

    name = MadeUp.GAP
    fields = (
        Option(
            name="step",
            place=5,
            needs=text("in which steps"),
            help="whole people",
            field=lambda _questions: forms.IntegerField(label="Steps of the gap", required=False),
            read=lambda _questions, value: read_whole_number("step", value, 1, 100),
            words=lambda _plan, value: f"the gap in steps of {value}",
        ),
    )
    unit = "people"
    unsuitable_if = (several_answers,)
    accuracy_sentence = text("With %(level)s certainty the gap is off by at most %(amount)s people.")
    sensitivity_sentence = text("%(value)s: one changed report moves the gap by that much")
    sentence = text("Publishes by how many people the second answer leads.")
    explanation = text("It subtracts one count from the other and adds a random whole number.")
    references = (("Nobody (2026)", "A mechanism that was made up."),)
    stored_names: ClassVar = {"gap": text("Noisy gap")}

    @cached_property
    def mechanism(self) -> NoisyGap:
        return NoisyGap(epsilon=self.loss.epsilon, relation=RELATION, step=self.options["step"])

    def noise(self) -> list[Source]:
        return [laplace("gap", self.mechanism.noise)]

    def stored(self, output: int) -> dict[str, Any]:
        return {"gap": output}

    def restored(self, stored: Mapping[str, Any]) -> int:
        return int(stored["gap"])

    def read(self, output: Mapping[str, Any]) -> Gap:
        return Gap(self.restored(output))

    @property
    def largest_error(self) -> Fraction:
        return Fraction(2 * self.n)


MADE_UP = GapPlan


@pytest.fixture
def stored_value(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the database take the value, and the model know its label: what a migration of the enum does."""
    field = Release._meta.get_field("mechanism")
    monkeypatch.setattr(field, "choices", [*(field.choices or ()), *MadeUp.choices])
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA ignore_check_constraints = ON")
        else:
            cursor.execute("ALTER TABLE surveys_release DROP CONSTRAINT release_mechanism_known")
    yield
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA ignore_check_constraints = OFF")


@pytest.fixture
def registered(stored_value: None) -> Iterator[None]:
    register(MADE_UP)
    yield
    PLANS.pop(MADE_UP.name, None)


def _step_2(client: Client, survey: Survey) -> str:
    return text_of(client.get(STEP_2, {"survey": survey.pk, "questions": [first(survey)]}))


@pytest.mark.usefixtures("registered")
def test_it_is_offered_confirmed_drawn_published_exported_and_in_the_ledger(staff: Client) -> None:
    survey = ready_survey({"0": 600, "1": 400}, yes_no())
    make_release(survey, epsilon=Fraction(1, 10))
    page = _step_2(staff, survey)
    for words in (MadeUp.GAP.label, str(MADE_UP.sentence), "in which steps", "Steps of the gap"):
        assert words in page

    asked = {"mechanism": MadeUp.GAP, "epsilon": "0.5"}
    for step in ({}, {"step": "101"}):
        assert list(look(staff, survey, **asked, **step).context["form"].errors) == ["step"]
    shown = look(staff, survey, **asked, step="10")
    assert accuracy_says(shown.context["cost"].parts[0].plan, 0.95) in text_of(shown)
    page = confirm(staff, signed_in(shown), "0.5", follow=True)
    release = Release.objects.get(mechanism=MadeUp.GAP)
    gap = release.parts.get().output["gap"]
    assert gap % 10 == 0
    assert (drawn(page), f"Noisy gap {gap}" in text_of(page)) == (True, True)
    assert MadeUp.GAP.label in text_of(staff.get(LIST))

    staff.post(f"{LIST}{release.pk}/publication/", {"published": "yes"})
    page = text_of(staff.get(f"/r/{release.pk}/"))
    for words in (
        f"The gap is {gap} people.",
        f"Gap as drawn {gap}",
        "It is made up.",
        str(MADE_UP.explanation),
        "2: one changed report moves the gap by that much",
        "the gap in steps of 10",
        "Nobody (2026). A mechanism that was made up.",
        MadeUp.GAP.label,
        MadeUp.GAP.value,
    ):
        assert words in page
    assert MadeUp.GAP.label in text_of(staff.get(f"/r/of/{index_key(survey)}/"))

    document = json.loads(staff.get(f"/r/{release.pk}.json").content)
    assert document["mechanism"] == "made_up_gap"
    [part] = document["parts"]
    assert part["options"] == {"step": 10}
    assert part["noise"] == [{"on": "gap", "family": "discrete_laplace", "scale": "4", "grid": "1"}]
    assert part["output"] == {"gap": gap}
    assert part["found"] == {"family": "gap", "says_nothing": False, "confidence_level": 0.95, "people": gap}

    lines = csv.DictReader(io.StringIO(ledger_csv(ledger_of(survey)).decode("utf-8-sig"), newline=""))
    assert [(line["mechanism"], line["epsilon"]) for line in lines if line["kind"] == "charge"] == [
        ("laplace_histogram", "0.1"),
        ("made_up_gap", "0.5"),
    ]
    ledger = text_of(staff.get(f"/admin/surveys/ledgerentry/{release.entry.pk}/change/"))
    assert release.pk in ledger
    survey.budget.refresh_from_db()
    assert survey.budget.spent_epsilon == Fraction(6, 10)


@pytest.mark.usefixtures("registered")
def test_it_says_why_it_does_not_suit_and_what_an_earlier_draw_answers(staff: Client) -> None:
    assert f"{MadeUp.GAP.label} “" in _step_2(staff, ready_survey({"000": 60, "111": 40}, several_of()))
    survey = ready_survey({"0": 600, "1": 400}, yes_no())
    make_release(survey, mechanism=MadeUp.GAP, options={"step": 1}, epsilon=Fraction(1, 2))
    pages = [look(staff, survey, mechanism=MadeUp.GAP, step=step, epsilon="0.25") for step in "12"]
    advices = [{each.code for each in page.context["cost"].advice} for page in pages]
    assert ["answered" in codes for codes in advices] == [True, False]


@pytest.mark.usefixtures("registered")
def test_the_command_knows_it_too() -> None:
    written = " ".join(Command().create_parser("manage.py", "release").format_help().split())
    assert f"{MADE_UP.fields[0].help}, for made_up_gap" in written


@pytest.mark.usefixtures("stored_value")
def test_it_is_gone_when_it_is_unregistered(staff: Client) -> None:
    survey = ready_survey({"0": 600, "1": 400}, yes_no())
    before = _step_2(staff, survey)
    register(MADE_UP)
    assert _step_2(staff, survey) != before
    unregister(MADE_UP)
    assert "made up" not in before
    assert _step_2(staff, survey) == before
    assert list(look(staff, survey, mechanism=MadeUp.GAP, step="1").context["form"].errors) == ["mechanism"]
    assert "made_up_gap" not in Command().create_parser("manage.py", "release").format_help()
    with refusing(Why.UNKNOWN_MECHANISM):
        make_release(survey, mechanism=MadeUp.GAP, options={"step": 1})


def test_two_mechanisms_cannot_have_one_name() -> None:
    taken = next(iter(PLANS.values()))
    with pytest.raises(ValueError, match="name"):
        register(taken)


def test_its_sentence_is_a_template_of_its_own() -> None:
    assert "<strong>3</strong>" in Gap(3).template.render(Context({"finding": Gap(3)}))
