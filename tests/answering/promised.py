"""Reads a rendered promise and derives all that it must say from the matrices, without the code that wrote it."""

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

from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
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
        if found := _PATTERN.fullmatch(given.get("fill") or ""):
            self.grids[-1].dots[found[1]] = _area(given["d"] or "")
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
    """Raise AssertionError unless the promise says what the matrices say, and no number besides."""
    label = _Label()
    label.feed(html)
    label.close()
    protected = _protected(definition)
    numbers = _numbers_of(label.whose) or [question.number for question in protected]
    shown = [definition.questions[number - 1] for number in numbers]
    one_answer = {question.number: _factor(_channels(question)[:1]) for question in protected}
    largest = max(one_answer.values())
    assert one_answer.keys() >= set(numbers)
    assert {one_answer[question.number] for question in shown} == {largest}
    protected_more = any(factor < largest for factor in one_answer.values())
    assert ("the least protected" in label.whose) == protected_more
    for question in shown:
        _check_grids(label.grids, question)
    _check_text(label.text, [*_facts(definition), *_not_protected(definition), _line(definition)])


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
    """Return what stands large and among the facts, and in the headline where no report of another question proves."""
    numbers = [question.number for question in definition.questions if _is_identity(question)]
    if not numbers:
        return []
    many, those = len(numbers) > 1, f"question{'s' * (len(numbers) > 1)} {_runs(numbers)}"
    said = (
        f"{len(numbers)} question{'s are' if many else ' is'} not protected: {those} {'are' if many else 'is'} sent as"
    )
    factors = [_factor(_channels(question)[:1]) for question in _protected(definition)]
    headline = [f"Chance hides your answers, except to {those}"] if max(factors) <= _STRONG else []
    return [said, said, *headline]


def check_odds(html: str, question: AskedQuestion) -> None:
    """The same of the odds of one question, which have no pictures."""
    label = _Label()
    label.feed(html)
    label.close()
    _check_text(label.text, _odds(question))
    assert "<svg" not in html


def check_bound(text: str, question: AskedQuestion) -> None:
    """Raise AssertionError unless the question's own words say how far its reports change odds."""
    for sentence in _epsilon(question):
        assert sentence in text


def _numbers_of(whose: str) -> list[int]:
    spans = re.findall(r"(\d+)(?: to (\d+))?", whose)
    assert re.fullmatch(
        r"(Questions? \d+( to \d+)?((, \d+( to \d+)?)* and \d+( to \d+)?)?(, the least protected)?:)?", whose.strip()
    ), whose
    return [number for first, last in spans for number in range(int(first), int(last or first) + 1)]


def _check_grids(grids: Sequence[Grid], question: AskedQuestion) -> None:
    """Compare both pictures: filled dots send the report, amber ones are not their owner's answer."""
    here, there = grids
    if question.in_the_head:
        report = f"tap “{question.first.report_labels[1]}”"
        (_, _), (when_not, when_true) = question.design.matrix
        texts = "If you mean Yes", "If you mean No"
        own = ("lit", "ring") if question.design.name == "crosswise" else ("yes", "no")
        kept = 1 - when_not
    else:
        texts, report, when_true, when_not, kept = _phones(question, here.text)
        own = "yes", "no"
    for grid, about, share in ((here, texts[0], when_true), (there, texts[1], when_not)):
        assert grid.text == f"{about} {_of_100(share)} of 100 {report}"
    _check_dots(here, [(own[0], when_true), ("ring", 1 - when_true)])
    _check_dots(there, [("lit", when_not), (own[1], kept), ("ring", 1 - when_not - kept)])


def _phones(question: AskedQuestion, said: str) -> tuple[tuple[str, str], str, Fraction, Fraction, Fraction]:
    """Return what stands above and below the pictures, both shares, and how many keep another answer of theirs."""
    labels, matrix = question.first.labels, question.design.matrix
    two, is_number = len(labels) == 2, question.kind == "number_mean"
    rows = [
        (row[code], next(share for truth, share in enumerate(row) if truth != code)) for code, row in enumerate(matrix)
    ]
    told = 1 if two or is_number or _says_yes_or_no(question) else 0
    if not two and len(set(rows)) > 1:
        change = [max(row) / min(row) if min(row) else inf for row in rows]
        told = change.index(max(change))
    (when_true, when_not), label = rows[told], _said(labels[told], question)
    report = f"phones send {label}"
    kept = 1 - when_not if two else min(1 - when_not, *(row[0] for code, row in enumerate(rows) if code != told))
    if is_number and told < 2:
        other = f"If it rounds to {_said(labels[1 - told], question)}" if two else "If it does not"
        return (f"If it rounds to {label}", other), report, when_true, when_not, kept
    if said.startswith("If an answer is yours") or _chooses_one(question):
        assert not two or _chooses_one(question)
        return ("If an answer is yours", "If it is not"), "phones send it", when_true, when_not, kept
    other = f"If you mean {_said(labels[1 - told], question)}" if two else "If you mean something else"
    return (f"If you mean {label}", other), report, when_true, when_not, kept


def _check_dots(grid: Grid, parts: Sequence[tuple[str, Fraction]]) -> None:
    expected: Counter[str] = Counter()
    for kind, share in parts:
        expected[kind] += share  # type: ignore[assignment]
    assert sum(grid.dots.values()) == 1 or abs(sum(grid.dots.values()) - 1) < Fraction(1, 10**6)
    for kind in expected.keys() | grid.dots.keys():
        found, wanted = grid.dots.get(kind, Fraction(0)), expected[kind]
        assert abs(found - wanted) < Fraction(1, 10**6), f"{kind} dots for {float(found)} instead of {float(wanted)}"


def _check_text(text: str, sentences: Sequence[str]) -> None:
    """Take out what must be said, each as often as it must; no number may be left."""
    for sentence, times in Counter(sentences).items():
        assert text.count(sentence) == times, f"{sentence!r} should stand {times} times in {text!r}"
        text = text.replace(sentence, "")
    assert _NUMBER.findall(text) == [], text


def _odds(question: AskedQuestion) -> list[str]:
    """Return the sentences that must be there."""
    item, matrix = question.first, question.design.matrix
    sentences: list[str] = _proofs(question)
    if question.in_the_head:
        report, when_yes, when_no = item.report_labels[1], matrix[1][1], matrix[1][0]
        sentences += [
            f"Of people whose true answer is Yes, {_of_100(when_yes)} of 100 tap “{report}”.",
            f"Of people whose true answer is No, {_of_100(when_no)} of 100 tap “{report}”.",
            *_facts_in_the_head(question),
        ]
        return sentences
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
        heading = "or you chose it if not" if question.kind == "number_mean" else "if another one is"
        return [*sentences, "How many of 100 phones send an answer", f"{heading} {rows}"]
    if question.kind == "number_mean":
        sentences += [
            f"If your true number is {high}, {_of_100(diagonal[1])} of 100 phones send “{high}”.",
            f"If it is {low}, {_of_100(others[1])} of 100 send “{high}”.",
        ]
        return sentences
    if _chooses_one(question):
        return [
            *sentences,
            f"Each option is sent as Yes or No, with a coin of its own: {_of_100(diagonal[1])} of 100 phones send Yes "
            f"for their owner’s, {_of_100(others[1])} for each other one.",
        ]
    told = 1 if len(labels) == 2 or _says_yes_or_no(question) else 0
    other = "another one" if len(labels) > 2 else _said(labels[1 - told], question)
    sentences += [
        f"If your true answer is {_said(labels[told], question)}, "
        f"{_of_100(diagonal[told])} of 100 phones send {_said(labels[told], question)}.",
        f"If it is {other}, {_of_100(others[told])} of 100 send {_said(labels[told], question)}.",
    ]
    return sentences


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
    if _is_identity(question):
        return []
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


def _epsilon(question: AskedQuestion) -> list[str]:
    matrices, options = _channels(question), len(question.items)
    if _factor(matrices) == inf:
        return []
    one, epsilon = _fold(_factor(matrices[:1])), _nats(matrices[:1])
    if _chooses_one(question):
        return [f"all {options} reports together change those odds at most {one} ({epsilon})."]
    if len(matrices) == 1:
        return [f"one report changes those odds at most {one} ({epsilon})."]
    together = f"on all {options} options together"
    if _factor(matrices) > _MILLION:
        return [
            f"the report on one option changes those odds at most {one} ({epsilon}); the reports {together} "
            f"may change them more than a millionfold ({_nats(matrices)})."
        ]
    return [
        f"the report on one option changes those odds at most {one} ({epsilon}). All {options} reports together "
        f"change them at most {_fold(_factor(matrices))} ({_nats(matrices)})."
    ]


def _facts(definition: Definition) -> list[str]:
    """Return every sentence outside the groups that holds a number."""
    questions, items = definition.questions, definition.items
    further = sum(len(_channels(question)) - 1 for question in questions)
    seconds = 20 * len(questions) + 5 * further + 20 * sum(q.in_the_head for q in questions)
    minutes = 1 + seconds // 60
    said = [
        f"once {definition.minimum_n:,} people have answered",
        "Your report, as one character," if len(items) == 1 else f"Your {len(items)} reports, one character each,",
        f"{len(questions)} question{'s' * (len(questions) > 1)}, {minutes} minute{'s' * (minutes > 1)}",
    ]
    protected = _protected(definition)
    bounded = [q for q in protected if q.epsilon < inf]
    matrices = [matrix for question in bounded for matrix in _channels(question)]
    reports = sum(len(question.items) for question in bounded)
    if len(bounded) < len(protected):
        said.append("All your reports together: without limit (ε is infinite).")
        if not matrices:
            return said
        begins = "it changes" if reports == 1 else "The other reports together change"
        huge = f"may change anybody’s odds about you more than a millionfold ({_nats(matrices)})."
        bound = f"{begins} anybody’s odds about you at most {_fold(_factor(matrices))} ({_nats(matrices)})."
    else:
        begins = "your report changes" if reports == 1 else "all your reports together change"
        huge = f"all your reports together may change those odds more than a millionfold ({_nats(matrices)})."
        bound = f"{begins} those odds at most {_fold(_factor(matrices))} ({_nats(matrices)})."
    return [*said, huge if _factor(matrices) > _MILLION else bound, *_twice(definition, matrices * 2)]


def _what_is_proven(definition: Definition) -> str:
    """Say of the questions that prove something what it is; of several things only which they are."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for question in definition.questions:
        if words := [line.partition(": ε")[0].partition(". ε")[0] for line in _proofs(question)]:
            numbers[_shown(words)].append(question.number)
    if len(numbers) > 1:
        return f"Questions {_runs(sorted(chain(*numbers.values())))}: what is sent can prove something, as each says."
    if len(definition.questions) == 1:
        return next(iter(numbers))
    return " ".join(f"Question{'s' * (len(told) > 1)} {_runs(told)}: {words}" for words, told in numbers.items())


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


def _shown(proven: list[str]) -> str:
    if proven == ["Every report proves the true answer"]:
        return "What is sent shows your answer."
    if len(proven) > 2:
        return "What is sent can prove something, as the question says."
    words = [line.replace("proves that your true answer is", "shows that your answer is") for line in proven]
    return " ".join(f"{line.replace('none of these: ', 'not ')}." for line in words)


def _line(definition: Definition) -> str:
    """Return what stands below the pictures: of one answer, then of all together."""
    protected = _protected(definition)
    matrices = [matrix for question in protected for matrix in _channels(question)]
    about = " This is about the protected answers alone." if len(protected) < len(definition.questions) else ""
    if _factor(matrices) == inf:
        return _what_is_proven(definition) + about
    one, every = max(_factor([matrix]) for matrix in matrices), _factor(matrices)
    nats = f" ({_nats(matrices)}{'' if definition.by_invitation else ' if you answer once'})"
    alone, questions = len(matrices) == 1, len(protected)
    subject, total = ("An answer", nats) if alone else ("One answer", "")
    if one > _MILLION:
        verb = "is" if alone else "can be"
        line = (
            f"{subject} {verb} strong evidence: it can change anyone’s odds about you more than a millionfold{total}."
        )
    elif one > _STRONG:
        line = f"{subject} can be strong evidence: it changes anyone’s odds about you at most {_fold(one)}{total}."
    else:
        line = f"{subject} proves nothing about you: it changes anyone’s odds at most {_fold(one)}{total}."
    if not alone:
        those = f" answers to the question{'s' * (questions > 1)}" if len(matrices) > questions else ""
        those = those.replace("the questions", f"the {questions} questions")
        evidence = " can be strong evidence" if every > _STRONG else ""
        bound = "more than a millionfold" if every > _MILLION else f"at most {_fold(every)}"
        line += f" All {len(matrices)}{those} together{evidence}: {bound}{nats}."
    line += about
    if any(question.in_the_head for question in definition.questions):
        line += " To whoever knows that fact, an answer can be plain."
    return line.replace("-fold", "\u2011fold")


def _twice(definition: Definition, matrices: Sequence[_Matrix]) -> list[str]:
    if definition.by_invitation:
        return []
    fold = "" if _factor(matrices) > _MILLION else f"at most {_fold(_factor(matrices))} "
    epsilon = _nats(matrices)
    fold = fold.replace("-fold", "\u2011fold")
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
    plain = _says_yes_or_no(question) and label in {"Yes", "No"}
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
        return f"{ceil(exact * 10) / 10:g}-fold"
    unit = 10 ** max(0, len(str(ceil(exact))) - 3)
    return f"{ceil(exact / unit) * unit:,}-fold"


def _nats(matrices: Sequence[_Matrix]) -> str:
    with localcontext(prec=60):
        factor = Fraction(_factor(matrices))
        epsilon = (Decimal(factor.numerator) / factor.denominator).ln()
        return f"ε\u00a0≤\u00a0{epsilon.quantize(Decimal('0.01'), ROUND_CEILING):,}"
