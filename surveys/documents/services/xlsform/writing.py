"""From a survey to an XLSForm: what it asks, to be read, translated and edited elsewhere.

The format has no chance: a program that collects with the form sends every answer as it is, which its first note says.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from surveys.common.selectors import whole_language
from surveys.documents.services.xlsform.rows import ABOUT_THE_FORM, OWN_NOTES, TITLE_NOTE
from surveys.models.asked_question import AskedQuestion
from surveys.models.branches import Condition
from surveys.models.definition import Definition

Row = dict[str, str]
_SURVEY = ("required", "protected", "relevant", "constraint", "parameters", "calculation")
_DRAW, _ARM = "arm_draw", "arm"
# The pages' own words have them around numbers, where people write from right to left.
_ISOLATES = dict.fromkeys(range(0x2066, 0x206A))


def write_xlsform(definition: Definition) -> bytes:
    """Return a workbook with the sheets survey, choices and settings, and a column of texts for each language."""
    # Some megabytes of code that no other page needs.
    from openpyxl import Workbook  # noqa: PLC0415

    spoken = [definition.in_language(code) for code in definition.languages or (definition.language,)]
    labels, hints = _columns("label", spoken), _columns("hint", spoken)
    units = any(item.range and item.range.unit for item in definition.items)
    asked = (*labels, *(hints if units else ()))
    sheets: dict[str, tuple[tuple[str, ...], Iterable[Row]]] = {
        "survey": (("type", "name", *asked, *_SURVEY), _in_each(spoken, _survey_rows)),
        "choices": (("list_name", "name", *labels), _in_each(spoken, _choices)),
        "settings": (
            ("form_title", "default_language"),
            [{"form_title": definition.title, "default_language": _language(definition)}],
        ),
    }
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, (columns, rows) in sheets.items():
        sheet = book.create_sheet(name)
        sheet.append(columns)
        for number, row in enumerate(rows, start=2):
            for place, column in enumerate(columns, start=1):
                if text := row.get(column):
                    cell = sheet.cell(number, place, text)
                    # What an author wrote is never a formula.
                    cell.data_type = "s"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _language(definition: Definition) -> str:
    return f"{dict(settings.RESPONDENTS_LANGUAGES)[definition.language]} ({definition.language})"


def _columns(name: str, spoken: Sequence[Definition]) -> tuple[str, ...]:
    return tuple(f"{name}::{_language(each)}" for each in spoken)


def _in_each(spoken: Sequence[Definition], rows_of: Callable[[Definition], Iterable[Row]]) -> Iterator[Row]:
    # One language after the other: half-way through its rows each is in force.
    for rows in zip(*(list(rows_of(each)) for each in spoken), strict=True):
        said = {
            column: row.get(name, "")
            for name in ("label", "hint")
            for column, row in zip(_columns(name, spoken), rows, strict=True)
        }
        yield rows[0] | said


def _survey_rows(definition: Definition) -> Iterator[Row]:
    with translation.override(whole_language(definition.language)):
        for number, words in enumerate(_about(definition), start=1):
            yield {"type": "note", "name": f"{ABOUT_THE_FORM}_{number}", "label": words}
    if definition.languages:
        yield {"type": "note", "name": TITLE_NOTE, "label": _said(definition, definition.title, "title")}
    if definition.introduction:
        yield {
            "type": "note",
            "name": "introduction",
            "label": _said(definition, definition.introduction, "introduction"),
        }
    for name, column in OWN_NOTES.items():
        if text := getattr(definition, column):
            yield {"type": "note", "name": name, "label": _said(definition, text, column)}
    if definition.arms:
        yield {"type": "calculate", "name": _DRAW, "calculation": "once(random())"}
        yield {"type": "calculate", "name": _ARM, "calculation": _drawn_arm(definition)}
    for question in definition.questions:
        asked, number = ("text", "options") if question.traits.counts_options else ("text",), question.number
        yield {
            **_answered(question),
            "name": _name(number),
            "label": _said(definition, _asked(question), *asked, number=number),
            "hint": _said(definition, question.first.range.unit, "unit", number=number) if question.first.range else "",
            "required": "" if question.can_be_left_out else "yes",
            "protected": "yes" if question.protects else "no",
            "relevant": _relevant(question),
        }


def _about(definition: Definition) -> Iterator[str]:
    """Say what the form cannot hold, to whoever opens it."""
    if definition.protected_items:
        yield _(
            "This form adds no chance: a program that collects with it sends every answer as it is. "
            "Collect with it only what says “no” in the column “protected”."
        )
    if definition.random_order:
        yield _("The survey asks its questions in random order. The form asks them in the order of its rows.")
    if definition.arms:
        yield _("Chance draws one of the arms, which the list “arm” names. Read again here, the form has none.")


def _drawn_arm(definition: Definition) -> str:
    """Return the number of the arm that a number from 0 to below 1 falls into."""
    whole, below = sum(arm.weight for arm in definition.arms), 0
    expression = ""
    for arm in definition.arms[:-1]:
        below += arm.weight
        expression += f"if(${{{_DRAW}}} * {whole} < {below}, {arm.number}, "
    return expression + str(definition.arms[-1].number) + ")" * (len(definition.arms) - 1)


def _answered(question: AskedQuestion) -> Row:
    numbers = question.first.range
    if numbers is None:
        several = question.traits.by_option and not question.traits.one_true
        type_ = "select_multiple" if several else "select_one"
        shuffled = "randomize=true" if question.random_order else ""
        return {"type": f"{type_} {_name(question.number)}", "parameters": shuffled}
    shown = numbers.shown
    if numbers.step == 1 and numbers.low.denominator == 1:
        return {"type": "integer", "constraint": f". >= {shown['low']} and . <= {shown['high']}"}
    return {"type": "range", "parameters": f"start={shown['low']} end={shown['high']} step={shown['step']}"}


def _asked(question: AskedQuestion) -> str:
    """Return what is asked; statements that are counted belong to it, since their number is the answer."""
    if not question.traits.counts_options:
        return question.text
    return "\n".join([question.text, *(f"– {statement}" for statement in question.options)])


def _relevant(question: AskedQuestion) -> str:
    parts = [
        " or ".join(f"${{{_ARM}}} = {number}" for number in question.arms),
        _after(question.asked_if) if question.asked_if else "",
    ]
    given = [part for part in parts if part]
    return " and ".join(f"({part})" for part in given) if len(given) > 1 else "".join(given)


def _after(condition: Condition) -> str:
    return " or ".join(f"${{{_name(condition.question_number)}}} = '{code}'" for code in condition.codes)


def _choices(definition: Definition) -> Iterator[Row]:
    for arm in definition.arms:
        yield {"list_name": _ARM, "name": str(arm.number), "label": _literal(arm.name)}
    for question in definition.questions:
        if question.first.range is None:
            labels = [item.option for item in question.items] if question.traits.by_option else question.first.labels
            for code, label in enumerate(labels):
                words = _said(definition, label, *question.traits.field_names, number=question.number)
                yield {"list_name": _name(question.number), "name": str(code), "label": words}


def _name(number: int) -> str:
    return f"q{number}"


def _said(definition: Definition, words: str, *names: str, number: int = 0) -> str:
    """Return what a survey's or a question's texts of these names make in a language.

    Where one of them is not translated yet that is nothing: read again, it would pass for a translation.
    """
    stored = definition.content
    translations = stored.get("translations", {}).get(definition.language)
    if number:
        question = stored["questions"][number - 1]
        stored = question | question["details"] | {"options": "\n".join(question["options"])}
    written = [stored.get(name) for name in names]
    texts = [text for text in written if isinstance(text, str) and text.strip()]
    return _literal(words) if translations is None or all(text in translations for text in texts) else ""


def _literal(text: str) -> str:
    """Return a text in which nothing refers to another answer or turns the direction, its lines ended as usual."""
    return "\n".join(text.splitlines()).replace("${", "$ {").translate(_ISOLATES)
