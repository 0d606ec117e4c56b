"""Who may do what with budgets and releases: every address and every role."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from surveys.models import Budget, Release
from tests.factories import make_admin, make_user
from tests.releases.setting import first, make_release, ready_survey

pytestmark = pytest.mark.django_db


def _staff_with(*codenames: str) -> User:
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="surveys", codename__in=codenames))
    return user


ROLES: dict[str, Callable[[], User | None]] = {
    "nobody": lambda: None,
    "instructor": make_user,
    "staff without permissions": _staff_with,
    "auditor": lambda: _staff_with("view_release", "view_budget", "view_survey"),
    "releaser": lambda: _staff_with("view_release", "add_release", "change_release"),
    "treasurer": lambda: _staff_with("view_budget", "add_budget", "change_budget", "delete_budget"),
    "superuser": make_admin,
}
# What each role gets, in the order of ROLES; 302 is the way to the sign-in page, or where a POST leads after its work.
TABLE = [
    ("GET", "/admin/surveys/release/", [302, 302, 403, 200, 200, 403, 200]),
    ("GET", "/admin/surveys/release/add/", [302, 302, 403, 403, 200, 403, 200]),
    ("POST", "/admin/surveys/release/add/", [302, 302, 403, 403, 200, 403, 200]),
    ("GET", "/admin/surveys/release/{release}/change/", [302, 302, 403, 200, 200, 403, 200]),
    ("POST", "/admin/surveys/release/{release}/change/", [302, 302, 403, 403, 403, 403, 403]),
    ("POST", "/admin/surveys/release/{release}/delete/", [302, 302, 403, 403, 403, 403, 403]),
    ("GET", "/admin/surveys/release/{release}/history/", [302, 302, 403, 200, 200, 403, 200]),
    ("GET", "/admin/surveys/release/{release}/publication/", [302, 302, 405, 405, 405, 405, 405]),
    ("POST", "/admin/surveys/release/{release}/publication/", [302, 302, 403, 403, 302, 403, 302]),
    ("POST", "/admin/surveys/release/none/publication/", [302, 302, 403, 403, 404, 403, 404]),
    ("GET", "/admin/surveys/release/none/change/", [302, 302, 403, 404, 404, 403, 404]),
    ("GET", "/admin/surveys/budget/", [302, 302, 403, 200, 403, 200, 200]),
    ("GET", "/admin/surveys/budget/add/", [302, 302, 403, 403, 403, 200, 200]),
    ("GET", "/admin/surveys/budget/{budget}/change/", [302, 302, 403, 200, 403, 200, 200]),
    ("POST", "/admin/surveys/budget/{budget}/delete/", [302, 302, 403, 403, 403, 403, 403]),
    ("GET", "/admin/surveys/survey/", [302, 302, 403, 200, 403, 403, 200]),
    ("GET", "/admin/surveys/survey/add/", [302, 302, 403, 403, 403, 403, 403]),
    ("GET", "/admin/surveys/survey/{survey}/change/", [302, 302, 403, 200, 403, 403, 200]),
    ("POST", "/admin/surveys/survey/{survey}/change/", [302, 302, 403, 403, 403, 403, 403]),
    ("POST", "/admin/surveys/survey/{survey}/delete/", [302, 302, 403, 403, 403, 403, 403]),
    ("GET", "/r/{release}/", [404] * 7),
    ("GET", "/r/{release}.json", [404] * 7),
    ("GET", "/r/{published}/", [200] * 7),
    ("GET", "/r/{published}.json", [200] * 7),
    ("POST", "/r/{published}/", [405] * 7),
]


@pytest.mark.parametrize(("method", "address", "expected"), TABLE, ids=[f"{row[0]} {row[1]}" for row in TABLE])
def test_each_role_gets_what_it_may(client: Client, method: str, address: str, expected: list[int]) -> None:
    survey = ready_survey()
    release = make_release(survey, epsilon="0.25")
    published = make_release(survey, epsilon="0.25")
    Release.objects.filter(pk=published.pk).update(published=True)
    ids = {
        "release": release.pk.replace("_", "_5F"),
        "published": published.pk,
        "budget": survey.budget.pk,
        "survey": survey.pk,
    }
    if "publication" in address:
        ids["release"] = release.pk
    got = []
    for make in ROLES.values():
        client.logout()
        if user := make():
            client.force_login(user)
        got.append(client.generic(method, address.format(**ids)).status_code)
    assert got == expected


def test_roles_without_permission_change_nothing(client: Client) -> None:
    survey = ready_survey()
    release = make_release(survey)
    for make in list(ROLES.values())[1:4]:
        user = make()
        assert user
        client.force_login(user)
        client.post("/admin/surveys/release/add/", {"question": first(survey).pk, "epsilon": "0.1"})
        client.post(f"/admin/surveys/release/{release.pk}/publication/", {"published": "yes"})
        client.post(f"/admin/surveys/budget/{survey.budget.pk}/change/", {"total_epsilon": "9"})
        client.post("/admin/surveys/release/", {"action": "publish", "_selected_action": release.pk})
    assert (Release.objects.filter(published=True).count(), Release.objects.count()) == (0, 1)
    assert Budget.objects.get().total_micro_epsilon == 1_000_000
