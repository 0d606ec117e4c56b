"""Invitations: handed out once, kept as hashes, each spent by one answer or none."""

import re
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from surveys.answering.selectors import InvitationCounts, invitation_counts, invitation_state
from surveys.answering.services import collecting
from surveys.answering.services.collecting import Outcome
from surveys.common.selectors import definition_of
from surveys.common.totals import response_count
from surveys.course.services import close_survey, pause_survey
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Invitation, Response, Survey
from surveys.models.invitation import token_hashes
from surveys.responses.services.folding import fold
from surveys.sharing import services
from surveys.sharing.services import invite, new_batch
from tests.at_once import at_once, tally
from tests.credit.device import Device, decline
from tests.factories import fill, make_draft, make_open, send

pytestmark = pytest.mark.django_db

MALFORMED = [
    "",
    "A",
    "A" * 25,
    "A" * 27,
    "A" * 25 + "0",
    "A" * 25 + "\n",
    "A" * 25 + "\0",
    "ſ" * 26,
    "٢" * 26,
    "-" * 26,
]


@pytest.fixture
def survey() -> Survey:
    return make_open(by_invitation=True, minimum_n=5)


def _tokens(survey: Survey, number: int = 1) -> tuple[str, ...]:
    return invite(survey=survey, number=number, batch=new_batch()).tokens


def _spent() -> int:
    return Invitation.objects.filter(spent=True).count()


def test_tokens_are_long_unlike_and_without_letters_that_are_misread(survey: Survey) -> None:
    tokens = _tokens(survey, 500)
    assert len(set(tokens)) == 500
    assert all(re.fullmatch("[A-HJKMNP-Z2-9]{26}", token) for token in tokens)
    # Each of 31 letters is expected 419 times; 4.9 standard deviations are 99 (two-sided, 1e-6, times 31).
    counts = Counter("".join(tokens))
    assert len(counts) == 31
    assert all(abs(count - 13_000 / 31) < 110 for count in counts.values())


def test_only_hashes_are_stored_and_in_an_order_that_is_not_the_cards(survey: Survey) -> None:
    tokens = _tokens(survey, 20)
    rows = [bytes(row) for row in Invitation.objects.order_by("pk").values_list("token_hash", flat=True)]
    assert rows == sorted(token_hashes(survey.pk, token)[0] for token in tokens)
    assert not any(token.encode() in row for token in tokens for row in rows)


def test_a_reloaded_page_shows_its_own_invitations_again_and_makes_no_more(survey: Survey) -> None:
    batch = new_batch()
    first = invite(survey=survey, number=7, batch=batch)
    again = invite(survey=survey, number=7, batch=batch)
    assert (first.repeated, again.repeated) == (False, True)
    assert first.tokens == again.tokens
    assert Invitation.objects.count() == 7
    # Another number is another batch: nobody gets a card twice.
    assert not set(invite(survey=survey, number=8, batch=batch).tokens) & set(first.tokens)


def test_another_key_or_batch_or_survey_makes_other_tokens(survey: Survey) -> None:
    batch = new_batch()
    made = {*invite(survey=survey, number=2, batch=batch).tokens, *_tokens(survey, 2)}
    made |= set(invite(survey=make_open(by_invitation=True), number=2, batch=batch).tokens)
    with override_settings(SECRET_KEY="another"):
        made |= set(invite(survey=survey, number=2, batch=batch).tokens)
    assert len(made) == 8


@pytest.mark.parametrize("number", [0, -1, 2001, 10**9])
def test_a_batch_that_is_too_small_or_too_large_is_refused_by_name(survey: Survey, number: int) -> None:
    with pytest.raises(ValidationError, match="1 to 2,000") as refused:
        invite(survey=survey, number=number, batch=new_batch())
    assert "number" in refused.value.message_dict
    assert Invitation.objects.count() == 0


def test_a_survey_has_a_largest_number_of_invitations(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_IN_ALL", 10)
    _tokens(survey, 8)
    with pytest.raises(ValidationError, match="10"):
        _tokens(survey, 3)
    assert Invitation.objects.count() == 8


@pytest.mark.parametrize("batch", ["", "short", "x" * 23, "x" * 21 + "\n", "ü" * 22])
def test_a_damaged_page_makes_nothing(survey: Survey, batch: str) -> None:
    with pytest.raises(ValidationError, match="one-time"):
        invite(survey=survey, number=1, batch=batch)
    assert Invitation.objects.count() == 0


def test_only_surveys_by_invitation_that_still_collect_get_invitations(survey: Survey) -> None:
    with pytest.raises(NotAllowedNow, match="open to anyone with its link"):
        _tokens(make_open())
    assert len(_tokens(make_draft(by_invitation=True))) == 1
    assert len(_tokens(pause_survey(survey=survey))) == 1
    with pytest.raises(NotAllowedNow, match="no longer accepts answers"):
        _tokens(close_survey(survey=survey))


def test_an_invitation_is_spent_with_the_answer(survey: Survey) -> None:
    token, unused = _tokens(survey, 2)
    assert invitation_state(survey, token) == "unused"
    assert send(survey, "1", token=token) is Outcome.ACCEPTED
    assert [invitation_state(survey, one) for one in (token, unused)] == ["spent", "unused"]
    assert (Response.objects.count(), _spent()) == (1, 1)


def test_a_token_may_be_typed_in_small_letters(survey: Survey) -> None:
    (token,) = _tokens(survey)
    assert invitation_state(survey, token.lower()) == "unused"
    assert send(survey, "1", token=token.lower()) is Outcome.ACCEPTED


def test_two_tabs_with_one_invitation_store_the_first(survey: Survey) -> None:
    (token,) = _tokens(survey)
    send(survey, "1", token=token)
    with pytest.raises(collecting.InvitationSpent):
        send(survey, "0", token=token)
    assert Response.objects.get().reports == "1"


def test_a_resend_is_acknowledged_though_its_invitation_is_spent(survey: Survey) -> None:
    (token,), nonce = _tokens(survey), collecting.new_nonce()
    send(survey, "1", token=token, nonce=nonce)
    assert send(survey, "1", token=token, nonce=nonce) is Outcome.REPEATED
    with pytest.raises(collecting.AlteredResend):
        send(survey, "0", token=token, nonce=nonce)
    fold(survey=survey, everything=True)
    assert send(survey, "1", token=token, nonce=nonce) is Outcome.KEPT
    assert (response_count(survey), _spent()) == (1, 1)


def test_a_resend_with_another_invitation_spends_none(survey: Survey) -> None:
    first, second = _tokens(survey, 2)
    nonce = collecting.new_nonce()
    send(survey, "1", token=first, nonce=nonce)
    assert send(survey, "1", token=second, nonce=nonce) is Outcome.REPEATED
    assert invitation_state(survey, second) == "unused"


def test_without_an_invitation_nothing_is_stored(survey: Survey) -> None:
    with pytest.raises(collecting.InvitationNeeded):
        send(survey, "1")
    assert Response.objects.count() == 0


@pytest.mark.parametrize("token", [*MALFORMED[1:], "A" * 26, "A" * 100_000])
def test_a_token_that_is_on_no_card_is_refused_and_nothing_is_stored(survey: Survey, token: str) -> None:
    _tokens(survey, 3)
    with pytest.raises(collecting.InvitationUnknown):
        send(survey, "1", token=token)
    assert invitation_state(survey, token) == "unknown"
    assert (Response.objects.count(), _spent()) == (0, 0)


def test_another_surveys_invitation_is_unknown_and_stays_unused(survey: Survey) -> None:
    other = make_open(by_invitation=True)
    (token,) = _tokens(other)
    with pytest.raises(collecting.InvitationUnknown):
        send(survey, "1", token=token)
    assert (invitation_state(survey, token), invitation_state(other, token)) == ("unknown", "unused")
    assert (Response.objects.count(), _spent()) == (0, 0)


@pytest.mark.parametrize("token", MALFORMED)
def test_a_malformed_token_is_unknown_without_looking(survey: Survey, token: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert invitation_state(survey, token) == "unknown"
    assert len(queries.captured_queries) == 0


def test_reports_that_are_refused_spend_no_invitation(survey: Survey) -> None:
    (token,) = _tokens(survey)
    with pytest.raises(collecting.InvalidSubmission):
        send(survey, "x", token=token)
    assert invitation_state(survey, token) == "unused"


def test_a_closed_or_full_survey_spends_no_invitation(survey: Survey) -> None:
    capped = make_open(by_invitation=True, response_cap=1)
    first, second = _tokens(capped, 2)
    send(capped, "1", token=first)
    with pytest.raises(collecting.SurveyFull):
        send(capped, "1", token=second)
    with pytest.raises(collecting.InvitationSpent):
        send(capped, "1", token=first)
    assert invitation_state(capped, second) == "unused"
    (token,) = _tokens(survey)
    paused = pause_survey(survey=survey)
    for sent in (token, "", "A" * 26):
        with pytest.raises(collecting.NotCollecting):
            send(paused, "1", token=sent)
    assert invitation_state(paused, token) == "unused"


def test_a_survey_without_invitations_ignores_a_token_and_asks_nothing_more() -> None:
    survey = make_open()
    definition = definition_of(survey)
    with CaptureQueriesContext(connection) as queries:
        collecting.collect(
            survey=survey,
            definition=definition,
            mode="device",
            nonce=collecting.new_nonce(),
            reports="1",
            token="A" * 26,
        )
    assert len(queries.captured_queries) == 1


def test_invitations_survive_a_change_of_the_key_while_the_old_one_is_known(survey: Survey) -> None:
    (token,) = _tokens(survey)
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        assert invitation_state(survey, token) == "unused"
        assert send(survey, "1", token=token) is Outcome.ACCEPTED
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[]):
        assert invitation_state(survey, token) == "unknown"


def test_of_fifty_at_once_one_invitation_lets_one_in(transactional_db: None) -> None:
    survey = Survey.objects.get(pk=make_open(by_invitation=True).pk)
    definition = definition_of(survey)
    (token,) = _tokens(survey)

    def submit() -> str:
        return collecting.collect(
            survey=survey,
            definition=definition,
            mode="device",
            nonce=collecting.new_nonce(),
            reports="1",
            token=token,
        ).value

    assert tally(at_once(*[submit] * 50)) == {"accepted": 1, "InvitationSpent": 49}
    assert (Response.objects.count(), _spent()) == (1, 1)


def test_a_batch_that_is_made_while_people_answer_frees_no_invitation(transactional_db: None) -> None:
    survey = Survey.objects.get(pk=make_open(by_invitation=True).pk)
    actions: list[Callable[[], object]] = []
    for token in _tokens(survey, 20):
        actions += [
            partial(send, survey, "1", token=token),
            lambda: len(invite(survey=survey, number=3, batch=new_batch()).tokens),
        ]
    done = at_once(*actions)
    assert Counter(done) == {Outcome.ACCEPTED: 20, 3: 20}
    assert (Response.objects.count(), _spent(), Invitation.objects.count()) == (20, 20, 80)


def test_looking_before_storing_lets_two_in(survey: Survey) -> None:
    """The planted fault: both tabs look, both find it unused, both store."""
    (token,) = _tokens(survey)
    assert [invitation_state(survey, token) for _tab in range(2)] == ["unused", "unused"]
    fill(survey, {"1": 1, "0": 1})
    Invitation.objects.update(spent=True)
    assert (response_count(survey), _spent()) == (2, 1)


def test_raw_sql_cannot_make_a_spent_invitation_good_again(survey: Survey) -> None:
    (token,) = _tokens(survey)
    send(survey, "1", token=token)
    with (
        pytest.raises(DatabaseError, match="stays spent"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE surveys_invitation SET spent = FALSE")


def test_an_invitation_that_is_used_by_declining_is_seen_at_no_step_before_the_close() -> None:
    survey = make_open(by_invitation=True, credit=True, minimum_n=5)
    tokens = _tokens(survey, 10)
    for token in tokens[:4]:
        send(survey, "1", token=token)
    decline(survey, Device.at(survey), door=f"i/{tokens[4]}/")
    assert _spent() == 5
    assert invitation_counts(survey).used == 0
    assert invitation_counts(close_survey(survey=survey)).used == 5


def test_the_owner_sees_uses_in_full_batches_until_the_survey_closes(survey: Survey) -> None:
    tokens = _tokens(survey, 12)
    seen = []
    for token in tokens[:11]:
        send(survey, "1", token=token)
        seen.append(invitation_counts(survey).used)
    assert seen == [0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10]
    assert not invitation_counts(survey).exact
    closed = close_survey(survey=survey)
    assert invitation_counts(closed) == InvitationCounts(made=12, used=11, batch=5, exact=True)
