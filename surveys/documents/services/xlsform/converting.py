"""From an XLSForm to a survey's document, with a report of what became of each line."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import SurveyContent, read_document
from surveys.documents.services.xlsform.rows import (
    OWN_NOTES,
    TITLE_NOTE,
    ImportReport,
    LineReport,
    RowReader,
    Unfit,
    choices_by_list,
    chosen_in,
)
from surveys.documents.services.xlsform.workbook import Language, Sheet, SheetRow, chosen_language, code_of, read_sheets
from surveys.drafts.selectors import FORMAT, VERSION
from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.questionnaire import designs
from surveys.questionnaire.asked_question import items_of
from surveys.questionnaire.document import TEXTS, Place
from surveys.questionnaire.reports import MAX_ITEMS
from surveys.questionnaire.translations import check_translations

# Where a form does not say in which language it is.
_OTHERWISE = "en"


def read_xlsform(raw: bytes) -> ImportReport:
    """Read an XLSForm as far as it fits; raises DocumentRefused when it is none or cannot be read at all.

    Of what does not fit nothing is lost silently: each line of the form has a line in the report.
    """
    sheets = read_sheets(raw)
    settings = next(iter(sheets.get("settings", Sheet()).rows), SheetRow(2, {}))
    language, others = chosen_language(sheets["survey"], settings.cell("default_language"))
    choices = sheets.get("choices", Sheet())
    spoken = [Language(written, code_of(written)) for written in others]
    further = {
        each.code: RowReader(each, choices_by_list(choices, each))
        for each in spoken
        if each.code not in {"", language.code or _OTHERWISE}
    }
    converter = _Converter(language, RowReader(language, choices_by_list(choices, language)), further)
    converter.read_settings(settings, spoken)
    for row in sheets["survey"].rows:
        converter.read_row(row)
    converter.introduce()
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
        self._notes: list[tuple[str, dict[str, str]]] = []  # each, and what it is called in the further languages
        self._questions: list[dict[str, Any]] = []
        # The number of each question that was taken and the codes of its answers, by the names of the form.
        self._taken: dict[str, tuple[int, dict[str, int]]] = {}
        self._items = 0
        self._repeats = 0

    @property
    def document(self) -> dict[str, Any]:
        translations = {code: words for code, words in self._words.items() if words}
        survey = self._survey | ({"translations": translations} if translations else {})
        return {"format": FORMAT, "version": VERSION, "survey": survey, "questions": self._questions}

    def read_settings(self, settings: SheetRow, others: list[Language]) -> None:
        written = settings.cell("form_title") or settings.cell("form_id")
        title = " ".join(written.split()) or _("Imported form")
        self._survey["title"] = title[: TEXTS["title"].longest]
        self._note("settings", settings.number, "form_title", "", _("Title: %(title)s") % {"title": title})
        written = self._language.written or self._language.code
        words = (
            _("Imported language: %(language)s.") % {"language": written}
            if written
            else _("The form doesn’t specify a language.")
        )
        if not self._language.code:
            words += " " + _("The survey’s pages will be in English. You can choose another language in the editor.")
        self._note("settings", settings.number, "default_language", "", words)
        for other in others:
            taken = other.code in self._further
            words = _("Imported as an additional language. Add any missing translations in the editor.")
            if not taken:
                words = _("The pages aren’t available in this language, or it is already the survey’s main language.")
            self._note("survey", 1, "label", other.written, words, taken=taken)

    def read_row(self, row: SheetRow) -> None:
        """Take a row of the survey sheet, or say why not."""
        type_ = " ".join(row.cell("type").lower().replace("_", " ").split())
        if not type_ and not row.cell("name"):
            return
        if type_ in {"begin repeat", "end repeat"}:
            self._repeats += 1 if type_ == "begin repeat" else -1
            self._of_survey(row, _("Repeats aren’t supported, so nothing in them is imported."), taken=False)
        elif self._repeats > 0:
            self._of_survey(row, _("This line is part of a repeat."), taken=False)
        elif type_ == "end group":
            self._of_survey(row, _("End of a section."))
        elif type_ == "begin group":
            words = _("Sections aren’t supported, but their questions are imported one by one.")
            if row.cell("relevant"):
                words += " " + _("The condition is lost, so everyone is asked.")
            self._of_survey(row, words, taken=False)
        elif type_ == "note":
            self._read_note(row)
        else:
            self._read_question(row)

    def _read_note(self, row: SheetRow) -> None:
        try:
            label = self._rows.label(row)
        except Unfit as unfit:
            self._of_survey(row, str(unfit), taken=False)
            return
        translated = {code: _label_of(row, reader) for code, reader in self._further.items()}
        name = row.cell("name")
        if name == TITLE_NOTE:
            self._translate_alike(self._survey["title"], translated)
            self._of_survey(row, _("Used as the title in the other languages."))
        elif column := OWN_NOTES.get(name):
            self._survey[column] = label
            self._translate_alike(label, translated)
            consents = TEXTS[column].place is Place.CONSENT
            self._of_survey(
                row, _("Used as the consent text.") if consents else _("Shown to respondents after sending.")
            )
        elif len("\n\n".join([*(label for label, _translated in self._notes), label])) > TEXTS["introduction"].longest:
            self._of_survey(row, _("The introduction would be too long with this note."), taken=False)
        else:
            self._notes.append((label, translated))
            self._of_survey(row, _("Added to the introduction."))

    def introduce(self) -> None:
        """Make one text of all notes, in each language in which none of them is missing."""
        text = "\n\n".join(label for label, _translated in self._notes)
        self._survey["introduction"] = text
        for code in self._further:
            each = [translated[code] for _label, translated in self._notes]
            if all(each):
                self._translate(code, {text: "\n\n".join(each)})

    def _read_question(self, row: SheetRow) -> None:
        try:
            question, words, lost = self._rows.question(row)
            items = self._items_with(question)
        except Unfit as unfit:
            self._of_survey(row, str(unfit), taken=False)
        else:
            self._items = items
            asked = self._say_condition(row, question)
            self._questions.append(question)
            number = len(self._questions)
            self._taken[row.cell("name")] = number, self._rows.codes(row)
            for code, reader in self._further.items():
                self._translate(code, _words_of(question, reader, row))
            place = _("Question %(number)s.") % {"number": number}
            words = " ".join(filter(None, (place, words, lost, asked)))
            self._of_survey(row, words, in_part=bool(lost or (asked and "asked_if" not in question)))

    def _say_condition(self, row: SheetRow, question: dict[str, Any]) -> str:
        """Take whom a question is asked into it where that can be decided here, and say what has become of it."""
        if not (relevant := row.cell("relevant")):
            return ""
        lost = _("The condition is lost, so everyone is asked.")
        name, choices = chosen_in(relevant) or ("", set())
        number, codes = self._taken.get(name, (0, {}))
        if not number or not choices <= codes.keys():
            return lost
        decides = self._questions[number - 1]
        if designs.named(decides["design"]).protects:
            return (
                lost
                + " "
                + _(
                    "A condition can use only answers to unprotected questions. To make a question "
                    "unprotected, enter “no” in its “protected” cell."
                )
            )
        answers = sorted(codes[choice] for choice in choices)
        pair = [decides, question | {"asked_if": {"question": 1, "answers": answers}}]
        try:
            read_document(self.document | {"survey": self._alone, "questions": pair})
        except DocumentRefused as refused:
            return " ".join([lost, *(problem.words for problem in refused.problems)])
        question["asked_if"] = {"question": number, "answers": answers}
        return _("Asked only after certain answers to question %(number)s.") % {"number": number}

    @property
    def _alone(self) -> dict[str, Any]:
        """A survey around questions that are judged by themselves."""
        return {"title": "?", "language": self._survey["language"]}

    def _translate(self, code: str, words: Mapping[str, str]) -> None:
        """Take what texts are called in a language, as far as it could be stored."""
        for text, translation in words.items():
            try:
                check_translations({code: {text: translation}})
            except ValidationError:
                continue
            self._words[code].setdefault(text, translation)

    def _translate_alike(self, text: str, translated: Mapping[str, str]) -> None:
        for code, words in translated.items():
            self._translate(code, {text: words})

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

    def _of_survey(self, row: SheetRow, words: str, *, taken: bool = True, in_part: bool = False) -> None:
        self.lines.append(LineReport("survey", row.number, row.cell("type"), row.cell("name"), taken, words, in_part))

    def _note(self, sheet: str, row: int, type_: str, name: str, words: str, *, taken: bool = True) -> None:
        self.lines.append(LineReport(sheet, row, type_, name, taken, words))


def _label_of(row: SheetRow, reader: RowReader) -> str:
    """Return a row's label in the reader's language, "" where it has none that can be shown."""
    try:
        return reader.label(row)
    except Unfit:
        return ""


def _words_of(question: Mapping[str, Any], reader: RowReader, row: SheetRow) -> dict[str, str]:
    """Return what a question's texts are called in the reader's language, as far as the row says it."""
    words = {question["text"]: " ".join(_label_of(row, reader).split())}
    if options := question.get("options"):
        with suppress(Unfit):
            words["\n".join(options)] = "\n".join(reader.options(row.cell("type").partition(" ")[2].strip()))
    return words
