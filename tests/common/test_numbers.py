"""One place writes numbers: each of its writers prints what the many before it printed, in every language."""

import json
import math
import re
from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import translation

from surveys.admin.ledger import lines
from surveys.common import intervals, numbers
from surveys.common.numbers import Units
from surveys.templatetags import figures
from surveys.templatetags.instructor import dial
from surveys.templatetags.respondent import matrix_words
from surveys.templatetags.results import (
    forged_words,
    group_words,
    mathml,
    mean_words,
    plan_words,
    regression_words,
    relate_words,
    result_words,
)
from surveys.views.results import belief_charts, mean_charts, question_tables

ROOT = Path(__file__).resolve().parent.parent.parent
HOME = "surveys/common/numbers.py"
LANGUAGES = ("en", "de", "es")
RANGES = (
    Units(Fraction(0), Fraction(24), "hours"),
    Units(Fraction(0), Fraction(1), ""),
    Units(Fraction(0), Fraction(100_000), "€"),
    Units(Fraction(-10), Fraction(10), "°C"),
    Units(Fraction(0), Fraction(1, 1000), "g"),
    Units(Fraction(5, 2), Fraction(15, 2), "km"),
)


def _claimed(low: float, high: float) -> Any:  # noqa: ANN401 - stands in for an estimate of any kind
    return SimpleNamespace(
        low=low, high=high, claimed=True, no_width=False, outside=False, estimate=0.5, method="wilson"
    )


def _in_units(write: Callable[..., object]) -> Callable[..., object]:
    return lambda place, *rest: write(RANGES[place], *rest)


def _limits(write: Callable[[Any], object]) -> Callable[..., object]:
    return lambda low, high: write(_claimed(low, high))


# By the name of the writer whose work each does now.
WRITERS: dict[str, Callable[..., object]] = {
    "charts.axis.written": numbers.decimal_grouped,
    "charts.axis.hundredths": numbers.hundredths,
    "figures.percent": numbers.percent,
    "figures.decimal": numbers.decimal,
    "figures.points": numbers.points,
    "figures.nats": numbers.nats,
    "figures.times": numbers.times,
    "figures.level_words": numbers.level_words,
    "figures.outwards.down": lambda value, digits: numbers.outwards(value, digits, math.floor),
    "figures.outwards.up": lambda value, digits: numbers.outwards(value, digits, math.ceil),
    "figures.percent_limits": numbers.percent_limits,
    "figures.without_zero": lambda value: numbers.without_zero(numbers.decimal(value, 1)),
    "linting.nats": lambda epsilon: numbers.nats(epsilon, short=True),
    "linting.whole": numbers.whole,
    "releasing.written": numbers.exactly,
    "present.hundredths": numbers.tenths_of_100,
    "present.whole": numbers.whole,
    "release.number": numbers.four_digits,
    "release.at_most": numbers.at_most,
    "release.rounded_up": lambda factor: numbers.at_most(factor, 2),
    "release.of_hundred": numbers.people_of_100,
    "release.of_hundred_at_least": numbers.people_of_100_at_least,
    "release.of_hundred_at_most": numbers.people_of_100_at_most,
    "release.count": numbers.whole,
    "release.measured": _in_units(Units.write_grouped),
    "release.measured.down": _in_units(lambda units, value: units.write_grouped(value, ROUND_FLOOR)),
    "release.measured.up": _in_units(lambda units, value: units.write_grouped(value, ROUND_CEILING)),
    "release.exactly": numbers.exactly,
    "accuracy.amount": numbers.three_digits,
    "loss.amount": numbers.charge,
    "loss.loss": numbers.loss_words,
    "ledger.change": lambda amount: lines._change(SimpleNamespace(kind="total"), amount),  # type: ignore[arg-type]
    "mean.localized": numbers.localized,
    "mean.Units.write": _in_units(Units.write),
    "mean.Units.limits": _in_units(Units.limits),
    "mean.Units.write_limits": _in_units(Units.write_limits),
    "mean.Units.marks": _in_units(lambda units: [label for _at, label in units.marks]),
    "mean.Units.ends": _in_units(lambda units: units.ends),
    "mathml.written": numbers.in_formula,
    "mathml.listed": lambda: mathml.listed("a", "b"),
    "test_words.p_value": numbers.p_value,
    "test_words.p_words": numbers.p_words,
    "regression.probability": regression_words.probability,
    "regression.p_equals": regression_words.p_equals,
    "regression.signed": regression_words.signed,
    "regression.ratio": regression_words.ratio,
    "regression.low_odds": lambda low: regression_words.low_odds(SimpleNamespace(low=low)),  # type: ignore[arg-type]
    "regression.high_odds": lambda high: regression_words.high_odds(SimpleNamespace(high=high)),  # type: ignore[arg-type]
    "regression.signed_low": regression_words.signed_low,
    "regression.signed_high": regression_words.signed_high,
    "question_tables.p_value": numbers.p_value_or_below,
    "relate.odds": relate_words.odds,
    "relate.odds_limits": _limits(relate_words.odds_limits),
    "relate.correlation_limits": lambda low, high: relate_words.correlation_limits(
        SimpleNamespace(standard_error=0.1, low=low, high=high)  # type: ignore[arg-type]
    ),
    "relate.limits_words": _limits(relate_words.limits_words),
    "relate.share_cell": _limits(relate_words.share_cell),
    "plan.grouped": plan_words.grouped,
    "plan.chance": numbers.chance,
    "plan.of_people": plan_words.of_people,
    "plan.worth": plan_words.worth,
    "plan.without_zeros": lambda value, digits: numbers.without_zeros(numbers.decimal(value, digits)),
    "promise.of_hundred": numbers.of_100,
    "promise.epsilon_at_most": numbers.epsilon_at_most,
    "promise.whole": numbers.whole,
    "promise.upwards": numbers.upwards,
    "chance.range": numbers.span,
    "matrix_words.exact": matrix_words.exact,
    "beliefs.probability": numbers.rough_chance,
    "beliefs.at_most_of_100": numbers.at_most_of_100,
    "beliefs.of_hundred": numbers.roughly_of_100,
    "beliefs.tenths": numbers.tenths_of_100,
    "beliefs.decimal_parameter": numbers.shortest,
    "belief_charts.density": belief_charts._density,
    "bayes.limit": numbers.shortest,
    "dial.in_range": _in_units(figures.in_range),
    "dial.e_to_the": dial.e_to_the,
    "dial.level": dial.level,
    "fields.written": str,
    "fields.written_number": numbers.readable,
    "percents.percent_of": numbers.typed_percent,
    "kinds.readable": numbers.readable,
    "kinds.with_unit": numbers.with_unit,
    "result.of_100": intervals.limits_of_100,
    "result.interval_words": _limits(result_words.interval_words),
    "mean.mean_words": _in_units(lambda units, low, high: mean_words.mean_words(_claimed(low, high), units)),
    "mean.mean_says": _in_units(
        lambda units, low, high: mean_words.mean_says(_claimed(low, high), units, name="X", trusted=True)
    ),
    "mean.quantile_words": _in_units(
        lambda units, low, high: mean_words.quantile_words(
            SimpleNamespace(value=low, low=low, high=high),  # type: ignore[arg-type]
            units,
        )
    ),
    "mean_charts.share_words": _limits(mean_charts._share_words),
    "question_tables.of_share": _limits(lambda share: question_tables._of_share(share, "wilson", "wilson")),
    "question_tables.of_mean": _in_units(
        lambda units, low, high: question_tables._of_mean(_claimed(low, high), units, "wilson")
    ),
    "group.limits": group_words.Scale(None).limits,
    "group.limits.units": _in_units(lambda units, low, high: group_words.Scale(units).limits(low, high)),
    "group.difference_limits": group_words.Scale(None).difference_limits,
    "group.n_words": group_words.n_words,
    "forged.forged_range": lambda low, high: forged_words.forged_range(
        SimpleNamespace(forged_low=low, forged_high=high)  # type: ignore[arg-type]
    ),
}

# What was printed, and null where a number was refused, by former writer and arguments.
PRINTED: dict[str, list[list[Any]]] = json.loads((ROOT / "tests/golden/numbers.json").read_text(encoding="utf-8"))


def _argument(stored: object, writer: str) -> object:
    if not isinstance(stored, str) or writer == "kinds.with_unit":
        return stored
    return Fraction(stored) if "/" in stored else float(stored)


def _printed(write: Callable[..., object], arguments: list[object]) -> object:
    printed = write(*arguments)
    return list(printed) if isinstance(printed, tuple) else printed


def test_every_former_writer_is_compared() -> None:
    assert WRITERS.keys() == PRINTED.keys()


@pytest.mark.parametrize("writer", WRITERS)
def test_what_is_printed_is_what_was_printed(writer: str) -> None:
    different = []
    for stored, *texts in PRINTED[writer]:
        arguments = [_argument(argument, writer) for argument in stored]
        for language, text in zip(LANGUAGES, texts, strict=True):
            with translation.override(language):
                if text is None:
                    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever refuses it
                        WRITERS[writer](*arguments)
                elif (printed := _printed(WRITERS[writer], arguments)) != text:
                    different.append((language, arguments, text, printed))
    assert different == []


# What writes a number as a language does, or reads how it does: Django's functions, filters and formats.
_WRITES = re.compile(
    r"\b(?:number_format|numberformat|get_format|localize_input|floatformat|intcomma|intword|DECIMAL_SEPARATOR"
    r"|THOUSAND_SEPARATOR)\b|\|\s*(?:un)?localize\b|\blocalize\("
)
# The sentences of an interval of shares, whose limits are rounded outwards.
_SAYS_OF_100 = re.compile(r"%\(low\)s (?:and|to|bis) %\(high\)s of 100(?: people)?[\";]")


def _texts() -> Iterator[tuple[str, str]]:
    for folder, ending in (("surveys", "*.py"), ("templates", "*")):
        for path in (ROOT / folder).rglob(ending):
            if path.is_file():
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_numbers_are_written_in_one_place() -> None:
    assert [name for name, text in _texts() if _WRITES.search(text)] == [HOME]


def test_the_sentence_of_an_interval_stands_in_one_place() -> None:
    assert [name for name, text in _texts() if _SAYS_OF_100.search(text)] == ["surveys/common/intervals.py"]


@pytest.mark.parametrize(
    "line",
    [
        "number_format(n, force_grouping=True)",
        'str(get_format("DECIMAL_SEPARATOR"))',
        "{{ n|floatformat:2 }}",
        "{{ n|localize }}",
        "from django.contrib.humanize.templatetags.humanize import intcomma",
        "formats.localize(n)",
    ],
)
def test_a_second_place_is_found(line: str) -> None:
    assert _WRITES.search(line)
