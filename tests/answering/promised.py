"""Reads a rendered promise and derives all that it must say from the matrices, without the code that wrote it."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from html.parser import HTMLParser
from math import ceil, inf, prod

from surveys.models.definition import AskedQuestion, Definition

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_RECTANGLE = re.compile(r"M0 ([\d.]+)H([\d.]+)V([\d.]+)H0Z")
_VOID = frozenset({"meta", "link", "input", "br", "path", "circle"})
_INLINE = frozenset({"strong", "a"})
_MILLION = 1_000_000


@dataclass
class Block:
    """One group of questions on the label, or what stands outside all of them."""

    text: str = ""
    heading: str = ""
    pictures: list[Fraction] = field(default_factory=list)


class _Label(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []
        self.rest = Block()
        self._open: list[tuple[str, bool]] = []  # tags, and whether a block begins with them

    @property
    def _here(self) -> Block:
        return self.blocks[-1] if any(begins for _, begins in self._open) else self.rest

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if begins := given.get("class") == "odds-of":
            self.blocks.append(Block())
        if given.get("fill") == "url(#dot-on)":
            self._here.pictures.append(_area(given["d"] or ""))
        if tag not in _VOID:
            self._open.append((tag, begins))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "path":
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self._here.text += " "
        assert self._open.pop()[0] == tag, f"a <{tag}> is closed that was not open"

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] == "h3":
            self._here.heading += data
        else:
            self._here.text += data

    def close(self) -> None:
        super().close()
        assert self._open == []
        for block in (*self.blocks, self.rest):
            block.text = re.sub(r"[ \n]+", " ", block.text)


def _area(path: str) -> Fraction:
    """Return the share of the dots that a path covers."""
    corners = [tuple(map(Fraction, corner)) for corner in _RECTANGLE.findall(path)]
    assert _RECTANGLE.sub("", path) == ""
    return sum(((bottom - top) * width for top, width, bottom in corners), Fraction(0)) / 10_000


def check(html: str, definition: Definition) -> None:
    """Raise AssertionError unless the promise says what the matrices say, and no number besides."""
    label = _Label()
    label.feed(html)
    label.close()
    covered: list[int] = []
    for block in label.blocks:
        numbers = _numbers_of(block.heading) or [question.number for question in definition.questions]
        covered += numbers
        for number in numbers:
            _check_block(block, definition.questions[number - 1], definition, len(numbers))
    assert sorted(covered) == [question.number for question in definition.questions]
    shown_first = definition.questions[(_numbers_of(label.blocks[0].heading) or [1])[0] - 1]
    assert shown_first.epsilon == max(question.epsilon for question in definition.questions)
    _check_text(label.rest.text, _facts(definition))
    assert label.rest.pictures == []


def check_odds(html: str, question: AskedQuestion) -> None:
    """The same of the odds of one question without pictures."""
    label = _Label()
    label.feed(html)
    label.close()
    _check_text(label.rest.text, _odds(question, label.rest.text)[0])
    assert "<svg" not in html


def _numbers_of(heading: str) -> list[int]:
    spans = re.findall(r"(\d+)(?: to (\d+))?", heading)
    assert re.fullmatch(r"(Questions? \d+( to \d+)?((, \d+( to \d+)?)* and \d+( to \d+)?)?)?", heading), heading
    return [number for first, last in spans for number in range(int(first), int(last or first) + 1)]


def _check_block(block: Block, question: AskedQuestion, definition: Definition, several: int) -> None:
    expected, shares = _odds(question, block.text)
    if not block.heading and several > 1:
        expected.append(f"What follows holds for each of the {several} questions.")
    _check_text(block.text, expected + _epsilon(question, definition))
    assert len(block.pictures) == len(shares)
    for picture, share in zip(block.pictures, shares, strict=True):
        assert abs(picture - share) < Fraction(1, 10**6), f"dots for {float(picture)} instead of {share}"


def _check_text(text: str, sentences: Sequence[str]) -> None:
    """Take out what must be said, each as often as it must; no number may be left."""
    for sentence, times in Counter(sentences).items():
        assert text.count(sentence) == times, f"{sentence!r} should stand {times} times in {text!r}"
        text = text.replace(sentence, "")
    assert _NUMBER.findall(text) == [], text


def _odds(question: AskedQuestion, text: str) -> tuple[list[str], list[Fraction]]:
    """Return the sentences that must be there, and the shares that dots must show, in order."""
    item, matrix = question.first, question.design.matrix
    sentences: list[str] = _proofs(question)
    if question.in_the_head:
        report, when_yes, when_no = item.report_labels[1], matrix[1][1], matrix[1][0]
        sentences += [
            f"Of people whose true answer is Yes, {_of_100(when_yes)} of 100 tap “{report}”.",
            f"Of people whose true answer is No, {_of_100(when_no)} of 100 tap “{report}”.",
            *_facts_in_the_head(question),
        ]
        return sentences, [when_yes, when_no]
    labels = item.labels
    if question.kind == "number_mean":
        ends = question.details["low"], question.details["high"]
        low, high = (f"{_decimal(*end)} {question.details['unit']}".strip() for end in ends)
        sentences.append(f"Chance first rounds your number to one of two ends, {low} or {high}:")
    diagonal = [matrix[report][report] for report in range(len(labels))]
    others = [next(share for truth, share in enumerate(row) if truth != report) for report, row in enumerate(matrix)]
    for report, row in enumerate(matrix):
        assert {share for truth, share in enumerate(row) if truth != report} == {others[report]}
    if len(labels) > 2 and len({*zip(diagonal, others, strict=True)}) > 1:
        rows = " ".join(f"{a} {_of_100(b)} {_of_100(c)}" for a, b, c in zip(labels, diagonal, others, strict=True))
        both = [share for pair in zip(diagonal, others, strict=True) for share in pair]
        heading = "or you chose it if not" if question.kind == "number_mean" else "if another one is"
        return [*sentences, "How many of 100 phones send an answer", f"{heading} {rows}"], both
    if question.kind == "number_mean":
        sentences += [
            f"If your true number is {high}, {_of_100(diagonal[1])} of 100 phones send “{high}”.",
            f"If it is {low}, {_of_100(others[1])} of 100 send “{high}”.",
        ]
        return sentences, [diagonal[1], others[1]]
    if "Take any answer" in text:
        assert len(labels) > 2
        sentences += [
            f"Take any answer: if it is your true one, {_of_100(diagonal[0])} of 100 phones send it.",
            f"If another one is, {_of_100(others[0])} of 100 send it.",
        ]
        return sentences, [diagonal[0], others[0]]
    told = 1 if len(labels) == 2 or question.kind in {"yes_no", "several_of"} else 0
    other = "another one" if len(labels) > 2 else _said(labels[1 - told], question)
    sentences += [
        f"If your true answer is {_said(labels[told], question)}, "
        f"{_of_100(diagonal[told])} of 100 phones send {_said(labels[told], question)}.",
        f"If it is {other}, {_of_100(others[told])} of 100 send {_said(labels[told], question)}.",
    ]
    return sentences, [diagonal[told], others[told]]


def _facts_in_the_head(question: AskedQuestion) -> list[str]:
    """Solve the matrix for the shares with which the facts hold."""
    (_, _), (when_no, when_yes) = question.design.matrix
    details = {name: text.rstrip(".") for name, text in question.details.items()}
    if question.design.name == "unrelated_question":
        selected = when_yes - when_no
        said = when_no / (1 - selected) if selected < 1 else Fraction(dict(question.design.exact_parameters)["q"])  # type: ignore[arg-type]
        return [
            f"“{details['selector']}” decides what you answer: "
            f"of 100 people {_of_100(selected)} say Yes ({details['selector_source']})",
            f"The others answer “{details['innocuous']}” instead: "
            f"of 100 people {_of_100(said)} say Yes to that ({details['innocuous_source']})",
        ]
    share = when_yes if question.design.name == "crosswise" else when_no
    return [
        f"Your answer to “{details['innocuous']}” does: "
        f"of 100 people {_of_100(share)} say Yes to it ({details['innocuous_source']})"
    ]


def _proofs(question: AskedQuestion) -> list[str]:
    labels, is_number = question.first.labels, question.kind == "number_mean"
    found, all_prove = [], not is_number
    for report, row in enumerate(question.design.matrix):
        name = _said(question.first.report_labels[report], question)
        left = [_said(label, question) for label, share in zip(labels, row, strict=True) if share]
        out = [_said(label, question) for label, share in zip(labels, row, strict=True) if not share]
        all_prove &= len(left) == 1
        if out and len(left) == 1 and (not is_number or left == [_said("Prefer not to say", question)]):
            found.append(f"{name} proves that your true answer is {left[0]}: ε is infinite.")
        elif len(out) == 1:
            found.append(f"{name} proves that your true answer is not {out[0]}: ε is infinite.")
        elif out:
            found.append(f"{name} proves that your true answer is none of these: {', '.join(out)}. ε is infinite.")
    return ["Every report proves the true answer: ε is infinite."] if all_prove else found


def _epsilon(question: AskedQuestion, definition: Definition) -> list[str]:
    matrices, options = [item.design.matrix for item in question.items], len(question.items)
    if _factor(matrices) == inf or len(definition.items) == 1:
        return []
    one, epsilon = _fold(_factor(matrices[:1])), _nats(matrices[:1])
    if options == 1:
        return [f"one report changes those odds at most {one} ({epsilon})."]
    together = f"on all {options} options together"
    if _factor(matrices) > _MILLION:
        return [
            f"the report on one option changes those odds at most {one} ({epsilon}); the reports {together} "
            f"may change them more than a millionfold ({_nats(matrices)})."
        ]
    return [
        f"the report on one option changes those odds at most {one} ({epsilon}), the reports {together} "
        f"at most {_fold(_factor(matrices))} ({_nats(matrices)})."
    ]


def _facts(definition: Definition) -> list[str]:
    """Return every sentence outside the groups that holds a number."""
    questions, items = definition.questions, definition.items
    seconds = 20 * len(questions) + 5 * (len(items) - len(questions)) + 20 * sum(q.in_the_head for q in questions)
    minutes = 1 + seconds // 60
    said = [
        f"once {definition.minimum_n:,} people have answered",
        "Your report, as one character," if len(items) == 1 else f"Your {len(items)} reports, one character each,",
        "One question." if len(questions) == 1 else f"{len(questions)} questions.",
        "It takes about one minute." if minutes == 1 else f"It takes about {minutes} minutes.",
    ]
    bounded = [q for q in questions if q.epsilon < inf]
    matrices = [item.design.matrix for question in bounded for item in question.items]
    if len(bounded) < len(questions):
        said.append("All your reports together: without limit (ε is infinite).")
        if not matrices:
            return said
        begins = "it changes" if len(matrices) == 1 else "The other reports together change"
        huge = f"may change anybody’s odds about you more than a millionfold ({_nats(matrices)})."
        bound = f"{begins} anybody’s odds about you at most {_fold(_factor(matrices))} ({_nats(matrices)})."
    else:
        begins = "your report changes" if len(matrices) == 1 else "all your reports together change"
        huge = f"all your reports together may change those odds more than a millionfold ({_nats(matrices)})."
        bound = f"{begins} those odds at most {_fold(_factor(matrices))} ({_nats(matrices)})."
    return [*said, huge if _factor(matrices) > _MILLION else bound, *_twice(definition, matrices * 2)]


def _twice(definition: Definition, matrices: Sequence[tuple[tuple[Fraction, ...], ...]]) -> list[str]:
    if definition.by_invitation:
        return []
    fold = "" if _factor(matrices) > _MILLION else f"at most {_fold(_factor(matrices))} "
    epsilon = _nats(matrices)
    return [f"Answered twice: {fold}({epsilon})." if fold else f"Answered twice: {epsilon}."]


def _list(numbers: Sequence[int]) -> str:
    """1 to 3, 5 and 6."""
    text = ", ".join(map(str, numbers))
    for length in range(len(numbers), 2, -1):
        for start in range(len(numbers) - length + 1):
            run = numbers[start : start + length]
            if run == list(range(run[0], run[0] + length)):
                text = re.sub(rf"\b{', '.join(map(str, run))}\b", f"{run[0]} to {run[-1]}", text)
    head, _, last = text.rpartition(", ")
    return f"{head} and {last}" if head else last


def _said(label: str, question: AskedQuestion) -> str:
    plain = question.kind in {"yes_no", "several_of"} and label in {"Yes", "No"}
    return label if plain else f"“{label}”"


def _decimal(numerator: int, denominator: int) -> str:
    return f"{Decimal(numerator) / denominator:f}"


def _of_100(share: Fraction) -> str:
    with localcontext(prec=60):
        exact = Decimal(share.numerator) * 100 / share.denominator
        if exact == exact.to_integral_value():
            return str(int(exact))
        for digits in range(1, 12):
            told = exact.quantize(Decimal(10) ** -digits, ROUND_HALF_EVEN)
            if 0 < told < 100:
                return str(told)
    raise AssertionError(share)


def _factor(matrices: Sequence[tuple[tuple[Fraction, ...], ...]]) -> Fraction | float:
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
        return f"{ceil(exact * 10) / 10:g}-fold"
    unit = 10 ** max(0, len(str(ceil(exact))) - 3)
    return f"{ceil(exact / unit) * unit:,}-fold"


def _nats(matrices: Sequence[tuple[tuple[Fraction, ...], ...]]) -> str:
    with localcontext(prec=60):
        factor = Fraction(_factor(matrices))
        epsilon = (Decimal(factor.numerator) / factor.denominator).ln()
        return f"ε\u00a0≤\u00a0{epsilon.quantize(Decimal('0.01'), ROUND_CEILING):,}"
