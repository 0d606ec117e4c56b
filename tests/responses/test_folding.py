"""Folding moves responses into counts and changes nothing that anybody can count."""

import pytest

from surveys.answering.services import collecting
from surveys.answering.services.collecting import Outcome
from surveys.common.selectors import definition_of
from surveys.common.totals import response_count, response_totals, standing_of
from surveys.course.services import close_survey
from surveys.estimation.claims import FigureOptions
from surveys.models import PatternCount, Response, SpentNonces, State, Survey
from surveys.releases.selectors.doors import answer_count
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.selectors.tally import fresh_tally_of, tally_of
from surveys.responses.services import folding
from surveys.responses.services.folding import fold
from surveys.results.figures.questions import results_of
from tests.factories import fill, make_open, send, spent_count
from tests.responses.conftest import is_in_order, sums_are_kept

pytestmark = pytest.mark.django_db


def _seen(survey: Survey) -> tuple[object, ...]:
    """Everything that reads return."""
    definition = definition_of(survey)
    return (
        *_tallied(survey),
        response_count(survey),
        response_totals([survey])[survey.pk][0],
        [answer_count(survey, (asked,)) for asked in definition.questions],
        results_of(definition, snapshot_of(survey, definition), FigureOptions()),
    )


def _tallied(survey: Survey) -> tuple[object, ...]:
    tally = fresh_tally_of(survey, items=2)
    return tally.patterns.tolist(), tally.counts.tolist(), tally.groups.tolist(), tally.modes, tally.n_by_mode()


def test_folding_changes_no_result_of_a_closed_survey(survey: Survey) -> None:
    Survey.objects.filter(pk=survey.pk).update(state=State.CLOSED)
    survey.refresh_from_db()
    before = _seen(survey)
    assert fold(survey=survey, everything=True) == 14
    assert Response.objects.count() == 0
    assert _seen(survey) == before


def test_folded_and_new_responses_are_counted_together(survey: Survey) -> None:
    fold(survey=survey, everything=True)
    for reports in ("10", "10", "02"):
        send(survey, reports)
    unfolded = _tallied(survey)
    assert response_count(survey) == 17
    fold(survey=survey, everything=True)
    assert _tallied(survey) == unfolded
    assert fold(survey=survey, everything=True) == 0


def test_a_pattern_is_one_row_for_each_group_and_mode(survey: Survey) -> None:
    fold(survey=survey, everything=True)
    fill(survey, {"10": 5})
    counts = PatternCount.objects.filter(survey=survey, reports="10").values_list("group__name", "mode", "count")
    assert set(counts) == {(None, "device", 8), ("Monday", "device", 3), (None, "own_coin", 1), (None, "server", 1)}


def test_the_sums_kept_beside_the_patterns_are_their_sums(survey: Survey) -> None:
    for reports in ("10", "00", "11", "12"):
        fold(survey=survey, everything=True)
        assert sums_are_kept()
        assert standing_of(survey).patterns == PatternCount.objects.filter(survey=survey).count()
        send(survey, reports)


def test_every_arrival_changes_the_version_before_between_and_after_folds(survey: Survey) -> None:
    versions = []
    for _ in range(4):
        for _ in range(5):
            send(survey, "10")
            versions.append((tally_of(survey, items=2).version, tally_of(survey, items=2).n))
        fold(survey=survey)
        versions.append((tally_of(survey, items=2).version, tally_of(survey, items=2).n))
    assert len({version for version, _ in versions}) >= 20
    # A version stands for one n, whatever was folded in between.
    assert len({n for _, n in versions}) == 20
    assert [n for _, n in versions] == sorted(n for _, n in versions)
    by_version = dict(versions)
    assert all(by_version[version] == n for version, n in versions)


def test_closing_folds_what_there_is() -> None:
    survey = make_open()
    send(survey, "1")
    close_survey(survey=survey)
    assert (Response.objects.count(), PatternCount.objects.get().count, spent_count()) == (0, 1, 1)


def test_a_resend_after_a_fold_stores_nothing_and_is_answered_kindly(survey: Survey) -> None:
    nonce = collecting.new_nonce()
    send(survey, "10", nonce=nonce)
    fold(survey=survey, everything=True)
    for reports in ("10", "01"):
        assert send(survey, reports, nonce=nonce) is Outcome.KEPT
    assert response_count(survey) == 15


def test_spent_nonces_that_begin_alike_stay_known_through_later_folds(survey: Survey) -> None:
    first: dict[bytes, str] = {}
    while True:
        nonce = collecting.new_nonce()
        alike = first.setdefault(collecting._nonce_hashes(survey.pk, nonce)[0][: SpentNonces.PREFIX_BYTES], nonce)
        if alike != nonce:
            break
    for each in (alike, nonce):
        send(survey, "10", nonce=each)
        fold(survey=survey, everything=True)
    assert [send(survey, "10", nonce=each) for each in (alike, nonce)] == [Outcome.KEPT] * 2
    assert spent_count() == 16


def test_another_surveys_responses_are_left_alone(survey: Survey) -> None:
    other = make_open(minimum_n=5)
    fill(other, {"1": 7})
    send(other, "0")
    before = fresh_tally_of(other, items=1).counts.tolist()
    fold(survey=survey, everything=True)
    assert Response.objects.filter(survey=other).count() == 1
    assert fresh_tally_of(other, items=1).counts.tolist() == before


def test_a_capped_survey_counts_what_was_folded() -> None:
    survey = make_open(response_cap=7, minimum_n=5)
    fill(survey, {"1": 5})
    send(survey, "1")
    send(survey, "0")
    with pytest.raises(collecting.SurveyFull):
        send(survey, "1")
    assert response_count(survey) == 7


def test_counts_are_written_in_an_order_of_their_own(survey: Survey) -> None:
    fold(survey=survey, everything=True)
    fill(survey, {"00": 5})
    # Rows of the second fold do not stand behind those of the first: all were written anew.
    assert is_in_order()


def test_a_fold_that_removes_what_it_has_not_counted_is_undone(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: some of what is removed was not counted."""
    count = folding._counts_by_mode
    monkeypatch.setattr(folding, "_counts_by_mode", lambda rows: {"device": count(rows)["device"]})
    before = _tallied(survey)
    with pytest.raises(RuntimeError, match=r"\b12\b.*\b14\b.*\b14\b"):
        fold(survey=survey, everything=True)
    assert (_tallied(survey), Response.objects.count()) == (before, 14)
