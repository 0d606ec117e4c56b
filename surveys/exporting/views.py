"""The files of a survey to download, the page that offers them, and the packet for an ethics board."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from surveys import __version__
from surveys.common.selectors import bearer_of, definition_of, whole_language
from surveys.common.views import problem, survey_page
from surveys.drafts.figures import ExpectedPrecision, expected_of
from surveys.drafts.selectors import others_of
from surveys.drafts.services.translating import texts_of
from surveys.exporting.figures import ExportFigure, comparisons_of, figures_shown
from surveys.exporting.files import csv_file, deposit, json_file, programs, syntax
from surveys.exporting.files.codebook import codebook_csv, codebook_of
from surveys.exporting.files.csv_file import CsvFile
from surveys.exporting.files.figures_file import figures_csv, figures_json
from surveys.exporting.files.json_file import JsonFile
from surveys.exporting.files.openapi import Operation, openapi
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
from surveys.results.pages.weights import asked_anchor, asked_weights
from surveys.results.report import Report
from surveys.results.tabs import context_of
from surveys.tokens.views import open_to_programs

_CSV = "text/csv; charset=utf-8"
_JSON = "application/json"
_PROGRAM_TYPES = {"R": "text/plain; charset=utf-8", "py": "text/x-python; charset=utf-8"}
_Write = TypeVar("_Write")


@dataclass(frozen=True, slots=True)
class _Download(Generic[_Write]):
    """A file as the page offers it, and how it is written."""

    address: str  # the name of its address
    title: Promise
    text: Promise
    name: str  # under which it is saved, {} being the survey's code
    content_type: str
    write: _Write
    schema: str = ""  # of a JSON file, as it is published
    options: tuple[str, ...] = ()  # which options of the results change the file


@dataclass(frozen=True, slots=True)
class _Offer:
    """One file as the page shows it."""

    file: _Download[Any]
    size: int | None = None  # where it is known without writing the file
    offered: bool = True  # whether there is a file yet


_REPORTS: dict[str, _Download[Callable[[Report, ExportRows, GroupNames], CsvFile | JsonFile]]] = {
    "csv": _Download(
        "survey-export-csv",
        _("Reports as codes (CSV)"),
        _("One row per response, in random order. For R, Python, SPSS, Stata."),
        "responses-{}.csv",
        _CSV,
        lambda report, rows, groups: csv_file.with_codes(report.definition, rows, groups),
    ),
    "labels": _Download(
        "survey-export-labels",
        _("Reports as text (CSV)"),
        _("The same rows, with the meaning of each code in the survey’s language. For Excel and other spreadsheets."),
        "responses-{}-labels.csv",
        _CSV,
        lambda report, rows, groups: csv_file.with_labels(report.definition, rows, groups),
    ),
    "json": _Download(
        "survey-export-json",
        _("Reports and designs (JSON)"),
        _("The survey’s definition, exact matrices and hash, and how often each combination of reports occurred."),
        "responses-{}.json",
        _JSON,
        lambda report, rows, groups: json_file.with_everything(
            report.definition,
            rows,
            groups,
            options={"method": report.options.method, "confidence_level": report.options.confidence_level},
        ),
        schema="exports-1#/$defs/responses",
        options=("level", "method"),
    ),
}
_FIGURES: dict[str, _Download[Callable[[Report, list[ExportFigure], GroupNames], bytes]]] = {
    "csv": _Download(
        "survey-export-figures-csv",
        _("Figures (CSV)"),
        _(
            "One long table of the counts behind the results, by question, group and pair of questions, "
            "and for comparing arms and lists. The programs read this file."
        ),
        "figures-{}.csv",
        _CSV,
        lambda _report, figures, _groups: figures_csv(figures),
        options=("level",),
    ),
    "json": _Download(
        "survey-export-figures-json",
        _("Figures and designs (JSON)"),
        _("The same table with the exact matrices."),
        "figures-{}.json",
        _JSON,
        lambda report, figures, groups: figures_json(
            figures,
            report.stored,
            report.definition,
            groups,
            options={"confidence_level": report.options.confidence_level},
        ),
        schema="exports-1#/$defs/figures",
        options=("level",),
    ),
}
_PROGRAMS: dict[str, _Download[Callable[[Definition, Definition, GroupNames, float], str]]] = {
    "r": _Download(
        "survey-export-r",
        _("R program"),
        _("Computes the results from the figures (CSV) in the same folder. Needs R, but no packages."),
        "analysis-{}.R",
        _PROGRAM_TYPES["R"],
        programs.r_program,
        options=("level",),
    ),
    "python": _Download(
        "survey-export-python",
        _("Python program"),
        _("Computes the results from the figures (CSV) in the same folder. Needs Python and numpy."),
        "analysis-{}.py",
        _PROGRAM_TYPES["py"],
        programs.python_program,
        options=("level",),
    ),
    "notebook": _Download(
        "survey-export-notebook",
        _("Jupyter notebook"),
        _("The Python program, split into cells with explanations."),
        "analysis-{}.ipynb",
        "application/x-ipynb+json",
        programs.notebook,
        options=("level",),
    ),
}
_SYNTAX: dict[str, _Download[Callable[[Definition, GroupNames], str]]] = {
    "spss": _Download(
        "survey-export-spss",
        _("SPSS syntax"),
        _("Reads the codes (CSV) in the same folder, with labels for columns and codes."),
        "responses-{}.sps",
        "text/plain; charset=utf-8",
        syntax.spss_syntax,
    ),
    "stata": _Download(
        "survey-export-stata",
        _("Stata do-file"),
        _("The same for Stata 14 and newer."),
        "responses-{}.do",
        "text/plain; charset=utf-8",
        syntax.stata_do_file,
    ),
}
_CODEBOOK: _Download[Callable[[Definition], bytes]] = _Download(
    "survey-export-codebook-csv",
    _("Codebook (CSV)"),
    _("The meaning of each column and code, one row per code, with the design’s probabilities."),
    "codebook-{}.csv",
    _CSV,
    codebook_csv,
)

_DEPOSIT: _Download[Callable[[list[deposit.DepositFile]], Iterator[bytes]]] = _Download(
    "survey-export-deposit",
    _("Files for a repository (ZIP)"),
    _("Codes, figures, codebook, programs and metadata in one file, for example for Zenodo, OSF or GESIS."),
    "deposit-{}.zip",
    "application/zip",
    deposit.zipped,
)


# What programs read by an access token (surveys/tokens/views.py), described for them.


def _operations() -> Iterator[Operation]:
    of_answers: tuple[_Download[Any], ...] = (*_REPORTS.values(), *_FIGURES.values(), _DEPOSIT)
    for file in (*of_answers, _CODEBOOK, *_PROGRAMS.values(), *_SYNTAX.values()):
        yield Operation(
            file.address,
            str(file.title),
            file.content_type,
            str(file.text),
            schema=file.schema,
            parameters=file.options,
            may_be_refused=file in of_answers,
        )
    yield Operation("survey-document", "The survey, as its owner wrote it", _JSON, schema="survey-1")
    yield Operation("release-json", "A published release", _JSON, schema="release-1", is_public=True)


@require_safe
def api_document(_request: HttpRequest) -> HttpResponse:
    """Send the OpenAPI document, in English."""
    with translation.override("en"):
        return JsonResponse(openapi(_operations()), json_dumps_params={"indent": 2, "ensure_ascii": False})


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export(request: HttpRequest, survey: Survey) -> HttpResponse:
    """Show what can be taken away, how large it is, and what is not in it."""
    report, groups = Report(survey, query=request.GET), group_names_of(survey)
    why = why_no_reports(report.snapshot)
    if why:
        nothing: list[_Download[Any]] = [*_REPORTS.values(), *_SYNTAX.values(), _DEPOSIT]
        reports = [_Offer(file, offered=False) for file in nothing]
    else:
        now, rows = _rows(report)
        reports = [
            *(_Offer(file, file.write(now, rows, groups).length) for file in _REPORTS.values()),
            *(_Offer(file, len(file.write(now.definition, groups).encode())) for file in _SYNTAX.values()),
            _Offer(_DEPOSIT),
        ]
    context = {
        "reports": reports,
        "why_no_reports": why,
        "figures": [_Offer(file, offered=report.snapshot.enough) for file in _FIGURES.values()],
        "analysis": [
            _Offer(_CODEBOOK, len(_CODEBOOK.write(report.definition))),
            *(_Offer(file, len(_written(file.write, report, groups))) for file in _PROGRAMS.values()),
        ],
        "figures_name": programs.figures_name(report.definition),
        "computed": programs.parts_computed("python").values(),
        "absent": programs.ABSENT,
        "weighted": report.can_be_weighted,
    }
    return render(request, "exporting/export.html", context_of(request, report) | context)


@open_to_programs
@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_reports(request: HttpRequest, survey: Survey, file: str) -> HttpResponseBase:
    """Send a file of reports piece by piece, or a line that says why there is none."""
    report, download = Report(survey, query=request.GET), _REPORTS[file]
    if why := why_no_reports(report.snapshot):
        return _nothing(request, why)
    now, rows = _rows(report)
    # Groups are read after the responses: whatever these name is among them.
    written = download.write(now, rows, group_names_of(survey))
    response = _streamed(request, written.chunks(), download)
    # With its length a browser shows how far it is; compressed on the way it would have none.
    response["Content-Length"] = str(written.length)
    return _as_file(response, download.name.format(survey.code))


@open_to_programs
@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_figures(request: HttpRequest, survey: Survey, file: str) -> HttpResponseBase:
    """Send the counts behind the results."""
    report, download = Report(survey, query=request.GET), _FIGURES[file]
    if why := why_no_figures(report.snapshot):
        return _nothing(request, why)
    groups = group_names_of(survey)
    _now, figures = report.read(lambda now: _figures(now, groups))
    return _sent(download.write(report, figures, groups), download, survey)


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


@open_to_programs
@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_codebook_csv(request: HttpRequest, survey: Survey) -> HttpResponseBase:
    return _sent(_CODEBOOK.write(Report(survey, query=request.GET).definition), _CODEBOOK, survey)


@open_to_programs
@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_program(request: HttpRequest, survey: Survey, file: str) -> HttpResponseBase:
    """Send a program that computes the results."""
    report, download = Report(survey, query=request.GET), _PROGRAMS[file]
    return _sent(_written(download.write, report, group_names_of(survey)), download, survey)


@open_to_programs
@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_syntax(request: HttpRequest, survey: Survey, file: str) -> HttpResponseBase:
    """Send what reads the codes into another program."""
    download = _SYNTAX[file]
    written = download.write(Report(survey, query=request.GET).definition, group_names_of(survey))
    return _sent(written.encode(), download, survey)


@open_to_programs
@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_deposit(request: HttpRequest, survey: Survey) -> HttpResponseBase:
    """Send what a repository needs in one file piece by piece, or a line that says why there is none."""
    report = Report(survey, query=request.GET)
    if why := why_no_reports(report.snapshot):
        return _nothing(request, why)
    now, (rows, groups, figures) = report.read(_all_of)
    with translation.override("en"):
        members = _members(now, rows, groups, figures)
    response = _streamed(request, _DEPOSIT.write(members), _DEPOSIT)
    return _as_file(response, _DEPOSIT.name.format(survey.code))


def _all_of(now: Report) -> tuple[ExportRows, GroupNames, list[ExportFigure]]:
    rows = rows_of(now.snapshot, now.definition)
    groups = group_names_of(now.survey)
    return rows, groups, _figures(now, groups)


def _members(
    report: Report, rows: ExportRows, groups: GroupNames, figures: list[ExportFigure]
) -> list[deposit.DepositFile]:
    """Return the files of a deposit, each as its own address sends it."""
    reports = _REPORTS["csv"].write(report, rows, groups)
    contents: list[tuple[_Download[Any], bytes]] = [
        (_CODEBOOK, _CODEBOOK.write(report.definition)),
        (_FIGURES["csv"], _FIGURES["csv"].write(report, figures, groups)),
        *((_PROGRAMS[name], _written(_PROGRAMS[name].write, report, groups)) for name in ("r", "python")),
        *((file, file.write(report.definition, groups).encode()) for file in _SYNTAX.values()),
    ]
    code = report.survey.code
    files = [
        deposit.DepositFile(
            _REPORTS["csv"].name.format(code), str(_REPORTS["csv"].text), reports.length, reports.chunks()
        ),
        *(deposit.deposit_file(file.name.format(code), str(file.text), content) for file, content in contents),
    ]
    about = deposit.metadata_of(report.definition, files, n=rows.n, year=timezone.localdate().year)
    return [*about, *files]


@survey_page("GET", "HEAD", right=Right.ANALYSE)
def survey_export_weights(request: HttpRequest, survey: Survey, language: str) -> HttpResponseBase:
    """Send the program that computes the weights of the page with this query; its ending chooses the language."""
    report = Report(survey, query=request.GET)
    if why := why_no_reports(report.snapshot):
        return _nothing(request, why)
    query, plan = asked_weights(report)
    if query.refused:
        raise BadRequest
    asked = asked_anchor(report)
    anchor = (asked.anchor, asked.known) if asked.anchor else None
    groups = group_names_of(survey)
    program = weighting_program(language, report.stored, report.definition, plan, groups, anchor=anchor)
    response = HttpResponse(program.encode(), content_type=_PROGRAM_TYPES[language])
    return _as_file(response, f"weights-{survey.code}.{language}")


def _rows(report: Report) -> tuple[Report, ExportRows]:
    """Return the rows of an export, and the report that they are of."""
    return report.read(lambda now: rows_of(now.snapshot, now.definition))


def _figures(now: Report, groups: GroupNames) -> list[ExportFigure]:
    return list(figures_shown(now.stored, now.definition, now.snapshot, groups, now.options.wanted))


def _written(
    write: Callable[[Definition, Definition, GroupNames, float], str], report: Report, groups: GroupNames
) -> bytes:
    return write(report.stored, report.definition, groups, report.options.confidence_level).encode()


def _nothing(request: HttpRequest, why: str) -> HttpResponse:
    """Return one line in the place of a file, or problem details for a program."""
    if bearer_of(request) is not None:
        return problem(409, why)
    return HttpResponse(f"{why}\n", content_type="text/plain; charset=utf-8", status=409)


def _streamed(request: HttpRequest, chunks: Iterator[bytes], download: _Download[Any]) -> HttpResponseBase:
    """Return a response that is written while it is sent, as it is: nothing on the way is to hold all of it."""
    pieces: Iterator[bytes] = iter(()) if request.method == "HEAD" else chunks
    response = StreamingHttpResponse(pieces, content_type=download.content_type)
    response["Content-Encoding"] = "identity"
    return response


def _sent(content: bytes, download: _Download[Any], survey: Survey) -> HttpResponseBase:
    response = HttpResponse(content, content_type=download.content_type)
    return _as_file(response, download.name.format(survey.code))


def _as_file(response: HttpResponseBase, name: str) -> HttpResponseBase:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


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
        "compared": [tuple(each.number for each in same) for same in comparisons_of(definition)],
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
