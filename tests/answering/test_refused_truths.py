"""Whatever becomes of a form with true answers, its answer is a redirect, and nothing that it leads to repeats one."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.utils import timezone

from surveys.answering.services import collecting, perturbing
from surveys.answering.services.collecting import new_nonce
from surveys.course.services import close_survey, pause_survey
from surveys.drafts.services.groups import add_group
from surveys.middleware import truths_leave_the_history
from surveys.models import Survey
from surveys.sharing.services import invite
from tests.factories import make_draft, make_open, number_mean, several_of, yes_no

pytestmark = pytest.mark.django_db
# Nobody writes this by chance.
TRUE_NUMBER = "7316.25"
NUMBERS = {"low": [0, 1], "high": [10000, 1], "step": [1, 4], "unit": ""}
BY_SCRIPT = {"Accept": "application/json"}
MIDDLEWARE = "surveys.middleware.truths_leave_the_history"
Way = tuple[Client, str, dict[str, object]]


def opened(**fields: object) -> Survey:
    questions = (number_mean(details=NUMBERS, leave_out="no"), yes_no(), several_of())
    return make_open(*questions, **({"server_mode_allowed": True} | fields))


def truths(**changes: object) -> dict[str, object]:
    fields = {"mode": "server", "nonce": new_nonce(), "answer-1": TRUE_NUMBER, "answer-2": "1", "leave-3": "1"}
    return fields | changes


def a_client(**options: bool) -> Client:
    return Client(raise_request_exception=False, **options)


def door(survey: Survey, rest: str = "") -> str:
    return f"/s/{survey.code}/{rest}server/"


def answered_before() -> Way:
    survey, client = opened(), a_client()
    client.post(door(survey), truths())
    return client, door(survey), truths()


def closed() -> Way:
    survey = opened()
    close_survey(survey=survey)
    return a_client(), door(survey), truths()


def paused() -> Way:
    survey = opened()
    pause_survey(survey=survey)
    return a_client(), door(survey), truths()


def full() -> Way:
    survey = opened(response_cap=1)
    a_client().post(door(survey), truths())
    return a_client(), door(survey), truths()


def sent_twice() -> Way:
    survey, fields = opened(), truths()
    a_client().post(door(survey), fields)
    return a_client(), door(survey), fields


def spent() -> Way:
    survey = opened(by_invitation=True)
    (token,) = invite(survey=survey, number=1, batch="batchOfTheseTestsHere1").tokens
    a_client().post(door(survey, f"i/{token}/"), truths())
    return a_client(), door(survey, f"i/{token}/"), truths()


def from_another_site() -> Way:
    return a_client(enforce_csrf_checks=True), door(opened()), truths()


def by_a_group() -> Way:
    survey = opened()
    add_group(survey=survey, name="North")
    return a_client(), door(survey, "north/"), truths(**{"answer-2": ""})


# What happens to the form, and the status of the page that it leads to in the end.
OUTCOMES: dict[str, tuple[Callable[[], Way], int]] = {
    "stored": (lambda: (a_client(), door(opened()), truths()), 200),
    "unfinished": (lambda: (a_client(), door(opened()), truths(**{"answer-2": ""})), 400),
    "unfinished, by a group's link": (by_a_group, 400),
    "no such number": (lambda: (a_client(), door(opened()), truths(**{"answer-1": TRUE_NUMBER + "1"})), 400),
    "sent twice": (sent_twice, 200),
    "answered before": (answered_before, 409),
    "not yet": (lambda: (a_client(), door(opened(opens_at=timezone.now() + timedelta(days=1))), truths()), 403),
    "paused": (paused, 403),
    "closed": (closed, 410),
    "full": (full, 410),
    "no invitation": (lambda: (a_client(), door(opened(by_invitation=True)), truths()), 403),
    "an unknown invitation": (lambda: (a_client(), door(opened(by_invitation=True), "i/ABCDEF/"), truths()), 404),
    "a spent invitation": (spent, 410),
    "an invitation where none is needed": (lambda: (a_client(), door(opened(), "i/ABCDEF/"), truths()), 404),
    "no such group": (lambda: (a_client(), door(opened(), "nosuch/"), truths()), 404),
    "a group that no address can have": (lambda: (a_client(), door(opened(), "a%0Ab%3F/"), truths()), 404),
    "no such survey": (lambda: (a_client(), "/s/ZZZZZZ/server/", truths()), 404),
    "a draft": (lambda: (a_client(), door(make_draft(yes_no())), truths()), 404),
    "the server does not flip": (lambda: (a_client(), door(opened(server_mode_allowed=False)), truths()), 404),
    "a field of no page": (lambda: (a_client(), door(opened()), truths(truth="1")), 400),
    "a field twice": (lambda: (a_client(), door(opened()), truths(**{"answer-2": ["1", "1"]})), 400),
    "another mode": (lambda: (a_client(), door(opened()), truths(mode="device")), 400),
    "a bad nonce": (lambda: (a_client(), door(opened()), truths(nonce="x")), 400),
    "from another site": (from_another_site, 403),
    "too large": (lambda: (a_client(), door(opened()), truths(**{"answer-2": "1" * 1_000_000})), 400),
    "too many fields": (lambda: (a_client(), door(opened()), truths(**{f"x{n}": "1" for n in range(600)})), 400),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_outcome_is_a_redirect_to_a_page_without_values(name: str) -> None:
    make, status = OUTCOMES[name]
    client, address, fields = make()
    response = client.post(address, fields)
    assert response.status_code == 303
    assert "no-store" in response["Cache-Control"] or response["Location"].endswith("/receipt/")
    assert TRUE_NUMBER not in response["Location"] + response.content.decode()
    page = client.get(response["Location"], follow=True)
    assert page.status_code == status
    assert TRUE_NUMBER not in page.content.decode()
    assert " checked" not in page.content.decode()


def failing(*_given: object, **_fields: object) -> None:
    raise RuntimeError(TRUE_NUMBER)


@pytest.mark.parametrize(("place", "name"), [(perturbing, "perturb"), (collecting, "collect")])
def test_a_failure_of_the_server_is_a_redirect_too(monkeypatch: pytest.MonkeyPatch, place: object, name: str) -> None:
    monkeypatch.setattr(place, name, failing)
    client, address = a_client(), door(opened())
    response = client.post(address, truths())
    assert (response.status_code, response["Location"]) == (303, f"{address}?refused=500")
    page = client.get(response["Location"])
    assert (page.status_code, TRUE_NUMBER in page.content.decode()) == (500, False)


@pytest.mark.parametrize(
    "content_type", ["multipart/form-data", "multipart/form-data; boundary=x", "text/plain", "a/b;"]
)
def test_a_body_that_cannot_be_read_is_a_redirect_too(content_type: str) -> None:
    response = a_client().post(door(opened()), f"answer-1={TRUE_NUMBER}", content_type=content_type)
    assert response.status_code == 303
    assert TRUE_NUMBER not in response["Location"]


def test_the_address_names_items_and_the_page_says_what_each_wants() -> None:
    survey, client = opened(), a_client()
    response = client.post(door(survey), truths(**{"answer-1": "10000.1", "answer-3b": "1", "leave-3": []}))
    assert response["Location"] == f"{door(survey)}?missing=1,3a,3c"
    page = client.get(response["Location"]).content.decode()
    assert [part.split('"')[0] for part in page.split('href="#answer-')[1:]] == ["1", "3a", "3c"]
    assert "10000.1" not in page


@pytest.mark.parametrize("query", ["missing=", "missing=99", "missing=<b>", "missing=1'", "refused=", "x=1"])
def test_an_address_that_names_nothing_known_is_the_form(query: str) -> None:
    page = a_client().get(f"{door(opened())}?{query}")
    assert (page.status_code, 'id="summary"' in page.content.decode()) == (203, False)


@pytest.mark.parametrize("status", ["400", "403", "500", "999", "<b>"])
def test_whoever_writes_a_refusal_into_an_address_reads_that_nothing_was_stored(status: str) -> None:
    page = a_client().get(f"{door(opened())}?refused={status}")
    assert page.status_code in {400, 403, 500}
    assert "<b>" not in page.content.decode()


@pytest.mark.parametrize("name", ["unfinished", "closed", "a field of no page"])
def test_a_script_reads_the_refusal_itself(name: str) -> None:
    make, status = OUTCOMES[name]
    client, address, fields = make()
    response = client.post(address, fields, headers=BY_SCRIPT)
    assert (response.status_code, set(response.json())) == (status, {"error"})


def test_an_outcome_that_nobody_has_thought_of_yet_is_a_redirect_with_its_cookies() -> None:
    def unheard_of(_request: HttpRequest) -> HttpResponse:
        response = HttpResponse(TRUE_NUMBER, status=418)
        response.set_cookie("kept", "1")
        return response

    answer = truths_leave_the_history(unheard_of)
    response = answer(RequestFactory().post("/s/ABCDEF/server/"))
    assert (response.status_code, response["Location"]) == (303, "/s/ABCDEF/server/?refused=418")
    assert response.cookies["kept"].value == "1"
    assert answer(RequestFactory().post("/s/ABCDEF/")).status_code == 418
    assert answer(RequestFactory().get("/s/ABCDEF/server/")).status_code == 418


@override_settings(MIDDLEWARE=[name for name in settings.MIDDLEWARE if name != MIDDLEWARE])
def test_without_the_middleware_most_outcomes_would_stay_in_the_history() -> None:
    """The planted fault."""
    kept = []
    for name, (make, _) in OUTCOMES.items():
        client, address, fields = make()
        if client.post(address, fields).status_code != 303:
            kept.append(name)
    assert len(kept) > len(OUTCOMES) // 2
    assert not {"stored", "sent twice", "unfinished"} & set(kept)
