"""A page of the lab runs with the odds of somebody's own question, shows them to nobody else, and reads no answers."""

import io
from contextlib import redirect_stdout
from fractions import Fraction
from html import unescape
from re import DOTALL, findall

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from surveys.answering.services.collecting import new_nonce
from surveys.course.services import close_survey
from surveys.learn.pages import lab_pages
from surveys.models import Survey
from tests.factories import crosswise, fill, make_budget, make_draft, make_open, one_of, unrelated, warner, yes_no
from tests.security.addresses.setting import STATES, Setting

pytestmark = pytest.mark.django_db

PAGES = [slug for slug, page in lab_pages().items() if page.replaced]
ADDRESSES = ("/learn/{}/", "/learn/{}/picture/", "/learn/{}.json")
# Yes from 4 of 5 who mean it, and from 1 of 5 who do not.
LOADED = {"parameters": {"truth": [3, 5], "yes": [1, 2]}}


@pytest.fixture
def setting() -> Setting:
    return Setting()


def _asked(survey: Survey, question: str = "1") -> dict[str, str]:
    return {"survey": survey.code, "question": question}


def _statuses(client: Client, survey: Survey, question: str = "1") -> set[int]:
    return {client.get(address.format("coin"), _asked(survey, question)).status_code for address in ADDRESSES}


def test_there_are_such_pages() -> None:
    assert PAGES == ["coin", "two-histograms", "guesser", "planning"]


@pytest.mark.parametrize("slug", PAGES)
def test_it_runs_with_the_odds_that_the_survey_enforces(setting: Setting, slug: str) -> None:
    survey = make_draft(warner(), yes_no(**LOADED), owner=setting.people["owner"])
    client = setting.client("owner")
    page = client.get(f"/learn/{slug}/", _asked(survey, "2"))
    assert not page.context["form"].fields.keys() & set(lab_pages()[slug].replaced)
    question = page.context["own"]
    assert (question.if_yes, question.if_no) == (Fraction(4, 5), Fraction(1, 5))
    assert f'name="survey" value="{survey.code}"' in page.content.decode()
    answered = client.get(f"/learn/{slug}.json", _asked(survey, "2")).json()
    assert answered["asked"].keys().isdisjoint(lab_pages()[slug].replaced)
    odds = {
        "coin": ("factor", 4),
        "two-histograms": ("largest", 4),
        "guesser": ("right", 0.8),
        "planning": ("if_yes", 0.8),
    }
    name, value = odds[slug]
    assert answered["numbers"][name] == value


@pytest.mark.parametrize("slug", PAGES)
def test_its_code_has_these_odds_too(setting: Setting, slug: str) -> None:
    survey = make_draft(yes_no(parameters={"truth": [3, 5], "yes": [1, 4]}), owner=setting.people["owner"])
    client = setting.client("owner")
    page = client.get(f"/learn/{slug}/", _asked(survey)).content.decode()
    (code,) = findall(r'data-code="python">(.*?)</pre>', page, flags=DOTALL)
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(unescape(code), slug, "exec"), {})  # noqa: S102 - ours
    numbers = client.get(f"/learn/{slug}.json", _asked(survey)).json()["numbers"]
    name = {"coin": "true_share", "two-histograms": "epsilon", "guesser": "right", "planning": "needed"}[slug]
    # A hundred people are five standard errors of .075 from the truth at most; nothing else has chance in it.
    near = 5 * 0.075 if slug == "coin" else 1e-9
    assert float(out.getvalue()) == pytest.approx(numbers[name], abs=near)


@pytest.mark.parametrize("state", STATES)
def test_respondents_may_run_the_coins_of_what_asks_them(setting: Setting, state: str) -> None:
    survey = setting.survey(state)
    asks = setting.client("anonymous").get(f"/s/{survey.code}/").status_code == 203
    assert asks is (state in {"open", "with credit"})
    for visitor in ("anonymous", "stranger"):
        assert _statuses(setting.client(visitor), survey) == {200 if asks else 404}


def test_a_full_survey_asks_nobody(setting: Setting) -> None:
    survey = make_open(response_cap=20)
    client = setting.client("anonymous")
    assert _statuses(client, survey) == {200}
    fill(survey, {"1": 20})
    assert _statuses(client, survey) == {404}


def test_whoever_takes_part_may_always(setting: Setting) -> None:
    for turn, state in enumerate(STATES):
        visitor = ("editor", "analyst", "releaser", "owner")[turn % 4]
        assert _statuses(setting.client(visitor), setting.survey(state)) == {404 if state == "rehearsal" else 200}


def test_only_those_who_may_analyse_are_led_to_the_results(setting: Setting) -> None:
    survey = setting.survey("open")
    led = {
        visitor
        for visitor in ("anonymous", "stranger", "editor", "analyst", "releaser", "owner")
        if f"/surveys/{survey.code}/results/bayes/?item=1"
        in setting.client(visitor).get("/learn/guesser/", _asked(survey)).content.decode()
    }
    assert led == {"analyst", "owner"}


def test_what_a_page_cannot_run_with_is_not_found(setting: Setting) -> None:
    sure = yes_no(parameters={"truth": [1, 2], "yes": [1, 1]}, accepts_infinite=True)
    survey = make_draft(one_of(), crosswise(), unrelated(), sure, yes_no(), owner=setting.people["owner"])
    client = setting.client("owner")
    for question in ("1", "2", "3", "4", "6", "0", "", "x", "١", "5\0"):
        assert _statuses(client, survey, question) == {404}
    assert _statuses(client, survey, "5") == {200}
    for code in ("", "NQPE23", "\0", "a" * 5_000):
        assert client.get("/learn/coin/", {"survey": code}).status_code == 404
    assert client.get("/learn/composition/", _asked(survey, "5")).status_code == 404


def test_caches_keep_what_is_of_nobody_and_nothing_else(setting: Setting) -> None:
    survey, client = make_open(), setting.client("anonymous")
    for address in ADDRESSES:
        of_survey = client.get(address.format("coin"), _asked(survey))["Cache-Control"]
        assert {"private", "no-store"} <= set(of_survey.split(", "))
        assert "public" not in of_survey
    for address in ADDRESSES[1:]:
        assert client.get(address.format("coin"))["Cache-Control"] == "public, max-age=3600"
    # It lists what is theirs.
    assert "no-store" in setting.client("owner").get("/learn/coin/")["Cache-Control"]


def test_somebody_who_signed_in_chooses_from_their_own(setting: Setting) -> None:
    mine = setting.survey("draft")
    make_draft(yes_no("Of somebody else?"))
    crossed = make_draft(crosswise(), owner=setting.people["owner"])
    for slug in PAGES:
        page = setting.client("owner").get(f"/learn/{slug}/").content.decode()
        assert f"?survey={mine.code}&amp;question=1" in page
        assert "Of somebody else?" not in page
        assert crossed.code not in page
    for visitor in ("anonymous", "stranger"):
        assert "?survey=" not in setting.client(visitor).get("/learn/coin/").content.decode()
    assert "?survey=" not in setting.client("owner").get("/learn/sensitivity/").content.decode()


def test_real_releases_add_up_in_their_ledger(setting: Setting) -> None:
    survey = setting.survey("closed")
    budget = make_budget(survey, Fraction(2))
    address = f"/admin/surveys/budget/{budget.pk}/change/"
    for visitor, led in {"owner": True, "releaser": True, "analyst": False, "stranger": False}.items():
        client = setting.client(visitor)
        assert (address in client.get("/learn/composition/").content.decode()) is led
        if led:
            assert client.get(address).status_code == 200


def test_no_answer_is_read(setting: Setting) -> None:
    survey = setting.survey("closed")
    with CaptureQueriesContext(connection) as queries:
        assert _statuses(setting.client("owner"), survey) == {200}
    read = " ".join(query["sql"] for query in queries.captured_queries)
    assert "surveys_survey" in read
    assert "surveys_response" not in read
    assert "surveys_folded" not in read


@pytest.mark.parametrize("asks", [True, False])
def test_a_receipt_leads_to_the_coins_of_its_survey_while_they_are_public(asks: bool) -> None:
    survey = make_open(one_of(), yes_no())
    client = Client()
    sent = {"mode": "device", "reports": "01", "nonce": new_nonce()}
    receipt = client.post(f"/s/{survey.code}/", sent)["Location"]
    if not asks:
        close_survey(survey=survey)
    (link,) = findall(r'href="(/learn/coin/[^"]*)"', client.get(receipt).content.decode())
    assert unescape(link) == "/learn/coin/" + (f"?survey={survey.code}&question=2" if asks else "")
    assert client.get(unescape(link)).status_code == 200
