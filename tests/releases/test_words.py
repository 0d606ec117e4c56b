"""The sentences that carry a promise, a statistical claim or a warning, each held here and nowhere else."""

import datetime as dt
import re
from collections.abc import Callable
from fractions import Fraction
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.template.loader import render_to_string
from django.test import Client
from pytest_django.fixtures import Settings

from surveys.drafts.services.surveys import QuestionDraft
from surveys.models import ExactFigures, Mechanism, Survey
from surveys.releases.figures.advice import Advice, Severity
from surveys.releases.selectors.doors import why_suppressed
from surveys.releases.services.refusals import (
    AnswersHaveChanged,
    LedgerHasGoneOn,
    NeedsApproval,
    OwnProposal,
    Sealed,
    TooFewAnswers,
)
from surveys.releases.words.accuracy import accuracy_says
from surveys.releases.words.advice import advice_says
from surveys.releases.words.picture import picture_title
from surveys.releases.words.release import exact_figures_warning, exact_figures_words
from tests.factories import PROTECTED, number_bands, number_mean, one_of, plain, scale, yes_no
from tests.pages import words_of
from tests.releases.asked import asked_as, terms_of
from tests.releases.setting import first, make_release, published_release, ready_survey
from tests.releases.steps import LIST, STEP_2, look, text_of


def _accuracy(draft: QuestionDraft, mechanism: str) -> Callable[[], str]:
    return lambda: accuracy_says(terms_of(draft, mechanism, epsilon=Fraction(1, 10)), 0.95)


ACCURACY = [
    (
        _accuracy(yes_no(), "laplace_histogram"),
        "With 95% certainty the noise moves no count by more than 30, and no estimated share by more than 6 "
        "percentage points.",
    ),
    (
        _accuracy(one_of(), "most_common"),
        "With 95% certainty the answer chosen is at most 164 people (16.4 percentage points) short of the "
        "most common one, as estimated from the reports.",
    ),
    (
        _accuracy(scale(), "quantile"),
        "With 95% certainty at most 185 people (18.5 percentage points) are between the answer chosen and "
        "the rank asked for, as estimated from the reports.",
    ),
    (
        _accuracy(number_bands(), "best_price"),
        "With 95% certainty the revenue at the price chosen is at most 164,000 € short of the largest one, "
        "as estimated from the reports.",
    ),
    (
        _accuracy(number_mean(**PROTECTED), "mean"),
        "If everybody says a number, the noise moves the result by at most 4.16 hours with 95% certainty; "
        "the fewer say one, the more, up to anything within the range.",
    ),
    (
        _accuracy(number_bands(), "variance"),
        "With 95% certainty the noise moves the result by at most 15,400,000 (€ squared).",
    ),
    (
        _accuracy(scale(), "smooth_median"),
        "The release itself says how far the noise may have moved the median, with 95% certainty. For the "
        "most favourable data, where all reports are the same answer, that is at most 0.077 in at least 95% "
        "of draws; for the least favourable ones it can be all of 4, and nothing is learned.",
    ),
    (
        _accuracy(one_of(), "stable_mode"),
        "What is published is exactly what is most common by the reports. If all of them are the same "
        "answer, it is published with 95% certainty; the closer the answers are, the likelier is a refusal, "
        "which costs as much.",
    ),
    (
        _accuracy(scale(), "stable_median"),
        "For the most favourable data, where all reports are the same answer, the median is published, and "
        "the noise moves it by at most 4, with 95% certainty; for others it may be refused, which costs as "
        "much. That can be everything: it may say nothing.",
    ),
    (
        _accuracy(scale(), "top"),
        "With 95% certainty each answer named is at most 312 people (31.2 percentage points) short of the "
        "most common one not named before it, as estimated from the reports.",
    ),
]


def _advice(code: str) -> Callable[[], str]:
    """Return what an advice says, without how much it matters."""
    facts = {
        "date": dt.date(2026, 3, 1),
        "release": "R1",
        "mechanism": Mechanism.LAPLACE_HISTOGRAM,
        "earlier_n": 100,
        "n": 120,
        "level": 0.95,
        "unit": "points",
        "at_most": 3.0,
        "would_be": 5.0,
        "published": False,
        "local_epsilon": 1.1,
        "truth_epsilon": 0.25,
        "together": 0.5,
        "delta": 0,
        "reports": 20.0,
        "epsilon": 2.0,
        "enough": 0.75,
        "number": 3,
        "stated": 0.95,
    }
    advice = Advice(code, Severity.NOTE, asked_as(yes_no("Did you?"))[0], MappingProxyType(facts))
    return lambda: advice_says(advice).partition(": ")[2]


ADVICE = [
    (
        _advice("answered"),
        "the release R1 of 1 March 2026 (Noisy counts (discrete Laplace)) already tells this, off by at most "
        "3 percentage points with 95% certainty. Reading it off costs nothing. It is not public: publish it "
        "instead.",
    ),
    (
        _advice("free_serves"),
        "reports to “Did you?” are already locally private, and publishing their exact estimates costs one "
        "truth at most ε = 1.11. With this release and the earlier ones it is 0.5, hardly less: the results "
        "page serves, for free and without noise.",
    ),
    (
        _advice("noise_hides_all"),
        "with this ε and 120 answers to “Did you?” the noise can hide everything, and it would be charged.",
    ),
    (
        _advice("reports_hide_all"),
        "with 120 answers to “Did you?” the chance in the reports themselves is up to about ±20 percentage "
        "points: no ε makes that tell anything. Wait for more answers.",
    ),
    (
        _advice("another_draw"),
        "this would be draw 3 of “Did you?”. Unless all draws of it are published, each says so and names "
        "the others, and its intervals are wider: at 95% each, for 95% whichever is shown.",
    ),
    (
        _advice("delta_large"),
        "δ is larger than a tenth of 1 divided by the 120 answers to “Did you?”: a mechanism may then "
        "publish somebody’s whole report about one time in ten, or more often, and keep its promise.",
    ),
    (
        _advice("delta_not_small"),
        "δ is larger than 1 divided by the square of the 120 answers to “Did you?”, which is the usual "
        "limit: a smaller one makes the promise stronger and costs little accuracy.",
    ),
    (
        _advice("what_it_costs"),
        "reports to “Did you?” are already locally private: published without any noise they cost one truth "
        "at most ε = 1.11, by this release 0.25, with the earlier ones 0.5. Whatever is computed from a "
        "release costs nothing more.",
    ),
    (
        _advice("sent_as_it_is"),
        "“Did you?” holds answers that were sent as they are, so only the chance of the release protects: "
        "one truth costs ε = 0.25, with the earlier releases 0.5. Whatever is computed from them costs "
        "nothing more.",
    ),
    (
        _advice("report_proves"),
        "a report to “Did you?” can prove an answer, so only the chance of the release protects: one truth "
        "costs ε = 0.25, with the earlier releases 0.5. Whatever is computed from them costs nothing more.",
    ),
]


def _nothing(family: str, **fields: Any) -> Callable[[], str]:
    """Return what is said of a finding from which nothing follows."""
    finding = SimpleNamespace(is_uninformative=True, **fields)
    return lambda: words_of(render_to_string(f"releases/found/_{family}.html", {"finding": finding}))


FINDINGS = [
    (
        _nothing("bounds", low="", high="", certainty_words=""),
        "No band’s noisy count is high enough to be sure that anyone’s number is in it. The noisy counts are still published.",
    ),
    (
        _nothing("choice", label="Often", points=3),
        "“Often” was drawn, but so much chance was added that with confidence this says nothing about which "
        "true answer is most common.",
    ),
    (
        _nothing("counts", headline=SimpleNamespace(name="Yes", share=0.5, low=0.0, high=1.0)),
        "So much chance was added that this release says nothing about how many people would truly answer “Yes”.",
    ),
    (
        _nothing("model", outcome="Did you?"),
        "So much chance was added that this release says nothing about what goes with “Did you?”.",
    ),
    (
        _nothing("predictor", chosen="And?", outcome="Did you?", short_words="3"),
        "“And?” was drawn, but so much chance was added that with confidence this says nothing about which "
        "of these goes most with “Did you?”.",
    ),
    (
        _nothing("price", price_words="5 €", short_words="3"),
        "The price 5 € was drawn, but so much chance was added that with confidence this says nothing about "
        "which price brings most.",
    ),
    (
        _nothing("quantile", label="Often", name="median", below_at_most=0.5, up_to_at_least=0.5, points=3),
        "“Often” was drawn as the median, but so much chance was added that with confidence this says "
        "nothing about where it truly is.",
    ),
    (
        _nothing("ranking", chosen=("Often",), points=3),
        "“Often” was drawn first, but so much chance was added that with confidence this says nothing about "
        "which true answers are most common.",
    ),
    (
        _nothing("refused"),
        "The test refused: nothing was drawn, and it was charged all the same. The reports may be too close "
        "to ones with another answer, or chance decided so; a refusal protects like any other result.",
    ),
]


def _picture(left: int = 1, **spread: bool) -> Callable[[], str]:
    picture: Any = SimpleNamespace(epsilon=Fraction(1, 2), left=left, spreads={"": SimpleNamespace(**spread)})
    return lambda: picture_title(picture)


TITLES = [
    (
        _picture(is_hidden=False, is_smaller=False),
        "At ε 0.5 the noise is larger than the uncertainty there is",
    ),
    (
        _picture(is_hidden=False, is_smaller=True),
        "At ε 0.5 the noise stays smaller than the uncertainty there is",
    ),
    (
        _picture(is_hidden=True, is_smaller=True),
        "At ε 0.5 the noise is hardly seen beside the uncertainty there is",
    ),
]


def _suppressed(draft: QuestionDraft, state: str) -> Callable[[], str]:
    """Return why the number of answers to a question is not shown, in a survey of this state."""
    survey = Survey(state=state)
    snapshot: Any = SimpleNamespace(survey=survey, shows_number_of=lambda _question: False)
    definition: Any = SimpleNamespace(minimum_n=10)
    [asked] = asked_as(draft)
    return lambda: why_suppressed(asked, lambda: (definition, snapshot))


def _after_the_first(sentences: Callable[[], str]) -> Callable[[], str]:
    return lambda: sentences().partition(". ")[2]


def _noise(**reading: bool) -> Callable[[], str]:
    """Return what is said of the noise of a release of one question."""
    of = SimpleNamespace(**reading, truth=SimpleNamespace(local_epsilon=1.1, epsilon=0.25))
    context = {"reading": of, "epsilon": "0.5", "parts": [1]}
    return lambda: re.findall("<p.*?>(.*?)</p>", render_to_string("releases/_noise.html", context))[0]


def _draws(chosen_from: int) -> Callable[[], str]:
    draws = SimpleNamespace(number=2, total=3, chosen_from=chosen_from, siblings=[])
    page = render_to_string("releases/_draws.html", {"draws": draws})
    return lambda: words_of(page.partition("</strong>")[2])


REFUSALS = [
    (
        _suppressed(plain(text="Sent?", leave_out="visibly"), "open"),
        "“Sent?” is sent as it is and can be left out: a release would tell exactly how many left it out. "
        "That can be told only once the survey is closed. Close it first, or choose other questions.",
    ),
    (
        _after_the_first(_suppressed(plain(text="Sent?", leave_out="visibly"), "closed")),
        "Here that number is not told, as it would tell fewer than 10 people from all others. Choose other questions.",
    ),
    (
        _noise(unprotected=True, proves=False),
        "Answers that were sent as they are have no chance of their own (local ε is infinite), and none is "
        "shown here: the chance of this release (central ε = 0.5) alone protects them.",
    ),
    (
        _noise(unprotected=False, proves=True),
        "A single report to this question could prove an answer (local ε is infinite), but no report is "
        "shown here: the chance of this release (central ε = 0.5) alone protects the truth.",
    ),
    (
        _noise(unprotected=False, proves=False),
        "The reports were locally private before anybody stored them: even if all of them were published as "
        "they are, they would tell about one truth at most ε = 1.1. Drawn with chance once more, this "
        "release tells at most ε = 0.25. That difference is what the chance of this release buys, and the "
        "wider intervals are its price.",
    ),
    (
        _draws(3),
        "Not all of them are public, so the one that is shown may have been chosen for what it says. Every "
        "interval and bound here is therefore wide enough to hold with the confidence stated, whichever of "
        "the 3 is shown.",
    ),
    (
        _draws(1),
        "All of them are public, so none was chosen over another.",
    ),
    (
        lambda: TooFewAnswers(9, 10, in_batches=True),
        "9 answers to this question are counted so far; the survey shows results from 10 on. Until it "
        "closes, answers are counted in batches, so that no figure tells of one response.",
    ),
    (
        Sealed,
        "This survey is sealed: nothing more can be released from it.",
    ),
    (
        LedgerHasGoneOn,
        "The budget or its releases have changed since these terms were shown. Review the terms again.",
    ),
    (
        NeedsApproval,
        "On this site, a second person approves each release. Propose it first.",
    ),
    (
        OwnProposal,
        "You proposed this release yourself, so someone else must approve it.",
    ),
    (
        lambda: AnswersHaveChanged("Did you?", 100, 105),
        "“Did you?”: when this was proposed, 100 answers were counted, and now 105 are. Propose it again.",
    ),
    (
        lambda: exact_figures_words("shown_before"),
        "Before this release, respondents or viewers saw exact figures without its noise, on receipts or on "
        "a projector. They are not counted here.",
    ),
    (
        lambda: exact_figures_words("shown_since"),
        "Since this release, respondents or viewers have seen exact figures without its noise, on receipts "
        "or on a projector. They are not counted here.",
    ),
    (
        lambda: exact_figures_warning(Survey(exact_figures=ExactFigures.SHOWN)),
        "Respondents or viewers have seen exact figures of this survey, on receipts or on a projector. The "
        "noise of a release can’t hide what they saw, and its label will say so.",
    ),
]


@pytest.mark.parametrize(("says", "sentence"), [*ACCURACY, *ADVICE, *FINDINGS, *TITLES, *REFUSALS])
def test_the_sentence_is_as_it_was_weighed(says: Callable[[], object], sentence: str) -> None:
    assert str(says()) == sentence


def _step_2(staff: Client, survey: Survey) -> str:
    return text_of(staff.get(STEP_2, {"survey": survey.pk, "questions": first(survey).pk}))


def _step_3(staff: Client, survey: Survey) -> str:
    return text_of(look(staff, survey))


def _release(staff: Client, survey: Survey) -> str:
    return text_of(staff.get(f"{LIST}{quote(make_release(survey).pk)}/change/"))


def _published(staff: Client, survey: Survey) -> str:
    return text_of(staff.get(f"{LIST}{quote(published_release(survey).pk)}/change/"))


def _public(staff: Client, survey: Survey) -> str:
    return text_of(staff.get(f"/r/{published_release(survey).pk}/"))


def _ledger(staff: Client, survey: Survey) -> str:
    return text_of(staff.get(f"/admin/surveys/budget/{survey.budget.pk}/change/"))


PAGES = [
    (_step_2, "Drawn from public numbers alone: the design and how many answered. No answer was looked at."),
    (
        _step_3,
        "Nothing has been charged, and no answer has been looked at: of the reports only how many leave a question out "
        "was read, for the number of answers.",
    ),
    (_step_3, "The draw is made once and charged for good: there is no way back."),
    (_release, "It can be withdrawn; what was seen meanwhile stays seen."),
    (_published, "It gives nothing back: the charge stays, and whoever has seen the release has seen it."),
    (
        _public,
        "Whoever sees this release, and even knows all other reports, can change the odds between two true answers of "
        "one response at most 1.28-fold.",
    ),
    (
        _public,
        "Refreshing, plotting, rounding or computing with this release costs nothing and tells nothing new: it is one "
        "stored draw.",
    ),
    (
        _ledger,
        "Lines can’t be changed or deleted. Raising or lowering the total adds a line with a reason; spent budget is never refunded.",
    ),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("page", "sentence"), PAGES)
def test_the_page_says_it(staff: Client, page: Callable[[Client, Survey], str], sentence: str) -> None:
    assert sentence in page(staff, ready_survey())


@pytest.mark.django_db
def test_where_two_people_decide_nothing_is_drawn_before_the_second(staff: Client, settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = True
    sentence = "Somebody else on the staff looks at these terms, and approves or declines them."
    assert f"{sentence} Until then nothing is drawn or charged." in _step_3(staff, ready_survey())
