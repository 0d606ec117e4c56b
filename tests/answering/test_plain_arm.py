"""An arm that is asked plainly, beside one that chance protects: no page of it speaks of a chance that there is not."""

import re

import pytest
from django.test import Client

from surveys.answering.words.designs import odds_factor
from surveys.answering.words.promise import odds_line
from surveys.common.selectors import definition_of
from surveys.course.services import begin_next_version, open_survey
from surveys.drafts.selectors import others_of
from surveys.drafts.services.surveys import save_draft
from surveys.models import Response, Survey
from surveys.questionnaire.question import Question
from tests.answering.parts import part, plain_spaces
from tests.answering.test_sending import BY_SCRIPT, device, in_arm
from tests.factories import make_draft, make_open, plain, yes_no
from tests.pages import owner_of, page_of, text_of, words_of

pytestmark = pytest.mark.django_db
TWO = [{"name": "With coins", "weight": 2}, {"name": "Asked directly", "weight": 1}]
COINS, PLAIN = "1", "2"
# Of the practice, which nobody reaches here, and of what is the same on every page.
_PRACTICE = re.compile(r'<section data-step data-question hidden id="practice">.*?</section>|'
                       r'<section data-step hidden id="checks">.*?</section>|<script\b.*?</script>|<nav\b.*?</nav>|'
                       r"<footer\b.*?</footer>", re.DOTALL)  # fmt: skip
_OF_CHANCE = re.compile(
    r"chance|randomiz|coin|flip|ε|fold|odds|protected answers|100 phones|guess|nobody can", re.IGNORECASE
)


def questions() -> list[Question]:
    asked = {"quantity": 1, "leave_out": "no"}
    return [
        yes_no("Did you pay for a paper?", arms=[1], **asked),
        yes_no("Did you pay for a paper?", arms=[2], design="plain", parameters={}, **asked),
        plain(),
    ]


@pytest.fixture
def survey() -> Survey:
    return make_open(*questions(), arms=TWO, server_mode_allowed=True)


def _words(survey: Survey, arm: str, path: str = "") -> str:
    client = Client()
    client.cookies["deniable_arm"] = arm
    return words_of(_PRACTICE.sub(" ", text_of(client.get(f"/s/{survey.code}/{path}"))))


@pytest.mark.parametrize("path", ["", "own-coin/", "server/"])
def test_its_pages_say_that_answers_are_sent_as_they_are_and_nothing_of_chance(survey: Survey, path: str) -> None:
    words, definition = _words(survey, PLAIN, path), definition_of(survey).in_arm(2)
    assert part("_unprotected", definition) in words
    assert part("_label_chance", definition, chance="") in words
    assert "sets of questions" in words
    assert words.count(_label(survey)) >= 2
    assert _OF_CHANCE.findall(words) == []
    if not path:
        promise, start, _questions = words.partition("Start survey")
        assert start
        assert part("_headline", definition) in promise
        assert part("_label_total", definition) in promise


def _label(survey: Survey) -> str:
    return part("_sent_as_it_is", definition_of(survey).in_arm(2))


@pytest.mark.parametrize("path", ["", "own-coin/", "server/"])
def test_the_other_arm_promises_its_own_odds(survey: Survey, path: str) -> None:
    words, definition = _words(survey, COINS, path), definition_of(survey).in_arm(1)
    assert "75 of 100" in words
    assert plain_spaces(odds_line(definition)) in words
    assert odds_factor(definition.losses) == "3"
    assert part("_unprotected", definition) in words
    assert part("_unprotected", definition_of(survey).in_arm(2)) not in words


@pytest.mark.parametrize("mode", ["device", "own_coin", "server"])
def test_its_receipt_has_no_chance_either(survey: Survey, mode: str) -> None:
    client, mine = Client(), in_arm(survey, PLAIN)
    address = f"/s/{survey.code}/"
    if mode == "device":
        assert client.post(address, device("12", **mine), headers=BY_SCRIPT).status_code == 200
    elif mode == "own_coin":
        tapped = {"mode": mode, "item-1": "1", "item-2": "2", **mine}
        assert client.post(address, tapped).status_code == 303
    else:
        true = {"mode": mode, "answer-1": "1", "answer-2": "2", **mine}
        assert client.post(f"{address}server/", true).status_code == 303
    assert set(Response.objects.values_list("reports", flat=True)) == {"-121"}
    words = words_of(_PRACTICE.sub(" ", text_of(client.get(f"{address}receipt/"))))
    assert part("_need_not_be_true", definition_of(survey).in_arm(2)) in words
    assert words.count(_label(survey)) == 2
    assert _OF_CHANCE.findall(words) == []
    # The cookie that named its arm went as it answered.
    assert "nother cookie" not in words
    assert client.cookies["deniable_arm"]["max-age"] == 0
    # Shown once; of whoever comes back it is not known which arm it was.
    for page in (client.get(f"{address}receipt/"), client.get(address)):
        assert not page.context["definition"].protects


def test_the_loss_is_that_of_the_arm_with_coins_and_the_owner_reads_that_one_protects_nothing(survey: Survey) -> None:
    definition = definition_of(survey)
    assert (definition.protects, definition.in_arm(1).protects, definition.in_arm(2).protects) == (False, True, False)
    assert definition.costliest == definition.in_arm(1)
    assert definition.epsilon == definition.in_arm(1).epsilon
    assert definition.in_arm(2).epsilon == 0


def test_other_versions_add_what_one_person_meets_and_not_what_all_arms_ask() -> None:
    first = make_open(*questions()[:1], yes_no("Another?", arms=[2]), arms=TWO)
    others = others_of(begin_next_version(survey=first))
    assert others is not None
    assert others.bounded_epsilon == definition_of(first).epsilon


def test_a_version_that_may_have_asked_plainly_leaves_no_bound_for_both_together() -> None:
    first = make_open(*questions(), arms=TWO)
    draft = begin_next_version(survey=first)
    second = open_survey(survey=save_draft(survey=draft, questions=[yes_no()], arms=[]))
    others = others_of(second)
    assert others is not None
    assert not others.protects
    assert others.numbers == (1,)
    words = part("_label_total", definition_of(second), others=others)
    assert "ε" not in words.partition("version 1")[2]
    assert words in words_of(text_of(Client().get(f"/s/{second.code}/")))
    assert "without protection" in words_of(page_of("survey-ethics", second))


def test_opening_names_the_arm_that_protects_nothing() -> None:
    survey = make_draft(*questions(), arms=TWO)
    response = owner_of(survey).get(f"/surveys/{survey.code}/open/")
    assert [arm.protects for arm in response.context["definition"].each_arm] == [True, False]
    warned = re.findall(r"<strong><bdi[^>]*>([^<]+)</bdi>:", text_of(response))
    assert warned == ["Asked directly"]
