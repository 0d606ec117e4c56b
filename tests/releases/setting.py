"""A survey that is ready for releases, and one release of it."""

from fractions import Fraction
from typing import Any

from django.contrib.auth.models import Permission, User

from surveys.models import Budget, Mechanism, Proposal, Release, Survey
from surveys.releases.families.plan import Terms
from surveys.releases.services import releasing
from surveys.releases.services import wanted as services_wanted
from surveys.releases.services.releasing import publish
from surveys.releases.services.request import ReleaseRequest
from tests.factories import fill, make_admin, make_budget, make_open, make_user

HALF = Fraction(1, 2)


def ready_survey(
    counts: dict[str, int] | None = None,
    *questions: Any,
    epsilon: int = 1,
    delta: Fraction = Fraction(0),
    **fields: Any,
) -> Survey:
    """Return an opened survey with these reports and a budget."""
    survey = make_open(*questions, **fields)
    fill(survey, counts or {"0": 61, "1": 39})
    make_budget(survey, epsilon, delta)
    return survey


def staff_with(*codenames: str, username: str = "") -> User:
    """Return somebody on the staff with these permissions and no others."""
    user = make_user(username, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="surveys", codename__in=codenames))
    return user


def first(survey: Survey) -> int:
    return 1


def spent(survey: Survey) -> int:
    return Budget.objects.get(survey=survey).spent_micro_epsilon


def request_for(**fields: Any) -> ReleaseRequest:
    """Return what these fields ask for."""
    if "request_key" in fields:
        fields["key"] = fields.pop("request_key")
    return ReleaseRequest(**fields)


def check(**fields: Any) -> Terms:
    return releasing.check(request_for(**fields))


def same_as(made: Release, **fields: Any) -> bool:
    return releasing.same_as(made, request_for(**fields))


def propose(user: User, **fields: Any) -> Proposal:
    return releasing.propose(request_for(**fields), user=user)


def epsilon_for(*, wanted: Fraction, unit: str, **fields: Any) -> Fraction:
    return services_wanted.epsilon_for(request_for(**fields), wanted, unit)


def make_release(survey: Survey, **changes: Any) -> Release:
    fields: dict[str, Any] = {
        "survey": survey,
        "questions": [first(survey)],
        "mechanism": Mechanism.LAPLACE_HISTOGRAM,
        "epsilon": HALF,
        "reason": "For the tests.",
        "user": None,
    }
    fields |= changes
    how = {name: fields.pop(name) for name in ("lines", "randbelow") if name in fields}
    user = fields.pop("user") or make_admin()
    return releasing.release(request_for(**fields), user=user, **how)


def published_release(survey: Survey, **changes: Any) -> Release:
    release = make_release(survey, **changes)
    publish(release=release, user=release.created_by)
    return release
