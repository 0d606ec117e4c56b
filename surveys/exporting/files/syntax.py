"""The CSV of reports as SPSS and Stata read it: a file for each that names columns and codes as the codebook does.

Texts that people wrote stand in quotes only. In SPSS a quote is doubled; in Stata a text is an expression of Mata that
spells every character which could end it, begin a comment or call a macro.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from surveys.common.spreadsheets import safe_text
from surveys.exporting.files.codebook import Column, codebook_of
from surveys.exporting.files.programs import responses_name
from surveys.exporting.selectors import NOT_GIVEN, GroupNames, mode_labels
from surveys.models import Mode
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import Figures, LeaveOut

SPSS_LABEL, SPSS_VALUE_LABEL = 255, 120
"""The longest labels of a column and of a code that SPSS keeps, in bytes."""
STATA_LABEL = 80
"""The longest label of a column that Stata keeps, in characters; that of a code may have 32,000 bytes."""

NOMINAL, ORDINAL, SCALE = "NOMINAL", "ORDINAL", "SCALE"

_PIECE = 200  # bytes: a line of SPSS may have 256
_SPELLED = frozenset("\"'`$\\/*")


@dataclass(frozen=True, slots=True)
class Variable:
    """A column of the CSV file, as programs for statistics describe one.

    Attributes
    ----------
    name, label : str
        What it is called, and what it holds, in one line.
    level : str
        Its level of measurement.
    values : tuple of pairs
        What a cell can hold and what that means: of codes a number, of texts as the file has them.
    width : int
        The longest text in bytes; 0 for a column of codes.
    """

    name: str
    label: str
    level: str
    values: tuple[tuple[int | str, str], ...]
    width: int = 0


def variables_of(definition: Definition, groups: GroupNames) -> tuple[Variable, ...]:
    """Return the columns of the file with codes, in their order."""
    names = {key: _line(name) for key, name in groups.names.items()}
    slugs = {safe_text(slug): names[key] for key, slug in groups.slugs.items()}
    arms = tuple((code, _line(arm.name)) for code, arm in enumerate(definition.arms))
    return (
        *map(_variable, codebook_of(definition)),
        *([Variable("arm", "Random arm", NOMINAL, arms)] if arms else []),
        _text("group", "Group; empty: none", slugs),
        _text("mode", "Who flipped the coins", dict(zip(Mode.values, mode_labels(definition), strict=True))),
    )


def _variable(column: Column) -> Variable:
    item = column.item
    ordered = item.answers.figures is not Figures.NONE and item.leave_out != LeaveOut.PROTECTED
    level = SCALE if item.answers.counts_options else ORDINAL if ordered else NOMINAL
    holds = "Randomized report" if item.protects else "Answer as sent"
    values = tuple((code.code, _line(code.report.original)) for code in column.codes)
    return Variable(column.name, f"{holds}: {_line(item.title)}", level, values)


def _text(name: str, label: str, values: dict[str, str]) -> Variable:
    known = {**values, NOT_GIVEN: "Withheld: too few people"}
    return Variable(name, label, NOMINAL, tuple(known.items()), max(len(value.encode()) for value in known))


def _line(text: str) -> str:
    return " ".join(text.split())


def cut(text: str, most: int, size: Callable[[str], int]) -> str:
    """Return a text that is no longer than this, with an ellipsis where something is missing."""
    if size(text) <= most:
        return text
    while size(text) > most - size("…"):
        text = text[:-1]
    return f"{text.rstrip()}…"


def _bytes(text: str) -> int:
    return len(text.encode())


def _remarks(definition: Definition, file: str) -> Iterator[str]:
    yield f"Reads {file}, which must be in the working folder, and labels its columns and codes"
    yield "A randomized report is what randomization made of a true answer, and not that answer"
    if definition.unprotected:
        yield "An answer as sent was not randomized"
    yield "An empty cell is missing: the question was skipped or not asked"


def spss_syntax(definition: Definition, groups: GroupNames) -> str:
    """Return the syntax for SPSS, which PSPP reads too; by its byte order mark SPSS knows it as UTF-8."""
    variables, file = variables_of(definition, groups), responses_name(definition)
    commands = [
        "* Encoding: UTF-8",
        *(f"* {line}" for line in _remarks(definition, file)),
        "* In SPSS 20 and older, run SET UNICODE=ON first",
        "\n  ".join(
            (
                "GET DATA",
                "/TYPE=TXT",
                f"/FILE='{file}'",
                "/ENCODING='UTF8'",
                "/DELCASE=LINE",
                "/ARRANGEMENT=DELIMITED",
                "/DELIMITERS=','",
                "/QUALIFIER='\"'",
                "/FIRSTCASE=2",
                "/VARIABLES=",
                *(f"  {each.name} {f'A{each.width}' if each.width else 'F3.0'}" for each in variables),
            )
        ),
        "VARIABLE LABELS\n  "
        + "\n  ".join(f"{each.name} {spss_text(cut(each.label, SPSS_LABEL, _bytes))}" for each in variables),
        "VALUE LABELS\n  " + "\n  /".join(map(_spss_values, variables)),
        "VARIABLE LEVEL\n  " + "\n  /".join(f"{each.name} ({each.level})" for each in variables),
        "EXECUTE",
    ]
    return "\ufeff" + "".join(f"{command}.\n" for command in commands)


def _spss_values(variable: Variable) -> str:
    lines = [variable.name]
    for value, label in variable.values:
        cell = spss_text(value) if isinstance(value, str) else str(value)
        lines.append(f"    {cell} {spss_text(cut(label, SPSS_VALUE_LABEL, _bytes))}")
    return "\n".join(lines)


def spss_text(text: str) -> str:
    """Return one line of text as SPSS reads it: in pieces, as no line may be long."""
    pieces = [""]
    for character in text:
        written = "''" if character == "'" else character
        if _bytes(pieces[-1] + written) > _PIECE:
            pieces.append("")
        pieces[-1] += written
    return " +\n      ".join(f"'{piece}'" for piece in pieces)


def stata_do_file(definition: Definition, groups: GroupNames) -> str:
    """Return the do-file for Stata 14 and newer, which read UTF-8.

    Stata labels no texts, so those of groups and modes are notes.
    """
    variables, file = variables_of(definition, groups), responses_name(definition)
    places = {
        texts: [str(at) for at, each in enumerate(variables, start=1) if bool(each.width) is texts]
        for texts in (False, True)
    }
    lines = [
        *(f"* {line}." for line in _remarks(definition, file)),
        "version 14",
        f'import delimited using "{file}", clear varnames(1) case(preserve) delimiters(",") encoding("UTF-8") ///',
        f"    numericcols({' '.join(places[False])}) stringcols({' '.join(places[True])})",
        f'label data "Reports of survey {definition.code}"',
        "mata:",
        *(line for each in variables for line in _stata_variable(each)),
        "end",
    ]
    return "".join(f"{line}\n" for line in lines)


def _stata_variable(variable: Variable) -> Iterator[str]:
    name = variable.name
    yield f'st_varlabel("{name}", {stata_text(cut(variable.label, STATA_LABEL, len))})'
    if variable.width:
        for number, (value, label) in enumerate(variable.values, start=1):
            yield f'st_global("{name}[note{number}]", {stata_text(f"{value}: {label}")})'
        yield f'st_global("{name}[note0]", "{len(variable.values)}")'
        return
    for value, label in variable.values:
        yield f'st_vlmodify("{name}", {value}, {stata_text(label)})'
    yield f'st_varvaluelabel("{name}", "{name}")'


def stata_text(text: str) -> str:
    """Return a text as an expression of Mata."""
    parts: list[str] = []
    plain = ""
    for character in text:
        if character.isprintable() and character not in _SPELLED:
            plain += character
            continue
        parts += [f'"{plain}"'] * bool(plain) + [f"uchar({ord(character)})"]
        plain = ""
    return " + ".join([*parts, f'"{plain}"'] if plain or not parts else parts)
