"""A list of statements on the respondent's pages: all are read, how many hold is sent, and what that proves is said."""

import re

import pytest
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.answering.words.sent import report_words
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from tests.answering.parts import part
from tests.answering.test_sending import in_arm
from tests.factories import INNOCUOUS, SENSITIVE, make_open, two_lists, yes_no
from tests.pages import text_of, words_of

pytestmark = pytest.mark.django_db
ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}}
LABEL = "Only the number is sent, as it is. 0 proves that no statement is true of you. The highest number"


def _survey(**changes: object) -> Survey:
    return make_open(*two_lists(**changes), yes_no("All?"), arms=ARMS, server_mode_allowed=True)


def _page(survey: Survey, arm: int, path: str = "") -> str:
    client = Client()
    client.cookies["deniable_arm"] = str(arm)
    return text_of(client.get(f"/s/{survey.code}/{path}"))


@pytest.mark.parametrize("path", ["", "own-coin/", "server/"])
@pytest.mark.parametrize("changes", [{}, PLAIN])
def test_each_arm_reads_its_own_list(path: str, changes: dict[str, object]) -> None:
    survey = _survey(**changes)
    short, long = _page(survey, 1, path), _page(survey, 2, path)
    for statement in INNOCUOUS:
        assert f"<li><bdi>{statement}</bdi></li>" in short
        assert f"<li><bdi>{statement}</bdi></li>" in long
    assert SENSITIVE not in short
    assert f"<li><bdi>{SENSITIVE}</bdi></li>" in long
    assert (LABEL in words_of(long)) == bool(changes)


def test_the_numbers_to_choose_reach_from_none_to_all() -> None:
    survey = _survey()
    for arm, most in ((1, 3), (2, 4)):
        step = _page(survey, arm).split("scale counts", 1)[1].split("</section>", 1)[0]
        assert re.findall(r'value="(\d)" aria-label="(\d)"', step) == [(str(n), str(n)) for n in range(most + 1)]


@pytest.mark.parametrize("changes", [{}, PLAIN])
def test_the_number_is_stored_in_every_mode(changes: dict[str, object]) -> None:
    survey = _survey(**changes)
    sent = [
        (2, {"mode": "device", "reports": "40"}, "-401"),
        (1, {"mode": "own_coin", "item-1": "3", "item-2": "1"}, "3-10"),
    ]
    for arm, fields, stored in sent:
        answer = Client().post(f"/s/{survey.code}/", fields | in_arm(survey, arm, new_nonce()))
        assert answer.status_code == 303
        assert Response.objects.filter(reports=stored).exists()
    fields = {"mode": "server", "answer-1": "4", "answer-2": "0", **in_arm(survey, 2, new_nonce())}
    assert Client().post(f"/s/{survey.code}/server/", fields).status_code == 303
    too_many = {"mode": "device", "reports": "40", **in_arm(survey, 1, new_nonce())}
    assert Client().post(f"/s/{survey.code}/", too_many).status_code == 400


def test_of_a_plain_number_only_none_and_all_prove_something() -> None:
    long = definition_of(_survey(**PLAIN)).in_arm(2).questions[0]
    none, *some, every = report_words(long)["follows"]
    assert len({none, every, *some}) == 3
    assert len(some) == 3
    assert len(set(some)) == 1
    with_coins = definition_of(_survey()).in_arm(2).questions[0]
    assert not {none, every, *some} & set(report_words(with_coins)["follows"])


def test_a_list_with_coins_is_promised_like_every_protected_answer() -> None:
    for changes, unprotected in (({}, ()), (PLAIN, (1,))):
        survey = _survey(**changes)
        definition = definition_of(survey).in_arm(2)
        assert definition.unprotected == unprotected
        assert ('class="unprotected"' in _page(survey, 2)) == bool(unprotected)
        assert part("_unprotected", definition) in words_of(_page(survey, 2))
