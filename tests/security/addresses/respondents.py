"""Respondents: the same pages behind every door of a survey, for everybody who holds its link."""

from collections.abc import Iterator

from django.urls import reverse

from surveys.answering.services.collecting import new_nonce
from surveys.models import Survey
from tests.credit.device import Device
from tests.security.addresses.row import Row, public
from tests.security.addresses.setting import Setting

DOORS = (
    "s/<str:code>/",
    "s/<str:code>/i/<str:token>/",
    "s/<str:code>/<str:group>/",
    "s/<str:code>/<str:group>/i/<str:token>/",
)


def _where(door: str, page: str, setting: Setting, survey: Survey) -> str:
    parts = {"code": survey.code}
    if "token" in door:
        parts["token"] = setting.token
    if "group" in door:
        parts["group"] = survey.groups.get_or_create(slug="north", name="North")[0].slug
    return reverse(page, kwargs=parts)


def _answer(mode: str) -> dict[str, str]:
    return {"mode": mode, "reports": "1", "nonce": new_nonce()}


def _rows() -> Iterator[Row]:
    for door in DOORS:
        state = "by invitation" if "token" in door else "open"

        def where(page: str, door: str = door) -> dict[str, object]:
            return {"where": lambda setting, survey: _where(door, page, setting, survey)}

        # What has a form is never kept for going back.
        yield public(
            f"{door} answer", state=state, get=203, post=303, body=lambda *_: _answer("device"), **where("answer")
        )
        yield public(f"{door} own-coin", state=state, get=203, **where("own-coin"))
        yield public(
            f"{door} server-coin",
            state=state,
            get=203,
            post=303,
            body=lambda *_: {"mode": "server", "answer-1": "1", "nonce": new_nonce()},
            **where("server-coin"),
        )
        yield public(
            f"{door} declined",
            state=state if "token" in door else "with credit",
            get=None,
            post=303,
            body=lambda _setting, survey: Device.at(survey).declining,
            **where("declined"),
        )
        yield public(f"{door} receipt", state=state, **where("receipt"))
        # Visitors of this table have not answered: where a result is shown they are sent to the questions.
        yield public(f"{door} receipt-result", state=state, get=404, **where("receipt-result"))
        if "token" not in door:
            yield public(f"{door} receipt-result", state="shown", get=302, **where("receipt-result"))


ROWS = tuple(_rows())
