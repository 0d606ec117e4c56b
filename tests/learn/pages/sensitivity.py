"""How much one person can change a number."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

from surveys.learn.pages.sensitivity import SensitivityQuiz
from tests.learn.case import Case, Fault, Numbers, Page

WHATS, RELATIONS, GUESSES = (
    [value for value, _ in SensitivityQuiz.controls[name].choices] for name in ("what", "relation", "guess")
)


def two_neighbours_attain_what_is_said(numbers_of: Callable[..., Numbers]) -> None:
    for what in WHATS:
        for relation in RELATIONS:
            numbers = numbers_of(what=what, relation=relation)
            assert numbers["apart"] == numbers["sensitivity"]


def one_guess_is_right(numbers_of: Callable[..., Numbers]) -> None:
    for what in WHATS:
        for relation in RELATIONS:
            assert sum(numbers_of(what=what, relation=relation, guess=guess)["right"] for guess in GUESSES) == 1


def _neighbours(values: Sequence[int], n: int, relation: str) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for data in combinations_with_replacement(values, n):
        for value in values:
            if relation == "join":
                yield data, (*data, value)
            else:
                yield from ((data, (*data[:place], value, *data[place + 1 :])) for place in range(n))


def no_neighbours_of_few_people_are_further_apart(numbers_of: Callable[..., Numbers]) -> None:
    def mean(data: tuple[int, ...]) -> Fraction:
        return Fraction(sum(data), len(data))

    ages = (0, 40, 120)
    joined = max(abs(mean(a) - mean(b)) for n in (1, 2, 3) for a, b in _neighbours(ages, n, "join"))
    assert joined == numbers_of(what="mean", relation="join")["sensitivity"]
    for n in (1, 2, 3):
        replaced = max(abs(mean(a) - mean(b)) for a, b in _neighbours(ages, n, "replace"))
        assert replaced == Fraction(120, n)
    for relation in RELATIONS:
        moved = max(
            sum(abs(a.count(colour) - b.count(colour)) for colour in range(4))
            for a, b in _neighbours(range(4), 3, relation)
        )
        assert moved == numbers_of(relation=relation)["sensitivity"]


PAGE = Page(
    cases=[
        Case({"what": "postcodes", "relation": "join"}, {"sensitivity": 1}),
        Case({"what": "mean"}, {"sensitivity": 1.2}),
        Case({"what": "ages"}, {"sensitivity": 120}),
    ],
    printed="sensitivity",
    claims={
        two_neighbours_attain_what_is_said: Fault(code={"histogram_sensitivity": lambda _relation, **_of: 1}),
        one_guess_is_right: Fault(wrong={"right": lambda found, asked: float(asked["guess"]) >= found["sensitivity"]}),
        no_neighbours_of_few_people_are_further_apart: Fault(asked={"relation": "replace"}),
    },
)
