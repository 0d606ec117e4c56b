"""The pages around the files: the export, the codebook, and the packet for an ethics board."""

import re
from fractions import Fraction

import pytest
from django.urls import reverse

from surveys import __version__
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.exporting.files.codebook import HEAD
from surveys.exporting.words import why_no_reports
from surveys.models import Group
from surveys.responses.selectors.snapshot import snapshot_of
from tests.exporting.reports import download, fill_randomly, table_of
from tests.factories import (
    every_kind,
    fill,
    make_draft,
    make_open,
    one_by_option,
    one_of,
    rewrite,
    several_of,
    yes_no,
)
from tests.pages import owner_of, page_of, words_of

pytestmark = pytest.mark.django_db


def test_every_file_is_offered_with_its_exact_size() -> None:
    survey = make_open(*every_kind())
    fill_randomly(survey, 80)
    survey = close_survey(survey=survey)
    client, page = owner_of(survey), page_of("survey-export", survey, "?method=clopper_pearson&level=.99")
    links = re.findall(r'href="([^"?]*/export/[^"?]+)\?method=clopper_pearson&amp;level=.99" download', page)
    # The figures are computed when they are asked for.
    figures = [link for link in links if "/figures." in link or link.endswith("/deposit.zip")]
    assert (len(links), len(figures)) == (12, 3)
    assert all(client.get(link).status_code == 200 for link in figures)
    sizes = re.findall(r'quiet small">([\d.]+) KB', page)
    for link, size in zip((link for link in links if link not in figures), sizes, strict=True):
        response = client.get(link + "?method=clopper_pearson&level=.99")
        assert float(size) == pytest.approx(int(response.headers["Content-Length"]) / 1024, abs=0.051)


def test_below_the_minimum_programs_are_offered_and_reports_are_not() -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 9})
    survey = close_survey(survey=survey)
    page, why = page_of("survey-export", survey), why_no_reports(snapshot_of(survey, definition_of(survey)))
    assert re.findall(r"\d+", why) == ["9", "10"]
    assert why in page
    assert "responses.csv" not in page
    assert "figures.csv" not in page
    assert "analysis.R" in page
    for name in ("csv", "json"):
        assert owner_of(survey).get(reverse(f"survey-export-figures-{name}", args=[survey.code])).status_code == 409


def test_an_open_survey_says_that_responses_follow_when_it_closes() -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 30})
    page = page_of("survey-export", survey)
    assert why_no_reports(snapshot_of(survey, definition_of(survey))) in page
    assert "responses.csv" not in page
    assert "responses.csv" in page_of("survey-export", close_survey(survey=survey))


def test_an_unknown_level_is_named_and_the_usual_one_is_written() -> None:
    survey = make_open(yes_no())
    assert "“7”" in page_of("survey-export", survey, "?level=7")
    program = download(owner_of(survey), survey, "survey-export-python", "?level=7").decode()
    assert "CONFIDENCE_LEVEL = 0.95" in program
    program = download(owner_of(survey), survey, "survey-export-r", "?level=.99").decode()
    assert "confidence_level <- 0.99" in program


@pytest.mark.parametrize("name", ["survey-export", "survey-ethics"])
def test_the_surveys_own_page_leads_there(name: str) -> None:
    survey = make_open()
    assert f'href="{reverse(name, args=[survey.code])}"' in page_of("survey-detail", survey)


def test_the_results_lead_to_the_export() -> None:
    survey = make_open()
    assert reverse("survey-export", args=[survey.code]) in page_of("survey-results", survey)


@pytest.mark.parametrize("name", ["survey-export", "survey-export-codebook", "survey-ethics"])
def test_a_draft_without_questions_has_sensible_pages(name: str) -> None:
    survey = make_draft()
    rewrite(survey, 0, questions=())
    assert "</html>" in page_of(name, survey)


def test_the_codebook_names_every_column_code_and_probability() -> None:
    survey = make_open(*every_kind())
    definition = definition_of(survey)
    page = page_of("survey-export-codebook", survey)
    head, rows = table_of(download(owner_of(survey), survey, "survey-export-codebook-csv"))
    assert tuple(head) == HEAD
    codes = iter(rows)
    for item in definition.items:
        for code, row in enumerate(item.design.matrix):
            line = dict(zip(head, next(codes), strict=True))
            assert (line["question"], line["code"], line["report"]) == (item.text, str(code), item.report_labels[code])
            assert tuple(map(Fraction, line["probabilities_by_truth"].split())) == row
            cells = "</td><td>".join(map(str, row))
            assert f"<td>{cells}</td>" in page
    assert next(codes, None) is None


def test_the_codebook_says_what_an_option_costs_and_what_all_cost_together() -> None:
    survey = make_open(one_by_option(), several_of(), yes_no())
    page = words_of(page_of("survey-export-codebook", survey))
    shown = [("1.39", "2.31")] * 3 + [("1.10", "3.30")] * 3 + [("1.10", "")]
    assert re.findall(r"ε (\d[\d.]*)(?: \([^)\d]*([\d.]+)\))?", page) == shown
    head, rows = table_of(download(owner_of(survey), survey, "survey-export-codebook-csv"))
    costs = [float(row[head.index("epsilon")]) for row in rows[::2]]
    assert costs == [item.design.epsilon for item in definition_of(survey).items]


def test_the_codebook_runs_no_formula() -> None:
    survey = make_open(one_of(("=1+1", "@b", "a\u200b", "\u200b=1"), text="=cmd|x"), several_of(("-a", "+b")))
    _head, rows = table_of(download(owner_of(survey), survey, "survey-export-codebook-csv"))
    assert not [cell for row in rows for cell in row if cell.lstrip("\u200b ").startswith(("=", "+", "-", "@"))]


def test_the_packet_says_of_every_question_what_respondents_read() -> None:
    survey = make_open(*every_kind(), introduction="Why we ask.", consent="I agree.", support="Call 123.")
    packet = words_of(page_of("survey-ethics", survey))
    first_page = words_of(owner_of(survey).get(reverse("answer", args=[survey.code])).content.decode())
    definition = definition_of(survey)
    for question in definition.questions:
        assert question.text in packet
        for item in question.items:
            assert item.option in packet
        for label in question.first.report_labels if question.in_the_head else question.first.labels:
            assert label in packet
    # Not the line beside the answers, which says the same in fewer words.
    sentence = r"(?:If (?:your true|it is) [^.]*?|Of people [^.]*?), [\d.]+ of 100 (?:phones )?(?:send|tap) [^.]*\."
    odds = re.findall(sentence, first_page)
    assert len(odds) > 10
    assert not [words for words in set(odds) if words not in packet]
    for words in (
        "Why we ask.",
        "I agree.",
        "Call 123.",
        "ε = ∞",
        "ε ≤ 1.10",
        definition.version,
        __version__,
        "/check/",
    ):
        assert words in packet


def test_the_packet_names_groups() -> None:
    survey = make_open()
    Group.objects.create(survey=survey, slug="north", name="<North>")
    assert "&lt;North&gt;" in page_of("survey-ethics", survey)


def test_the_packet_speaks_the_surveys_language() -> None:
    survey = close_survey(survey=make_open(yes_no(), language="de"))
    response = owner_of(survey).get(reverse("survey-ethics", args=[survey.code]), HTTP_ACCEPT_LANGUAGE="es")
    assert '<html lang="de"' in response.content.decode()
