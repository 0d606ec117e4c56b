"""Every kind of question with every design that suits it, in an arm of its own, answered in every mode that can."""

from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from surveys.answering.words.own_chance import possible_with_coins
from surveys.common.selectors import definition_of
from surveys.models import Response, Survey
from surveys.questionnaire import designs, kinds
from surveys.questionnaire.arms import MOST_ARMS
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import LeaveOut
from surveys.questionnaire.question import Question
from surveys.questionnaire.reports import CODES, LEFT_OUT
from tests.browser.answering import answer_all, fill_in, tap, truths_of
from tests.browser.combinations import COMBINATIONS, Combination
from tests.browser.conftest import NewContext
from tests.browser.walk import begin, send
from tests.factories import make_open, yes_no

_TAPPED = 1


def _surveys() -> list[list[Combination]]:
    """Return as many at once as a survey has arms beside the first, which is protected: else not all would open."""
    lots: list[list[Combination]] = [[]]
    for combination in COMBINATIONS:
        if 1 + sum(other.arms for other in lots[-1]) + combination.arms > MOST_ARMS:
            lots.append([])
        lots[-1].append(combination)
    return lots


def _open(combinations: list[Combination]) -> Survey:
    drafts: list[Question] = [yes_no(arms=[1])]
    for combination in combinations:
        drafts += combination.drafts(len(drafts) + 1)
    arms = [{"name": f"Arm {number}", "weight": 1} for number in range(1, len(drafts) + 1)]
    return make_open(*drafts, arms=arms, server_mode_allowed=True)


class _Respondents:
    """People who answer, each with a browser of their own that is in an arm already."""

    def __init__(self, new_context: NewContext, site: str, survey: Survey) -> None:
        self._new_context, self._site, self.survey = new_context, site, survey
        self._seen: Counter[tuple[str, str]] = Counter()

    def page(self, arm: int) -> Page:
        context = self._new_context(reduced_motion="reduce")
        cookie = {"name": "deniable_arm", "value": str(arm), "domain": "localhost", "path": f"/s/{self.survey.code}/"}
        context.add_cookies([cookie | {"domain": self._site.split("//")[1].split(":")[0]}])
        return context.new_page()

    def stored(self) -> list[tuple[str, str]]:
        """Return what has been stored since this was last asked."""
        stored = Counter(Response.objects.values_list("mode", "reports"))
        new = stored - self._seen
        self._seen = stored
        return list(new.elements())


def _answers(people: _Respondents, met: Definition) -> Iterator[tuple[str, str | None]]:
    """Answer in every mode that can; yield the mode, and the reports where these are known before they are sent."""
    arm, address = (met.arm.number if met.arm else 0), f"/s/{people.survey.code}/"
    page = people.page(arm)
    begin(page, people.survey)
    answer_all(page, met, truths_of(met, variant=0, tapped=_TAPPED), lambda *_shown: None)
    # What the page says that it will send, letter for letter.
    payload = dict(line.split(": ", 1) for line in (page.locator("#payload").text_content() or "").split("\n"))
    send(page)
    yield "device", payload["reports"]
    if met.questions[0].can_be_left_out:
        page = people.page(arm)
        begin(page, people.survey)
        page.locator("[data-leave-out]:visible").click()
        send(page)
        yield "device", LEFT_OUT * len(met.items)
    if possible_with_coins(met):
        page = people.page(arm)
        page.goto(f"{address}own-coin/")
        tap(page, met, CODES[_TAPPED] * len(met.items))
        page.locator("main [type=submit]").click()
        page.wait_for_url("**/receipt/")
        yield "own_coin", CODES[_TAPPED] * len(met.items)
    page = people.page(arm)
    page.goto(f"{address}server/")
    fill_in(page, met, truths_of(met, variant=0, tapped=_TAPPED))
    page.locator("main [type=submit]").click()
    page.wait_for_url("**/receipt/")
    yield "server", CODES[_TAPPED] * len(met.items) if all(item.tapped for item in met.items) else None


def _wrong(people: _Respondents) -> list[str]:
    definition, wrong = definition_of(people.survey), []
    for met in definition.each_arm:
        question = met.questions[0]
        name = f"{question.kind}, {question.design.name}, left out {question.leave_out}"
        for mode, sent in _answers(people, met):
            rows = people.stored()
            if len(rows) != 1 or rows[0][0] != mode:
                wrong.append(f"{name}: {rows} by {mode}")
                continue
            ((_mode, reports),) = rows
            if misfit := definition.misfit(reports):
                wrong.append(f"{name}, {mode}: {misfit}")
            elif definition.arm_of(reports) != met:
                wrong.append(f"{name}, {mode}: in the arm of {reports}")
            elif sent is not None and met.reports_here(reports) != sent:
                wrong.append(f"{name}, {mode}: {reports} for {sent}")
    return wrong


def test_no_kind_and_no_design_is_forgotten() -> None:
    assert {combination.kind for combination in COMBINATIONS} == {kind.name for kind in kinds.every()}
    assert {combination.design for combination in COMBINATIONS} == {design.name for design in designs.every()}
    assert {combination.leave_out for combination in COMBINATIONS} == set(LeaveOut)


@pytest.mark.slow
@pytest.mark.parametrize("combinations", _surveys(), ids=lambda some: f"{some[0].kind}-{some[0].design}")
def test_what_is_stored_is_what_was_sent_in_its_arm(
    new_context: NewContext, site: str, combinations: list[Combination]
) -> None:
    assert _wrong(_Respondents(new_context, site, _open(combinations))) == []


@pytest.mark.slow
def test_an_answer_stored_in_another_arm_would_be_noticed(
    new_context: NewContext, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = _Respondents(new_context, site, _open(COMBINATIONS[:1]))
    stored = Definition.stored
    monkeypatch.setattr(Definition, "stored", lambda met, reports: stored(met.all_arms.in_arm(1), reports))
    assert any("arm of" in fault for fault in _wrong(people))
