"""Several questions counted together: one part, one charge, one model, and refusals by name."""

import json
import math
import re
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.fixtures import Settings

from surveys.common import caches
from surveys.common.selectors import definition_of
from surveys.models import Mechanism, Proposal, Release, Survey
from surveys.privacy.accounting.local_central import local_then_central
from surveys.privacy.designs import from_matrix, total_epsilon, warner
from surveys.privacy.loss import PrivacyLoss
from surveys.questionnaire.question import Question
from surveys.releases.families import joint, model, plan
from surveys.releases.families.model import fit_model
from surveys.releases.families.synthetic import seeded_randbelow
from surveys.releases.files import document_of
from surveys.releases.ledger.selectors import ledger_of
from surveys.releases.mechanisms import joint_table
from surveys.releases.refusals import Why
from surveys.releases.selectors.doors import answer_count, charged_releases
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services import releasing
from surveys.releases.words.release import accuracy_says, release_headline
from tests.factories import (
    PROTECTED,
    fill,
    make_admin,
    make_budget,
    make_open,
    number_mean,
    one_of,
    scale,
    several_of,
    triangular,
    yes_no,
)
from tests.pages import tables_of
from tests.privacy.chance import seeded
from tests.releases.people import DRANK, LOG_ODDS, WHERE, in_order, joined_survey
from tests.releases.refused import refusing
from tests.releases.setting import check, epsilon_for, make_release, propose, published_release, same_as, spent
from tests.releases.steps import STEP_2, confirm, look, says, signed_in, text_of

pytestmark = pytest.mark.django_db

MILLIONTH = Fraction(1, 10**6)
JOINT: dict[str, Any] = {"mechanism": Mechanism.JOINT_TABLE, "options": {"outcome": "1"}, "epsilon": Fraction(1)}


def _of(survey: Survey, **changes: Any) -> dict[str, Any]:
    return JOINT | {"survey": survey, "questions": in_order(survey)} | changes


def test_all_questions_are_one_part_of_one_charge() -> None:
    survey = joined_survey()
    release = make_release(**_of(survey), randbelow=seeded(1))
    [part] = release.parts.all()
    copied, drank, where = in_order(survey)
    assert (part.question, part.questions) == (copied, (copied, drank, where))
    assert (part.n, len(part.output["noisy_counts"]), release.epsilon) == (4000, 12, 1)
    ledger = ledger_of(survey)
    assert all([loss.epsilon for loss in ledger.losses_of((asked,))] == [1] for asked in ledger.definition.questions)
    [reading] = reading_of(charged_releases().get()).parts
    definition = definition_of(survey)
    local = total_epsilon(question.epsilon for question in definition.questions)
    assert reading.plan.local_epsilon == local
    assert reading.truth.epsilon == local_then_central(local, Fraction(1))
    truths = {question.text: truth.central.epsilon for question, truth in ledger_of(survey).truths}
    assert truths == dict.fromkeys([question.text for question in definition.questions], Fraction(1))


def test_the_outcome_is_the_question_asked_for_and_counts_follow_the_patterns() -> None:
    survey = make_open(yes_no(leave_out="no"), one_of(leave_out="no"))
    fill(survey, {"00": 40, "12": 60})
    make_budget(survey, 10)
    only = {"options": {"outcome": "1"}, "epsilon": Fraction(10)}
    counts = make_release(**_of(survey, **only)).parts.get().output["noisy_counts"]
    # Pr(|noise| > 8) at a scale of 1/5 is below 1e-16 each.
    assert max(abs(noisy - count) for noisy, count in zip(counts, [40, 0, 0, 0, 0, 60], strict=True)) <= 8


def test_who_leaves_one_of_the_questions_out_is_not_counted() -> None:
    survey = make_open(yes_no(leave_out="visibly"), yes_no("And?", leave_out="visibly"))
    fill(survey, {"00": 30, "0-": 50, "-1": 7, "11": 20})
    make_budget(survey)
    terms = check(**_of(survey))
    assert terms.plans[0].n == answer_count(survey, terms.plans[0].questions) == 50
    assert make_release(**_of(survey)).parts.get().n == 50


@pytest.mark.parametrize(("delta", "family"), [(Fraction(0), "discrete_laplace"), (MILLIONTH, "discrete_gaussian")])
def test_without_a_delta_noise_is_laplace_and_with_one_gaussian(delta: Fraction, family: str) -> None:
    part = check(**_of(joined_survey(400), delta=delta)).plans[0]
    assert [source.family for source in part.noise()] == [family]
    assert part.mechanism.n == 400
    assert part.mechanism.loss.delta == delta


def test_the_model_finds_the_effect_there_is_and_says_nothing_of_the_other() -> None:
    survey = joined_survey(20_000)
    make_release(**_of(survey, epsilon=Fraction(4)), randbelow=seeded(3))
    [reading] = reading_of(charged_releases().get()).parts
    model_shown = reading.finding
    drank, village, elsewhere = model_shown.effects
    # Standard errors are near .2: five of them are left by chance once in a million and a half.
    assert abs(drank.estimate - LOG_ODDS) < 5 * drank.errors[0] < 5 * 0.3
    assert model_shown.strongest is drank
    assert DRANK in model_shown.title
    assert village.low < 0 < village.high
    assert elsewhere.low < 0 < elsewhere.high
    released, without_noise, direct = drank.errors
    assert released >= without_noise > direct > 0


def test_two_shares_come_before_odds_and_say_what_else_is_held() -> None:
    survey = joined_survey(20_000)
    make_release(**_of(survey, epsilon=Fraction(4)), randbelow=seeded(3))
    [reading] = reading_of(charged_releases().get()).parts
    shown = reading.finding
    # By the simulation: σ(LOG_ODDS − 1) and σ(−1).
    assert shown.pair is not None
    assert [each.low < share < each.high for each, share in zip(shown.pair, (0.62, 0.27), strict=True)] == [True, True]
    assert [f"{100 * each.share:.0f}" for each in shown.pair] == re.findall(r"\d+(?= of 100)", shown.title)
    assert shown.held == f"{WHERE} In town"
    assert shown.key_figure() is None
    assert shown.title in release_headline(reading_of(charged_releases().get()))


def test_where_either_share_is_too_uncertain_odds_are_told_with_their_interval() -> None:
    survey = joined_survey(20_000)
    make_release(**_of(survey, epsilon=Fraction(4)), randbelow=seeded(3))
    [reading] = reading_of(charged_releases().get()).parts
    sure = reading.finding
    vague = replace(sure, shares=(replace(sure.shares[0], low=0.1, high=0.6), *sure.shares[1:]))
    endless = replace(sure, effects=(replace(sure.effects[0], high=math.inf), *sure.effects[1:]))
    for shown in (vague, endless, replace(sure, shares=())):
        key = shown.key_figure()
        assert shown.pair is None
        assert key is not None
        assert "of 100" not in shown.title
        assert key.is_estimate == (shown is not endless)


def test_refitting_gives_the_same_to_the_last_bit_and_is_kept() -> None:
    survey = joined_survey()
    release = make_release(**_of(survey), randbelow=seeded(1))
    read = charged_releases().get(pk=release.pk)
    fit_model.cache_clear()
    one = document_of(reading_of(read))["parts"]
    assert document_of(reading_of(read))["parts"] == one
    assert fit_model.cache_info().misses == 1
    fit_model.cache_clear()
    assert document_of(reading_of(read))["parts"] == one


def test_an_outcome_of_numbers_has_a_linear_model_in_its_unit() -> None:
    survey = make_open(number_mean(leave_out="no"), yes_no("And?", leave_out="no"))
    fill(survey, {"00": 250, "01": 150, "10": 150, "11": 250})
    make_budget(survey, 10)
    make_release(**_of(survey, epsilon=Fraction(8)), randbelow=seeded(1))
    [reading] = reading_of(charged_releases().get()).parts
    # Reports differ by a quarter of 12 hours, and each of two coins has halved what truths differ by.
    [effect] = reading.finding.effects
    assert effect.low < 12 < effect.high
    assert "hours" in reading.finding.write(effect.estimate) in reading.finding.title


def test_a_release_that_says_nothing_says_so(client: Client) -> None:
    survey = make_open(yes_no(leave_out="no"), yes_no("And?", leave_out="no"))
    fill(survey, {"00": 8, "01": 6, "10": 6, "11": 5})
    make_budget(survey)
    release = published_release(**_of(survey, epsilon=Fraction(1, 100)), randbelow=seeded(1))
    [reading] = reading_of(charged_releases().get()).parts
    assert reading.finding.is_uninformative
    page = client.get(f"/r/{release.pk}/")
    assert "nothing" in says(page.content.decode())
    assert reading.finding.sentence(reading.finding.effects[0]) not in text_of(page)


def test_the_public_page_says_odds_widths_and_every_question(client: Client) -> None:
    survey = joined_survey()
    release = published_release(**_of(survey), randbelow=seeded(1))
    page = text_of(client.get(f"/r/{release.pk}/"))
    [reading] = reading_of(charged_releases().get()).parts
    shown = [reading.finding.odds_words, reading.finding.note, f"{DRANK} Yes", f"{WHERE} In a village"]
    assert [words for words in (*shown, reading.plan.options_words) if words not in page] == []
    assert re.search(r"\b12\b", reading.plan.options_words)
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    [part] = document["parts"]
    assert [question["question"] for question in part["beside"]] == [DRANK, WHERE]
    assert part["options"] == {"outcome": 1}
    assert part["found"]["certificate"] == {"converged": True, "exact_likelihood": True}


def test_synthetic_people_are_the_same_for_everybody_and_carry_their_label(client: Client) -> None:
    survey = joined_survey()
    release = published_release(**_of(survey), randbelow=seeded(1))
    assert f'href="/r/{release.pk}/synthetic.csv"' in client.get(f"/r/{release.pk}/").content.decode()
    answer = client.get(f"/r/{release.pk}/synthetic.csv")
    caches.clear()
    assert client.get(f"/r/{release.pk}/synthetic.csv").content == answer.content
    label, rows = [], []
    for line in answer.content.decode("utf-8-sig").splitlines():
        (label if line.startswith("#") else rows).append(line)
    assert release.pk in label[1]
    assert "central ε = 1, δ = 0" in label[2]
    assert rows[0].split(",") == [question.text for question in survey.questions]
    people = [tuple(row.split(",")) for row in rows[1:]]
    assert len(people) == 4000
    assert {where for _copied, _drank, where in people} <= {"In town", "In a village", "Elsewhere"}
    # What goes together among the simulated goes together here: 62 and 27 of 100.
    copied = {drank: [row[0] for row in people if row[1] == drank] for drank in ("Yes", "No")}
    shares = {drank: answers.count("Yes") / len(answers) for drank, answers in copied.items()}
    assert shares["Yes"] > shares["No"] + 0.1


def test_an_author_s_formula_is_text_in_the_synthetic_file(client: Client) -> None:
    survey = make_open(yes_no("=1+1", leave_out="no"), yes_no("One, more?", leave_out="no"))
    fill(survey, {"00": 60, "11": 40})
    make_budget(survey, 10)
    release = published_release(**_of(survey))
    content = client.get(f"/r/{release.pk}/synthetic.csv").content.decode("utf-8-sig")
    assert '\r\n\'=1+1,"One, more?"\r\n' in content


def test_correlations_of_true_answers_stand_on_the_page(client: Client) -> None:
    survey = joined_survey(20_000)
    release = published_release(**_of(survey, epsilon=Fraction(4)), randbelow=seeded(1))
    [part] = reading_of(charged_releases().get(pk=release.pk)).parts
    [correlations] = part.plan.further(part.part.output)
    captions = [caption for caption, _rows in tables_of(client.get(f"/r/{release.pk}/").content.decode())]
    assert correlations.caption in captions
    # Only what has two answers or numbers counts for anything: where people live does not.
    [(names, _point, low, high)] = correlations.rows
    assert DRANK in names
    # By the simulation: √(.4·.6)·(.62 − .27)/√(.41·.59) is .35.
    assert float(low) < 0.35 < float(high)


def test_seeded_integers_are_uniform_and_only_the_seed_s() -> None:
    drawn = [seeded_randbelow(b"a")(6) for _ in range(3)]
    assert len(set(drawn)) == 1
    source = seeded_randbelow(b"b")
    numbers = Counter(source(6) for _ in range(6000))
    # χ² with 5 degrees of freedom is above 36 once in a million; the seed is fixed.
    assert sum((numbers[face] - 1000) ** 2 / 1000 for face in range(6)) < 36
    assert sorted(numbers) == list(range(6))


def test_the_three_steps_and_what_they_say_before_anything_is_counted(staff: Client) -> None:
    survey = joined_survey()
    keys = in_order(survey)
    page = text_of(staff.get(STEP_2, {"survey": survey.pk, "questions": keys}))
    assert str(joint.OUTCOME.needs) in page
    sent = {"questions": keys, "mechanism": Mechanism.JOINT_TABLE, "epsilon": "1"}
    assert list(look(staff, survey, **sent).context["form"].errors) == ["outcome"]
    shown = look(staff, survey, **sent, outcome="1")
    [part] = shown.context["cost"].parts
    sentences = [accuracy_says(part.plan, 0.95), part.plan.expectation_says(), part.plan.options_words]
    assert all(sentence and sentence in text_of(shown) for sentence in sentences)
    assert spent(survey) == 0
    confirm(staff, signed_in(shown), "1", follow=True)
    assert Release.objects.get().parts.get().questions == tuple(keys)


def test_a_proposal_is_of_all_its_questions_and_approved_as_one_part(settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = True
    survey = joined_survey()
    named = {"user": make_admin("one"), "reason": "For a test.", "request_key": "0" * 31 + "1"}
    proposal = propose(**_of(survey), **named)
    assert Proposal.objects.get().answered == [4000]
    release = releasing.approve(proposal=proposal, user=make_admin("two"))
    assert len(release.parts.get().questions) == 3


def test_what_counted_a_question_is_a_draw_of_it_and_a_table_answers_for_all_its_questions(staff: Client) -> None:
    survey = joined_survey()
    table = published_release(**_of(survey))
    copied, drank, where = in_order(survey)
    again = look(staff, survey, questions=[drank], mechanism=Mechanism.LAPLACE_HISTOGRAM, epsilon="0.5")
    advices = {advice.code: advice.facts for advice in again.context["cost"].advice}
    assert (advices["answered_roughly"]["release"], advices["another_draw"]["number"]) == (table.pk, 2)
    assert table.pk in text_of(again)
    alone = make_release(survey, questions=[copied])
    assert reading_of(charged_releases().get(pk=table.pk)).parts[0].draws.total == 2
    assert reading_of(charged_releases().get(pk=alone.pk)).parts[0].draws.number == 2
    # A histogram of one question does not answer for a table of three.
    other = look(staff, survey, questions=[copied, where], mechanism=Mechanism.JOINT_TABLE, outcome="1")
    assert alone.pk not in {advice.facts.get("release") for advice in other.context["cost"].advice}


def test_a_hidden_table_of_two_of_its_questions_is_a_draw_of_how_they_go_together() -> None:
    survey = joined_survey()
    _copied, drank, where = in_order(survey)
    table = published_release(**_of(survey))
    make_release(**_of(survey, questions=[drank, where], options={"outcome": "2"}))
    make_release(survey, questions=[where])
    draws = reading_of(charged_releases().get(pk=table.pk)).parts[0].draws
    assert (draws.number, draws.total, draws.chosen_from) == (1, 2, 2)


@pytest.mark.parametrize(("skipped", "serves"), [(0, True), (60, False)])
def test_a_table_serves_for_a_question_where_nobody_was_left_out_of_it(
    staff: Client, skipped: int, serves: bool
) -> None:
    survey = make_open(yes_no(leave_out="visibly"), yes_no("And?", leave_out="visibly"))
    fill(survey, {"00": 300, "10": 200, "01": 200, "11": 300 - skipped, "1-": skipped})
    make_budget(survey, 10)
    table = published_release(**_of(survey))
    page = look(staff, survey, questions=[1], mechanism=Mechanism.LAPLACE_HISTOGRAM, epsilon="0.1")
    assert table.pk in text_of(page)
    assert page.context["cost"].is_needless == serves


def test_the_same_request_is_the_same_release_and_another_outcome_is_not() -> None:
    survey = joined_survey()
    release = make_release(**_of(survey))
    same = _of(survey)
    assert same_as(release, **same)
    assert not same_as(release, **same | {"options": {"outcome": "2"}})
    assert not same_as(release, **same | {"questions": in_order(survey)[:2]})


def test_a_wanted_accuracy_is_of_the_counts() -> None:
    survey = joined_survey()
    asked = _of(survey)
    del asked["epsilon"]
    epsilon = epsilon_for(**asked, wanted=Fraction(20), unit="answers")
    assert check(**asked, epsilon=epsilon).plans[0].accuracy(0.95).at_most <= 20


def test_the_command_makes_the_same_release_and_the_same_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    survey = joined_survey()
    make_admin("ada")
    asked = ["--mechanism=joint_table", "--question=2", "--question=1", "--question=3", "--epsilon=1", "--user=ada"]
    asked += ["--reason=For a test.", "--yes"]
    with pytest.raises(CommandError, match="--outcome: "):
        call_command("release", survey.code, *asked, "--outcome=4")
    assert spent(survey) == 0
    call_command("release", survey.code, *asked, "--outcome=2", "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["parts"][0]["question"] == DRANK
    assert document["parts"][0]["found"]["model"] == "logistic"


REFUSED: dict[str, tuple[tuple[Question, ...], dict[str, Any], Why, str]] = {
    "one question": ((yes_no(),), {}, Why.UNSUITABLE_QUESTION, "2 .* 7"),
    "eight": (tuple(yes_no(f"Number {number}?") for number in range(8)), {}, Why.UNSUITABLE_QUESTION, "2 .* 7"),
    "several answers": ((yes_no(), several_of()), {}, Why.UNSUITABLE_QUESTION, several_of().text),
    "a proof": ((yes_no(), triangular()), {}, Why.UNSUITABLE_QUESTION, "ε"),
    "no outcome at all": ((one_of(), one_of(text="And?")), {}, Why.UNSUITABLE_QUESTION, one_of().text),
    "an outcome of words": ((one_of(), yes_no()), {}, Why.INVALID_OPTION, one_of().text),
    "not saying": ((yes_no(**PROTECTED), scale()), {}, Why.INVALID_OPTION, "Prefer not to say"),
    "a rounded predictor": ((yes_no(), number_mean()), {}, Why.INVALID_OPTION, number_mean().text),
    "no such outcome": ((yes_no(), one_of()), {"options": {"outcome": "7"}}, Why.INVALID_OPTION, ""),
    "no outcome told": ((yes_no(), one_of()), {"options": {}}, Why.INVALID_OPTION, ""),
    "an unknown option": ((yes_no(), one_of()), {"options": {"outcome": "1", "share": "1/2"}}, Why.INVALID_OPTION, ""),
    "too few answers": ((yes_no(), scale(), scale("And?")), {}, Why.UNSUITABLE_QUESTION, "50"),
    "too many truths": (
        (yes_no(), *(scale(f"Part {part}?", points=10) for part in range(3))),
        {},
        Why.UNSUITABLE_QUESTION,
        "2,000",
    ),
    "ε of 0": ((yes_no(), one_of()), {"epsilon": Fraction(0)}, Why.INVALID_EPSILON, "0"),
    "ε of NaN": ((yes_no(), one_of()), {"epsilon": math.nan}, Why.INVALID_EPSILON, "nan"),
    "δ of 1": ((yes_no(), one_of()), {"delta": Fraction(1)}, Why.INVALID_DELTA, "0.001"),
    "δ of NaN": ((yes_no(), one_of()), {"delta": math.nan}, Why.INVALID_DELTA, "nan"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_by_name_and_charges_nothing(case: str) -> None:
    drafts, changes, kind, words = REFUSED[case]
    survey = make_open(*drafts)
    items = sum(len(draft.options) if draft.kind == "several_of" else 1 for draft in drafts)
    fill(survey, {"1" * items: 40, "0" * items: 40})
    make_budget(survey, 10, Fraction(1, 1000))
    for refuse in (lambda: check(**_of(survey, **changes)), lambda: make_release(**_of(survey, **changes))):
        with refusing(kind, match=words) as refused:
            refuse()
        field = "share" if "share" in changes.get("options", {}) else "outcome"
        assert (refused.value.field == field) == (kind is Why.INVALID_OPTION)
    assert (spent(survey), Release.objects.count()) == (0, 0)


def test_no_interval_is_claimed_that_only_minutes_of_replicated_tables_would_give(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = joined_survey(100)
    make_release(**_of(survey), randbelow=seeded(1))
    monkeypatch.setattr(model, "MOST_REPLICATED", 4)
    [reading] = reading_of(charged_releases().get()).parts
    assert reading.finding.is_uninformative
    assert reading.finding.numbers()["method"] == "none"
    assert reading.finding.method == model.UNKNOWN


def test_an_outcome_is_never_among_its_predictors() -> None:
    [part] = check(**_of(joined_survey(400), options={"outcome": 2})).plans
    assert [question.number for question in part.questions] == [2, 1, 3]
    assert part.question.number not in [question.number for question in part.questions[1:]]


def test_a_design_that_determines_no_truths_is_refused_before_any_charge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Two reports of three truths.
    silent = from_matrix([["1/2", "1/4", "1/8"], ["1/2", "3/4", "7/8"]])
    for design, refused in ((warner("3/4"), False), (silent, True)):
        items = [SimpleNamespace(design=design)] * 2
        monkeypatch.setattr(plan, "columns_of", lambda _questions, _groups, items=items: items)
        with pytest.raises(ValueError, match="determine") if refused else nullcontext():
            _ = joint_table.PLAN((), {}, PrivacyLoss(Fraction(1)), 0).mechanism
