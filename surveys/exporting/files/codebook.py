"""The codebook: what each column means, what each code says, and how chance was added."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from surveys.common.spreadsheets import safe_text
from surveys.exporting.selectors import column_name, report_labels
from surveys.models.branches import Condition
from surveys.models.definition import Definition, Item

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


@dataclass(frozen=True, slots=True)
class Code:
    """One report: what it says, the true answer of the same code, and how likely each true answer makes it.

    Of a number a report has a value instead, exactly: there are more of them than values that numbers are rounded to.
    """

    code: int
    report: str
    truth: str
    probabilities: tuple[str, ...]
    value: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of reports."""

    name: str
    item: Item
    codes: tuple[Code, ...]
    statements: tuple[str, ...] = ()  # that are counted
    arms: str = ""  # the names of those in which it is asked, where not everybody is
    asked_if: Condition | None = None  # whom it is asked; None is everybody
    guessed: str = ""  # the parameter that is a guess

    @property
    def kind(self) -> str:
        """What kind of question it is, in words."""
        return str(self.item.traits.label)

    @property
    def design(self) -> str:
        """How chance is added, in words."""
        return str(self.item.asked_with.label)

    @property
    def parameters(self) -> str:
        """What the design was made with, exactly."""
        return "; ".join(
            f"{name} = {_written(value)}{' (guessed)' if name == self.guessed else ''}"
            for name, value in self.item.design.exact_parameters
        )


def codebook_of(definition: Definition) -> tuple[Column, ...]:
    """Return the columns of reports, in their order."""
    labels = report_labels(definition)
    return tuple(
        Column(
            column_name(item),
            item,
            _codes(item, labels[item.number]),
            question.options if question.traits.counts_options else (),
            definition.arm_names(question),
            question.asked_if,
            question.guessed,
        )
        for question in definition.questions
        for item in question.items
    )


def _codes(item: Item, reports: tuple[str, ...]) -> tuple[Code, ...]:
    if grid := item.grid:
        return tuple(
            Code(code, reports[code], "", tuple(map(str, row)), str(grid.values[code]))
            for code, row in enumerate(item.design.matrix)
        )
    return tuple(
        Code(code, reports[code], item.labels[code], tuple(map(str, row)))
        for code, row in enumerate(item.design.matrix)
    )


def codebook_csv(definition: Definition) -> bytes:
    """Return the codebook as a table with a row a code; with a byte order mark, as people open it in Excel."""
    text = io.StringIO()
    writer = csv.writer(text)
    valued = any(item.grid for item in definition.items)
    writer.writerow((*HEAD, "value") if valued else HEAD)
    for column in codebook_of(definition):
        writer.writerows([safe_text(cell) for cell in row] for row in _rows(column, valued=valued))
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def _rows(column: Column, *, valued: bool) -> Iterator[list[str]]:
    item = column.item
    for code in column.codes:
        yield [
            column.name,
            item.text,
            item.option,
            str(item.kind),
            str(item.leave_out),
            str(item.design.name),
            column.parameters,
            # Rounded up, as everywhere: it is a bound.
            repr(item.design.epsilon),
            str(code.code),
            code.report,
            code.truth,
            # A fraction by itself is a date to a spreadsheet.
            " ".join(code.probabilities),
            *([code.value] if valued else []),
        ]


def _written(value: object) -> str:
    return " ".join(map(_written, value)) if isinstance(value, tuple) else str(value)
