"""Surveys of every kind and design, for hypothesis: whatever it makes of them the editor could have stored."""

import datetime as dt
from fractions import Fraction
from itertools import accumulate
from typing import Any

from hypothesis import strategies as st

from surveys.privacy.designs import epsilon_of_one
from surveys.privacy.designs import named as design_of
from surveys.questionnaire import kinds
from surveys.questionnaire.document import TEXTS
from surveys.questionnaire.kinds import LeaveOut, named, pair_of, suitable_designs
from surveys.questionnaire.question import LARGEST_EPSILON, Question

Fields = dict[str, Any]
ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia", "Africa/Monrovia")

# What turns the direction of the text is refused, and so is what nobody sees.
_TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
letters = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters=_TURNS)
long_texts = st.text(letters | st.sampled_from("\n\r\t"), max_size=60)


def texts(longest: int = 40) -> st.SearchStrategy[str]:
    """Texts that are not blank, of any script."""
    return st.text(letters, min_size=1, max_size=longest).filter(str.strip)


@st.composite
def probabilities(draw: st.DrawFn, largest: Fraction = Fraction(11, 12)) -> list[int]:
    denominator = draw(st.integers(2, 12))
    numerator = draw(st.integers(1, denominator - 1).filter(lambda number: Fraction(number, denominator) <= largest))
    # As it was written: 2/4 stays 2/4.
    return [numerator, denominator]


unlike_a_half = probabilities().filter(lambda pair: Fraction(*pair) != Fraction(1, 2))
_PROVING = {"triangular", "mangat"}
numbers = st.builds(Fraction, st.integers(-10_000, 10_000), st.sampled_from((1, 2, 10, 1_000)))


@st.composite
def parameters(draw: st.DrawFn, design: str, answers: int) -> Fields:
    match design:
        case "forced_response":
            return {"truth": draw(probabilities()), "yes": draw(probabilities())}
        case "warner" | "crosswise" | "triangular" | "mangat":
            return {"p": draw(probabilities() if design in _PROVING else unlike_a_half)}
        case "number_window" | "scrambled_number":
            is_window = design == "number_window"
            grid, name, most = (12, "window", 12) if is_window else (7, "factors", 4)
            return {
                "truth": draw(probabilities()),
                "grid": draw(st.integers(2, grid)),
                name: draw(st.integers(2, most)),
            }
        case "unrelated_question" | "unrelated_number":
            other = {"grid": answers} if design == "unrelated_number" else {"q": draw(probabilities())}
            return {"p": draw(probabilities())} | other
        case "kuk":
            decks = st.tuples(probabilities(), probabilities())
            p1, p2 = draw(decks.filter(lambda pair: Fraction(*pair[0]) != Fraction(*pair[1])))
            return {"p1": p1, "p2": p2}
    shares = draw(st.none() | st.lists(st.integers(1, 5), min_size=answers, max_size=answers))
    uneven = {"weights": [pair_of(Fraction(share, sum(shares))) for share in shares]} if shares else {}
    return {"truth": draw(probabilities(Fraction(3, 4) if shares else Fraction(11, 12)))} | uneven


@st.composite
def details(draw: st.DrawFn, kind: str, design: str, number: int) -> Fields:
    made: Fields = {}
    if kind == "scale":
        most = 8 if design == "plain" else 11
        made = {"points": draw(st.integers(2, most)), "low_end": draw(texts(20)), "high_end": draw(texts(20))}
    if kind == "number_mean":
        # A factor keeps the ratios of numbers, so these begin with 0.
        least = st.just(Fraction(0)) if design == "scrambled_number" else numbers
        # In the head one of all numbers is told.
        most = 35 if design == "unrelated_number" else 99
        low, step, steps = draw(least), draw(st.sampled_from((Fraction(1), Fraction(1, 4)))), draw(st.integers(1, most))
        made = {"low": pair_of(low), "high": pair_of(low + steps * step), "step": pair_of(step)}
    if kind == "number_bands":
        widths = draw(st.lists(st.integers(1, 50), min_size=2, max_size=6))
        made = {"edges": [pair_of(edge) for edge in accumulate(widths, initial=draw(numbers))]}
    if kind in {"number_mean", "number_bands"}:
        made["unit"] = draw(st.text(letters, max_size=20))
    unrelated = {"unrelated_question", "unrelated_number"}
    facts = ("innocuous", "selector") if design in unrelated else ("innocuous",)
    if design in {"crosswise", "triangular"} | unrelated:
        for fact in facts:
            # A fact serves one question only.
            made |= {fact: f"{draw(texts())} {fact} {number}", f"{fact}_source": draw(texts())}
    return made


def _numbers(made: Fields) -> int:
    low, high, step = (Fraction(*made[name]) for name in ("low", "high", "step"))
    return int((high - low) / step) + 1


@st.composite
def questions(draw: st.DrawFn, number: int) -> Question:
    kind = draw(st.sampled_from([each.name for each in kinds.every()]))
    design = draw(st.sampled_from(sorted(suitable_designs(kind))))
    hidden = design in suitable_designs(kind, LeaveOut.PROTECTED)
    leave_out = draw(st.sampled_from(LeaveOut if hidden else (LeaveOut.NO, LeaveOut.VISIBLY)))
    options = draw(st.lists(texts(), min_size=2, max_size=5)) if named(kind).takes_options else []
    asked = draw(details(kind, design, number))
    answers = {
        "one_of": len(options),
        "item_count": len(options) + 1,
        "scale": asked.get("points", 0),
        "number_bands": len(asked.get("edges", "?")) - 1,
        "number_mean": _numbers(asked) if design == "unrelated_number" else 2,
    }.get(kind, 2) + (leave_out == LeaveOut.PROTECTED)
    # Of options that are reported by themselves all together may not cost too much.
    by_option = kind == "one_of" and design in {"forced_response", "warner"}
    chances = parameters(design, answers).filter(
        lambda stored: not by_option or epsilon_of_one(design_of(design, 2, stored)) <= LARGEST_EPSILON
    )
    return Question(
        kind=kind,
        text=draw(texts(80)),
        # No two are the same, however letters are folded.
        options=[f"{option} {place}" for place, option in enumerate(options)],
        design=design,
        parameters={} if design == "plain" else draw(chances),
        leave_out=leave_out,
        details=asked,
        accepts_infinite=design in _PROVING,
        random_order=bool(options) and draw(st.booleans()),
    )


LATEST = dt.datetime(2900, 1, 1, tzinfo=dt.UTC)


@st.composite
def fields(draw: st.DrawFn) -> Fields:
    times = st.datetimes(dt.datetime(2001, 1, 1), dt.datetime(2900, 1, 1), timezones=st.just(dt.UTC))  # noqa: DTZ001 - hypothesis adds the zone
    opens_at, closes_at = draw(st.none() | times), draw(st.none() | times)
    if opens_at and closes_at and not opens_at < closes_at:
        closes_at = opens_at + dt.timedelta(days=1)
    return {
        **{name: draw(long_texts if text.rows > 1 else texts(text.longest)) for name, text in TEXTS.items()},
        "language": draw(st.sampled_from(("en", "de", "es"))),
        "time_zone": draw(st.sampled_from(ZONES)),
        "opens_at": opens_at,
        "closes_at": closes_at,
        # Two days later it is another day in every time zone.
        "purge_on": draw(st.none() | st.just((closes_at or LATEST).date() + dt.timedelta(days=2))),
        "response_cap": draw(st.none() | st.integers(1, 2**31 - 1)),
        "minimum_n": draw(st.integers(5, 100_000)),
        "by_invitation": draw(st.booleans()),
        "credit": draw(st.booleans()),
        "server_mode_allowed": draw(st.booleans()),
        "expected_n": draw(st.integers(1, 10_000_000)),
        "expected_share": draw(st.integers(1, 99)),
        "random_order": draw(st.booleans()),
        "arms": draw(st.sampled_from([[], [{"name": "One", "weight": 2}, {"name": "Other", "weight": 1}]])),
        # Of texts that are there or not: what is missing is asked when the survey opens.
        "translations": draw(st.sampled_from([{}, {"he": {"B": "ב", "A\nB": "א\nב"}, "de": {"A": "Ä"}}])),
    }


@st.composite
def surveys(draw: st.DrawFn) -> tuple[Fields, list[Question], list[str]]:
    """A survey's columns, its questions and the names of its groups."""
    count = draw(st.integers(0, 4))
    groups = draw(st.lists(texts(20), max_size=2))
    return (
        draw(fields()),
        [draw(questions(number)) for number in range(count)],
        [f"{name} {number}" for number, name in enumerate(groups)],
    )
