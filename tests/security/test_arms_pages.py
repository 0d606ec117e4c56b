"""Every page of the table of addresses opens for a survey with random arms, one of them asked plainly."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from tests.answering.test_plain_arm import TWO, questions
from tests.factories import fill, make_draft, make_open
from tests.security.addresses import setting as setting_module
from tests.security.addresses.setting import Setting
from tests.security.test_addresses import ROWS

pytestmark = pytest.mark.django_db


def _closed(owner: User) -> Survey:
    survey = make_open(*questions(), arms=TWO, owner=owner)
    fill(survey, {"1-00": 30, "0-10": 35, "0-20": 15, "-101": 20, "-011": 25, "-121": 15})
    return close_survey(survey=survey)


STATES: dict[str, Callable[[User], Survey]] = {
    "draft": lambda owner: make_draft(*questions(), arms=TWO, owner=owner),
    "open": lambda owner: make_open(*questions(), arms=TWO, owner=owner, server_mode_allowed=True),
    "closed": _closed,
}


@pytest.mark.parametrize("state", STATES)
def test_its_owner_and_its_respondents_can_open_every_page(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(setting_module.STATES, state, STATES[state])
    people, failed, opened = Setting(), [], 0
    survey = people.survey(state)
    if state != "closed":
        add_group(survey=survey, name="North")
    for row in ROWS:
        visitor = "owner" if row.of_a_survey else "anonymous"
        if row.state != state or not row.is_for(visitor) or row.expected(visitor, "GET") not in {200, 203}:
            continue
        row.prepare(people, survey)
        response = people.client(visitor).get(row.address(people, survey))
        opened += 1
        if response.status_code != row.expected(visitor, "GET"):
            failed.append(f"{row.name}: {response.status_code}")
    assert failed == []
    assert opened > 5
