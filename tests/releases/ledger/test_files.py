"""The ledger as files: every line exactly, and no cell that a spreadsheet runs."""

import csv
import io
import json
from fractions import Fraction

import pytest

from surveys.models import Budget, Survey
from surveys.releases.ledger.files import SCHEMA, ledger_csv, ledger_json
from surveys.releases.ledger.selectors import ledger_of
from surveys.releases.ledger.services import set_budget
from tests.factories import make_admin, make_open, triangular
from tests.releases.setting import make_release, ready_survey

pytestmark = pytest.mark.django_db

DANGEROUS = ("=1+1", "+1", "-1+1", "@SUM(A1)", "\u200b=1", 'a "quote", and a comma', "＝1")


@pytest.fixture
def survey() -> Survey:
    return ready_survey(epsilon=2, delta=Fraction(1, 10**12))


def _rows(survey: Survey) -> list[dict[str, str]]:
    text = ledger_csv(ledger_of(survey)).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_csv_has_every_line_exactly(survey: Survey) -> None:
    user = make_admin("judith")
    release = make_release(survey, user=user, epsilon=Fraction(1, 8), reason="The board asked.")
    set_budget(survey=survey, total_epsilon=Fraction(1, 2), reason="Less.", user=user)
    first, second, third = _rows(survey)
    assert (first["kind"], first["epsilon"], first["delta"], first["release"]) == ("total", "2", "0.000000000001", "")
    assert second == {
        "number": "2",
        "on": release.created_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "by": "judith",
        "kind": "charge",
        "epsilon": "0.125",
        "delta": "0",
        "total_epsilon": "2",
        "spent_epsilon": "0.125",
        "total_delta": "0.000000000001",
        "spent_delta": "0",
        "release": release.pk if not release.pk.startswith("-") else f"'{release.pk}",
        "mechanism": "laplace_histogram",
        "reason": "The board asked.",
    }
    assert (third["epsilon"], third["delta"], third["total_epsilon"]) == ("-1.5", "-0.000000000001", "0.5")


@pytest.mark.parametrize("text", DANGEROUS)
def test_no_spreadsheet_runs_a_reason_or_a_name(text: str) -> None:
    survey = make_open()
    set_budget(survey=survey, total_epsilon=Fraction(1), reason=text, user=make_admin("-1+1"))
    [row] = _rows(survey)
    for cell in (row["reason"], row["by"]):
        assert cell.startswith("'") or cell[0].isalpha()


def test_the_json_says_what_all_of_it_comes_to(survey: Survey) -> None:
    make_release(survey, reason="=1+1")
    stated = json.loads(ledger_json(ledger_of(survey)))
    assert (stated["schema"], stated["code"], len(stated["lines"])) == (SCHEMA, survey.code, 2)
    assert stated["spent"] == {"epsilon": "0.5", "delta": "0"}
    assert stated["remaining"] == {"epsilon": "1.5", "delta": "0.000000000001"}
    assert [total["by"] for total in stated["composed"]] == ["basic", "advanced", "optimal", "concentrated"]
    assert stated["composed"][1]["delta_beyond_charges"] == "0.000001"
    assert [truth["question"] for truth in stated["truth"]] == [1, None]
    assert stated["truth"][0]["epsilon_for_the_truth"] == pytest.approx(0.2462, abs=5e-5)
    assert [(group["responses"], group["epsilon"]) for group in stated["groups"]] == [(2, "1"), (5, "2.5"), (10, "5")]
    assert stated["lines"][1]["reason"] == "=1+1"


def test_where_a_report_proves_an_answer_the_json_has_no_infinity() -> None:
    survey = ready_survey({"0": 60, "1": 60}, triangular())
    make_release(survey)
    stated = json.loads(ledger_json(ledger_of(survey)))
    assert [truth["epsilon_of_the_reports"] for truth in stated["truth"]] == [None, None]


def test_a_budget_that_nobody_has_set_yet_is_a_file_without_lines() -> None:
    survey = make_open()
    Budget.objects.create(survey=survey)
    assert _rows(survey) == []
    assert ledger_csv(ledger_of(survey)).decode("utf-8-sig").startswith("number,on,by,kind,")
