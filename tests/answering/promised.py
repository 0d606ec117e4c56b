"""Reads a rendered promise and derives every number on it from the matrices, without the code that wrote it."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from html.parser import HTMLParser
from itertools import chain, product
from math import ceil, inf, prod
from typing import TypeAlias

from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition

_NO_NUMBER = r"\D*?"
_BARE = re.compile(r"(\w+ \d+( to \d+)?((, \d+( to \d+)?)* and \d+( to \d+)?)?:)?")
_RECTANGLE = re.compile(r"M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H\1Z")
_PATTERN = re.compile(r"url\(#dot-(\w+)\)")
_VOID = frozenset({"meta", "link", "input", "br", "path", "circle"})
_INLINE = frozenset({"strong", "a"})
_MILLION = 1_000_000
_Matrix: TypeAlias = tuple[tuple[Fraction, ...], ...]
# Odds of 1 to 20 are evidence that people act on.
_STRONG = 20


@dataclass
class Grid:
    """One picture of a hundred people and what stands around it."""

    text: str = ""
    dots: dict[str, Fraction] = field(default_factory=dict)  # shares by the kind of dot


class _Label(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.grids: list[Grid] = []
        self.whose = self.text = ""
        self._open: list[tuple[str, str]] = []  # tags and their classes

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "figure":
            self.grids.append(Grid())
        if pattern := _PATTERN.fullmatch(given.get("fill") or ""):
            self.grids[-1].dots[pattern[1]] = _area(given["d"] or "")
        if tag not in _VOID:
            self._open.append((tag, given.get("class") or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "path":
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self.handle_data(" ")
        assert self._open.pop()[0] == tag, f"a <{tag}> is closed that was not open"

    def handle_data(self, data: str) -> None:
        if any(tag == "figure" for tag, _ in self._open):
            self.grids[-1].text += data
        elif any("whose" in classes for _, classes in self._open):
            self.whose += data
        else:
            self.text += data

    def close(self) -> None:
        super().close()
        assert self._open == []
        self.text = re.sub(r"[ \n]+", " ", self.text)
        for grid in self.grids:
            grid.text = re.sub(r"[ \n]+", " ", grid.text).strip()


def _area(path: str) -> Fraction:
    """Return the share of the dots that a path covers."""
    corners = [tuple(map(Fraction, corner)) for corner in _RECTANGLE.findall(path)]
    assert _RECTANGLE.sub("", path) == ""
    return sum(((right - left) * (bottom - top) for left, top, right, bottom in corners), Fraction(0)) / 10_000


def check(html: str, definition: Definition) -> None:
    """Raise AssertionError unless the promise has the numbers that the matrices give, in order, and none besides."""
    label = _Label()
    label.feed(html)
    label.close()
    protected = _protected(definition)
    numbers = numbers_of(label.whose) or [question.number for question in protected]
    shown = [definition.questions[number - 1] for number in numbers]
    one_answer = {question.number: _factor(_channels(question)[:1]) for question in protected}
    largest = max(one_answer.values())
    assert one_answer.keys() >= set(numbers)
    assert {one_answer[question.number] for question in shown} == {largest}
    # Where others are protected more, more than the numbers is said.
    assert bool(_BARE.fullmatch(label.whose.strip())) == all(factor == largest for factor in one_answer.values())
    for question in shown:
        _check_grids(label.grids, question)
    unprotected = _not_protected(definition)
    headline = unprotected[1:] if max(one_answer.values()) <= _STRONG else []
    _check_text(
        label.text, [*headline, *unprotected, *_line(definition), *_total(definition), *_facts(definition, unprotected)]
    )


def _protected(definition: Definition) -> list[AskedQuestion]:
    return [question for question in definition.questions if not _is_identity(question)]


def _chooses_one(question: AskedQuestion) -> bool:
    """Whether one option is chosen of those that are reported by themselves."""
    return question.kind == "one_of" and len(question.items) > 1


def _channels(question: AskedQuestion) -> list[_Matrix]:
    """Return what each answer goes through: where one option is chosen all their reports are that of one answer."""
    matrices = [item.design.matrix for item in question.items]
    if not _chooses_one(question):
        return matrices
    places = range(len(matrices))
    return [
        tuple(
            tuple(prod(matrices[place][report[place]][place == truth] for place in places) for truth in places)
            for report in product(range(question.design.m), repeat=len(matrices))
        )
    ]


def _says_yes_or_no(question: AskedQuestion) -> bool:
    return question.kind in {"yes_no", "several_of"} or _chooses_one(question)


def _is_identity(question: AskedQuestion) -> bool:
    rows = enumerate(question.design.matrix)
    return all(entry == (report == truth) for report, row in rows for truth, entry in enumerate(row))


def _not_protected(definition: Definition) -> list[str]:
    """Return how many questions are sent as they are, and which."""
    numbers = [question.number for question in definition.questions if _is_identity(question)]
    return [str(len(numbers)), _runs(numbers)] if numbers else []


def check_odds(html: str, question: AskedQuestion) -> None:
    """The same of the odds of one question, which have no pictures."""
    label = _Label()
    label.feed(html)
    label.close()
    proofs = _proofs(question)
    _check_text(label.text, [*_odds(question), *chain(*proofs)])
    paragraphs = re.findall(r'<p class="proof">(.*?)</p>', html, re.DOTALL)
    for paragraph, proof in zip(paragraphs, proofs, strict=True):
        _check_text(paragraph, proof)
    assert "<svg" not in html


def check_bound(text: str, question: AskedQuestion) -> None:
    """Raise AssertionError unless the question's own words say how far its reports change odds."""
    assert re.search(_in_order(_epsilon(question)), text)


def numbers_of(whose: str) -> list[int]:
    """Return the numbers of the questions that the pictures are of."""
    spans = re.findall(r"(\d+)(?: to (\d+))?", whose)
    return [number for first, last in spans for number in range(int(first), int(last or first) + 1)]


def _check_grids(grids: Sequence[Grid], question: AskedQuestion) -> None:
    """Compare both pictures: filled dots send the report, amber ones are not their owner's answer."""
    here, there = grids
    patterns = "yes", "no"
    if question.in_the_head:
        report = [f"“{question.first.report_labels[1]}”"]
        (_, _), (when_not, when_true) = question.design.matrix
        about = ["Yes"], ["No"]
        patterns = ("lit", "ring") if question.design.name == "crosswise" else patterns
        kept = 1 - when_not
    else:
        about, report, when_true, when_not, kept = _phones(question, here.text)
    for grid, answer, share in ((here, about[0], when_true), (there, about[1], when_not)):
        _check_text(grid.text, [*answer, _of_100(share), "100", *report])
    _check_dots(here, [(patterns[0], when_true), ("ring", 1 - when_true)])
    _check_dots(there, [("lit", when_not), (patterns[1], kept), ("ring", 1 - when_not - kept)])


def _phones(
    question: AskedQuestion, text: str
) -> tuple[tuple[list[str], list[str]], list[str], Fraction, Fraction, Fraction]:
    """Return the answers above and the report below the pictures, both shares, and how many keep another answer."""
    labels, matrix = question.first.labels, question.design.matrix
    two, is_number = len(labels) == 2, question.kind == "number_mean"
    rows = [
        (row[code], next(share for truth, share in enumerate(row) if truth != code)) for code, row in enumerate(matrix)
    ]
    shown = 1 if two or is_number or _says_yes_or_no(question) else 0
    if not two and len(set(rows)) > 1:
        change = [max(row) / min(row) if min(row) else inf for row in rows]
        shown = change.index(max(change))
    (when_true, when_not), label = rows[shown], _quoted(labels[shown], question)
    kept = 1 - when_not if two else min(1 - when_not, *(row[0] for code, row in enumerate(rows) if code != shown))
    if not re.search(_in_order([label]), text) or _chooses_one(question):
        # Questions whose answers have different names share a picture that names none.
        assert (not two and len(set(rows)) == 1) or _chooses_one(question)
        assert not any(f"“{each}”" in text for each in labels)
        return ([], []), [], when_true, when_not, kept
    other = [_quoted(labels[1 - shown], question)] if two else []
    return ([label], other), [label], when_true, when_not, kept


def _check_dots(grid: Grid, parts: Sequence[tuple[str, Fraction]]) -> None:
    expected: Counter[str] = Counter()
    for kind, share in parts:
        expected[kind] += share  # type: ignore[assignment]
    assert sum(grid.dots.values()) == 1 or abs(sum(grid.dots.values()) - 1) < Fraction(1, 10**6)
    for kind in expected.keys() | grid.dots.keys():
        drawn, wanted = grid.dots.get(kind, Fraction(0)), expected[kind]
        assert abs(drawn - wanted) < Fraction(1, 10**6), f"{kind} dots for {float(drawn)} instead of {float(wanted)}"


def _check_text(text: str, tokens: Sequence[str]) -> None:
    """Raise AssertionError unless these numbers and names stand in the text in this order, and no other number."""
    assert re.fullmatch(_in_order(tokens) + _NO_NUMBER, text), f"{list(tokens)} should be the numbers of {text!r}"


def _in_order(tokens: Sequence[str]) -> str:
    return "".join(rf"{_NO_NUMBER}(?<!\w){re.escape(token)}(?!\w)" for token in tokens)


def _odds(question: AskedQuestion) -> list[str]:
    """Return the numbers and the names of answers that must be there, before what is proven."""
    item, matrix = question.first, question.design.matrix
    if question.in_the_head:
        name, when_yes, when_no = item.report_labels[1], _of_100(matrix[1][1]), _of_100(matrix[1][0])
        tapped = ["100", "Yes", when_yes, name, "100", "No", when_no, name]
        return [*tapped, *_facts_in_the_head(question)]
    labels = item.labels
    diagonal = [matrix[report][report] for report in range(len(labels))]
    others = [next(share for truth, share in enumerate(row) if truth != report) for report, row in enumerate(matrix)]
    for report, row in enumerate(matrix):
        assert {share for truth, share in enumerate(row) if truth != report} == {others[report]}
    rounded = []
    if question.kind == "number_mean":
        answers = question.answers
        rounded = [f"{_decimal(end)} {answers.unit}".strip() for end in (answers.low, answers.high)]
    if len(labels) > 2 and len({*zip(diagonal, others, strict=True)}) > 1:
        rows = [(a, _of_100(b), _of_100(c)) for a, b, c in zip(labels, diagonal, others, strict=True)]
        return [*rounded, "100", *chain(*rows)]
    if _chooses_one(question):
        return ["100", _of_100(diagonal[1]), "Yes", _of_100(others[1])]
    shown = 1 if len(labels) == 2 or _says_yes_or_no(question) or rounded else 0
    label = _quoted(labels[shown], question)
    # Numbers between the ends have neither for a true answer, so that an end stands there as a number.
    true = [labels[1]] if rounded else [label]
    other = [labels[0]] if rounded else [_quoted(labels[0], question)] if len(labels) == 2 else []
    return [*rounded, *true, _of_100(diagonal[shown]), "100", label, *other, _of_100(others[shown]), "100", label]


def _facts_in_the_head(question: AskedQuestion) -> list[str]:
    """Solve the matrix for the shares with which the facts hold."""
    (_, _), (when_no, when_yes) = question.design.matrix
    details = {name: getattr(question.chance, name).rstrip(".") for name in question.chance.details}
    innocuous = f"“{details['innocuous']}”"
    if question.design.name == "unrelated_question":
        selected = when_yes - when_no
        share = when_no / (1 - selected) if selected < 1 else Fraction(dict(question.design.exact_parameters)["q"])  # type: ignore[arg-type]
        selector = [f"“{details['selector']}”", "100", _of_100(selected), details["selector_source"]]
        return [*selector, innocuous, "100", _of_100(share), details["innocuous_source"]]
    share = when_yes if question.design.name == "crosswise" else when_no
    return [innocuous, "100", _of_100(share), details["innocuous_source"]]


def _proofs(question: AskedQuestion) -> list[list[str]]:
    """Return of each report that proves something its name, and the one answer left or else those ruled out."""
    labels, is_number = question.first.labels, question.kind == "number_mean"
    if _is_identity(question):
        return []
    proofs, all_prove = [], not is_number
    for report, row in enumerate(question.design.matrix):
        name = _quoted(question.first.report_labels[report], question)
        left = [_quoted(label, question) for label, share in zip(labels, row, strict=True) if share]
        out = [_quoted(label, question) for label, share in zip(labels, row, strict=True) if not share]
        all_prove &= len(left) == 1
        if out and len(left) == 1 and (not is_number or left == [_quoted("Prefer not to say", question)]):
            proofs.append([name, left[0]])
        elif out:
            proofs.append([name, *out])
    return [[]] if all_prove else proofs


def _epsilon(question: AskedQuestion) -> list[str]:
    matrices, options = _channels(question), str(len(question.items))
    if _factor(matrices) == inf:
        return []
    one = [_fold(_factor(matrices[:1])), _nats(matrices[:1])]
    if _chooses_one(question):
        return [options, *one]
    if len(matrices) == 1:
        return one
    together = [] if _factor(matrices) > _MILLION else [_fold(_factor(matrices))]
    return [*one, options, *together, _nats(matrices)]


def _total(definition: Definition) -> list[str]:
    """Return how far all reports for which there is a bound change odds, once and of somebody who answers twice."""
    bounded = [question for question in _protected(definition) if question.epsilon < inf]
    matrices = [matrix for question in bounded for matrix in _channels(question)]
    twice = [] if definition.by_invitation else _fold_and_nats(matrices * 2)
    return [*_fold_and_nats(matrices), *twice] if matrices else []


def _fold_and_nats(matrices: Sequence[_Matrix]) -> list[str]:
    return [*([] if _factor(matrices) > _MILLION else [_fold(_factor(matrices))]), _nats(matrices)]


def _facts(definition: Definition, unprotected: list[str]) -> list[str]:
    """Return who sees what after how many answers, how many reports there are, and how long it takes."""
    questions, items = definition.questions, definition.items
    further = sum(len(_channels(question)) - 1 for question in questions)
    seconds = 20 * len(questions) + 5 * further + 20 * sum(q.in_the_head for q in questions)
    reports = [str(len(items))] if len(items) > 1 else []
    return [f"{definition.minimum_n:,}", *reports, *unprotected, str(len(questions)), str(1 + seconds // 60)]


def _what_is_proven(definition: Definition) -> list[str]:
    """Return which questions prove something, and what if it is one thing; of several things only which they are."""
    numbers: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for question in definition.questions:
        if proofs := _proofs(question):
            # Of more than two things the question itself says what they are.
            shown = [*chain(*proofs)] if len(proofs) <= 2 else ["several"]
            numbers[tuple(shown)].append(question.number)
    if len(numbers) > 1:
        return [_runs(sorted(chain(*numbers.values())))]
    ((shown_by_all, those),) = numbers.items()
    words = [word for word in shown_by_all if word != "several"]
    return words if len(definition.questions) == 1 else [_runs(those), *words]


def _runs(numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [
        part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else [str(each) for each in run])
    ]
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _line(definition: Definition) -> list[str]:
    """Return what stands below the pictures: of one answer, then of all together."""
    protected = _protected(definition)
    matrices = [matrix for question in protected for matrix in _channels(question)]
    if _factor(matrices) == inf:
        return _what_is_proven(definition)
    one = max(_factor([matrix]) for matrix in matrices)
    alone = [] if one > _MILLION else [_fold(one)]
    if len(matrices) == 1:
        return [*alone, _nats(matrices)]
    questions = [str(len(protected))] if len(matrices) > len(protected) > 1 else []
    return [*alone, str(len(matrices)), *questions, *_fold_and_nats(matrices)]


def _quoted(label: str, question: AskedQuestion) -> str:
    plain = _says_yes_or_no(question) and label in {"Yes", "No"}
    return label if plain else f"“{label}”"


def _decimal(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / number.denominator:f}"


def _of_100(share: Fraction) -> str:
    with localcontext(prec=60):
        exact = Decimal(share.numerator) * 100 / share.denominator
        if exact == exact.to_integral_value():
            return str(int(exact))
        for digits in range(1, 12):
            rounded = exact.quantize(Decimal(10) ** -digits, ROUND_HALF_EVEN)
            if 0 < rounded < 100:
                return str(rounded)
    raise AssertionError(share)


def _factor(matrices: Sequence[_Matrix]) -> Fraction | float:
    """Return how much all reports together change odds at most: the largest ratio within a row, multiplied."""
    ratios: list[Fraction] = []
    for matrix in matrices:
        if any(not all(row) for row in matrix):
            return inf
        ratios.append(max(one / other for row in matrix for one in row for other in row))
    return prod(ratios, start=Fraction(1))


def _fold(factor: Fraction | float) -> str:
    exact = Fraction(factor)
    if exact < 10:
        return f"{ceil(exact * 10) / 10:g}"
    unit = 10 ** max(0, len(str(ceil(exact))) - 3)
    return f"{ceil(exact / unit) * unit:,}"


def _nats(matrices: Sequence[_Matrix]) -> str:
    with localcontext(prec=60):
        factor = Fraction(_factor(matrices))
        epsilon = (Decimal(factor.numerator) / factor.denominator).ln()
        return f"ε\u00a0≤\u00a0{epsilon.quantize(Decimal('0.01'), ROUND_CEILING):,}"
