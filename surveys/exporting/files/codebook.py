"""The codebook: what each column means, what each code says, in each language, and how it was randomized."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surveys.common.spreadsheets import safe_text
from surveys.exporting.selectors import column_name, report_labels
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition

HEAD = (
    "column",
    "question",
    "option",
    "kind",
    "leaving_out",
    "design",
    "parameters",
    "epsilon",
    "code",
    "report",
    "truth",
    "probabilities_by_truth",
)
TEXTS = ("question", "option", "report", "truth")


@dataclass(frozen=True, slots=True)
class SpokenText:
    """A text of a survey in its own language, and what it is called in each of the others, by their codes."""

    original: str
    others: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Code:
    """One report: what it says, the true answer of the same code, and how likely each true answer makes it.

    Of a number a report has a value instead, exactly: there are more of them than values that numbers are rounded to.
    """

    code: int
    report: SpokenText
    truth: SpokenText
    probabilities: tuple[str, ...]
    value: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    item: Item
    question: AskedQuestion
    text: SpokenText
    option: SpokenText
    truths: tuple[SpokenText, ...]
    codes: tuple[Code, ...]
    statements: tuple[SpokenText, ...] = ()  # that are counted
    arms: str = ""  # the names of those in which it is asked, where not everybody is

    @property
    def kind(self) -> str:
        """What kind of question it is, in words."""
        return str(self.item.answers.label)

    @property
    def titles_elsewhere(self) -> tuple[tuple[str, str], ...]:
        """What it is about in each of the other languages, in one line, by their codes."""
        both = zip(self.text.others, self.option.others, strict=True)
        return tuple((code, f"{text} – {option}" if option else text) for (code, text), (_code, option) in both)

    @property
    def design(self) -> str:
        """How a question is randomized, in words."""
        return str(self.item.chance.label)

    @property
    def parameters(self) -> str:
        """What the design was made with, exactly."""
        return "; ".join(
            f"{name} = {_written(value)}{' (guessed)' if name == self.question.guessed else ''}"
            for name, value in self.item.design.exact_parameters
        )


def codebook_of(definition: Definition) -> tuple[Column, ...]:
    spoken = [definition.in_language(language) for language in definition.languages or (definition.language,)]
    labels = [report_labels(each) for each in spoken]
    codes = [each.language for each in spoken[1:]]
    columns = []
    for question, *elsewhere in zip(*(each.questions for each in spoken), strict=True):
        statements = [each.options if each.answers.counts_options else () for each in (question, *elsewhere)]
        for items in zip(question.items, *(each.items for each in elsewhere), strict=True):
            item = items[0]
            text, option = _spoken(codes, [(each.text, each.option) for each in items])
            truths = _spoken(codes, [each.labels for each in items])
            columns.append(
                Column(
                    column_name(item),
                    item,
                    question,
                    text,
                    option,
                    truths,
                    _codes(item, _spoken(codes, [each[item.number] for each in labels]), truths),
                    _spoken(codes, statements),
                    definition.arm_names(question),
                )
            )
    return tuple(columns)


def _spoken(codes: Sequence[str], texts: Sequence[Sequence[str]]) -> tuple[SpokenText, ...]:
    """Return the texts in all languages, from those in each."""
    return tuple(
        SpokenText(original, tuple(zip(codes, others, strict=True))) for original, *others in zip(*texts, strict=True)
    )


def _codes(item: Item, reports: Sequence[SpokenText], truths: Sequence[SpokenText]) -> tuple[Code, ...]:
    rows = [tuple(map(str, row)) for row in item.design.matrix]
    if grid := item.grid:
        nothing = SpokenText("", tuple((language, "") for language, _text in reports[0].others))
        return tuple(Code(code, reports[code], nothing, row, str(grid.values[code])) for code, row in enumerate(rows))
    return tuple(Code(code, reports[code], truths[code], row) for code, row in enumerate(rows))


def codebook_csv(definition: Definition) -> bytes:
    """Return the codebook as a table with a row a code; with a byte order mark, as people open it in Excel.

    Last come a column each for the question, the option, the report and the truth in every other language.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    valued = any(item.grid for item in definition.items)
    spoken = [f"{name}_{language}" for language in definition.languages[1:] for name in TEXTS]
    writer.writerow((*HEAD, *(["value"] if valued else []), *spoken))
    for column in codebook_of(definition):
        writer.writerows([safe_text(cell) for cell in row] for row in _rows(column, valued=valued))
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def _rows(column: Column, *, valued: bool) -> Iterator[list[str]]:
    item = column.item
    for code in column.codes:
        texts = (column.text, column.option, code.report, code.truth)
        yield [
            column.name,
            column.text.original,
            column.option.original,
            str(item.kind),
            str(item.leave_out),
            str(item.design.name),
            column.parameters,
            # Rounded up, as everywhere: it is a bound.
            repr(item.design.epsilon),
            str(code.code),
            code.report.original,
            code.truth.original,
            # A fraction by itself is a date to a spreadsheet.
            " ".join(code.probabilities),
            *([code.value] if valued else []),
            *(words for others in zip(*(text.others for text in texts), strict=True) for _language, words in others),
        ]


def _written(value: object) -> str:
    return " ".join(map(_written, value)) if isinstance(value, tuple) else str(value)
