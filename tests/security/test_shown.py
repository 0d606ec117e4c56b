"""A page offers what its visitor may do and hides the rest; hidden or not, the views refuse it (test_addresses.py)."""

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.urls import resolve

from tests.security.addresses.row import MEMBERS
from tests.security.addresses.setting import STATES, Setting
from tests.security.test_addresses import ROWS

pytestmark = pytest.mark.django_db

ROW_OF = {row.name.rpartition(" ")[2]: row for row in ROWS}


def _offered(page: str) -> set[str]:
    """Return the names of our addresses that links and forms of a page lead to."""
    paths = {urlsplit(unescape(address)).path for address in re.findall(r'(?:href|action)="(/[^"]*)"', page)}
    ours = {path for path in paths if not path.startswith(("/static/", "/admin/"))}
    return {str(resolve(path).url_name) for path in ours}


@pytest.mark.parametrize("state", sorted({*STATES} - {"rehearsal"}))
def test_the_page_of_a_survey_offers_what_its_visitor_may_do(state: str) -> None:
    setting = Setting()
    survey = setting.survey(state)
    refused, walls = {}, dict[str, int]()
    for visitor in sorted(MEMBERS):
        client = setting.client(visitor)
        for address in (f"/surveys/{survey.code}/", "/surveys/"):
            response = client.get(address)
            assert response.status_code == 200
            page = response.content.decode()
            refused[visitor, address] = {name for name in _offered(page) if not ROW_OF[name].is_for(visitor)}
            # Nor does it lead into a wall in this state: where a link goes there is a page, for the first to find it.
            for link in set(re.findall(rf'<a\b[^>]*href="(/surveys/{survey.code}/[^"#]*)"', page)) - walls.keys():
                walls[link] = client.get(unescape(link)).status_code
    assert {where: names for where, names in refused.items() if names} == {}
    assert {link: status for link, status in walls.items() if status >= 400} == {}


def test_the_owner_is_offered_more_than_any_other_role() -> None:
    setting = Setting()
    address = f"/surveys/{setting.survey('closed').code}/"
    offered = {one: _offered(setting.client(one).get(address).content.decode()) for one in MEMBERS}
    assert {"survey-people", "survey-seal", "survey-purge", "survey-results"} <= offered["owner"]
    assert offered["editor"] - offered["owner"] == offered["analyst"] - offered["owner"] == {"survey-leave"}
    assert "survey-results" in offered["analyst"] - offered["editor"] - offered["releaser"]
    assert "survey-people" not in offered["editor"] | offered["analyst"] | offered["releaser"]
