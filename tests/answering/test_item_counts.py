"""A list of statements on the respondent's pages: all are read, how many hold is sent, and what that proves is said."""

import re

import pytest
from django.test import Client

from surveys.answering.services.collecting import new_nonce
from surveys.answering.words.sent import told
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from tests.answering.test_sending import in_arm
from tests.factories import INNOCUOUS, SENSITIVE, make_open, two_lists, yes_no
from tests.pages import text_of, words_of

pytestmark = pytest.mark.django_db
ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}}
LABEL = "Only the number is sent, as it is: 0 proves that none is true of you, the highest that all are."


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
        assert re.findall(r'role="radio" value="(\d)" aria-label="(\d)"', step) == [
            (str(n), str(n)) for n in range(most + 1)
        ]


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


def test_of_a_plain_number_only_none_and_all_are_called_proofs() -> None:
    long = definition_of(_survey(**PLAIN)).in_arm(2).questions[0]
    follows = told(long)["follows"]
    assert follows[0] == "It proves that none of them is true of you."
    assert follows[4] == "It proves that all of them are true of you."
    assert set(follows[1:4]) == {"It does not tell which of them are true of you."}
    with_coins = definition_of(_survey()).in_arm(2).questions[0]
    assert all("proves nothing about you" in words for words in told(with_coins)["follows"])


def test_a_list_with_coins_is_promised_like_every_protected_answer() -> None:
    page = words_of(_page(_survey(), 2))
    assert "question is not protected" not in page
    plain = words_of(_page(_survey(**PLAIN), 2))
    assert "1 question is not protected: question 1 is sent as it is." in plain
