"""Groups as one more predictor of a joint table: as they are stored, told apart as far as the one rule lets them be."""

import json
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import Group, Mechanism, Proposal, Release, Survey
from surveys.questionnaire.question import Question
from surveys.releases.families.plan import GroupsApart
from surveys.releases.refusals import Why
from surveys.releases.selectors.doors import charged_releases
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services import releasing
from surveys.releases.services.releasing import places_of_groups
from surveys.releases.words.advice import advice_on
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.selectors.tally import MISSING
from surveys.responses.told import separable_groups
from tests.factories import fill, make_admin, make_budget, make_open, number_mean, yes_no
from tests.privacy.chance import seeded
from tests.releases.people import in_order
from tests.releases.refused import refusing
from tests.releases.setting import check, make_release, propose, published_release, same_as, spent
from tests.releases.steps import STEP_2, confirm, look, signed_in, text_of
from tests.releases.test_verifier import VERIFIER

pytestmark = pytest.mark.django_db

APART: dict[str, Any] = {"outcome": "1", "groups": "1"}
ALIKE = {"00": 10, "01": 5, "10": 5, "11": 10}
OTHERWISE = {"00": 3, "01": 14, "10": 12, "11": 1}


def grouped_survey(
    *groups: tuple[str, dict[str, int]],
    first: Question | None = None,
    without: dict[str, int] | None = None,
    epsilon: int = 10,
) -> Survey:
    """Return a closed survey of two questions, with these reports in these groups, and in none."""
    survey = make_open(first or yes_no(leave_out="visibly"), yes_no("And?", leave_out="visibly"))
    for place, (name, counts) in enumerate(groups):
        fill(survey, counts, group=Group.objects.create(survey=survey, name=name, slug=f"link-{place}"))
    if without:
        fill(survey, without)
    make_budget(survey, epsilon, Fraction(1, 1000))
    return close_survey(survey=survey)


def _of(survey: Survey, **changes: Any) -> dict[str, Any]:
    asked = {"mechanism": Mechanism.JOINT_TABLE, "options": APART, "epsilon": Fraction(1)}
    return asked | {"survey": survey, "questions": in_order(survey)} | changes


def _names(survey: Survey) -> tuple[str, ...]:
    [part] = check(**_of(survey)).plans
    groups = part.groups
    assert groups is not None
    return groups.names


def test_each_group_has_its_cells_and_the_small_ones_share_theirs() -> None:
    few = {"00": 4}
    survey = grouped_survey(("Ann", ALIKE), ("Ben", OTHERWISE), ("Cid", few), without={"11": 7})
    release = make_release(**_of(survey, epsilon=Fraction(10)))
    [part] = release.parts.all()
    assert part.parameters["groups"]["names"] == ["Ann", "Ben", "Other groups"]
    assert part.parameters["groups"]["keys"][-1] is None
    assert part.parameters["options"] == {"outcome": 1, "groups": 1}
    # Of each pattern Ann's, Ben's and the others': four of Cid's, and seven of nobody's group.
    expected = [10, 3, 4, 5, 14, 0, 5, 12, 0, 10, 1, 7]
    # Pr(|noise| > 8) at a scale of 1/5 is below 1e-16 each.
    assert max(abs(noisy - n) for noisy, n in zip(part.output["noisy_counts"], expected, strict=True)) <= 8
    assert part.n == 71


SIZES: list[tuple[str, list[dict[str, int]], dict[str, int], tuple[str, ...]]] = [
    ("nine take the smallest", [{"00": 12}, {"00": 20}, {"00": 9}, {"11": 30}], {}, ("B", "D", "Other groups")),
    ("nobody is no group", [{"00": 30}, {"11": 30}, {}], {}, ("A", "B")),
    ("without a group is one", [{"00": 30}, {"11": 30}], {"00": 10}, ("A", "B", "No group")),
    ("nine answered both", [{"00": 30}, {"00": 30, "1-": 9}, {"0-": 30, "00": 9}], {}, ("B", "Other groups")),
]


@pytest.mark.parametrize(("sizes", "without", "names"), [case[1:] for case in SIZES], ids=[case[0] for case in SIZES])
def test_no_group_below_the_minimum_is_shown_apart(
    sizes: list[dict[str, int]], without: dict[str, int], names: tuple[str, ...]
) -> None:
    survey = grouped_survey(*zip("ABCD", sizes, strict=False), without=without)
    assert _names(survey) == names
    definition = definition_of(survey)
    apart = separable_groups(snapshot_of(survey, definition), definition)
    groups = check(**_of(survey)).plans[0].groups
    assert groups is not None
    # Never more finely than on any page of results.
    assert {key for key in groups.keys if key is not None} <= apart
    both = snapshot_of(survey, definition).on(0, 1)
    given = (both.patterns != MISSING).all(axis=1)
    for key in (key for key in groups.keys if key is not None):
        assert both.counts[given & (both.groups == key)].sum() >= definition.minimum_n


def test_who_is_shown_apart_follows_from_who_left_what_out_and_from_no_report() -> None:
    one = grouped_survey(("Ann", {"00": 30}), ("Ben", {"00": 10, "0-": 9}), ("Cid", {"00": 25}))
    other = grouped_survey(("Ann", {"11": 30}), ("Ben", {"10": 10, "1-": 9}), ("Cid", {"01": 25}))
    assert _names(one) == _names(other) == ("Ann", "Ben", "Cid")
    assert make_release(**_of(one)).parts.get().parameters["groups"]["names"] == list(_names(one))


Rows = tuple[tuple[int, int, int], ...]
"""Responses: two reports and the key of the group, each."""

EVERY = list(product(range(2), range(2), (7, 8, 0)))


def _table_of(rows: Rows, twice: bool = False) -> "np.ndarray":
    """Return how often each pattern came in groups 7, 8 and all others; counted twice, 7 is also one of all others."""
    table = np.zeros((2, 2, 3), dtype=int)
    places = places_of_groups(np.array([group for *_reports, group in rows]), (7, 8, None)).tolist()
    for (x, y, group), place in zip(rows, places, strict=True):
        table[x, y, place] += 1
        table[x, y, 2] += twice and group == 7
    return table


def _largest_change(**counted: bool) -> tuple[int, int]:
    """Return the largest change of all counts, in L1 and in squared L2, where one response and group is another."""
    changes = [
        _table_of(rows, **counted) - _table_of((rows[0], other), **counted)
        for rows in combinations_with_replacement(EVERY, 2)
        for other in EVERY
    ]
    return max(int(abs(change).sum()) for change in changes), max(int((change**2).sum()) for change in changes)


def test_a_response_that_is_another_with_its_group_moves_the_counts_by_as_much_as_without_groups() -> None:
    [part] = check(**_of(grouped_survey(("Ann", ALIKE), ("Ben", ALIKE)))).plans
    assert _largest_change() == (part.mechanism.sensitivity.value, 2) == (2, 2)
    # Groups that overlap would move them by twice as much.
    assert _largest_change(twice=True) == (4, 4)


def test_the_public_page_says_what_groups_are_and_the_verifier_finds_the_same(client: Client) -> None:
    survey = grouped_survey(("Ann", ALIKE), ("Ben", OTHERWISE))
    release = published_release(**_of(survey, epsilon=Fraction(4)), randbelow=seeded(2))
    page = text_of(client.get(f"/r/{release.pk}/"))
    [reading] = reading_of(charged_releases().get()).parts
    shown = ["Group Ben", reading.plan.options_words, reading.finding.note]
    assert [words for words in shown if words not in page] == []
    assert [words for words in ("“Ann”, “Ben”", "8 ") if words not in reading.plan.options_words] == []
    assert reading.finding.by_group
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    [part] = document["parts"]
    assert [(beside["question"], beside["kind"]) for beside in part["beside"]] == [
        ("And?", "yes_no"),
        ("Group", "groups"),
    ]
    assert part["beside"][1]["design"]["matrix"] == [["1", "0"], ["0", "1"]]
    assert part["truth"]["local_epsilon"] == pytest.approx(2 * np.log(3))
    assert VERIFIER.faults_of(document)[1] == []
    part["beside"][1]["design"]["matrix"] = [["3/4", "1/4"], ["1/4", "3/4"]]
    assert VERIFIER.faults_of(document)[1] != []
    synthetic = client.get(f"/r/{release.pk}/synthetic.csv").content.decode("utf-8-sig").splitlines()
    rows = [line.split(",") for line in synthetic if not line.startswith("#")]
    assert rows[0][-1] == "Group"
    assert {row[-1] for row in rows[1:]} == {"Ann", "Ben"}
    # A release says for good what its groups were called.
    Group.objects.filter(survey=survey, name="Ben").update(name="Zoe")
    [reading] = reading_of(charged_releases().get()).parts
    assert [effect.answer for effect in reading.finding.effects] == ["Yes", "Ben"]


NO, YES = {"00": 100, "01": 100, "10": 50, "11": 50}, {"00": 50, "01": 50, "10": 100, "11": 100}


@pytest.mark.parametrize(
    ("first", "no", "yes"),
    [
        (yes_no(leave_out="visibly"), NO, YES),
        (yes_no(leave_out="visibly"), {"00": 18, "01": 6}, {"00": 6, "11": 18}),
        (number_mean(leave_out="no"), NO, YES),
    ],
)
def test_of_groups_it_is_shown_who_is_in_them(first: Question, no: dict[str, int], yes: dict[str, int]) -> None:
    survey = grouped_survey(("Ann", no), ("Ben", yes), first=first)
    many = sum(no.values()) > 100
    make_release(**_of(survey, epsilon=Fraction(10) if many else Fraction(1, 20)), randbelow=seeded(1))
    [reading] = reading_of(charged_releases().get()).parts
    effect = reading.finding.effects[1]
    assert (effect.of_group, effect.is_uninformative) == (True, not many)
    assert "“Ben”" in reading.finding.sentence(effect)
    # Nobody answers a group: of a question the sentence would name both.
    assert effect.question not in reading.finding.sentence(effect)
    # Two in three of one class reported Yes, and one in three of the other, whatever else they said.
    assert ("“Ben”" in reading.finding.title) == many


def test_where_nothing_is_certain_the_page_does_not_list_all_that_is_not(client: Client) -> None:
    many = dict.fromkeys(ALIKE, 400)
    survey = grouped_survey(("Ann", many), ("Ben", many))
    release = published_release(**_of(survey, epsilon=Fraction(10)), randbelow=seeded(1))
    [reading] = reading_of(charged_releases().get()).parts
    assert reading.finding.strongest is None
    assert not reading.finding.is_uninformative
    page = text_of(client.get(f"/r/{release.pk}/"))
    assert [sentence for sentence in reading.finding.sentences if sentence in page] == []


def test_the_three_steps_name_the_groups_before_anything_is_counted(staff: Client) -> None:
    survey = grouped_survey(("Ann", ALIKE), ("Ann", OTHERWISE))
    keys = in_order(survey)
    assert 'name="groups"' in staff.get(STEP_2, {"survey": survey.pk, "questions": keys}).content.decode()
    sent = {"questions": keys, "mechanism": Mechanism.JOINT_TABLE, "epsilon": "1", "outcome": "1"}
    assert not look(staff, survey, **sent).context["cost"].terms.groups_apart
    shown = look(staff, survey, **sent, groups="1")
    # Two that are called alike are known by their links.
    assert [name for name in ("“Ann (link-0)”", "“Ann (link-1)”") if name not in text_of(shown)] == []
    confirm(staff, signed_in(shown), "1", follow=True)
    assert Release.objects.get().parts.get().parameters["groups"]["names"] == ["Ann (link-0)", "Ann (link-1)"]
    without = grouped_survey(without=ALIKE)
    keys = in_order(without)
    assert 'name="groups"' not in staff.get(STEP_2, {"survey": without.pk, "questions": keys}).content.decode()


def test_a_proposal_and_the_command_count_groups_too(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    survey = grouped_survey(("Ann", ALIKE), ("Ben", OTHERWISE))
    asked = ["--mechanism=joint_table", "--question=1", "--question=2", "--epsilon=1", "--user=ada", "--outcome=1"]
    asked += ["--reason=For a test.", "--yes"]
    make_admin("ada")
    with pytest.raises(CommandError, match=r"--groups: .*1"):
        call_command("release", survey.code, *asked, "--groups=yes")
    call_command("release", survey.code, *asked, "--groups=1", "--json")
    assert json.loads(capsys.readouterr().out)["parts"][0]["beside"][1]["answers"] == ["Ann", "Ben"]
    settings.RELEASES_NEED_APPROVAL = True
    named = {"user": make_admin("one"), "reason": "For a test.", "request_key": "0" * 31 + "1"}
    proposal = propose(**_of(survey), **named)
    assert Proposal.objects.get().options == APART
    release = releasing.approve(proposal=proposal, user=make_admin("two"))
    assert release.parts.get().parameters["groups"]["names"] == ["Ann", "Ben"]
    assert same_as(release, **_of(survey))
    assert not same_as(release, **_of(survey, options={"outcome": "1"}))


def test_a_table_with_groups_answers_for_one_without_and_never_the_other_way() -> None:
    survey = grouped_survey(("Ann", ALIKE), ("Ben", OTHERWISE))
    plain, apart = _of(survey, options={"outcome": "1"}), _of(survey)

    def answered(asked: dict[str, Any]) -> bool:
        return any(advice.code.startswith("answered") for advice in advice_on(check(**asked), charged_releases()))

    make_release(**plain)
    assert answered(plain)
    assert not answered(apart)
    make_release(**apart)
    assert answered(apart)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "the group as outcome": ({"options": {"outcome": "Group", "groups": "1"}}, "outcome"),
    "groups and nobody's": ({"options": {"outcome": "1", "groups": "2"}}, "groups"),
    "another mechanism": ({"mechanism": Mechanism.LAPLACE_HISTOGRAM, "options": {"groups": "1"}}, "groups"),
    "one group of nine": ({}, "groups"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_by_name_and_charges_nothing(case: str) -> None:
    changes, field = REFUSED[case]
    survey = grouped_survey(("Ann", ALIKE), ("Ben", {"00": 9}))
    for refuse in (lambda: check(**_of(survey, **changes)), lambda: make_release(**_of(survey, **changes))):
        with refusing(Why.INVALID_OPTION) as refused:
            refuse()
        assert refused.value.field == field
    assert (spent(survey), Release.objects.count()) == (0, 0)


def test_seven_questions_leave_no_place_for_groups() -> None:
    survey = make_open(*(yes_no(f"Number {number}?") for number in range(7)))
    fill(survey, {"0" * 7: 40})
    make_budget(survey)
    with refusing(Why.INVALID_OPTION) as refused:
        check(**_of(survey))
    assert refused.value.field == "groups"


def test_whoever_is_of_no_group_shown_apart_is_of_the_last() -> None:
    keys = GroupsApart("Group", ("Ann", "No group", "Other groups"), (4, 0, None)).keys
    assert places_of_groups(np.array([4, 0, 9, 4, 17]), keys).tolist() == [0, 1, 2, 0, 2]
