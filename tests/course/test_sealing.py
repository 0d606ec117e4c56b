"""Sealing keeps counts and results and nothing else, for good."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.test import Client

from surveys.answering.selectors import invitation_counts
from surveys.answering.services import collecting
from surveys.common import caches
from surveys.common.selectors import definition_of
from surveys.common.totals import response_count, standing_of
from surveys.course.services import close_survey, open_survey, purge_survey, seal_survey
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.estimation.claims import FigureOptions
from surveys.exporting.words import why_no_reports
from surveys.models import CellCount, FoldedPart, Invitation, Mode, PatternCount, Response, SpentNonces, State, Survey
from surveys.releases.refusals import Why
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.services import steps
from surveys.responses.services.steps import Steps
from surveys.results.figures.questions import SurveyResults, results_of
from surveys.sharing.services import invite, new_batch
from tests.factories import fill, make_open, numbers_of, one_of, send, yes_no
from tests.models.statements import passing
from tests.releases.refused import refusing
from tests.releases.setting import HALF, request_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def closed() -> Survey:
    survey = make_open(by_invitation=True, minimum_n=5)
    for token in invite(survey=survey, number=9, batch=new_batch()).tokens[:7]:
        send(survey, "1", token=token)
    return close_survey(survey=survey)


def test_a_sealed_survey_keeps_its_counts_and_nothing_else(closed: Survey) -> None:
    sealed = seal_survey(survey=closed)
    assert sealed.state == State.SEALED
    assert [model.objects.count() for model in (Response, SpentNonces, Invitation)] == [0, 0, 0]
    assert list(PatternCount.objects.values_list("reports", "count")) == [("1", 7)]


def test_the_results_of_a_sealed_survey_are_those_it_had(closed: Survey) -> None:
    definition = definition_of(closed)

    def results() -> SurveyResults:
        return results_of(definition, snapshot_of(closed, definition), FigureOptions())

    before = results()
    sealed = seal_survey(survey=closed)
    after = results()
    assert after == replace(before, n_by_mode=())
    assert before.n_by_mode
    assert response_count(sealed) == 7


def test_who_added_chance_is_kept_of_no_sealed_survey(client: Client) -> None:
    survey = make_open(yes_no(), one_of(), minimum_n=5)
    group = add_group(survey=survey, name="North")
    for number, mode in enumerate(Mode.values):
        fill(survey, {"00": 10, "12": 7 + number}, mode=mode)
        fill(survey, {"01": 10}, mode=mode, group=group)
    close_survey(survey=survey)
    client.force_login(survey.owner)
    assert "Randomized by: " in client.get(f"/surveys/{survey.code}/results/").content.decode()
    assert b"own_coin" in b"".join(client.get(f"/surveys/{survey.code}/export/responses.csv"))
    seal_survey(survey=survey)
    for model in (PatternCount, FoldedPart):
        assert set(model.objects.values_list("mode", flat=True)) == {""}
    rows = set(PatternCount.objects.values_list("group_id", "reports", "count"))
    assert rows == {(None, "00", 30), (None, "12", 24), (group.pk, "01", 30)}
    # This process had read the modes before.
    assert "Randomized by: " not in client.get(f"/surveys/{survey.code}/results/").content.decode()
    assert b"own_coin" not in b"".join(client.get(f"/surveys/{survey.code}/export/responses.csv"))


@pytest.fixture
def wide() -> Survey:
    """A survey of twelve questions whose responses are nearly all different from each other."""
    survey = make_open(*[one_of(text=f"Question {number}?") for number in range(12)], minimum_n=5)
    group = add_group(survey=survey, name="North")
    chance = random.Random(7)  # noqa: S311 - nobody's reports
    for of_group in (None, group):
        fill(survey, Counter("".join(chance.choices("012", k=12)) for _ in range(150)), group=of_group)
    return close_survey(survey=survey)


def _by_pairs(survey: Survey) -> list[object]:
    """Return what is counted of each question and of some pairs."""
    definition = definition_of(survey)
    snapshot = snapshot_of(survey, definition)
    wanted = [(item.number,) for item in definition.items] + [(4, 2), (0, 11), (7, 7)]
    counted = [snapshot.on(*items) for items in wanted]
    return [(each.patterns.tolist(), each.counts.tolist(), each.groups.tolist()) for each in counted]


def test_a_wide_survey_keeps_its_combinations_for_ever_unless_only_pairs_are_wanted(wide: Survey) -> None:
    assert PatternCount.objects.filter(survey=wide).count() == 300
    before = _by_pairs(wide)
    sealed = seal_survey(survey=wide, pairs_only=True)
    assert PatternCount.objects.filter(survey=wide).count() == 0
    assert set(FoldedPart.objects.values_list("mode", "patterns")) == {("", 0)}
    assert not any(len(codes) > 2 for codes in CellCount.objects.values_list("codes", flat=True))
    assert _by_pairs(sealed) == before
    assert response_count(sealed) == 300


def test_whole_responses_are_kept_where_nobody_wants_it_otherwise(wide: Survey) -> None:
    seal_survey(survey=wide)
    assert PatternCount.objects.filter(survey=wide).count() == 300


@pytest.mark.slow
def test_pages_of_a_survey_sealed_to_pairs_say_what_they_cannot_compute(wide: Survey, client: Client) -> None:
    client.force_login(wide.owner)
    address = f"/surveys/{wide.code}/"
    pages = [
        "results/",
        "results/groups/",
        "results/relate/",
        "results/questions/1/",
        "results/methods/",
        "results/plan/",
    ]
    before = {page: client.get(address + page).status_code for page in pages}
    seal = client.post(f"{address}seal/", {"code": wide.code, "pairs_only": "on"})
    assert seal.status_code == 302
    assert {page: client.get(address + page).status_code for page in pages} == before
    two = client.get(f"{address}results/regression/?outcome=1&predictor=2&groups=1")
    assert not two.context.get("refusal")
    three = client.get(f"{address}results/regression/?outcome=1&predictor=2&predictor=3")
    assert three.context["refusal"] == "not_kept"
    sealed = Survey.objects.get(pk=wide.pk)
    why = why_no_reports(snapshot_of(sealed, definition_of(sealed)))
    assert why in client.get(f"{address}export/").content.decode()
    for file in ("responses.csv", "labels.csv", "responses.json"):
        assert client.get(f"{address}export/{file}").status_code == 409
    assert b"pairs,q1," in client.get(f"{address}export/figures.csv").content


def test_the_page_offers_it_and_says_how_many_combinations_there_are(wide: Survey, client: Client) -> None:
    client.force_login(wide.owner)
    page = client.get(f"/surveys/{wide.code}/seal/")
    losses = page.context["losses"]
    assert (losses.responses, losses.patterns) == (300, 300)
    assert "pairs_only" in page.context["form"].fields
    refused = client.post(f"/surveys/{wide.code}/seal/", {"code": "", "pairs_only": "on"})
    assert refused.status_code == 422
    assert PatternCount.objects.filter(survey=wide).count() == 300


def test_a_survey_sealed_to_pairs_can_be_purged(wide: Survey) -> None:
    seal_survey(survey=wide, pairs_only=True)
    purge_survey(survey=wide)
    assert (CellCount.objects.count(), FoldedPart.objects.count()) == (0, 0)


def test_a_survey_nobody_answered_is_sealed_to_pairs_as_well() -> None:
    sealed = seal_survey(survey=close_survey(survey=make_open()), pairs_only=True)
    assert not snapshot_of(sealed, definition_of(sealed)).n


# Sealing goes by steps. Whoever looks between two sees what was before it or what is after it, and nothing in between.


class KilledError(Exception):
    """The process dies."""


def _shown(survey: Survey, client: Client) -> tuple[object, ...]:
    """Return what of a survey changes by sealing it."""
    caches.clear()
    definition = definition_of(survey)
    results = results_of(definition, snapshot_of(survey, definition), FigureOptions())
    export = client.get(f"/surveys/{survey.code}/export/responses.csv")
    rows = Counter(b"".join(export).splitlines()) if export.status_code == 200 else None
    return results, rows, invitation_counts(survey), standing_of(survey).sealing


@pytest.mark.parametrize("pairs_only", [False, True])
def test_nobody_sees_a_survey_sealed_by_half_and_what_was_killed_is_finished(
    pairs_only: bool, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    questions = (yes_no(), one_of(), one_of(text="Again?"))
    survey = make_open(*questions, minimum_n=5, by_invitation=True, server_mode_allowed=True)
    group = add_group(survey=survey, name="North")
    for number, token in enumerate(invite(survey=survey, number=30, batch=new_batch()).tokens):
        reports = f"{number % 2}{number % 3}{number // 3 % 3}"
        send(survey, reports, token=token, mode=Mode.values[number // 2 % 3], group=group if number % 4 < 2 else None)
    survey = close_survey(survey=survey)
    client.force_login(survey.owner)
    for name in ("FIRST", "FEWEST", "MOST"):
        monkeypatch.setattr(steps, name, 8)
    looks: list[tuple[object, ...]] = []
    step, deaths = Steps.next, {6, 14}

    @contextmanager
    def looked_at_before(self: Steps) -> Iterator[CursorWrapper]:
        looks.append(_shown(Survey.objects.get(pk=survey.pk), client))
        if len(looks) in deaths:
            raise KilledError
        with step(self) as cursor:
            yield cursor

    with monkeypatch.context() as watched:
        watched.setattr(Steps, "next", looked_at_before)
        for _ in deaths:
            with pytest.raises(KilledError):
                seal_survey(survey=survey, pairs_only=pairs_only)
            assert Survey.objects.get(pk=survey.pk).state == State.CLOSED
            with refusing(Why.SEALED):
                request_for(
                    survey=survey, questions=numbers_of(survey), mechanism="laplace_histogram", epsilon=HALF
                ).terms()
        # Whoever has asked for pairs alone has them, whatever is asked for then.
        sealed = seal_survey(survey=survey)
    before, after = looks[0], _shown(sealed, client)
    assert before != after
    begun = next(place for place, look in enumerate(looks) if look != before)
    assert 0 < begun < 6
    assert [place for place, look in enumerate(looks) if look != (before if place < begun else after)] == []
    parts = {
        mode: set(of.objects.values_list("mode", flat=True))
        for mode, of in (("counts", PatternCount), ("sums", FoldedPart))
    }
    assert parts == {"counts": set() if pairs_only else {""}, "sums": {""}}
    sums = Counter(PatternCount.objects.values_list("group_id", flat=True))
    assert {
        group: patterns for group, patterns in FoldedPart.objects.values_list("group_id", "patterns") if patterns
    } == sums
    assert standing_of(sealed).in_order
    assert [model.objects.count() for model in (Response, SpentNonces, Invitation)] == [0, 0, 0]


def test_sealing_folds_what_came_in_while_the_survey_was_closing(closed: Survey) -> None:
    fill(closed, {"0": 2})
    seal_survey(survey=closed)
    assert (Response.objects.count(), response_count(closed)) == (0, 9)


def test_other_surveys_keep_everything(closed: Survey) -> None:
    other = make_open(by_invitation=True, minimum_n=5)
    token = invite(survey=other, number=3, batch=new_batch()).tokens[0]
    send(other, "1", token=token)
    seal_survey(survey=closed)
    assert (other.responses.count(), other.invitations.count()) == (1, 3)


def test_a_sealed_survey_takes_nothing_and_never_opens_again(closed: Survey) -> None:
    sealed = seal_survey(survey=closed)
    with pytest.raises(collecting.NotCollecting) as refused:
        send(sealed, "1")
    assert refused.value.reason == "sealed"
    with pytest.raises(NotAllowedNow):
        open_survey(survey=sealed)


REFUSED = [
    "INSERT INTO surveys_response (survey_id, mode, reports, nonce_hash) VALUES ({sealed}, 'device', '1', {bytes})",
    "INSERT INTO surveys_patterncount (survey_id, mode, reports, count) VALUES ({sealed}, 'device', '0', 1)",
    "UPDATE surveys_patterncount SET count = count + 1 WHERE survey_id = {sealed}",
    "DELETE FROM surveys_patterncount WHERE survey_id = {sealed}",
    "UPDATE surveys_patterncount SET count = count - 1 WHERE survey_id = {open}",
    "UPDATE surveys_patterncount SET reports = '-' WHERE survey_id = {open}",
    "UPDATE surveys_patterncount SET survey_id = {sealed} WHERE survey_id = {open}",
    "INSERT INTO surveys_foldedpart (survey_id, mode, count, patterns) VALUES ({sealed}, 'server', 1, 1)",
    "UPDATE surveys_foldedpart SET count = count + 1 WHERE survey_id = {sealed}",
    "DELETE FROM surveys_foldedpart WHERE survey_id = {sealed}",
    "UPDATE surveys_foldedpart SET count = count - 1 WHERE survey_id = {open}",
    "UPDATE surveys_foldedpart SET mode = 'server' WHERE survey_id = {open}",
    "INSERT INTO surveys_cellcount (survey_id, first, second, codes, count) VALUES ({pairs}, 0, 0, '1', 1)",
    "UPDATE surveys_cellcount SET count = count + 1 WHERE survey_id = {pairs}",
    "DELETE FROM surveys_cellcount WHERE survey_id = {pairs}",
    "UPDATE surveys_cellcount SET count = count - 1 WHERE survey_id = {open}",
    "UPDATE surveys_cellcount SET codes = '-' WHERE survey_id = {open}",
    "UPDATE surveys_cellcount SET second = 1 WHERE survey_id = {open}",
    "UPDATE surveys_survey SET state = 'sealed' WHERE id = {closed}",
    "UPDATE surveys_survey SET document = REPLACE(document, 'Exams', 'x') WHERE id = {sealed}",
]
REFUSED_ON_SQLITE = [
    "INSERT OR REPLACE INTO surveys_foldedpart (id, survey_id, mode, count, patterns)"
    " SELECT id, {open}, mode, count, patterns FROM surveys_foldedpart WHERE survey_id = {sealed}",
    "INSERT OR REPLACE INTO surveys_cellcount (id, survey_id, first, second, codes, count)"
    " SELECT id, {open}, first, second, codes, count FROM surveys_cellcount WHERE survey_id = {pairs}",
    "INSERT OR REPLACE INTO surveys_patterncount (id, survey_id, mode, reports, count)"
    " SELECT id, {open}, mode, reports, count FROM surveys_patterncount WHERE survey_id = {sealed}",
]
REFUSED_ON_POSTGRESQL = [f"TRUNCATE surveys_{table} CASCADE" for table in ("patterncount", "foldedpart", "cellcount")]


def test_raw_sql_cannot_touch_what_was_counted(closed: Survey) -> None:
    sealed, pairs = seal_survey(survey=closed), make_open()
    fill(pairs, {"1": 3})
    seal_survey(survey=close_survey(survey=pairs), pairs_only=True)
    folded, unsealed = make_open(), make_open()
    PatternCount.objects.create(survey=folded, mode="device", reports="1", count=3)
    FoldedPart.objects.create(survey=folded, mode="device", count=3, patterns=1)
    CellCount.objects.create(survey=folded, first=0, second=0, codes="1", count=3)
    send(unsealed, "1")
    close_survey(survey=unsealed)
    values = {
        "sealed": sealed.pk,
        "pairs": pairs.pk,
        "open": folded.pk,
        "closed": unsealed.pk,  # its nonces are still there
        "bytes": "X'00'" if connection.vendor == "sqlite" else "'x'::bytea",
    }
    connection.check_constraints()  # pending checks would refuse TRUNCATE before the guard does
    more = REFUSED_ON_SQLITE if connection.vendor == "sqlite" else REFUSED_ON_POSTGRESQL
    statements = [statement.format(**values) for statement in REFUSED + more]
    assert passing(statements, "final", "goes down", "sealed only", "frozen", "never emptied") == {}


def test_the_same_statements_pass_where_nothing_is_sealed() -> None:
    survey = make_open()
    fill(survey, {"1": 3})
    CellCount.objects.create(survey=survey, first=0, second=0, codes="1", count=3)
    with connection.cursor() as cursor:
        for table in ("patterncount", "foldedpart", "cellcount"):
            cursor.execute(f"UPDATE surveys_{table} SET count = count + 1")  # noqa: S608 - names of this file
            cursor.execute(f"DELETE FROM surveys_{table}")  # noqa: S608 - names of this file
