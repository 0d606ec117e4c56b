"""What the linter says of questions that are sent as they are."""

from itertools import product

import pytest

from surveys.drafts.services.groups import add_group
from surveys.linting.findings import LintFinding
from surveys.linting.rules.plain import _shared_by_fewer
from surveys.linting.selectors import findings_of
from surveys.models import Survey
from tests.factories import make_draft, plain, several_of, yes_no

pytestmark = pytest.mark.django_db


def _found(survey: Survey) -> dict[str, LintFinding]:
    return {finding.rule: finding for finding in findings_of(survey)}


@pytest.mark.parametrize(("n", "combinations", "than"), [(4, 3, 2), (5, 2, 3), (6, 2, 4), (3, 1, 2), (4, 3, 9)])
def test_how_many_share_a_combination_is_that_of_everybody_listed(n: int, combinations: int, than: int) -> None:
    everybody = list(product(range(combinations), repeat=n))
    alone = sum(person.count(person[0]) < than for person in everybody) / len(everybody)
    assert _shared_by_fewer(than, n, combinations) == pytest.approx(alone, rel=1e-12)


def test_combinations_with_groups_and_skipping_are_counted_against_the_people_expected() -> None:
    survey = make_draft(
        yes_no(), plain(leave_out="visibly"), plain(("North", "South"), "Where do you live?"), expected_n=40
    )
    add_group(survey=survey, name="7a")
    add_group(survey=survey, name="7b")
    found = _found(survey)["singled_out"]
    assert found.numbers == (2, 3)
    # (3 + 1) · 2 · 2 groups: 40 · (15/16)³⁹ = 3.2 are alone.
    assert "makes 16 combinations, for 40 people" in found.what
    assert "about 3 of 40 would have one that nobody else has" in found.why
    assert "About 40 would share theirs with fewer than 10" in found.why


def test_enough_people_are_told_in_a_hint() -> None:
    found = _found(make_draft(yes_no(), plain(("North", "South"), "Where do you live?"), expected_n=400))["singled_out"]
    assert found.level.slug == "hint"
    assert _found(make_draft(yes_no(), plain(), expected_n=30))["singled_out"].level.slug == "warning"


def test_nothing_is_said_where_all_is_protected() -> None:
    assert not {"singled_out", "sensitive_and_plain"} & _found(make_draft(yes_no("Do you take drugs?"))).keys()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is your religion?", "en"),
        ("Did somebody harass you this year?", "en"),
        ("Hast du in diesem Jahr Drogen genommen?", "de"),
        ("¿Qué religión tienes?", "es"),
    ],
)
def test_a_sensitive_one_is_a_problem_in_each_language(text: str, language: str) -> None:
    found = _found(make_draft(yes_no(), plain(text=text), language=language))["sensitive_and_plain"]
    assert (found.numbers, found.level.slug) == ((2,), "problem")
    assert found.evidence.lower() in text.lower()


def test_its_options_are_read_too() -> None:
    survey = make_draft(yes_no(), plain(("Yes, drugs", "No", "Neither"), "Which of these this year?"))
    assert "sensitive_and_plain" in _found(survey)


def test_it_is_never_called_a_proof_and_has_no_part_in_the_total() -> None:
    found = _found(make_draft(yes_no(), several_of(), plain()))
    assert "infinite_epsilon" not in found
    assert "∞" not in " ".join(finding.what for finding in found.values())
