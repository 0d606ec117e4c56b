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

from surveys.answering.words import designs
from surveys.common import words as common_words
from surveys.editor import words as editor_words
from surveys.numbers import words as numbers_words
from surveys.numbers.words import Units
from surveys.releases.ledger import admin
from surveys.results import charts as mean_charts
from surveys.results import formulas as mathml
from surveys.results.charts import MeasureScale
from surveys.results.pages import groups as groups_words
from surveys.results.pages import plan as planning_words
from surveys.results.pages import privacy as beliefs_charts
from surveys.results.pages import regression as regression_words
from surveys.results.pages import relate as relate_words
from surveys.results.words import interval_words, mean_says, mean_words, quantile_words

ROOT = Path(__file__).resolve().parent.parent.parent
HOME = "surveys/numbers/words.py"
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
    "charts.axis.written": numbers_words.decimal,
    "charts.axis.hundredths": numbers_words.hundredths,
    "figures.percent": numbers_words.percent,
    "figures.decimal": numbers_words.decimal,
    "figures.points": numbers_words.points,
    "figures.nats": numbers_words.nats,
    "figures.times": numbers_words.times,
    "figures.level_words": numbers_words.level_words,
    "figures.outwards.down": lambda value, digits: numbers_words.decimal_outwards(value, digits, math.floor),
    "figures.outwards.up": lambda value, digits: numbers_words.decimal_outwards(value, digits, math.ceil),
    "figures.percent_limits": numbers_words.percent_limits,
    "figures.without_zero": lambda value: numbers_words.without_zero(numbers_words.decimal(value, 1)),
    "linting.nats": lambda epsilon: numbers_words.nats(epsilon, short=True),
    "linting.whole": numbers_words.whole_number,
    "releasing.written": numbers_words.exact_number,
    "present.hundredths": numbers_words.tenths_of_100,
    "present.whole": numbers_words.whole_number,
    "release.number": numbers_words.four_digits,
    "release.at_most": numbers_words.at_most,
    "release.rounded_up": lambda factor: numbers_words.at_most(factor, 2),
    "release.of_hundred": numbers_words.people_of_100,
    "release.of_hundred_at_least": numbers_words.people_of_100_at_least,
    "release.of_hundred_at_most": numbers_words.people_of_100_at_most,
    "release.count": numbers_words.whole_number,
    "release.measured": _in_units(Units.write_grouped),
    "release.measured.down": _in_units(lambda units, value: units.write_grouped(value, ROUND_FLOOR)),
    "release.measured.up": _in_units(lambda units, value: units.write_grouped(value, ROUND_CEILING)),
    "release.exactly": numbers_words.exact_number,
    "accuracy.amount": numbers_words.three_digits,
    "loss.amount": numbers_words.charge,
    "loss.loss": numbers_words.loss_words,
    "ledger.change": lambda amount: admin._change(SimpleNamespace(kind="total"), amount),  # type: ignore[arg-type]
    "mean.localized": numbers_words.localized,
    "mean.Units.write": _in_units(Units.write),
    "mean.Units.limits": _in_units(Units.limits),
    "mean.Units.write_limits": _in_units(Units.write_limits),
    "mean.Units.marks": _in_units(lambda units: [label for _at, label in units.marks]),
    "mean.Units.ends": _in_units(lambda units: units.ends),
    "mathml.written": numbers_words.in_formula,
    "mathml.listed": lambda: mathml.join_arguments("a", "b"),
    "test_words.p_value": numbers_words.p_value,
    "test_words.p_words": numbers_words.p_words,
    "regression.signed": regression_words.signed_decimal,
    "regression.ratio": regression_words.ratio,
    "regression.low_odds": lambda low: regression_words.low_odds(SimpleNamespace(low=low)),  # type: ignore[arg-type]
    "regression.high_odds": lambda high: regression_words.high_odds(SimpleNamespace(high=high)),  # type: ignore[arg-type]
    "regression.signed_low": regression_words.signed_low,
    "regression.signed_high": regression_words.signed_high,
    "question_tables.p_value": numbers_words.p_value_or_below,
    "relate.odds": relate_words.odds,
    "relate.odds_limits": _limits(relate_words.odds_limits),
    "relate.correlation_limits": lambda low, high: relate_words.correlation_limits(
        SimpleNamespace(standard_error=0.1, low=low, high=high)  # type: ignore[arg-type]
    ),
    "relate.limits_words": _limits(relate_words.limits_words),
    "relate.share_cell": _limits(relate_words.share_cell),
    "plan.grouped": planning_words.count_words,
    "plan.chance": numbers_words.chance,
    "plan.of_people": planning_words.share_words,
    "plan.worth": planning_words.worth,
    "plan.without_zeros": lambda value, digits: numbers_words.without_zeros(numbers_words.decimal(value, digits)),
    "promise.of_hundred": numbers_words.of_100,
    "promise.epsilon_at_most": numbers_words.epsilon_at_most,
    "promise.whole": numbers_words.whole_number,
    "promise.upwards": numbers_words.upwards,
    "chance.range": numbers_words.span,
    "matrix_words.exact": designs.exact,
    "beliefs.probability": numbers_words.rough_chance,
    "beliefs.at_most_of_100": numbers_words.at_most_of_100,
    "beliefs.of_hundred": numbers_words.roughly_of_100,
    "beliefs.tenths": numbers_words.tenths_of_100,
    "beliefs.decimal_parameter": numbers_words.shortest_decimal,
    "belief_charts.density": beliefs_charts._density,
    "bayes.limit": numbers_words.shortest_decimal,
    "dial.in_range": _in_units(common_words.range_part),
    "dial.e_to_the": editor_words.e_to_the,
    "fields.written": str,
    "fields.written_number": numbers_words.readable,
    "percents.percent_of": numbers_words.typed_percent,
    "kinds.readable": numbers_words.readable,
    "kinds.with_unit": numbers_words.with_unit,
    "result.of_100": numbers_words.limits_of_100,
    "result.interval_words": _limits(interval_words),
    "mean.mean_words": _in_units(lambda units, low, high: mean_words(_claimed(low, high), units)),
    "mean.mean_says": _in_units(lambda units, low, high: mean_says(_claimed(low, high), units, name="X", trusted=True)),
    "mean.quantile_words": _in_units(
        lambda units, low, high: quantile_words(
            SimpleNamespace(value=low, low=low, high=high),  # type: ignore[arg-type]
            units,
        )
    ),
    "mean_charts.share_words": _limits(mean_charts._share_words),
    "question_tables.of_mean": _in_units(lambda units, low, high: numbers_words.interval_cell(low, high, units)),
    "group.limits": MeasureScale(None).limits,
    "group.limits.units": _in_units(lambda units, low, high: MeasureScale(units).limits(low, high)),
    "group.difference_limits": MeasureScale(None).difference_limits,
    "group.n_words": groups_words.n_words,
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
    assert [name for name, text in _texts() if _SAYS_OF_100.search(text)] == ["surveys/numbers/words.py"]


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
