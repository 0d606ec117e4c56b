"""What results are drawn from: the same reports, whether patterns are read or counts of items and of pairs."""

import itertools

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.common.totals import response_count
from surveys.course.services import close_survey, seal_survey
from surveys.models import CellCount, Group, Response, State, Survey
from surveys.questionnaire.reports import CODES, LEFT_OUT
from surveys.responses.selectors import snapshot as snapshots
from surveys.responses.selectors import tally as tallies
from surveys.responses.selectors.snapshot import OutdatedError, Reports, Snapshot, snapshot_of
from surveys.responses.services import cells as writing
from surveys.responses.services.folding import fold
from surveys.responses.services.steps import Steps
from surveys.results.report import Report
from tests.factories import crosswise, fill, make_open, one_of, plain, scale, several_of, store, yes_no
from tests.questionnaire.test_branches import after
from tests.responses.conftest import keep_cells

pytestmark = pytest.mark.django_db


def _random_survey(seed: int) -> Survey:
    """Fill a survey of several kinds with random reports in random groups and modes."""
    chance = np.random.default_rng(seed)
    kinds = [yes_no(), one_of(), scale(), crosswise(), several_of(), yes_no("Again?", leave_out="no")]
    chosen = [kinds[place] for place in chance.permutation(len(kinds))[: chance.integers(2, len(kinds) + 1)]]
    survey = make_open(*chosen, minimum_n=5)
    groups = [None, *(Group.objects.create(survey=survey, slug=name, name=name) for name in "ab"[: chance.integers(3)])]
    for group, mode in itertools.product(groups, ("device", "own_coin")):
        reports = [_random_reports(survey, chance) for _ in range(chance.integers(1, 60))]
        fill(survey, {text: reports.count(text) for text in set(reports)}, mode=mode, group=group)
    return survey


def _random_reports(survey: Survey, chance: np.random.Generator) -> str:
    text = ""
    for question in definition_of(survey).questions:
        left_out = question.can_be_left_out and chance.random() < 0.2
        text += "".join(LEFT_OUT if left_out else CODES[chance.integers(item.design.m)] for item in question.items)
    return text


def _looked_at(survey: Survey) -> Snapshot:
    return snapshot_of(survey, definition_of(survey))


def _keep_cells(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this survey's patterns be too many, and fold once more."""
    keep_cells(monkeypatch)
    writing.write_anew(survey, definition_of(survey), Steps(survey))
    assert CellCount.objects.filter(survey=survey).exists()


def _same(one: Reports, other: Reports) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        and getattr(one, name).dtype == getattr(other, name).dtype
        for name in ("patterns", "counts", "groups")
    )


def _asked(items: int) -> list[tuple[int, ...]]:
    """Return everything that can be asked of one item or two, in any order, and some of three."""
    numbers = range(items)
    return [*((item,) for item in numbers), *itertools.product(numbers, numbers), *itertools.combinations(numbers, 3)]


@pytest.mark.parametrize("seed", range(8))
def test_both_ways_give_the_same_reports(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _random_survey(seed)
    narrow = _looked_at(survey)
    _keep_cells(survey, monkeypatch)
    wide = _looked_at(survey)
    assert isinstance(wide._source, tallies.Cells)
    assert not isinstance(narrow._source, tallies.Cells)
    assert (narrow.n, narrow.received, narrow.n_by_mode, narrow.n_by_group) == (
        wide.n,
        wide.received,
        wide.n_by_mode,
        wide.n_by_group,
    )
    asked = _asked(len(definition_of(survey).items))
    assert [items for items in asked if not _same(narrow.on(*items), wide.on(*items))] == []
    assert narrow.on(0).n == narrow.n == Response.objects.count() + wide.on(0).n


def test_a_lost_cell_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: one cell counts one response too many."""
    survey = _random_survey(1)
    narrow = _looked_at(survey)
    _keep_cells(survey, monkeypatch)
    cell = CellCount.objects.filter(second__gt=0).order_by("pk").last()
    assert cell is not None
    CellCount.objects.filter(pk=cell.pk).update(count=cell.count + 1)
    asked = _asked(len(definition_of(survey).items))
    assert [items for items in asked if not _same(narrow.on(*items), _looked_at(survey).on(*items))] != []


@pytest.mark.parametrize(("patterns", "kept"), [(20, False), (21, True)])
def test_more_patterns_than_the_switch_are_counted_by_item(
    patterns: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_cells(monkeypatch, above=20, possible=5)
    survey = make_open(*(yes_no(f"Question {number}?") for number in range(5)))
    fill(survey, {f"{number:05b}": 1 for number in range(patterns)})
    assert CellCount.objects.exists() == kept
    assert isinstance(_looked_at(survey)._source, tallies.Cells) == kept


def test_cells_that_would_outnumber_the_patterns_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (writing, snapshots):
        monkeypatch.setattr(module, "MOST_PATTERNS", 5)
    survey = make_open(*(yes_no(f"Question {number}?") for number in range(5)))
    fill(survey, {f"{number:05b}": 1 for number in range(20)})
    assert tallies.possible_cells([2] * 5, 1) == 5 * 3 * 3 + 10 * 9 == 135
    assert not CellCount.objects.exists()
    assert _looked_at(survey).on(0, 1).n == 20


def test_cells_are_counted_anew_with_each_fold_and_in_an_order_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _random_survey(3)
    _keep_cells(survey, monkeypatch)
    store(survey, {"0" * len(definition_of(survey).items): 3})
    fold(survey=survey, everything=True)
    wide = _looked_at(survey)
    assert wide.n == wide.on(0, 1).n == response_count(survey)
    written = [
        _cells_in_order() for _ in range(2) if not writing.write_anew(survey, definition_of(survey), Steps(survey))
    ]
    assert written[0] == written[1]
    assert len({cell[:-1] for cell in written[0]}) == len(written[0])


def _cells_in_order() -> list[tuple[int | None, int, int, str, int]]:
    return list(CellCount.objects.order_by("pk").values_list("group_id", "first", "second", "codes", "count"))


def test_a_sealed_survey_keeps_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _random_survey(5)
    _keep_cells(survey, monkeypatch)
    before = _looked_at(survey).on(0, 1)
    sealed = seal_survey(survey=close_survey(survey=survey))
    assert _same(_looked_at(sealed).on(0, 1), before)


def test_a_fold_between_two_readings_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(*(yes_no(f"Question {number}?") for number in range(3)), minimum_n=5)
    fill(survey, {f"{number:03b}": 3 for number in range(8)})
    _keep_cells(survey, monkeypatch)
    look = _looked_at(survey)
    fill(survey, {"111": 9})
    assert look.on(0, 1).n == 24
    with pytest.raises(OutdatedError):
        look.on(0, 1, 2)
    assert _looked_at(survey).on(0, 1, 2).n == 33


def test_a_survey_that_folds_while_it_is_read_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(yes_no(leave_out="no"), minimum_n=5)
    fill(survey, {"1": 9})
    standing_of = snapshots.standing_of
    folds = iter([{"0": 5}, {}])

    def standing_and_then_a_fold(survey: Survey) -> object:
        standing = standing_of(survey)
        fill(survey, next(folds))
        return standing

    monkeypatch.setattr(snapshots, "standing_of", standing_and_then_a_fold)
    look = _looked_at(survey)
    assert (look.n, look.on(0).n, sum(look.n_by_mode.values())) == (14, 14, 14)


def test_a_closed_survey_is_counted_whole_though_it_was_never_folded() -> None:
    survey = make_open(yes_no(leave_out="no"), minimum_n=5)
    store(survey, {"0": 2, "1": 5})
    Survey.objects.filter(pk=survey.pk).update(state=State.CLOSED)
    look = _looked_at(Survey.objects.get(pk=survey.pk))
    assert (look.n, look.received, look.n_by_mode, look.n_by_group) == (7, 7, {"device": 7}, {0: 7})
    assert look.on(0).counts.tolist() == [2, 5]


def test_nothing_but_folded_responses_is_in_the_figures_of_an_open_survey() -> None:
    survey = make_open(yes_no(leave_out="no"), minimum_n=5)
    fill(survey, {"0": 6})
    store(survey, {"1": 7})
    for state in (State.OPEN, State.PAUSED):
        survey.state = state
        look = _looked_at(survey)
        assert (look.n, look.received, look.on(0).counts.tolist()) == (6, 13, [6])


def test_a_poll_that_finds_nothing_new_reads_no_reports(client: Client) -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 20, "0": 20})
    client.force_login(survey.owner)
    address = reverse("survey-figures", args=[survey.code])
    etag = client.get(address)["ETag"]
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address, headers={"If-None-Match": etag}).status_code == 304
    assert [query["sql"] for query in queries if "reports" in query["sql"] or "cellcount" in query["sql"]] == []


def test_what_met_a_fold_is_read_anew() -> None:
    survey = make_open(yes_no(leave_out="no"))
    fill(survey, {"1": 20, "0": 20})
    built: list[int] = []

    def build(asked: Report) -> dict[str, object]:
        built.append(asked.snapshot.n)
        if len(built) == 1:
            fill(survey, {"1": 20})
            raise OutdatedError
        return {}

    report, _context = Report(survey).read(build)
    assert built == [40, 60]
    assert report.n == 60


@pytest.mark.parametrize("seed", range(3))
def test_whole_responses_are_there_either_way(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _random_survey(seed)
    items = len(definition_of(survey).items)
    monkeypatch.setattr(tallies, "_AT_ONCE", 7)
    narrow = _looked_at(survey)
    _keep_cells(survey, monkeypatch)
    patterns, cells = (sorted(_listed(look.responses(items=items))) for look in (narrow, _looked_at(survey)))
    assert patterns == cells
    assert sum(count for *_, count in patterns) == narrow.n


def _listed(tally: tallies.Tally) -> list[tuple[list[int], int, str, int]]:
    columns = tally.patterns.tolist(), tally.groups.tolist(), tally.modes, tally.counts.tolist()
    return list(zip(*columns, strict=True))


def test_whole_responses_of_a_moment_that_has_passed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _random_survey(2)
    items = len(definition_of(survey).items)
    _keep_cells(survey, monkeypatch)
    look = _looked_at(survey)
    fill(survey, {"0" * items: 1})
    with pytest.raises(OutdatedError):
        look.responses(items=items)


def test_who_is_asked_several_questions_is_in_an_arm_of_each_and_gave_the_answers_that_lead_to_them() -> None:
    survey = make_open(
        plain(),
        yes_no("A?", **after(1, 0, 1)),
        yes_no("B?", arms=[1, 2], **after(1, 1, 2)),
        yes_no("C?", arms=[2]),
        yes_no("D?"),
        arms=[{"name": name, "weight": 1} for name in "XYZ"],
    )
    chance, counts = np.random.default_rng(6), {}
    for year, arm in itertools.product("012", range(3)):
        a, b, c = year in "01", year in "12" and arm < 2, arm == 1
        reports = "".join("0" if asked else LEFT_OUT for asked in (a, b, c))
        counts[f"{year}{reports}{chance.choice(['0', LEFT_OUT])}{arm}"] = int(chance.integers(1, 40))
    fill(survey, counts)
    definition = definition_of(survey)
    snapshot = snapshot_of(close_survey(survey=survey), definition)
    for number in range(6):
        for together in itertools.combinations(range(1, 5), number):
            asked = sum(
                n for reports, n in counts.items() if all(reports[place] == "0" for place in together if place < 4)
            )
            assert snapshot.asked(*(definition.questions[place] for place in together)) == asked, together
