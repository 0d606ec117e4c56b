"""Who may do what with budgets and releases: every address and every role."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import resolve
from django_otp.plugins.otp_totp.models import TOTPDevice

from surveys.accounts.services.sign_up import invite_instructor
from surveys.models import Budget, CoursePlatform, Membership, Release, Survey
from surveys.releases.services.releasing import publish
from tests.factories import make_admin, make_draft, make_user
from tests.releases.setting import first, make_release, propose, ready_survey, staff_with
from tests.releases.steps import STEP_1, STEP_2, STEP_3, look, signed_in, terms_of, text_of

pytestmark = pytest.mark.django_db


def _member(survey: Survey, *roles: str) -> User:
    user = make_user()
    Membership.objects.bulk_create(Membership(survey=survey, user=user, role=role) for role in roles)
    return user


ROLES: dict[str, Callable[[Survey], User | None]] = {
    "nobody": lambda _survey: None,
    "instructor": lambda _survey: make_user(),
    "staff without permissions": lambda _survey: staff_with(),
    "auditor": lambda _survey: staff_with("view_release", "view_budget", "view_ledgerentry", "view_survey"),
    "releaser of all": lambda _survey: staff_with("view_release", "add_release", "change_release"),
    "treasurer": lambda _survey: staff_with("view_budget", "add_budget", "change_budget", "delete_budget"),
    "superuser": lambda _survey: make_admin(),
    # These are no staff, and reach what is of the survey.
    "owner": lambda survey: survey.owner,
    "releaser": lambda survey: _member(survey, "releaser"),
    # And these do not.
    "releaser of another": lambda _survey: _member(make_draft(), "releaser"),
    "editor and analyst": lambda survey: _member(survey, "editor", "analyst"),
}
# What each role gets, in the order of ROLES; 302 is the way to the sign-in page, where a POST leads after its work, or
# Django's answer where there is nothing.
TABLE = [
    ("GET", "/admin/surveys/release/", [302, 302, 403, 200, 200, 403, 200, 200, 200, 200, 302]),
    ("GET", "/admin/surveys/release/add/", [302, 302, 403, 403, 200, 403, 200, 200, 200, 200, 302]),
    ("POST", "/admin/surveys/release/add/", [302, 302, 403, 403, 200, 403, 200, 200, 200, 200, 302]),
    ("GET", "/admin/surveys/release/add/terms/", [302, 302, 403, 403, 200, 403, 200, 200, 200, 200, 302]),
    ("POST", "/admin/surveys/release/add/terms/", [302, 302, 403, 403, 200, 403, 200, 200, 200, 200, 302]),
    ("GET", "/admin/surveys/release/add/confirm/", [302, 302, 403, 403, 302, 403, 302, 302, 302, 302, 302]),
    ("POST", "/admin/surveys/release/add/confirm/", [302, 302, 403, 403, 200, 403, 200, 200, 200, 200, 302]),
    ("GET", "/admin/surveys/release/{release}/change/", [302, 302, 403, 200, 200, 403, 200, 200, 200, 404, 302]),
    ("POST", "/admin/surveys/release/{release}/change/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/release/{release}/delete/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/release/{release}/history/", [302, 302, 403, 200, 200, 403, 200, 200, 200, 302, 302]),
    ("GET", "/admin/surveys/release/{release}/publication/", [302, 302, 405, 405, 405, 405, 405, 405, 405, 405, 302]),
    ("POST", "/admin/surveys/release/{release}/publication/", [302, 302, 403, 403, 302, 403, 302, 302, 302, 404, 302]),
    ("POST", "/admin/surveys/release/none/publication/", [302, 302, 403, 403, 404, 403, 404, 404, 404, 404, 302]),
    ("GET", "/admin/surveys/release/none/change/", [302, 302, 403, 404, 404, 403, 404, 404, 404, 404, 302]),
    ("GET", "/admin/surveys/release/add/propose/", [302, 302, 403, 403, 302, 403, 302, 302, 302, 302, 302]),
    ("POST", "/admin/surveys/release/add/propose/", [302, 302, 403, 403, 200, 403, 200, 200, 200, 200, 302]),
    ("GET", "/admin/surveys/proposal/", [302, 302, 403, 200, 200, 403, 200, 200, 200, 200, 302]),
    ("GET", "/admin/surveys/proposal/add/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/proposal/{proposal}/change/", [302, 302, 403, 200, 200, 403, 200, 200, 200, 404, 302]),
    ("POST", "/admin/surveys/proposal/{proposal}/change/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/proposal/{proposal}/delete/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/proposal/{proposal}/history/", [302, 302, 403, 200, 200, 403, 200, 200, 200, 302, 302]),
    ("GET", "/admin/surveys/proposal/{proposal}/approve/", [302, 302, 405, 405, 405, 405, 405, 405, 405, 405, 302]),
    # Staff who may publish decide; owners and releasers do not. Without terms or a reason the page comes again.
    ("POST", "/admin/surveys/proposal/{proposal}/approve/", [302, 302, 403, 403, 200, 403, 200, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/proposal/{proposal}/decline/", [302, 302, 403, 403, 200, 403, 200, 403, 403, 403, 302]),
    # Whoever did not propose it is told so.
    ("POST", "/admin/surveys/proposal/{proposal}/withdraw/", [302, 302, 403, 200, 200, 403, 200, 200, 200, 404, 302]),
    ("GET", "/admin/surveys/proposal/0/change/", [302, 302, 403, 404, 404, 403, 404, 404, 404, 404, 302]),
    ("GET", "/admin/surveys/budget/", [302, 302, 403, 200, 403, 200, 200, 200, 200, 200, 302]),
    ("GET", "/admin/surveys/budget/add/", [302, 302, 403, 403, 403, 200, 200, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/budget/{budget}/change/", [302, 302, 403, 200, 403, 200, 200, 200, 200, 302, 302]),
    ("POST", "/admin/surveys/budget/{budget}/change/", [302, 302, 403, 403, 403, 200, 200, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/budget/{budget}/delete/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/budget/{budget}/history/", [302, 302, 403, 200, 403, 200, 200, 200, 200, 302, 302]),
    ("GET", "/admin/surveys/budget/{budget}/ledger.csv", [302, 302, 403, 200, 403, 200, 200, 200, 200, 404, 302]),
    ("GET", "/admin/surveys/budget/{budget}/ledger.json", [302, 302, 403, 200, 403, 200, 200, 200, 200, 404, 302]),
    ("POST", "/admin/surveys/budget/{budget}/ledger.json", [302, 302, 405, 405, 405, 405, 405, 405, 405, 405, 302]),
    ("GET", "/admin/surveys/budget/{budget}/report/", [302, 302, 403, 200, 403, 200, 200, 200, 200, 404, 302]),
    ("POST", "/admin/surveys/budget/{budget}/report/", [302, 302, 405, 405, 405, 405, 405, 405, 405, 405, 302]),
    (
        "GET",
        "/admin/surveys/budget/{budget}/change/?chart=budget",
        [302, 302, 403, 200, 403, 200, 200, 200, 200, 302, 302],
    ),
    ("GET", "/admin/surveys/ledgerentry/", [302, 302, 403, 200, 403, 403, 200, 200, 200, 200, 302]),
    ("GET", "/admin/surveys/ledgerentry/add/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/ledgerentry/{line}/change/", [302, 302, 403, 200, 403, 403, 200, 200, 200, 302, 302]),
    ("POST", "/admin/surveys/ledgerentry/{line}/change/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/ledgerentry/{line}/delete/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/ledgerentry/{line}/history/", [302, 302, 403, 200, 403, 403, 200, 200, 200, 302, 302]),
    ("GET", "/admin/surveys/survey/", [302, 302, 403, 200, 403, 403, 200, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/survey/add/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/survey/{survey}/change/", [302, 302, 403, 200, 403, 403, 200, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/survey/{survey}/change/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/survey/{survey}/delete/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/survey/{survey}/history/", [302, 302, 403, 200, 403, 403, 200, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/signupinvitation/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/signupinvitation/add/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    (
        "GET",
        "/admin/surveys/signupinvitation/{invitation}/change/",
        [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302],
    ),
    (
        "POST",
        "/admin/surveys/signupinvitation/{invitation}/change/",
        [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302],
    ),
    (
        "GET",
        "/admin/surveys/signupinvitation/{invitation}/delete/",
        [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302],
    ),
    (
        "GET",
        "/admin/surveys/signupinvitation/{invitation}/history/",
        [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302],
    ),
    ("GET", "/admin/surveys/courseplatform/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/courseplatform/add/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/courseplatform/link/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    (
        "GET",
        "/admin/surveys/courseplatform/{course}/change/",
        [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302],
    ),
    (
        "GET",
        "/admin/surveys/courseplatform/{course}/delete/",
        [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302],
    ),
    (
        "GET",
        "/admin/surveys/courseplatform/{course}/history/",
        [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302],
    ),
    ("GET", "/admin/surveys/secondfactor/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/secondfactor/add/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/secondfactor/{device}/change/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    ("POST", "/admin/surveys/secondfactor/{device}/change/", [302, 302, 403, 403, 403, 403, 403, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/secondfactor/{device}/delete/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    ("GET", "/admin/surveys/secondfactor/{device}/history/", [302, 302, 403, 403, 403, 403, 200, 403, 403, 403, 302]),
    ("GET", "/admin/version/", [302, 302, 200, 200, 200, 200, 200, 403, 403, 403, 302]),
    ("POST", "/admin/version/", [302, 302, 405, 405, 405, 405, 405, 403, 403, 403, 302]),
    ("GET", "/r/{release}/", [404] * 11),
    ("GET", "/r/{release}.json", [404] * 11),
    ("GET", "/r/{published}/", [200] * 11),
    ("GET", "/r/{published}.json", [200] * 11),
    ("POST", "/r/{published}/", [405] * 11),
]


@pytest.mark.parametrize("role", ROLES)
def test_each_role_gets_what_it_may(client: Client, role: str) -> None:
    survey = ready_survey()
    release = make_release(survey, epsilon="0.25")
    published = make_release(survey, epsilon="0.25")
    publish(release=published, user=published.created_by)
    proposal = propose(
        user=make_admin(),
        survey=survey,
        questions=[first(survey)],
        mechanism="laplace_histogram",
        epsilon=Fraction(1, 4),
        reason="For the tests.",
        request_key=uuid4(),
    )
    ids = {
        "proposal": proposal.pk,
        "release": release.pk.replace("_", "_5F"),
        "published": published.pk,
        "budget": survey.budget.pk,
        "survey": survey.pk,
        "line": survey.budget.ledger.all()[0].pk,
        "device": TOTPDevice.objects.create(user=make_user(), name="phone").pk,
        "course": CoursePlatform.objects.create(name="Moodle", issuer="https://moodle.example.edu").pk,
        "invitation": invite_instructor(email="new@example.org", mail=False).invitation.pk,
    }
    if user := ROLES[role](survey):
        client.force_login(user)
    wrong = []
    for method, address, expected in TABLE:
        at = address.format(**ids | ({"release": release.pk} if "publication" in address else {}))
        with transaction.atomic():
            got = client.generic(method, at).status_code
            # The next request meets what this one met.
            transaction.set_rollback(True)
        if got != (of_role := expected[list(ROLES).index(role)]):
            wrong.append((method, address, got, of_role))
    assert wrong == []


def test_every_address_of_ours_in_the_admin_is_listed() -> None:
    ours = {
        pattern.name
        for model, pages in admin.site._registry.items()
        if model._meta.app_label == "surveys"
        for pattern in pages.get_urls()
        if pattern.name
    }
    addresses = [address.partition("?")[0].format_map(defaultdict(lambda: "1")) for _method, address, _got in TABLE]
    assert ours == {name for name in (resolve(address).url_name for address in addresses) if name in ours}


def test_roles_without_permission_change_nothing(client: Client) -> None:
    survey = ready_survey()
    client.force_login(make_admin())
    signed = signed_in(look(client, survey))
    release = make_release(survey)
    for make in list(ROLES.values())[1:4]:
        user = make(survey)
        assert user
        client.force_login(user)
        for changes in ({}, {"terms": signed, "confirmation": "0.5"}):
            for step in (STEP_1, STEP_2, STEP_3):
                client.post(step, terms_of(survey) | changes)
        client.post(f"/admin/surveys/release/{release.pk}/publication/", {"published": "yes"})
        client.post(f"/admin/surveys/budget/{survey.budget.pk}/change/", {"total_epsilon": "9", "reason": "x"})
        client.post("/admin/surveys/release/", {"action": "publish", "_selected_action": release.pk})
    assert (Release.objects.filter(published=True).count(), Release.objects.count()) == (0, 1)
    assert Budget.objects.get().total_micro_epsilon == 1_000_000


def test_who_may_release_but_not_look_at_releases_learns_of_published_ones_only(client: Client) -> None:
    survey = ready_survey({"0": 99, "1": 1}, epsilon=10, delta=Fraction(1, 1000))
    release = make_release(survey, mechanism="stable_mode", epsilon=Fraction(2), delta=Fraction(1, 10**6))
    assert release.parts.get().output["index"] is not None

    def named(*permissions: str) -> bool:
        client.force_login(staff_with(*permissions))
        page = look(client, survey, mechanism="most_common")
        assert "step 3 of 3" in text_of(page)
        return release.pk in text_of(page)

    assert not named("add_release")
    assert named("add_release", "view_release")
    publish(release=release, user=release.created_by)
    assert named("add_release")


def test_no_question_but_the_listed_filters_can_be_asked_of_the_list_of_surveys(client: Client) -> None:
    survey = ready_survey()
    client.force_login(make_admin())
    address = "/admin/surveys/survey/"
    for asked in ("responses=1", "invitations=1", "responses__reports=0", "owner__password__startswith=p", "budget=1"):
        assert client.get(f"{address}?{asked}").status_code == 400, asked
    assert survey.code in text_of(client.get(f"{address}?state__exact=open"))
    assert survey.code not in text_of(client.get(f"{address}?state__exact=draft"))
    assert survey.code in text_of(client.get(f"{address}?q={survey.code}"))
