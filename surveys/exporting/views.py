"""The files of a survey to download, the page that offers them, and the packet for an ethics board."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys import __version__
from surveys.common.selectors import definition_of, whole_language
from surveys.common.views import survey_page
from surveys.drafts.figures import ExpectedPrecision, expected_of
from surveys.drafts.selectors import others_of
from surveys.drafts.services.translating import texts_of
from surveys.exporting.figures import ExportFigure, figures_shown
from surveys.exporting.files import csv_file, json_file, programs
from surveys.exporting.files.codebook import codebook_csv, codebook_of
from surveys.exporting.files.csv_file import CsvFile
from surveys.exporting.files.figures_file import figures_csv, figures_json
from surveys.exporting.files.json_file import JsonFile
from surveys.exporting.files.weighting import weighting_program
from surveys.exporting.selectors import ExportRows, GroupNames, described_groups, group_names_of, rows_of
from surveys.exporting.words import why_no_figures, why_no_reports
from surveys.linting.rules.plain import singled_out
from surveys.linting.selectors import sensitive_unprotected
from surveys.linting.subject import lint_subject
from surveys.models import Mode, Right, Role, Survey
from surveys.models.housekeeping import leaves_a_log
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.translations import language_name
from surveys.results.pages.weights import asked_weights
from surveys.results.report import Report, ResultsOptions
from surveys.results.tabs import context_of

_CSV = "text/csv; charset=utf-8"
_Build = Callable[[Definition, ExportRows, GroupNames, ResultsOptions], CsvFile | JsonFile]
_Program = Callable[[Report, GroupNames], str]


@dataclass(frozen=True, slots=True)
class _Offer:
    """One file as the page shows it."""

    address: str  # the name of its address
    title: Promise
    text: Promise
    size: int | None = None  # where it is known without writing the file
    offered: bool = True  # whether there is a file yet


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show what can be taken away, how large it is, and what is not in it."""
    report = Report(survey, query=request.GET)
    reports = _reports_on_offer(report, group_names_of(survey))
    analysis = _programs_on_offer(report, group_names_of(survey))
    context = {
        "reports": reports,
        "why_no_reports": why_no_reports(report.snapshot),
        "figures": _figures_on_offer(report),
        "analysis": analysis,
        "figures_name": programs.figures_name(report.definition),
        "computed": programs.parts_computed("python").values(),
        "absent": programs.ABSENT,
        "weighted": report.can_be_weighted,
    }
    return render(request, "exporting/export.html", context_of(request, report) | context)


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_csv(request: HttpRequest, survey: Survey) -> HttpResponseBase:
    """Send one row a response, in codes."""
    return _reports(request, survey, _codes, _CSV, "responses-{}.csv")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_labels(request: HttpRequest, survey: Survey) -> HttpResponseBase:
    """Send one row a response, in words."""
    return _reports(request, survey, _labels, _CSV, "responses-{}-labels.csv")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_json(request: HttpRequest, survey: Survey) -> HttpResponseBase:
    """Send the definition with its matrices, and the reports."""
    return _reports(request, survey, _json, "application/json", "responses-{}.json")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_figures_csv(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send the counts behind the results, a row each."""
    report = Report(survey, query=request.GET)
    if why := why_no_figures(report.snapshot):
        return _nothing(why)
    return _file_response(figures_csv(_figures(report)), _CSV, programs.figures_name(report.definition))


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_figures_json(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send the same with the designs."""
    report = Report(survey, query=request.GET)
    if why := why_no_figures(report.snapshot):
        return _nothing(why)
    options = {"confidence_level": report.options.confidence_level}
    content = figures_json(_figures(report), report.stored, report.definition, group_names_of(survey), options=options)
    return _file_response(content, "application/json", f"figures-{survey.code}.json")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_codebook(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the codebook, to read and to print."""
    report = Report(survey, query=request.GET)
    context = {
        "columns": codebook_of(report.definition),
        "groups": described_groups(group_names_of(survey)).items(),
        "modes": Mode.choices,
    }
    return render(request, "exporting/codebook.html", context_of(request, report) | context)


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_codebook_csv(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send the codebook as a table."""
    content = codebook_csv(Report(survey, query=request.GET).definition)
    return _file_response(content, _CSV, f"codebook-{survey.code}.csv")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_r(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send the R program."""
    return _program(request, survey, _r, "text/plain; charset=utf-8", "analysis-{}.R")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_python(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send the Python program."""
    return _program(request, survey, _python, "text/x-python; charset=utf-8", "analysis-{}.py")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_notebook(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Send the notebook."""
    return _program(request, survey, _notebook, "application/x-ipynb+json", "analysis-{}.ipynb")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_weights_r(request: HttpRequest, survey: Survey) -> HttpResponseBase:
    """Send the R program that weights as the page with this query does."""
    return _weighting(request, survey, "R", "text/plain; charset=utf-8")


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_weights_python(request: HttpRequest, survey: Survey) -> HttpResponseBase:
    """Send the Python program that does."""
    return _weighting(request, survey, "py", "text/x-python; charset=utf-8")


def _rows(report: Report) -> tuple[Definition, ExportRows]:
    """Return what was asked, as it may be shown, and the rows of an export."""
    report, rows = report.read(lambda now: rows_of(now.snapshot, now.definition))
    return report.definition, rows


def _figures(report: Report) -> list[ExportFigure]:
    """Return the counts behind the results."""
    groups = group_names_of(report.survey)
    _report, figures = report.read(
        lambda now: list(figures_shown(now.stored, now.definition, now.snapshot, groups, now.options.wanted))
    )
    return figures


def _codes(definition: Definition, rows: ExportRows, names: GroupNames, _options: ResultsOptions) -> CsvFile:
    return csv_file.with_codes(definition, rows, names)


def _labels(definition: Definition, rows: ExportRows, names: GroupNames, _options: ResultsOptions) -> CsvFile:
    return csv_file.with_labels(definition, rows, names)


def _json(definition: Definition, rows: ExportRows, names: GroupNames, options: ResultsOptions) -> JsonFile:
    computed_with = {"method": options.method, "confidence_level": options.confidence_level}
    return json_file.with_everything(definition, rows, names, options=computed_with)


def _python(report: Report, names: GroupNames) -> str:
    return programs.python_program(
        report.stored, report.definition, names, confidence_level=report.options.confidence_level
    )


def _r(report: Report, names: GroupNames) -> str:
    return programs.r_program(report.stored, report.definition, names, confidence_level=report.options.confidence_level)


def _notebook(report: Report, names: GroupNames) -> str:
    return programs.notebook(report.stored, report.definition, names, confidence_level=report.options.confidence_level)


def _reports(request: HttpRequest, survey: Survey, build: _Build, kind: str, name: str) -> HttpResponseBase:
    """Send a file of reports piece by piece, or a line that says why there is none."""
    report = Report(survey, query=request.GET)
    if why := why_no_reports(report.snapshot):
        return _nothing(why)
    # Groups are read after the responses: whatever these name is among them.
    file = build(*_rows(report), group_names_of(survey), report.options)
    pieces: Iterator[bytes] = iter(()) if request.method == "HEAD" else file.chunks()
    response = StreamingHttpResponse(pieces, content_type=kind)
    # With its length a browser shows how far it is; compressed on the way it would have none.
    response["Content-Length"] = str(file.length)
    response["Content-Encoding"] = "identity"
    return _as_file(response, name.format(survey.code))


def _nothing(why: str) -> HttpResponse:
    """Return one line in the place of a file."""
    return HttpResponse(f"{why}\n", content_type="text/plain; charset=utf-8", status=409)


def _program(request: HttpRequest, survey: Survey, write: _Program, kind: str, name: str) -> HttpResponse:
    report = Report(survey, query=request.GET)
    return _file_response(write(report, group_names_of(survey)).encode(), kind, name.format(survey.code))


def _weighting(request: HttpRequest, survey: Survey, language: str, kind: str) -> HttpResponseBase:
    report = Report(survey, query=request.GET)
    if why := why_no_reports(report.snapshot):
        return _nothing(why)
    query, plan = asked_weights(report)
    if query.refused:
        raise BadRequest
    program = weighting_program(language, report.definition, plan, group_names_of(survey))
    return _file_response(program.encode(), kind, f"weights-{survey.code}.{language}")


def _file_response(content: bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    _as_file(response, name)
    return response


def _as_file(response: HttpResponseBase, name: str) -> HttpResponseBase:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _reports_on_offer(report: Report, names: GroupNames) -> list[_Offer]:
    files: list[tuple[str, Promise, Promise, _Build]] = [
        (
            "survey-export-csv",
            _("Reports as codes (CSV)"),
            _("One row per response, in random order. For R, Python, SPSS, Stata."),
            _codes,
        ),
        (
            "survey-export-labels",
            _("Reports as text (CSV)"),
            _(
                "The same rows, with the meaning of each code in the survey’s language. For Excel and "
                "other spreadsheets."
            ),
            _labels,
        ),
        (
            "survey-export-json",
            _("Reports and designs (JSON)"),
            _("The survey’s definition, exact matrices and hash, and how often each combination of reports occurred."),
            _json,
        ),
    ]
    rows = None if why_no_reports(report.snapshot) else _rows(report)
    return [
        _Offer(
            name, title, text, build(*rows, names, report.options).length if rows else None, offered=rows is not None
        )
        for name, title, text, build in files
    ]


def _figures_on_offer(report: Report) -> list[_Offer]:
    files: list[tuple[str, Promise, Promise]] = [
        (
            "survey-export-figures-csv",
            _("Figures (CSV)"),
            _(
                "One long table of the counts behind the results, by question, group and pair of questions, "
                "and for comparing arms and lists. The programs read this file."
            ),
        ),
        (
            "survey-export-figures-json",
            _("Figures and designs (JSON)"),
            _("The same table with the exact matrices."),
        ),
    ]
    return [_Offer(name, title, text, offered=report.snapshot.enough) for name, title, text in files]


def _programs_on_offer(report: Report, names: GroupNames) -> list[_Offer]:
    written: list[tuple[str, Promise, Promise, _Program]] = [
        (
            "survey-export-r",
            _("R program"),
            _("Computes the results from the figures (CSV) in the same folder. Needs R, but no packages."),
            _r,
        ),
        (
            "survey-export-python",
            _("Python program"),
            _("Computes the results from the figures (CSV) in the same folder. Needs Python and numpy."),
            _python,
        ),
        (
            "survey-export-notebook",
            _("Jupyter notebook"),
            _("The Python program, split into cells with explanations."),
            _notebook,
        ),
    ]
    codebook = _Offer(
        "survey-export-codebook-csv",
        _("Codebook (CSV)"),
        _("The meaning of each column and code, one row per code, with the design’s probabilities."),
        len(codebook_csv(report.definition)),
    )
    offers = (_Offer(name, title, text, len(write(report, names).encode())) for name, title, text, write in written)
    return [codebook, *offers]


# What an ethics board needs to read: the questions as asked, their designs, and what becomes of the reports.


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_ethics(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show the packet, to print; in the survey's language, like the texts that respondents read."""
    definition, others = definition_of(survey), others_of(survey)
    context = {
        "survey": survey,
        "definition": definition,
        "others": others,
        "arms": _described_arms(definition),
        "sensitive": sensitive_unprotected(definition),
        "code_version": __version__,
        "today": timezone.localdate(),
        "groups": survey.groups.all(),
        "leaves_a_log": leaves_a_log(),
        "translated": _translated(survey),
        "precision": _precision(survey, definition),
        "numbers": any(item.range for item in definition.items),
        "branches": any(question.asked_if for question in definition.questions),
        "compared": _compared(definition),
        "analysts": survey.memberships.filter(role=Role.ANALYST).count(),
        "check_address": request.build_absolute_uri(reverse("check")),
    }
    with translation.override(whole_language(survey.language)):
        context["singled_out"] = next(singled_out(lint_subject(survey, definition, others)), None)
        return render(request, "exporting/ethics.html", context)


def _translated(survey: Survey) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Return each further language, by code and name, with every text and what it is called there, "" where missing."""
    written = survey.questionnaire
    texts = texts_of(written) if written.other_languages else []
    return [
        (code, language_name(code), [(each.text, written.translations[code].get(each.text, "")) for each in texts])
        for code in written.other_languages
    ]


def _precision(survey: Survey, definition: Definition) -> list[tuple[AskedQuestion, ExpectedPrecision]]:
    """Return what as many people as are expected let the survey tell of each question."""
    share = Fraction(survey.expected_share, 100)
    expected = []
    for question in definition.questions:
        people = definition.asked_of(survey.expected_n, question)
        n = question.asked_if.asked_of(people) if question.asked_if else people
        expected.append((question, expected_of(question, n=n, share=share)))
    return expected


def _compared(definition: Definition) -> list[tuple[int, ...]]:
    """Return the numbers of questions that ask for the same in different arms, those of one thing together."""
    alike = (definition.variants_of(question) for question in definition.questions)
    return list(dict.fromkeys(tuple(each.number for each in some) for some in alike if some))


@dataclass(frozen=True, slots=True)
class _DescribedArm:
    """An arm as a review board reads it; its questions with their numbers in the whole survey."""

    met: Definition
    odds: Fraction
    asked: tuple[int, ...]
    unprotected: tuple[int, ...]


def _described_arms(definition: Definition) -> list[_DescribedArm]:
    total = sum(arm.weight for arm in definition.arms)
    described = []
    for arm in definition.arms:
        here = [question for question in definition.questions if not question.arms or arm.number in question.arms]
        described.append(
            _DescribedArm(
                definition.in_arm(arm.number),
                Fraction(arm.weight, total),
                tuple(question.number for question in here),
                tuple(question.number for question in here if not question.protects),
            )
        )
    return described
