"""The ledger in the admin: every line, what it comes to, as a chart, a table and two files; only to look at."""

import csv
import io
import json
import re
from fractions import Fraction

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from surveys.models import LedgerEntry, Mechanism, Survey
from surveys.numbers.words import charge
from surveys.releases.ledger.charts import budget_chart
from surveys.releases.ledger.selectors import Composition, ledger_of
from surveys.releases.ledger.services import set_budget
from tests.factories import make_draft, numbers_of, one_of, yes_no
from tests.releases.setting import make_release, ready_survey, staff_with
from tests.releases.steps import text_of

pytestmark = pytest.mark.django_db

LINES = "/admin/surveys/ledgerentry/"


@pytest.fixture
def survey(admin: User) -> Survey:
    """Return a survey with a total, a charge, a raised total and a charge for two questions."""
    survey = ready_survey({"00": 61, "11": 39}, yes_no(), one_of())
    make_release(survey, user=admin, epsilon=Fraction(1, 4), reason="The first.")
    set_budget(survey=survey, total_epsilon=Fraction(2), reason="More.", user=admin)
    both = numbers_of(survey)
    make_release(survey, user=admin, questions=both, epsilon=Fraction(1, 2), reason="Both.")
    return survey


def _page(survey: Survey) -> str:
    return f"/admin/surveys/budget/{survey.budget.pk}/change/"


def test_the_budget_page_shows_every_line_with_who_when_why_and_the_totals_after_it(
    staff: Client, survey: Survey, admin: User
) -> None:
    text = text_of(staff.get(_page(survey)))
    day = survey.budget.ledger.first().created_at.date().isoformat()
    counts, total = Mechanism.LAPLACE_HISTOGRAM.label, LedgerEntry.Kind.TOTAL.label
    assert f"2 {day} {admin.username} {counts} The first. 0.25 0 ε = 0.25 ε = 1" in text
    assert f"3 {day} {admin.username} {total} More. +1 +0 ε = 0.25 ε = 2".lower() in text.lower()
    assert f"4 {day} {admin.username} {counts} Both. 0.5 0 ε = 0.75 ε = 2" in text


def test_the_budget_page_shows_tighter_totals_the_truth_and_groups(staff: Client, survey: Survey) -> None:
    text = text_of(staff.get(_page(survey)))
    assert [by.label for by in Composition if str(by.label) not in text] == []
    assert re.search(rf"{Composition.BASIC.label} \([^)]*\) ε = 0\.75", text)
    # 0.25 and half of 0.5 for the first question: tanh(f/2) = tanh(ln 3/2)·tanh(1/4).
    assert f"{yes_no().text} ε = 0.5 ε = 1.099 ε = 0.2462" in text
    assert re.search(r"\b10 \w+: ε = 7\.5\b", text)


def test_an_unspent_budget_has_its_ledger_too(staff: Client) -> None:
    survey = ready_survey()
    text = text_of(staff.get(_page(survey)))
    assert re.search(rf"{Composition.BASIC.label} \([^)]*\) ε = 0 ", text)
    assert "For the tests." in text


def test_the_chart_jumps_where_the_lines_are(survey: Survey) -> None:
    chart = budget_chart(ledger_of(survey))
    total, spent = chart.curves
    assert list(total.points)[1:] == [(1, 0), (1, 1), (2, 1), (2, 1), (3, 1), (3, 2), (4, 2), (4, 2), (4.5, 2)]
    assert list(spent.points)[1:] == [
        (1, 0), (1, 0), (2, 0), (2, 0.25), (3, 0.25), (3, 0.25), (4, 0.25), (4, 0.75), (4.5, 0.75),
    ]  # fmt: skip
    assert [row[2:] for row in chart.table.rows] == [("1", "0"), ("1", "0.25"), ("2", "0.25"), ("2", "0.75")]


def test_a_long_ledger_has_few_marks(admin: User) -> None:
    survey = ready_survey()
    for total in range(1, 31):
        set_budget(survey=survey, total_epsilon=Fraction(total, 10), reason="Again.", user=admin)
    chart = budget_chart(ledger_of(survey))
    assert [tick.label for tick in chart.x_axis.ticks] == ["1", "5", "9", "13", "17", "21", "25", "29"]


def test_the_chart_is_a_file_too(staff: Client, survey: Survey) -> None:
    response = staff.get(_page(survey), {"chart": "budget"})
    assert response["Content-Type"].startswith("image/svg+xml")
    assert response["Content-Disposition"] == f'attachment; filename="{survey.code}-budget.svg"'
    assert response.content.startswith(b"<?xml")
    assert staff.get(_page(survey), {"chart": "other"}).status_code == 404


def test_the_ledger_is_a_csv_and_a_json_file(staff: Client, survey: Survey) -> None:
    files = {kind: staff.get(f"/admin/surveys/budget/{survey.budget.pk}/ledger.{kind}") for kind in ("csv", "json")}
    rows = list(csv.DictReader(io.StringIO(files["csv"].content.decode("utf-8-sig"))))
    assert [(row["kind"], row["epsilon"]) for row in rows] == [
        ("total", "1"), ("charge", "0.25"), ("total", "1"), ("charge", "0.5"),
    ]  # fmt: skip
    assert json.loads(files["json"].content)["spent"]["epsilon"] == "0.75"
    assert files["json"]["Content-Disposition"] == f'attachment; filename="{survey.code}-ledger.json"'
    assert {response["Cache-Control"].partition(",")[0] for response in files.values()} == {"max-age=0"}
    assert staff.get("/admin/surveys/budget/999/ledger.csv").status_code == 404
    assert staff.post(f"/admin/surveys/budget/{survey.budget.pk}/ledger.csv").status_code == 405


def test_the_list_of_all_lines_has_filters_by_survey_kind_and_person(
    staff: Client, survey: Survey, admin: User
) -> None:
    other = ready_survey(title="Other")

    def lines(**chosen: object) -> list[str]:
        rows = staff.get(LINES, chosen).context["cl"].result_list
        return sorted(f"{line.budget.survey.title} {line.number}" for line in rows)

    assert len(lines()) == 5
    assert lines(budget__survey__id__exact=other.pk) == ["Other 1"]
    assert lines(kind__exact="charge") == ["Exams 2", "Exams 4"]
    assert lines(created_by__id__exact=admin.pk) == ["Exams 2", "Exams 3", "Exams 4"]
    text = text_of(staff.get(LINES))
    assert [words for words in ("ε = 0.25 ε: 0.25 of 1 The", "ε +1 ε: 0.25 of 2 More.") if words not in text] == []
    titles = [spec.title for spec in staff.get(LINES).context["cl"].filter_specs]
    assert titles == ["survey", "kind", "person"]


def test_a_line_can_be_neither_added_nor_changed_nor_deleted(staff: Client, survey: Survey) -> None:
    line = survey.budget.ledger.last()
    before = list(LedgerEntry.objects.values())
    statuses = [
        staff.get(f"{LINES}add/").status_code,
        staff.post(f"{LINES}add/", {"reason": "x"}).status_code,
        staff.post(f"{LINES}{line.pk}/change/", {"reason": "x"}).status_code,
        staff.post(f"{LINES}{line.pk}/delete/", {"post": "yes"}).status_code,
    ]
    staff.post(LINES, {"action": "delete_selected", "_selected_action": line.pk, "post": "yes"})
    assert statuses == [403] * 4
    assert list(LedgerEntry.objects.values()) == before


def test_a_line_links_to_its_budget_and_its_release(staff: Client, survey: Survey) -> None:
    set_line, charged = survey.budget.ledger.all()[:2]
    page = staff.get(f"{LINES}{charged.pk}/change/").content.decode()
    assert f'href="{_page(survey)}"' in page
    assert f"{charged.release.get_mechanism_display()} ({charged.release_id})" in page
    assert "View release" not in text_of(staff.get(f"{LINES}{set_line.pk}/change/"))


def test_the_page_leads_to_a_new_release_whoever_may_make_one(client: Client, survey: Survey) -> None:
    client.force_login(staff_with("view_budget"))
    assert "New release" not in text_of(client.get(_page(survey)))
    client.force_login(staff_with("view_budget", "add_release"))
    assert f'href="/admin/surveys/release/add/?survey={survey.pk}"' in client.get(_page(survey)).content.decode()


def test_the_budget_of_a_draft_leads_to_no_release(staff: Client, admin: User) -> None:
    draft = make_draft()
    set_budget(survey=draft, total_epsilon=Fraction(1), reason="Early.", user=admin)
    assert "New release" not in text_of(staff.get(_page(draft)))


def test_amounts_are_written_exactly_or_upwards_in_the_language_in_force() -> None:
    assert charge(Fraction(1, 8)) == "0.125"
    assert charge(Fraction(1, 10**12)) == "0.000000000001"
    assert charge(0.24615382) == "0.2462"
    assert charge(1 / 3e6) == "0.0000003334"
    assert charge(7.0) == "7"
    assert charge(float("inf")) == "∞"
    with translation.override("de"):
        assert (charge(Fraction(1, 8)), charge(0.24615382)) == ("0,125", "0,2462")


def test_who_did_it_is_who_it_was_whatever_the_account_is_called_later(
    staff: Client, survey: Survey, admin: User
) -> None:
    release = survey.releases.order_by("created_at").first()
    assert release is not None
    then = admin.username
    User.objects.filter(pk=admin.pk).update(username="somebody-else")
    files = [f"/admin/surveys/budget/{survey.budget.pk}/ledger.{kind}" for kind in ("csv", "json")]
    pages = [_page(survey), LINES, f"{LINES}{release.entry.pk}/change/", "/admin/surveys/release/"]
    for address in [*files, *pages, f"/admin/surveys/release/{release.pk}/change/"]:
        text = staff.get(address).content.decode()
        # Who is signed in, and the filter of accounts, say what it is called now.
        assert then in text, address
    rows = list(csv.DictReader(io.StringIO(staff.get(files[0]).content.decode().lstrip("\ufeff"))))
    assert [row["by"] for row in rows[1:]] == [then] * 3


def test_reasons_names_and_questions_in_lists_are_kept_to_themselves(staff: Client, survey: Survey) -> None:
    """Whatever direction they are written in, they turn nothing around that stands beside them."""
    lines = staff.get(LINES).content.decode()
    assert "<bdi>Both.</bdi>" in lines
    assert (
        f"<bdi>{yes_no().text}</bdi>; <bdi>{one_of().text}</bdi>"
        in staff.get("/admin/surveys/release/").content.decode()
    )
