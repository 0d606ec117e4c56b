"""What a mechanism is told besides ε and δ is read exactly, or refused by its name."""

from fractions import Fraction

import pytest

from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.mechanisms import PLANS
from surveys.releases.refusals import Why
from tests.factories import PROTECTED, number_bands, one_of, scale, several_of
from tests.releases.asked import asked_as
from tests.releases.refused import refusing

SCALE, ONE_OF, SEVERAL, PROTECTED_ONE, BANDS = asked_as(
    scale(), one_of(), several_of(), one_of(text="Or not saying?", **PROTECTED), number_bands()
)

READ = [
    ("one_count", ONE_OF, "answer", "2", 2),
    ("one_count", ONE_OF, "answer", 0, 0),
    ("one_count", PROTECTED_ONE, "answer", " 3 ", 3),
    ("top", ONE_OF, "how_many", "3", 3),
    ("top", SEVERAL, "how_many", 3, 3),
    ("quantile", SCALE, "share", "0.25", "1/4"),
    ("quantile", SCALE, "share", Fraction(9, 10), "9/10"),
    ("stable_median", SCALE, "bound", "1", "1"),
    ("stable_median", SCALE, "bound", "3.5", "7/2"),
    ("stable_median", BANDS, "bound", 500, "500"),
]
REFUSED = [
    *[("one_count", ONE_OF, "answer", value) for value in (-1, 3, "3", "-1", True, 1.0, "1.0", "one", "９", [1])],
    *[("top", ONE_OF, "how_many", value) for value in (0, 4, "4", True, 2.0, "2/1", "9" * 40)],
    ("top", PROTECTED_ONE, "how_many", 4),
    ("top", SEVERAL, "how_many", 4),
    *[
        ("quantile", SCALE, "share", value)
        for value in (0, 1, "0", "1", "-1/2", "3/2", 0.5, "nan", "inf", "1e-1", "1/0")
    ],
    *[("stable_median", SCALE, "bound", value) for value in (0, "1/2", 4, "4", -1, 1.5, "nan", float("inf"), True)],
    ("stable_median", BANDS, "bound", 499),
]


@pytest.mark.parametrize(("mechanism", "asked", "name", "value", "read"), READ)
def test_it_is_read_exactly_and_is_fit_for_json(
    mechanism: str, asked: AskedQuestion, name: str, value: object, read: object
) -> None:
    assert PLANS[mechanism].read_options((asked,), {name: value}) == {name: read}


@pytest.mark.parametrize(("mechanism", "asked", "name", "value"), REFUSED)
def test_what_it_cannot_be_is_refused_by_name(mechanism: str, asked: AskedQuestion, name: str, value: object) -> None:
    with refusing(Why.INVALID_OPTION, match=r"^Enter .*\d") as refused:
        PLANS[mechanism].read_options((asked,), {name: value})
    assert refused.value.field == name


@pytest.mark.parametrize("empty", [{}, {"share": None}, {"share": ""}])
def test_what_is_needed_must_be_given(empty: dict[str, object]) -> None:
    with refusing(Why.INVALID_OPTION) as refused:
        PLANS["quantile"].read_options((SCALE,), empty)
    assert refused.value.field == "share"


def test_an_option_of_another_mechanism_is_refused_unless_it_is_empty() -> None:
    offer = PLANS["most_common"]
    assert offer.read_options((SCALE,), {"share": "", "bound": None}) == {}
    with refusing(Why.INVALID_OPTION, match="does not use this field") as refused:
        offer.read_options((SCALE,), {"share": "1/2"})
    assert refused.value.field == "share"


def test_a_mechanism_without_options_reads_none() -> None:
    assert PLANS["mean"].read_options((SCALE,), {}) == {}
    with refusing(Why.INVALID_OPTION, match="does not use this field") as refused:
        PLANS["mean"].read_options((SCALE,), {"share": "1/2"})
    assert refused.value.field == "share"
