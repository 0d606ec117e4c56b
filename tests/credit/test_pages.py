"""The page of a receipt, and a survey's page of the credit that it gives."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from surveys.course.services import purge_survey
from surveys.credit.forms import MOST_BYTES, MOST_ROWS
from surveys.credit.selectors import credit_counts
from surveys.credit.services import lists
from surveys.credit.services.redeeming import redeem, spend
from surveys.models import SpentReceipt, Survey, WaitingScore
from tests.credit.receipts import closed_with_credit, make_platform, make_receipt, open_with_credit
from tests.factories import make_draft, make_open
from tests.pages import owner_of
from tests.security.test_headers import EXPECTED

pytestmark = pytest.mark.django_db
OK, USED, FOREIGN, TWICE, NONE = (
    "credit",
    "already used",
    "not a receipt for this survey",
    "twice in this list",
    "no receipt",
)


@pytest.fixture
def survey() -> Survey:
    return closed_with_credit()


# The page of a receipt.


def test_the_page_of_a_receipt_sets_no_cookie_and_can_send_nothing(survey: Survey) -> None:
    page = Client().get(f"/credit/{survey.code}/")
    policy = {part.strip() for part in page["Content-Security-Policy"].split(";")}
    assert page.status_code == 200
    assert {name: page.get(name) for name in EXPECTED} == EXPECTED
    assert not page.cookies
    assert {"connect-src 'none'", "form-action 'none'", "trusted-types 'none'", "default-src 'none'"} <= policy
    assert "no-store" in page["Cache-Control"]
    assert "<form" not in page.content.decode()


def test_the_page_of_a_receipt_is_the_same_to_everybody(survey: Survey) -> None:
    pages = {
        Client().get(f"/credit/{survey.code}/", headers={"accept-language": language}).content
        for language in ("en", "de", "he")
    }
    pages.add(owner_of(survey).get(f"/credit/{survey.code.lower()}/").content)
    assert len(pages) == 1


def test_the_page_of_a_receipt_speaks_the_surveys_languages() -> None:
    survey = open_with_credit(language="he")
    page = Client().get(f"/credit/{survey.code}/?language=de")
    assert (page["Content-Language"], 'dir="rtl"' in page.content.decode()) == ("he", True)


@pytest.mark.parametrize("code", ["NOSUCH", "a.b", "ABC%00", "0" * 200])
def test_there_is_no_page_for_what_gives_no_credit(code: str) -> None:
    assert Client().get(f"/credit/{code}/").status_code == 404
    for survey in (make_open(), make_draft(credit=True)):
        assert Client().get(f"/credit/{survey.code}/").status_code == 404


def test_the_page_of_a_receipt_says_whether_it_can_be_used(survey: Survey) -> None:
    purged = purge_survey(survey=closed_with_credit())
    contexts = [Client().get(f"/credit/{each.code}/").context for each in (open_with_credit(), survey, purged)]
    assert [context["redeemable"] for context in contexts] == [False, True, False]


# How many were redeemed.


def _redeem(survey: Survey, number: int) -> None:
    for _ in range(number):
        redeem(survey=survey, receipt=make_receipt(survey))


def test_somebody_who_watches_the_page_sees_nobody_redeem() -> None:
    survey = closed_with_credit(minimum_n=5)
    client, seen = owner_of(survey), []
    for _ in range(11):
        seen.append(client.get(f"/surveys/{survey.code}/credit/").context["counts"].redeemed)
        _redeem(survey, 1)
    assert seen == [0] * 5 + [5] * 5 + [10]


def test_scores_that_wait_are_counted_in_batches_too() -> None:
    survey = closed_with_credit(minimum_n=5)
    assert credit_counts(survey).waiting == 0


def test_the_page_is_where_credit_is_given_and_the_surveys_page_leads_there(survey: Survey) -> None:
    plain = make_open(owner=survey.owner)
    client = owner_of(survey)
    for one, status in ((survey, 200), (plain, 404)):
        address = f"/surveys/{one.code}/credit/"
        assert client.get(address).status_code == status
        links = client.get(f"/surveys/{one.code}/").context["links"]
        assert (address in {link.address for link in links}) is (status == 200)


def test_the_tool_has_the_address_that_launches_are_checked_against(survey: Survey, settings: Settings) -> None:
    make_platform()
    settings.ALLOWED_HOSTS, settings.SITE_ADDRESS = ["*"], "https://survey.example.org"
    page = owner_of(survey).get(f"/surveys/{survey.code}/credit/", headers={"Host": "other.example"})
    assert page.context["tool"] == "https://survey.example.org/lti/launch/"


# The list.


def _upload(survey: Survey, content: str | bytes, name: str = "list.csv") -> HttpResponse:
    raw = content if isinstance(content, bytes) else content.encode()
    return owner_of(survey).post(f"/surveys/{survey.code}/credit/", {"file": SimpleUploadedFile(name, raw)})


def _rows(response: HttpResponse, delimiter: str = ",") -> list[list[str]]:
    assert response.status_code == 200
    assert response["Content-Disposition"].startswith("attachment")
    text = response.content.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_a_list_comes_back_with_a_result_for_each_row(survey: Survey) -> None:
    one, two, three = (make_receipt(survey) for _ in range(3))
    redeem(survey=survey, receipt=three)
    given = [
        ["Name", "Receipt", "Group"],
        ["Ana", one, "A"],
        ["Ben", f"https://example.org/credit/{survey.code}/#{two}", "B"],
        ["Cem", one, "A"],
        ["Dua", three, "B"],
        ["Eva", make_receipt(closed_with_credit()), "B"],
        ["Fay", "I lost it", ""],
        ["Gil", "", "A"],
    ]
    back = _rows(_upload(survey, "\n".join(map(",".join, given))))
    assert [row[:3] for row in back] == given
    assert [row[3] for row in back] == ["Result", OK, OK, TWICE, USED, FOREIGN, FOREIGN, NONE]
    assert SpentReceipt.objects.count() == 3


def test_a_second_upload_finds_all_receipts_used(survey: Survey) -> None:
    content = f"Ana,{make_receipt(survey)}\nBen,{make_receipt(survey)}"
    assert [row[-1] for row in _rows(_upload(survey, content))] == [OK, OK]
    assert [row[-1] for row in _rows(_upload(survey, content))] == [USED, USED]


def test_a_receipt_that_went_to_the_course_is_used_in_a_list_and_the_other_way_round(survey: Survey) -> None:
    receipt = make_receipt(survey)
    redeem(survey=survey, receipt=receipt)
    assert _rows(_upload(survey, f"Ana,{receipt}"))[0][-1] == USED


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_list_is_read_as_spreadsheets_write_it(survey: Survey, delimiter: str, mark: str) -> None:
    given = [["Zoë, or “Z”; really", "ok", make_receipt(survey)], ["Ω\nnext line", "", make_receipt(survey)]]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(given)
    back = _rows(_upload(survey, mark + text.getvalue()), delimiter)
    assert back == [[*row, OK] for row in given]


def test_formulas_come_back_quoted_and_a_receipt_so_quoted_is_read_again(survey: Survey) -> None:
    receipt = make_receipt(survey, prefix=b"\xf8" * 32)
    assert receipt.startswith("-")
    back = _rows(_upload(survey, f'"=HYPERLINK(""x"")",@a,+1,{receipt}'))
    assert back == [['\'=HYPERLINK("x")', "'@a", "'+1", f"'{receipt}", OK]]
    assert _rows(_upload(survey, f"Ana,{back[0][3]}"))[0][-1] == USED


def test_rows_of_other_lengths_and_empty_ones_stay_where_they_are(survey: Survey) -> None:
    one, two = make_receipt(survey), make_receipt(survey)
    assert _rows(_upload(survey, f"Ana,{one}\n\nBen\nCem,{two},late")) == [
        ["Ana", one, "", OK],
        [],
        ["Ben", "", "", NONE],
        ["Cem", two, "late", OK],
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Name,Receipt\nAna,none",
        b"," * 1_000_000,
        b"a\n" * 900_000,
        b'"' + b"x" * 200_000,
        "Zoë,1".encode("latin-1"),
        "Ana,1".encode("utf-16"),
        b"PK\x03\x04\x00\x00",
        b"x" * (MOST_BYTES + 1),
        b"x" * 3_000_000,
    ],
    ids=[
        "empty",
        "no receipts",
        "a million cells",
        "rows",
        "a cell",
        "latin-1",
        "utf-16",
        "a workbook",
        "2 MB",
        "3 MB",
    ],
)
def test_what_is_no_list_is_refused_with_a_reason_at_its_field(survey: Survey, content: bytes) -> None:
    response = _upload(survey, content)
    assert (response.status_code, len(response.context["problems"])) == (422, 1)
    assert response.context["problems"][0].field_id == "id_file"
    assert SpentReceipt.objects.count() == 0


def test_a_list_that_is_too_long_spends_nothing(survey: Survey) -> None:
    response = _upload(survey, f"Ana,{make_receipt(survey)}\n" + "a\n" * MOST_ROWS)
    assert (response.status_code, SpentReceipt.objects.count()) == (422, 0)


def test_a_nul_in_a_list_spends_nothing(survey: Survey) -> None:
    response = _upload(survey, f"An\0a,{make_receipt(survey)}")
    assert (response.status_code, SpentReceipt.objects.count()) == (422, 0)


def test_before_the_close_no_list_is_taken() -> None:
    survey = open_with_credit()
    response = _upload(survey, f"Ana,{make_receipt(survey)}")
    assert (response.status_code, SpentReceipt.objects.count()) == (302, 0)


def test_a_list_that_fails_half_way_spends_nothing(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    content = f"Ana,{make_receipt(survey)}\nBen,{make_receipt(survey)}"

    def half(survey: Survey, receipt_hashes: set[bytes]) -> set[bytes]:
        spend(survey, [*receipt_hashes][:1])
        raise DatabaseError

    monkeypatch.setattr(lists, "spend", half)
    with pytest.raises(DatabaseError):
        _upload(survey, content)
    monkeypatch.undo()
    assert (SpentReceipt.objects.count(), WaitingScore.objects.count()) == (0, 0)
    assert [row[-1] for row in _rows(_upload(survey, content))] == [OK, OK]
