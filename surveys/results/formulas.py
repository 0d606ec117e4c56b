"""The formulas of the methods page with a survey's numbers put in; each side can be computed again."""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from surveys.numbers.words import decimal_mark, in_formula
from surveys.privacy.designs import Design, epsilon_of_one, odds_of_one
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.results.figures.methods import ItemMethods, MeanWorked, WorkedExample, mean_worked
from surveys.results.figures.relate import GroupsWorked, PairWorked
from surveys.results.report import method_label
from surveys.results.words import answer_name

register = template.Library()


# Presentation MathML from numbers and letters: small pieces that formulas are put together from.


Number: TypeAlias = float | Fraction
_OPERATORS = frozenset("=≈+−·<>≤≥,()|∈∝…/⊗:;")


def number(value: Number) -> SafeString:
    """Write a number, a fraction as one; below 0 it stands in brackets."""
    if value < 0:
        return format_html("<mrow><mo>(</mo>{}<mo>)</mo></mrow>", result(value))
    return result(value)


def result(value: Number) -> SafeString:
    """Write a number that stands alone, without brackets."""
    if isinstance(value, Fraction) and value.denominator != 1:
        sign = SafeString("<mo>−</mo>") if value < 0 else ""
        return format_html(
            "<mrow>{}<mfrac>{}{}</mfrac></mrow>", sign, _digits(abs(value.numerator)), _digits(value.denominator)
        )
    return _digits(value)


def letter(name: str) -> SafeString:
    """Write a variable or the name of a function."""
    return format_html("<mi>{}</mi>", name)


def hat(name: str) -> SafeString:
    """Write a letter with a hat: computed from data."""
    # A hat that must not stretch hangs a letter's height above its own in WebKit.
    return format_html('<mover accent="true"><mi>{}</mi><mo stretchy="true">^</mo></mover>', name)


def row(*parts: object) -> SafeString:
    """Put parts beside each other; a one-character text is an operator if it looks like one, else a letter."""
    return format_html("<mrow>{}</mrow>", _row_of(parts))


def brackets(*parts: object) -> SafeString:
    return row("(", *parts, ")")


def fraction(above: object, below: object) -> SafeString:
    return format_html("<mfrac>{}{}</mfrac>", row(above), row(below))


def root(*parts: object) -> SafeString:
    return format_html("<msqrt>{}</msqrt>", _row_of(parts))


def power(base: object, exponent: object) -> SafeString:
    return format_html("<msup>{}{}</msup>", row(base), row(exponent))


def sub(base: object, index: object) -> SafeString:
    return format_html("<msub>{}{}</msub>", row(base), row(index))


def call(name: str, *arguments: object) -> SafeString:
    return row(letter(name), "(", *join_arguments(*arguments), ")")


def join_arguments(*parts: object) -> list[object]:
    """Put what separates two arguments between parts: not the sign that numbers have within."""
    mark = ";" if decimal_mark() == "," else ","
    return [piece for part in parts for piece in (mark, part)][1:]


def chain(*parts: object) -> tuple[SafeString, ...]:
    """Write a side that may go on in the next line before each of its parts."""
    return tuple(_piece(part) for part in parts)


def sum_of(terms: Iterable[object]) -> tuple[SafeString, ...]:
    """Write a sum that may go on in the next line before each plus."""
    first, *others = terms
    return chain(row(first), *(row("+", term) for term in others))


def equation(name: str, *sides: object) -> SafeString:
    """Write sides that are equal, each a formula of its own so that lines can break between them."""
    pieces: list[SafeString] = []
    for place, side in enumerate(sides):
        first, *others = side if isinstance(side, tuple) else chain(side)
        pieces += [format_html("<mo>=</mo>{}", first) if place else first, *others]
    return format_html(
        '<p class="formula" data-formula="{}">{}</p>',
        name,
        format_html_join(" ", '<math displaystyle="true">{}</math>', ((piece,) for piece in pieces)),
    )


def _row_of(parts: Iterable[object]) -> SafeString:
    return format_html_join("", "{}", ((_piece(part),) for part in parts))


def _piece(part: object) -> SafeString:
    if isinstance(part, SafeString):
        return part
    if isinstance(part, str):
        return format_html("<mo>{}</mo>", part) if part in _OPERATORS else letter(part)
    if isinstance(part, int | float | Fraction):
        return number(part)
    raise TypeError(f"a formula is made of texts, numbers and formulas, not of {part!r}")


def _digits(value: Number) -> SafeString:
    exact = int(value) if isinstance(value, Fraction) else value
    return format_html('<mn data-value="{}">{}</mn>', repr(exact), in_formula(value))


# The formulas of the methods page with a survey's numbers put in; each side can be computed again.


_LAMBDA, _PI = hat("λ"), hat("π")
_EMPTY = SafeString("")


@register.simple_tag
def slope_formula(worked: WorkedExample) -> SafeString:
    """Write c, by how much the truth changes the probability of a report, and d."""
    return equation("offset", "d", result(worked.offset)) + equation(
        "slope", "c", row(worked.if_true, "−", worked.offset), result(worked.slope)
    )


@register.simple_tag
def epsilon_formula(design: Design) -> SafeString:
    """Write a design's ε as the logarithm of the largest odds."""
    return _epsilon("epsilon", max(design.odds), design.epsilon)


@register.simple_tag
def epsilon_of_one_formula(option: Design) -> SafeString:
    """Write likewise the ε of all options of which one is true."""
    return _epsilon("epsilon_of_all", odds_of_one(option), epsilon_of_one(option))


def _epsilon(name: str, odds: Fraction | float, epsilon: float) -> SafeString:
    if epsilon == math.inf:
        return equation(name, "ε", letter("∞"))
    return equation(name, "ε", call("ln", result(Fraction(odds))), result(epsilon))


@register.simple_tag
def moment_formulas(worked: WorkedExample) -> SafeString:
    """Write the share of the reports, the moment estimate, its variance and its standard error."""
    share, slope, n = worked.observed, worked.slope, worked.n
    formulas = [
        equation("observed", _LAMBDA, fraction("x", "n"), fraction(worked.count, n), result(share)),
        equation(
            "moment",
            _PI,
            fraction(row(_LAMBDA, "−", "d"), "c"),
            fraction(row(share, "−", worked.offset), slope),
            result(worked.point),
        ),
    ]
    if worked.variance is not None and worked.standard_error is not None:
        formulas += [
            equation(
                "variance",
                letter("V"),
                fraction(row(_LAMBDA, brackets(1, "−", _LAMBDA)), row(brackets("n", "−", 1), power("c", 2))),
                fraction(
                    row(share, "·", brackets(1, "−", share)),
                    row(brackets(n, "−", 1), "·", power(brackets(slope), 2)),
                ),
                result(worked.variance),
            ),
            equation("standard_error", letter("SE"), root("V"), root(worked.variance), result(worked.standard_error)),
        ]
    return _joined(formulas)


@register.simple_tag
def constrained_formula(worked: WorkedExample) -> SafeString:
    """Write how an estimate with two answers is limited."""
    return equation(
        "constrained",
        sub(_PI, "c"),
        call("min", 1, call("max", 0, _PI)),
        call("min", 1, call("max", 0, result(worked.point))),
        result(worked.constrained),
    )


@register.simple_tag
def interval_formulas(worked: WorkedExample) -> SafeString:
    """Write the limits for λ by the method chosen and their way to the limits for π."""
    low, high = worked.limits
    formulas = LIMITS[worked.method](worked, low, high)
    # With c < 0 the lower limit for π is the upper one for λ.
    ends = (("L", low), ("U", high)) if worked.slope > 0 else (("U", high), ("L", low))
    for name, (side, limit), mapped in zip(("low", "high"), ends, worked.mapped, strict=True):
        formulas.append(
            equation(
                name,
                sub("π", name),
                fraction(row(side, "−", "d"), "c"),
                fraction(row(limit, "−", worked.offset), worked.slope),
                result(mapped),
            )
        )
    return _joined(formulas)


@register.simple_tag
def misfit_formulas(worked: WorkedExample, methods: ItemMethods) -> SafeString:
    """Write the tail probabilities at the edges and the p-value of the alarm."""
    (smallest, largest), (few, many) = worked.edges, worked.tails
    x, n = worked.count, worked.n
    estimate = worked.estimate
    return _joined(
        [
            equation("too_few", call("Pr", row("X", "≤", x, "|", *join_arguments(n, result(smallest)))), result(few)),
            equation("too_many", call("Pr", row("X", "≥", x, "|", *join_arguments(n, result(largest)))), result(many)),
            equation(
                "misfit",
                "p",
                call("min", 1, row(methods.tests, "·", methods.smallest_tail)),
                result(estimate.misfit.p_value),
            ),
        ]
    )


@register.simple_tag
def poisoning_formulas(worked: WorkedExample, methods: ItemMethods) -> SafeString:
    """Write how far forged reports can have moved the estimate."""
    band = methods.forged
    if band is None:
        return _EMPTY
    weights = worked.design.left_inverse[worked.option]
    moved = row(fraction(band.forged, worked.n), "·", brackets(max(weights), "−", min(weights)))
    size = float(band.high[worked.option]) - worked.point
    return _joined(
        [
            equation(
                "moved",
                letter("Δ"),
                row(fraction("m", "n"), brackets(call("max", sub("L", "ij")), "−", call("min", sub("L", "ij")))),
                moved,
                result(size),
            ),
            equation(
                "forged_low", row(_PI, "−", "Δ"), row(worked.point, "−", size), result(float(band.low[worked.option]))
            ),
            equation(
                "forged_high", row(_PI, "+", "Δ"), row(worked.point, "+", size), result(float(band.high[worked.option]))
            ),
        ]
    )


@register.simple_tag
def mean_formulas(mean: MeanWorked) -> SafeString:
    """Write a mean as the sum of values times shares."""
    if mean.point is None:
        return _EMPTY
    terms = sum_of(row(value, "·", share) for value, share in zip(mean.values, mean.shares, strict=True))
    symbol, total = row("∑", sub("v", "i"), sub(_PI, "i")), row("∑", sub(_PI, "i"))
    if not mean.stated:
        return equation("mean", hat("μ"), symbol, terms, result(mean.point))
    above = sum(value * share for value, share in zip(mean.values, mean.shares, strict=True))
    below = sum(mean.shares)
    return _joined(
        [
            equation("mean_above", letter("S"), symbol, terms, result(above)),
            equation("mean_below", letter("W"), total, sum_of(map(number, mean.shares)), result(below)),
            equation("mean", hat("μ"), fraction("S", "W"), fraction(above, below), result(mean.point)),
        ]
    )


@register.simple_tag
def mapped_mean_formulas(mean: MeanWorked, worked: WorkedExample) -> SafeString:
    """Write the standard error and the limits of a mean from those of the share that it is a straight line of."""
    if worked.standard_error is None or mean.standard_error is None:
        return _EMPTY
    low, high = mean.values
    span = row(brackets(high, "−", low), "·")
    formulas = [
        equation(
            "mean_error",
            row("SE", "(", hat("μ"), ")"),
            row(brackets("U", "−", "L"), "SE"),
            row(span, worked.standard_error),
            result(mean.standard_error),
        )
    ]
    for name, limit in zip(("low", "high"), worked.interval, strict=True):
        formulas.append(
            equation(
                f"mean_{name}",
                sub("μ", name),
                row(low, "+", span, limit),
                result((1 - limit) * low + limit * high),
            )
        )
    return _joined(formulas)


@register.simple_tag
def half_width_formula(worked: WorkedExample) -> SafeString:
    """Write the margin of error to be expected of as many responses at this estimate."""
    share = float(worked.offset) + float(worked.slope) * worked.constrained
    return equation(
        "half_width",
        letter("w"),
        fraction(row("z", root(fraction(row("λ", brackets(1, "−", "λ")), "n"))), row("|", "c", "|")),
        fraction(
            row(worked.z, "·", root(fraction(row(share, "·", brackets(1, "−", share)), worked.n))),
            abs(worked.slope),
        ),
        result(worked.half_width),
    )


@register.simple_tag
def total_formula(definition: Definition) -> SafeString:
    """Write the sum of all questions' ε; of several arms that of the one that costs most."""
    losses = [question.epsilon for question in definition.costliest.questions if question.protects]
    if definition.epsilon == math.inf:
        return equation("total_epsilon", row("∑", sub("ε", "q")), letter("∞"))
    return equation("total_epsilon", row("∑", sub("ε", "q")), sum_of(map(number, losses)), result(definition.epsilon))


@register.simple_tag
def mover_formulas(groups: GroupsWorked) -> SafeString:
    """Write the difference of two groups and its MOVER interval."""
    (first, second), ((l1, u1), (l2, u2)) = groups.points, groups.limits
    pi1, pi2, difference = sub(_PI, 1), sub(_PI, 2), groups.difference.point
    return _joined(
        [
            equation("difference", "D", row(pi1, "−", pi2), row(first, "−", second), result(difference)),
            _distance("p", (pi1, sub("l", 1)), (first, l1)),
            _distance("q", (sub("u", 2), pi2), (u2, second)),
            _mover_limit("low", "−", difference, ("p", "q"), (first - l1, u2 - second)),
            _distance("r", (sub("u", 1), pi1), (u1, first)),
            _distance("s", (pi2, sub("l", 2)), (second, l2)),
            _mover_limit("high", "+", difference, ("r", "s"), (u1 - first, second - l2)),
        ]
    )


def _distance(name: str, letters: tuple[SafeString, SafeString], ends: tuple[float, float]) -> SafeString:
    return equation(
        f"distance_{name}",
        name,
        row(letters[0], "−", letters[1]),
        row(ends[0], "−", ends[1]),
        result(ends[0] - ends[1]),
    )


def _mover_limit(
    name: str, sign: str, difference: float, letters: tuple[str, str], sizes: tuple[float, float]
) -> SafeString:
    reach = math.hypot(*sizes)
    return equation(
        f"mover_{name}",
        sub("D", name),
        chain("D", row(sign, root(power(letters[0], 2), "+", power(letters[1], 2)))),
        chain(difference, row(sign, root(power(number(sizes[0]), 2), "+", power(number(sizes[1]), 2)))),
        result(difference - reach if sign == "−" else difference + reach),
    )


@register.simple_tag
def posterior_formula(worked: WorkedExample) -> SafeString:
    """Write the posterior density, but for its constant."""
    return equation(
        "posterior",
        call("f", "π"),
        chain(
            row("C", power("π", row("a", "−", 1))),
            power(brackets(1, "−", "π"), row("b", "−", 1)),
            power(brackets("d", "+", "c", "π"), "x"),
            power(brackets(1, "−", "d", "−", "c", "π"), row("n", "−", "x")),
        ),
        chain(
            row("C", power("π", row("a", "−", 1))),
            power(brackets(1, "−", "π"), row("b", "−", 1)),
            power(brackets(worked.offset, "+", worked.slope, "π"), worked.count),
            power(brackets(1 - worked.offset, "−", worked.slope, "π"), worked.n - worked.count),
        ),
    )


@register.simple_tag
def matrix_rows(item: Item) -> list[tuple[str, list[str]]]:
    """Return a design's matrix, each row with its report."""
    return [
        (label, [str(entry) for entry in entries])
        for label, entries in zip(item.report_labels, item.design.matrix, strict=True)
    ]


@register.simple_tag
def inverse_rows(item: Item) -> list[tuple[str, list[str]]]:
    """Return its inverse, each row with its true answer."""
    return [
        (label, [str(entry).replace("-", "−") for entry in entries])
        for label, entries in zip(item.labels, item.design.left_inverse, strict=True)
    ]


@register.simple_tag
def answer_rows(methods: ItemMethods) -> list[tuple[str, list[float | None]]]:
    """Return what is estimated of every answer."""
    rows: list[tuple[str, list[float | None]]] = []
    for code, label in enumerate(methods.item.labels):
        worked = methods.worked(code)
        low, high = (None, None) if worked.outside else worked.interval
        rows.append(
            (
                label,
                [worked.count, worked.observed, worked.point, worked.standard_error, worked.constrained, low, high],
            )
        )
    return rows


@register.simple_tag
def value_rows(methods: ItemMethods) -> list[tuple[str, str, int]]:
    """Return what each report stands for, exactly, and how often it came; none where reports stand for answers."""
    if methods.values is None:
        return []
    exactly = (str(value).replace("-", "−") for value in methods.values.grid.values)
    return list(zip(methods.item.report_labels, exactly, methods.values.reports.counts.tolist(), strict=True))


@register.simple_tag
def mean_of(question: AskedQuestion, methods: ItemMethods) -> MeanWorked | None:
    """Return what a question's mean is made of, where it has one."""
    return mean_worked(question, methods.item, methods.estimate) if methods.estimate else None


@register.simple_tag
def joint_cell(pair: PairWorked) -> tuple[str, str]:
    """Name the two answers that are worked through."""
    i, j = pair.cell
    return answer_name(pair.a, i), answer_name(pair.b, j)


@register.filter
def plain(value: float | None) -> str:
    """Write a number as formulas do; a dash for a number there is not."""
    return "–" if value is None else in_formula(value)


@register.filter
def exact(value: float) -> str:
    """Write all digits of a number, for readers who compute with it."""
    return repr(value)


@register.filter
def method_name(method: str) -> str:
    return method_label(method)


def _joined(formulas: Sequence[SafeString]) -> SafeString:
    return mark_safe("".join(formulas))  # noqa: S308 - each of them is escaped already


# The limits of a binomial proportion by each method, with a survey's numbers put in.


def _wilson(worked: WorkedExample, low: float, high: float) -> list[SafeString]:
    z2, n, share = worked.z**2, worked.n, worked.observed
    below = 1 + z2 / n
    middle = (share + z2 / (2 * n)) / below
    spread = share * (1 - share) / n + z2 / (4 * n * n)
    half = worked.z * math.sqrt(spread) / below
    square = power("z", 2)
    return [
        equation("z", "z", result(worked.z)),
        equation(
            "wilson_middle",
            "m",
            fraction(row(_LAMBDA, "+", fraction(square, row(2, "n"))), row(1, "+", fraction(square, "n"))),
            fraction(row(share, "+", fraction(z2, 2 * n)), row(1, "+", fraction(z2, n))),
            result(middle),
        ),
        equation(
            "wilson_spread",
            "v",
            chain(
                fraction(row(_LAMBDA, brackets(1, "−", _LAMBDA)), "n"),
                row("+", fraction(square, row(4, power("n", 2)))),
            ),
            chain(fraction(row(share, "·", brackets(1, "−", share)), n), row("+", fraction(z2, 4 * n * n))),
            result(spread),
        ),
        equation(
            "wilson_half",
            "h",
            fraction(row("z", root("v")), row(1, "+", fraction(square, "n"))),
            fraction(row(worked.z, "·", root(spread)), row(1, "+", fraction(z2, n))),
            result(half),
        ),
        equation("limit_low", "L", row("m", "−", "h"), row(middle, "−", half), result(low)),
        equation("limit_high", "U", row("m", "+", "h"), row(middle, "+", half), result(high)),
    ]


def _clopper_pearson(worked: WorkedExample, low: float, high: float) -> list[SafeString]:
    x, n, tail = worked.count, worked.n, (1 - worked.level) / 2
    return [
        _quantile("L", low, tail, x, n - x + 1, exact=x == 0),
        _quantile("U", high, 1 - tail, x + 1, n - x, exact=x == n),
    ]


def _quantile(name: str, limit: float, probability: float, a: int, b: int, *, exact: bool) -> SafeString:
    side = "limit_low" if name == "L" else "limit_high"
    if exact:
        # None, or all, of n: the limit is the end.
        return equation(side, name, result(limit))
    return equation(side, name, call("Beta", result(probability), number(a), number(b)), result(limit))


def _sequence(worked: WorkedExample, low: float, high: float) -> list[SafeString]:
    loss, miss = worked.loss_at_every_look, 1 - worked.level
    symbols = row(call("ln", fraction(1, "α")), "+", call("ℓ", sub("λ", "c")), "−", call("ln", "M"))
    numbers = row(call("ln", fraction(1, miss)), "+", result(loss + math.log(miss)))
    wider = math.sqrt(2 * loss) / worked.z
    numbers_of_wider = fraction(root(row(2, "·", result(loss))), result(worked.z))
    return [
        equation("loss", "s", symbols, numbers, result(loss)),
        equation("limit_low", "L", result(low)),
        equation("limit_high", "U", result(high)),
        equation("wider", "r", fraction(root(row(2, "s")), "z"), numbers_of_wider, result(wider)),
    ]


LIMITS: dict[str, Callable[[WorkedExample, float, float], list[SafeString]]] = {
    "wilson": _wilson,
    "clopper_pearson": _clopper_pearson,
    "confidence_sequence": _sequence,
}
