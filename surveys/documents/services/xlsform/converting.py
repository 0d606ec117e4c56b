"""From an XLSForm to a survey's document, with a report of what became of each line."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import SurveyContent, read_document
from surveys.documents.services.xlsform.markup import plain
from surveys.documents.services.xlsform.names import is_yes, row_type
from surveys.documents.services.xlsform.rows import (
    OWN_NOTES,
    TITLE_NOTE,
    ImportReport,
    LineReport,
    LostCell,
    RowReader,
    Unfit,
    choices_by_list,
    chosen_in,
    formatting_lost,
    lost_of,
)
from surveys.documents.services.xlsform.workbook import (
    Language,
    Sheet,
    SheetRow,
    languages_of,
    read_sheets,
)
from surveys.drafts.selectors import FORMAT, VERSION
from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.questionnaire import designs
from surveys.questionnaire.asked_question import items_of
from surveys.questionnaire.document import TEXTS, Place
from surveys.questionnaire.reports import MAX_ITEMS
from surveys.questionnaire.translations import check_translations

# Where a form does not say in which language it is.
_OTHERWISE = "en"
# Sheets that the format knows besides those that are read.
FURTHER_SHEETS = frozenset({"entities", "external_choices", "osm"})


def read_xlsform(raw: bytes) -> ImportReport:
    """Read an XLSForm as far as it fits; raises DocumentRefused when it is none or cannot be read at all.

    Of what does not fit nothing is lost silently: each line of the form has a line in the report.
    """
    sheets = read_sheets(raw)
    settings = sheets.settings.rows
    language, others = languages_of(
        sheets.survey, sheets.choices, settings[0].cell("default_language") if settings else ""
    )
    further = {
        each.code: RowReader(each, choices_by_list(sheets.choices, each))
        for each in others
        if each.code not in {"", language.code or _OTHERWISE}
    }
    converter = _Converter(language, RowReader(language, choices_by_list(sheets.choices, language)), further)
    converter.read_settings(sheets.settings, others)
    for row in sheets.survey.rows:
        converter.read_row(row)
    converter.introduce()
    converter.report_choices(sheets.survey, sheets.choices)
    converter.report_sheets(sheets.others)
    return ImportReport(converter.document, read_document(converter.document), tuple(converter.lines))


class _Converter:
    """A document under way, and the report of what has been read so far."""

    def __init__(self, language: Language, rows: RowReader, further: Mapping[str, RowReader]) -> None:
        self.lines: list[LineReport] = []
        self._language = language
        self._rows = rows
        self._further = further
        self._words: dict[str, dict[str, str]] = {code: {} for code in further}
        self._survey: dict[str, Any] = {"language": language.code or _OTHERWISE}
        # The row of each note and its place in the report, by its text.
        self._notes: list[tuple[str, SheetRow, int]] = []
        self._questions: list[dict[str, Any]] = []
        # The number of each question that was taken and the codes of its answers, by the names of the form.
        self._taken: dict[str, tuple[int, dict[str, int]]] = {}
        self._lists: set[str] = set()  # the lists of choices that were taken
        self._items = 0
        self._conditions: list[str] = []  # of the groups that are open, "" for one without
        self._repeats = 0

    @property
    def document(self) -> dict[str, Any]:
        translations = {code: words for code, words in self._words.items() if words}
        survey = self._survey | ({"translations": translations} if translations else {})
        return {"format": FORMAT, "version": VERSION, "survey": survey, "questions": self._questions}

    def read_settings(self, sheet: Sheet, others: list[Language]) -> None:
        first, *rest = sheet.rows or (SheetRow(2, {}, {}),)
        key = "form_title" if first.cell("form_title") else "form_id"
        title = " ".join(plain(first.cell(key)).split()) or _("Imported form")
        longest, lost = TEXTS["title"].longest, []
        if len(title) > longest:
            lost.append(LostCell(first.headers[key], _("The title is cut to %(most)s characters.") % {"most": longest}))
            title = title[:longest].rstrip()
        if words := self._refusal(title=title):
            lost.append(LostCell(first.headers[key], words))
            title = _("Imported form")
        self._survey["title"] = title
        lost += formatting_lost(first, key)
        self._note("settings", first.number, "form_title", _("Title: %(title)s") % {"title": title}, lost=lost)
        default, spoken = first.cell("default_language"), self._language.written
        written = spoken or default
        words = (
            _("Imported language: %(language)s.") % {"language": written}
            if written
            else _("The form doesn’t specify a language.")
        )
        if not self._language.code:
            words += " " + _("The survey’s pages will be in English. You can choose another language in the editor.")
        lost = []
        if default and spoken and default.lower() not in {spoken.lower(), self._language.code}:
            lost.append(LostCell(first.headers["default_language"], _("The form has no labels in this language.")))
        self._note("settings", first.number, "default_language", words, lost=lost)
        for column, header in first.headers.items():
            if first.cell(column) and column not in {key, "default_language"}:
                self._note("settings", first.number, header, _("This setting isn’t imported."), taken=False)
        for row in rest:
            self._note("settings", row.number, "", _("Only the first row of settings is imported."), taken=False)
        for other in others:
            taken = other.code in self._further
            words = _("Imported as an additional language. Add any missing translations in the editor.")
            if not taken:
                words = _("The pages aren’t available in this language, or it is already the survey’s main language.")
            self._note("survey", 1, other.written, words, taken=taken)

    def read_row(self, row: SheetRow) -> None:
        """Take a row of the survey sheet, or say why not."""
        kind = row_type(row.cell("type")).kind
        if is_yes(row.cell("disabled")):
            self._of_survey(row, _("This line is disabled in the form."), taken=False)
        elif not row.cell("type"):
            self._of_survey(row, _("This line has no type."), taken=False)
        elif kind in {"begin repeat", "end repeat"}:
            self._repeats = max(0, self._repeats + (1 if kind == "begin repeat" else -1))
            self._of_survey(row, _("Repeats aren’t supported, so nothing in them is imported."), taken=False)
        elif self._repeats:
            self._of_survey(row, _("This line is part of a repeat."), taken=False)
        elif kind == "begin group":
            self._conditions.append(row.cell("relevant"))
            words = _("Sections aren’t supported, but their questions are imported one by one.")
            self._of_survey(row, words, taken=False)
        elif kind == "end group":
            self._conditions = self._conditions[:-1]
            lost = lost_of(row, {"type", "name", "disabled"}, self._language)
            self._of_survey(row, _("End of a section."), lost=lost)
        elif kind == "note":
            self._read_note(row)
        else:
            self._read_question(row)

    def _conditions_of(self, row: SheetRow) -> list[str]:
        """Return all conditions that a row depends on: those of the groups around it, and its own."""
        return [condition for condition in (*self._conditions, row.cell("relevant")) if condition]

    def _read_note(self, row: SheetRow) -> None:
        try:
            label = self._rows.label(row)
            self._check_note(row, label)
        except Unfit as unfit:
            self._of_survey(row, str(unfit), taken=False)
            return
        name, lost = row.cell("name"), lost_of(row, {"type", "name", "label", "disabled"}, self._language)
        words = _("Added to the introduction.")
        if name == TITLE_NOTE:
            words = _("Used as the title in the other languages.")
            if " ".join(label.split()) != self._survey["title"]:
                words_of_title = _("The title is the one on the “settings” sheet.")
                lost.append(LostCell(_header_of(row, self._rows), words_of_title))
            lost += self._translate(row, self._survey["title"])
        elif column := OWN_NOTES.get(name):
            self._survey[column] = label
            consents = TEXTS[column].place is Place.CONSENT
            words = _("Used as the consent text.") if consents else _("Shown to respondents after sending.")
            lost += self._translate(row, label)
        else:
            self._notes.append((label, row, len(self.lines)))
            if self._questions:
                words = _("Moved to the introduction, before all questions.")
        self._of_survey(row, words, lost=lost)

    def _check_note(self, row: SheetRow, label: str) -> None:
        """Refuse a note that not everybody would see, or that no survey can hold; raises Unfit."""
        if self._conditions_of(row):
            raise Unfit(_("Only some respondents would see this note, but an introduction is shown to everyone."))
        column = OWN_NOTES.get(row.cell("name"), "introduction")
        if column in self._survey:
            raise Unfit(_("Another note has this name."))
        texts = [text for text, _row, _line in self._notes] if column == "introduction" else []
        text = "\n\n".join([*texts, label])
        if texts and len(text) > TEXTS[column].longest:
            raise Unfit(_("The introduction would be too long with this note."))
        if words := self._refusal(**{column: text}):
            raise Unfit(words)

    def _refusal(self, **texts: str) -> str:
        """Say what keeps texts out of a survey, or return ""."""
        try:
            read_document(self.document | {"survey": self._alone | texts, "questions": []})
        except DocumentRefused as refused:
            return " ".join(problem.words for problem in refused.problems)
        return ""

    def introduce(self) -> None:
        """Make one text of all notes, in each language in which none of them is missing."""
        text = "\n\n".join(label for label, _row, _line in self._notes)
        self._survey["introduction"] = text
        for code, reader in self._further.items():
            labels = [_label_of(row, reader) for _label, row, _line in self._notes]
            words = _("The introduction isn’t translated, because some notes have no text in this language.")
            if all(labels):
                words = self._take_words(code, text, "\n\n".join(labels))
            for (_label, row, line), label in zip(self._notes, labels, strict=True):
                if label and words:
                    report = self.lines[line]
                    self.lines[line] = replace(report, lost=(*report.lost, LostCell(_header_of(row, reader), words)))

    def _read_question(self, row: SheetRow) -> None:
        try:
            question, words, lost = self._rows.question(row)
            self._items = self._items_with(question)
        except Unfit as unfit:
            self._of_survey(row, str(unfit), taken=False)
            return
        if conditions := self._conditions_of(row):
            try:
                number = self._take_condition(conditions, question)
                words += " " + _("Asked only after certain answers to question %(number)s.") % {"number": number}
            except Unfit as unfit:
                lost.append(LostCell(row.headers.get("relevant", "relevant"), str(unfit)))
        self._questions.append(question)
        number = len(self._questions)
        name, list_name = row.cell("name"), row_type(row.cell("type")).list_name
        # Of two questions with one name nobody knows which a condition means.
        self._taken[name] = (0, {}) if name in self._taken else (number, self._rows.codes(row))
        self._lists |= {list_name} - {""}
        lost += self._translate(row, question["text"])
        lost += self._translate_options(row, question.get("options", ()))
        self._of_survey(row, words, lost=lost, question=number)

    def _take_condition(self, conditions: list[str], question: dict[str, Any]) -> int:
        """Take into a question whom it is asked, and return which one decides; raises Unfit."""
        lost = _("The condition is lost, so everyone is asked.")
        name, choices = ("", set()) if len(conditions) > 1 else chosen_in(conditions[0]) or ("", set())
        number, codes = self._taken.get(name, (0, {}))
        if not number or not choices <= codes.keys():
            raise Unfit(lost)
        decides = self._questions[number - 1]
        if designs.named(decides["design"]).protects:
            reason = _(
                "A condition can use only answers to unprotected questions. To make a question "
                "unprotected, enter “no” in its “protected” cell."
            )
            raise Unfit(f"{lost} {reason}")
        answers = sorted(codes[choice] for choice in choices)
        pair = [decides, question | {"asked_if": {"question": 1, "answers": answers}}]
        try:
            read_document(self.document | {"survey": self._alone, "questions": pair})
        except DocumentRefused as refused:
            raise Unfit(" ".join([lost, *(problem.words for problem in refused.problems)])) from None
        question["asked_if"] = {"question": number, "answers": answers}
        return number

    @property
    def _alone(self) -> dict[str, Any]:
        """A survey around questions that are judged by themselves."""
        return {"title": "?", "language": self._survey["language"]}

    def _translate(self, row: SheetRow, text: str) -> list[LostCell]:
        """Take what a text is called in each language, and return what of that is lost."""
        lost = []
        for code, reader in self._further.items():
            try:
                words = self._take_words(code, text, reader.label(row))
            except Unfit as unfit:
                # An empty cell is a missing translation.
                words = str(unfit) if reader.language.cell(row, "label") else ""
            if words:
                lost.append(LostCell(_header_of(row, reader), words))
        return lost

    def _translate_options(self, row: SheetRow, options: list[str]) -> list[LostCell]:
        name, lost = row_type(row.cell("type")).list_name, []
        for code, reader in self._further.items():
            if not options or not any(choice.label for choice in reader.choices[name]):
                continue
            try:
                words = self._take_words(code, "\n".join(options), "\n".join(reader.options(name)))
            except Unfit as unfit:
                words = str(unfit)
            if words:
                words = _("The choices in %(language)s aren’t imported. %(reason)s") % {
                    "language": reader.language.written,
                    "reason": words,
                }
                lost.append(LostCell(row.headers["type"], words))
        return lost

    def _take_words(self, code: str, text: str, translation: str) -> str:
        """Take what a text is called in a language, or say why it could not be stored."""
        if "\n" not in text:
            translation = " ".join(translation.split())
        try:
            check_translations({code: {text: translation}})
        except ValidationError as refused:
            return " ".join(refused.messages)
        if self._words[code].setdefault(text, translation) != translation:
            return _("This text already has another translation in the form.")
        return ""

    def _items_with(self, question: dict[str, Any]) -> int:
        """Hold one more question against all rules of a document, and count the items with it; raises Unfit."""
        if len(self._questions) >= MAX_QUESTIONS:
            raise Unfit(_("A survey can have at most %(most)s questions.") % {"most": MAX_QUESTIONS})
        try:
            read: SurveyContent = read_document(self.document | {"survey": self._alone, "questions": [question]})
        except DocumentRefused as refused:
            raise Unfit(" ".join(problem.words for problem in refused.problems)) from None
        items = self._items + sum(len(items_of(question)) for question in read.questions)
        if items > MAX_ITEMS:
            raise Unfit(
                _(
                    "A survey can have at most %(most)s items. If several options can be ticked, each "
                    "option counts as one item."
                )
                % {"most": MAX_ITEMS}
            )
        return items

    def report_choices(self, survey: Sheet, choices: Sheet) -> None:
        """Say what is lost of the choices: of those that were taken, and of lists that no line of the form names."""
        named = {row_type(row.cell("type")).list_name for row in survey.rows}
        for row in choices.rows:
            name = row.cell("list_name")
            if not name:
                self._note("choices", row.number, row.cell("name"), _("This choice is in no list."), taken=False)
            elif name not in named:
                named.add(name)
                self._note("choices", row.number, name, _("No question uses this list of choices."), taken=False)
            elif name in self._lists and (lost := lost_of(row, {"list_name", "name", "label"}, self._language)):
                self._note("choices", row.number, row.cell("name"), _("Choice of a question."), lost=lost)

    def report_sheets(self, names: tuple[str, ...]) -> None:
        """Name the sheets that the format knows and a survey has nothing of."""
        for name in names:
            if name in FURTHER_SHEETS:
                self._note(name, 1, "", _("This sheet isn’t imported."), taken=False)

    def _of_survey(
        self, row: SheetRow, words: str, *, taken: bool = True, lost: list[LostCell] | None = None, question: int = 0
    ) -> None:
        self.lines.append(
            LineReport(
                "survey", row.number, row.cell("type"), row.cell("name"), taken, words, tuple(lost or ()), question
            )
        )

    def _note(
        self, sheet: str, row: int, name: str, words: str, *, taken: bool = True, lost: list[LostCell] | None = None
    ) -> None:
        self.lines.append(LineReport(sheet, row, "", name, taken, words, tuple(lost or ())))


def _label_of(row: SheetRow, reader: RowReader) -> str:
    """Return a row's label in the reader's language, "" where it has none that can be shown."""
    try:
        return reader.label(row)
    except Unfit:
        return ""


def _header_of(row: SheetRow, reader: RowReader) -> str:
    """Return what a sheet calls the labels in the reader's language."""
    return row.headers.get(f"label::{reader.language.written.lower()}", "label")
