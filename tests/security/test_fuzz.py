"""Nasty requests over every address, method and form: none may end in an error of ours, or half stored.

`make test` sends hundreds, `make test-all` thousands. `TESTS_FUZZ_REQUESTS=20000 pytest tests/security/test_fuzz.py`
sends as many as it says, `TESTS_FUZZ_SEED=7` others.
"""

import os
import re
from fractions import Fraction
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, override_settings
from django.urls import get_resolver, path

from surveys.accounts.services.sign_up import invite_instructor
from surveys.course.services import close_survey
from surveys.drafts.selectors import document_of, write_document
from surveys.drafts.services.groups import add_group
from surveys.lessons.services import show_step, take_ready
from surveys.models import Membership, Role, Survey
from surveys.people.services import invite_person
from surveys.releases.selectors.doors import index_key
from surveys.releases.services import releasing
from surveys.sharing.services import invite, new_batch
from surveys.urls import urlpatterns as real
from tests.documents.workbooks import form as xlsform
from tests.factories import (
    PASSWORD,
    by_option,
    every_kind,
    fill,
    make_admin,
    make_budget,
    make_draft,
    make_open,
    make_user,
    numbers_of,
    one_of,
    plain,
    send,
    yes_no,
)
from tests.releases.setting import propose, published_release, ready_survey
from tests.security import fuzzing
from tests.security.fuzzing import Fuzzer, Setting, routes, run

REQUESTS = (600, pytest.param(3000, marks=pytest.mark.slow))
if wanted := os.environ.get("TESTS_FUZZ_REQUESTS"):
    REQUESTS = (int(wanted),)
SEED = int(os.environ.get("TESTS_FUZZ_SEED", fuzzing.SEED))
REPORTS = "1" * sum(len(draft.options) if by_option(draft) else 1 for draft in every_kind())


def _surveys(owner: User) -> tuple[Survey, ...]:
    survey = make_open(*every_kind(), owner=owner, server_mode_allowed=True, minimum_n=5, code="FUZZED")
    invited = make_open(yes_no(), owner=owner, server_mode_allowed=True, by_invitation=True, code="FUZZBY")
    for one in (survey, invited):
        add_group(survey=one, name="North")
    fill(survey, {REPORTS: 12, "0" * len(REPORTS): 9})
    send(survey, REPORTS)
    closed = make_open(yes_no(), one_of(), plain(), owner=owner, code="SHUT22")
    fill(closed, {"100": 20, "021": 20, "102": 20})
    return survey, invited, make_draft(*every_kind(), owner=owner, code="DRAFT2"), close_survey(survey=closed)


def _members(*surveys: Survey) -> dict[str, User]:
    people = {str(role): make_user(str(role)) for role in Role}
    Membership.objects.bulk_create(
        Membership(survey=survey, user=people[role], role=role) for survey in surveys for role in people
    )
    return people


@pytest.fixture
def setting(db: None, monkeypatch: pytest.MonkeyPatch) -> Setting:
    monkeypatch.setattr(releasing, "STEP_SECONDS", 0.001)  # how long a draw takes is another test's
    owner = make_user("owner")
    survey, invited, draft, closed = _surveys(owner)
    audited = ready_survey()
    # The code that is tried most leads to a lesson at a page that phones draw with.
    take_ready(survey=survey, name="trust")
    show_step(survey=survey, at=1)
    release = published_release(audited)
    make_budget(survey)
    people = {"anonymous": None, "stranger": make_user("stranger"), "owner": owner, "superuser": make_admin("super")}
    people |= _members(survey, draft, closed, audited)
    proposal = propose(
        user=people["releaser"],
        survey=audited,
        questions=numbers_of(audited),
        mechanism="laplace_histogram",
        epsilon=Fraction(1, 4),
        reason="For the yearly report.",
        request_key=uuid4(),
    )
    invite_person(survey=draft, by=owner, to="stranger", roles=["editor"])
    invite_person(survey=draft, by=owner, to="somebody@example.org", roles=["analyst"])
    role_token = re.findall(r"/invited/link/([\w-]+)/", str(mail.outbox[-1].body))[0]
    sign_up_token = invite_instructor(email="new@example.org", mail=False).link.rstrip("/").rpartition("/")[2]
    ours = {"Origin": "http://testserver"}
    clients = {name: Client(enforce_csrf_checks=True, raise_request_exception=False, headers=ours) for name in people}
    for visitor, user in people.items():
        if user is not None:
            clients[visitor].force_login(user)
    values = {
        "code": (survey.code, invited.code, draft.code, closed.code, audited.code),
        "group": ("north", "server"),
        "token": (*invite(survey=invited, number=3, batch=new_batch()).tokens, role_token, sign_up_token),
        "release_id": (str(release.pk),),
        "proposal_id": (str(proposal.pk),),
        "key": (index_key(audited), "comparing", "blank"),
        "budget_id": (str(audited.budget.pk),),
        "object_id": (str(survey.pk), str(release.pk), str(owner.pk)),
        "app_label": ("surveys",),
    }
    typed = {
        "username": ("owner", "stranger", "Ärger"),
        "password": (PASSWORD, "wrong"),
        "recipient": ("stranger", "editor", "new@example.org"),
        "confirmation": ("0.5", "0.25", "1", survey.code, closed.code),
        "epsilon": ("0.5", "1"),
        "questions": tuple(map(str, numbers_of(audited))),
        "survey": (str(audited.pk), str(survey.pk)),
        "reason": ("For the yearly report.",),
        "text": (write_document(document_of(draft)).decode(),),
        "code": (survey.code, closed.code),
        "key": (str(uuid4()),),
        # Shares of the population, of what the closed survey asks without chance.
        **{f"q3-{code}": (share, "50") for code, share in enumerate(("30", "30.4", "39.9"))},
    }
    files = (
        ("survey.json", write_document(document_of(draft))),
        ("survey.xlsx", xlsform(("select_one yesno", "q1", "Ever?"), ("select_one often", "q2", "How often?"))),
        ("empty", b"\n"),
    )
    return Setting(clients, values, typed, {survey.code: REPORTS, closed.code: "100"}, files)


@pytest.mark.sqlite
@pytest.mark.uncounted
@pytest.mark.parametrize("requests", REQUESTS)
def test_no_request_ends_in_an_error_of_ours_or_half_stored(setting: Setting, requests: int) -> None:
    all_routes = sorted(routes(get_resolver().url_patterns))
    fuzzer = Fuzzer(setting, SEED)
    run(fuzzer, all_routes, requests)
    assert fuzzer.failures == []
    assert fuzzer.sent == requests >= 2 * len(all_routes), "every address is tried"
    # It came as far as pages, receipts and redirects, refusals of every kind, and what is not there.
    assert set(fuzzer.statuses) >= {200, 203, 302, 303, 400, 403, 404, 405, 422}, fuzzer.statuses
    # Nearly right means that a good part of what is sent is taken.
    assert fuzzer.stored > requests / 20


def _fails_now_and_then(request: HttpRequest, code: str) -> HttpResponse:
    if (request.POST or request.GET).get("title", "1") != "1":
        raise RuntimeError("broken on purpose")
    if request.method == "POST":
        Survey.objects.filter(code="DRAFT2").update(time_zone="Changed before it was refused")
        return HttpResponse(status=409)
    title, token = '<input name="title" value="1">', f'<input name="csrfmiddlewaretoken" value="{get_token(request)}">'
    return HttpResponse(f'<form method="post">{token}{title}</form><form method="get">{title}</form>')


urlpatterns = [*real, path("planted/<str:code>/", _fails_now_and_then)]


@pytest.mark.sqlite
@override_settings(ROOT_URLCONF="tests.security.test_fuzz")
@pytest.mark.slow
def test_a_view_that_fails_or_stores_before_it_refuses_would_be_found(setting: Setting) -> None:
    fuzzer = Fuzzer(setting)
    run(fuzzer, [route for route in routes(get_resolver().url_patterns) if route.startswith("planted/")], 50)
    found = {failure.what.partition(": (")[0] for failure in fuzzer.failures}
    assert found == {"500", "409, but changed ['surveys_survey']"}
    assert {failure.method for failure in fuzzer.failures} == {"GET", "POST"}
    assert all(failure.address.startswith("/planted/") for failure in fuzzer.failures)


FOUND_ONCE: list[tuple[str, str, dict[str, str | list[str]], int]] = [
    # Keys of rows that can be none went to the database as they came.
    *(
        ("superuser", list_, {"action": "delete_selected", "_selected_action": key, "post": "yes"}, 400)
        for list_ in ("/admin/surveys/signupinvitation/", "/admin/auth/group/")
        for key in (["1", "NaN"], "", "9" * 40)
    ),
    ("superuser", "/admin/auth/group/add/", {"name": "x", "permissions": str(2**63)}, 200),
    # A next page without a slash was taken for the name of one.
    ("anonymous", "/sign-in/", {"username": "stranger", "password": PASSWORD, "next": "true"}, 302),
]


def test_what_was_found_once_is_refused_or_taken(setting: Setting) -> None:
    wrong = []
    for visitor, address, body, status in FOUND_ONCE:
        client = setting.clients[visitor]
        client.handler.enforce_csrf_checks = False
        answered = client.post(address, body).status_code
        if answered != status:
            wrong.append((visitor, address, body, answered, status))
    assert wrong == []
