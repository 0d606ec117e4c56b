"""The sentences that carry a promise, a statistical claim or a warning, each held here and nowhere else."""

import datetime as dt
import re
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.template.loader import render_to_string
from django.test import Client
from pytest_django.fixtures import Settings

from surveys.models import ExactFigures, Mechanism, Survey
from surveys.questionnaire.question import Question
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.selectors.doors import why_suppressed
from surveys.releases.words.advice import Advice, advice_says, exact_figures_warning
from surveys.releases.words.picture import picture_title
from surveys.releases.words.release import accuracy_says, exact_figures_words
from tests.factories import PROTECTED, number_bands, number_mean, one_of, plain, scale, yes_no
from tests.pages import words_of
from tests.releases.asked import asked_as, terms_of
from tests.releases.refused import too_few
from tests.releases.setting import first, make_release, published_release, ready_survey
from tests.releases.steps import LIST, STEP_2, look, text_of


def _accuracy(draft: Question, mechanism: str) -> Callable[[], str]:
    return lambda: accuracy_says(terms_of(draft, mechanism, epsilon=Fraction(1, 10)), 0.95)


ACCURACY = [
    (
        _accuracy(yes_no(), "laplace_histogram"),
        "With probability 95%, the noise moves every count by at most 30 and every estimated share by at most 6 "
        "percentage points.",
    ),
    (
        _accuracy(one_of(), "most_common"),
        "With probability 95%, the chosen answer is at most 164 people (16.4 percentage points) behind the most "
        "common answer, as estimated from the reports.",
    ),
    (
        _accuracy(scale(), "quantile"),
        "With probability 95%, at most 185 people (18.5 percentage points) are between the chosen answer and the "
        "target rank, as estimated from the reports.",
    ),
    (
        _accuracy(number_bands(), "best_price"),
        "With probability 95%, the revenue at the chosen price is at most 164,000 € below the largest revenue, as "
        "estimated from the reports.",
    ),
    (
        _accuracy(number_mean(**PROTECTED), "mean"),
        "If everyone gives a number, the noise moves the result by at most 4.16 hours with probability 95%. The "
        "fewer people give a number, the more the noise can move the result, at worst to anywhere in the range.",
    ),
    (
        _accuracy(number_bands(), "variance"),
        "With probability 95%, the noise moves the result by at most 15,400,000 (€ squared).",
    ),
    (
        _accuracy(scale(), "smooth_median"),
        "With probability 95%, the noise has moved the median by no more than the limit that the release itself "
        "shows. For the most favourable data, with all reports the same answer, this limit is at most 0.077 in at "
        "least 95% of draws. For the least favourable data, the limit can be as much as 4, and nothing is learned.",
    ),
    (
        _accuracy(one_of(), "stable_mode"),
        "The published answer is exactly the most common one in the reports. If all reports are the same answer, "
        "this answer is published with probability 95%. The closer the answers’ counts are, the more likely the "
        "test is to fail. A failed test costs the same.",
    ),
    (
        _accuracy(scale(), "stable_median"),
        "In the most favourable data, all reports are the same answer. With probability 95%, the median is then "
        "published and the noise moves it by at most 4. For other data the test may fail. A failed test costs the "
        "same. This limit can be as large as the whole range, so the release may show nothing.",
    ),
    (
        _accuracy(scale(), "top"),
        "With probability 95%, each listed answer is at most 312 people (31.2 percentage points) behind the most "
        "common answer not listed before it. Answers are compared as estimated from the reports.",
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
    plan = terms_of(yes_no("Did you?"), Mechanism.GAUSSIAN_HISTOGRAM)
    advice = Advice(code, plan, facts)
    return lambda: advice_says(advice).partition(": ")[2]


ADVICE = [
    (
        _advice("answered"),
        "release R1 of 1 March 2026 (Noisy counts (discrete Laplace)) already shows this result, with an error of "
        "at most 3 percentage points (with probability 95%). Reading the result there costs nothing. That release "
        "is not public. Publish it instead of making a new one.",
    ),
    (
        _advice("free_serves"),
        "reports on “Did you?” are already locally private, so publishing their exact estimates reveals at most ε = "
        "1.11 about one true answer. For this release together with the earlier ones, this limit is ε = 0.5, which "
        "is hardly lower. The results page is enough. It is free and has no noise.",
    ),
    (
        _advice("noise_hides_all"),
        "with this ε and 120 answers to “Did you?”, the noise can hide the whole result, and the release "
        "would still be charged.",
    ),
    (
        _advice("reports_hide_all"),
        "with 120 answers to “Did you?”, sampling and randomized reports alone cause an error of up to about ±20 "
        "percentage points. No ε makes the release informative. Wait for more answers.",
    ),
    (
        _advice("another_draw"),
        "this would be draw 3 for “Did you?”. Each draw’s page lists the other draws. Unless all draws are "
        "published, intervals are wider (95% each), so that the stated 95% holds whichever draw is shown.",
    ),
    (
        _advice("delta_large"),
        "δ is larger than 0.1 divided by the number of answers to “Did you?” (120). With such a δ, a mechanism may "
        "publish someone’s whole report about one time in ten, or more often, and still keep its privacy promise.",
    ),
    (
        _advice("delta_not_small"),
        "δ is larger than the usual limit, 1 divided by the square of the number of answers to “Did you?” (120). A "
        "smaller δ makes the privacy promise stronger and costs little accuracy.",
    ),
    (
        _advice("what_it_costs"),
        "reports on “Did you?” are already locally private. Published without any noise, they reveal at most ε = "
        "1.11 about one true answer. This release reveals at most ε = 0.25, and at most ε = 0.5 together with the "
        "earlier ones. Anything computed from a release costs nothing more.",
    ),
    (
        _advice("sent_as_it_is"),
        "“Did you?” contains answers that were sent as they are, so only the noise of the release protects them. "
        "The release reveals at most ε = 0.25 about one true answer, and at most ε = 0.5 together with the earlier "
        "releases. Anything computed from releases costs nothing more.",
    ),
    (
        _advice("report_proves"),
        "a report on “Did you?” can prove an answer, so only the noise of the release protects that answer. The "
        "release reveals at most ε = 0.25 about one true answer, and at most ε = 0.5 together with the earlier "
        "releases. Anything computed from releases costs nothing more.",
    ),
]


def _nothing(family: str, **fields: Any) -> Callable[[], str]:
    """Return what is said of a finding from which nothing follows."""
    finding = SimpleNamespace(is_uninformative=True, **fields)
    return lambda: words_of(render_to_string(f"releases/found/_{family}.html", {"finding": finding}))


FINDINGS = [
    (
        _nothing("bounds", low="", high="", certainty_words=""),
        "No band’s noisy count is high enough to be sure that the band contains anyone’s number. The noisy counts "
        "are still published.",
    ),
    (
        _nothing("choice", label="Often", points=3),
        "“Often” was drawn, but the result is too uncertain to say with confidence which true answer is most common.",
    ),
    (
        _nothing("counts", headline=SimpleNamespace(name="Yes", share=0.5, low=0.0, high=1.0)),
        "This release is too uncertain to say how many people would truthfully answer “Yes”.",
    ),
    (
        _nothing("model", outcome="Did you?"),
        "This release is too uncertain to say what “Did you?” is associated with.",
    ),
    (
        _nothing("predictor", chosen="And?", outcome="Did you?", short_words="3"),
        "“And?” was drawn, but the result is too uncertain to say with confidence which question is most "
        "closely associated with “Did you?”.",
    ),
    (
        _nothing("price", price_words="5 €", short_words="3"),
        "The price 5 € was drawn, but the result is too uncertain to say with confidence which price brings the "
        "most revenue.",
    ),
    (
        _nothing("quantile", label="Often", name="median", below_at_most=0.5, up_to_at_least=0.5, points=3),
        "“Often” was drawn as the median, but the result is too uncertain to say with confidence "
        "where the true value is.",
    ),
    (
        _nothing("ranking", chosen=("Often",), points=3),
        "“Often” was chosen first, but the result is too uncertain to say with confidence which true answers are "
        "most common.",
    ),
    (
        _nothing("refused"),
        "The test was not passed: nothing was drawn, and the budget was still charged. Changing a few reports might "
        "have changed the answer, or the test’s noise may have made the test fail. A failed test protects like any "
        "other result.",
    ),
]


def _picture(left: int = 1, **spread: bool) -> Callable[[], str]:
    picture: Any = SimpleNamespace(epsilon=Fraction(1, 2), left=left, spreads={"": SimpleNamespace(**spread)})
    return lambda: picture_title(picture)


TITLES = [
    (
        _picture(is_hidden=False, is_smaller=False),
        "At ε 0.5, the noise is larger than the existing uncertainty",
    ),
    (
        _picture(is_hidden=False, is_smaller=True),
        "At ε 0.5, the noise is smaller than the existing uncertainty",
    ),
    (
        _picture(is_hidden=True, is_smaller=True),
        "At ε 0.5, the noise hardly adds to the existing uncertainty",
    ),
]


def _suppressed(draft: Question, state: str) -> Callable[[], str]:
    """Return why the number of answers to a question is not shown, in a survey of this state."""
    survey = Survey(state=state)
    snapshot: Any = SimpleNamespace(survey=survey, shows_number_of=lambda _question: False)
    definition: Any = SimpleNamespace(minimum_n=10)
    [asked] = asked_as(draft)
    return lambda: why_suppressed((asked,), lambda: (definition, snapshot))


def _noise(*, unprotected: bool, proves: bool) -> Callable[[], str]:
    """Return what is said of the noise of a release of one question."""
    truth = SimpleNamespace(local_epsilon=1.1, epsilon=0.25, report_proves=proves)
    of = SimpleNamespace(unprotected=unprotected, truth=truth)
    context = {"reading": of, "epsilon": "0.5", "parts": [1]}
    return lambda: re.findall("<p.*?>(.*?)</p>", render_to_string("releases/_noise.html", context))[0]


def _draws(chosen_from: int) -> Callable[[], str]:
    draws = SimpleNamespace(number=2, total=3, chosen_from=chosen_from, siblings=[])
    page = render_to_string("releases/_draws.html", {"draws": draws})
    return lambda: words_of(page.partition("</strong>")[2])


REFUSALS = [
    (
        _suppressed(plain(text="Sent?", leave_out="visibly"), "open"),
        "Answers to “Sent?” are sent as they are, and the question can be skipped. A release would reveal exactly "
        "how many people skipped it. This number can’t be shown until the survey is closed. Close the survey first, "
        "or choose other questions.",
    ),
    (
        _suppressed(plain(text="Sent?", leave_out="visibly"), "closed"),
        "Answers to “Sent?” are sent as they are, and the question can be skipped. A release would reveal exactly "
        "how many people skipped it. This number is not shown here, because it would set fewer than 10 people apart "
        "from all others. Choose other questions.",
    ),
    (
        _noise(unprotected=True, proves=False),
        "Unprotected answers were not randomized (local ε is infinite), and none of them is shown here. "
        "Only this release’s noise (central ε = 0.5) protects them.",
    ),
    (
        _noise(unprotected=False, proves=True),
        "A single report on this question could prove an answer (local ε is infinite), but no report is "
        "shown here. Only this release’s noise (central ε = 0.5) protects the true answer.",
    ),
    (
        _noise(unprotected=False, proves=False),
        "The reports were locally private before storage. Even published as they are, they would reveal at most ε = "
        "1.1 about one true answer. With its added noise, this release reveals at most ε = 0.25. The price is wider "
        "intervals.",
    ),
    (
        _draws(3),
        "Not all draws are public, so the draw shown may have been chosen for its result. Every interval and bound "
        "here is therefore wide enough to hold with the stated confidence, whichever of the 3 draws is shown.",
    ),
    (
        _draws(1),
        "All draws are public, so none was chosen over another.",
    ),
    (
        lambda: too_few(9, 10, in_batches=True),
        "9 answers to this question have been counted so far, but results need at least 10. Until the survey "
        "closes, answers are counted in batches, so that no figure reveals a single response.",
    ),
    (
        lambda: ReleaseRefused(Why.SEALED),
        "This survey is sealed, so nothing more can be released from it.",
    ),
    (
        lambda: ReleaseRefused(Why.LEDGER_HAS_GONE_ON),
        "The budget or its releases have changed since these terms were shown. Review the terms again.",
    ),
    (
        lambda: ReleaseRefused(Why.NEEDS_APPROVAL),
        "On this site, a second person approves each release. Propose the release first.",
    ),
    (
        lambda: ReleaseRefused(Why.OWN_PROPOSAL),
        "You proposed this release yourself, so another person must approve it.",
    ),
    (
        lambda: ReleaseRefused(Why.ANSWERS_HAVE_CHANGED, question="Did you?", then=100, now=105),
        "“Did you?” had 100 counted answers when this release was proposed, and now has 105. Propose the release "
        "again.",
    ),
    (
        lambda: exact_figures_words("shown_before"),
        "Before this release, respondents or viewers saw exact figures, without noise, on receipts or on a "
        "projector. Those figures are not counted here.",
    ),
    (
        lambda: exact_figures_words("shown_since"),
        "Since this release, respondents or viewers have seen exact figures, without noise, on receipts or on a "
        "projector. Those figures are not counted here.",
    ),
    (
        lambda: exact_figures_warning(Survey(exact_figures=ExactFigures.SHOWN)),
        "Respondents or viewers have seen exact figures from this survey, on receipts or on a projector. The noise "
        "of a release can’t hide these figures, as the release’s label will state.",
    ),
]


@pytest.mark.parametrize(("says", "sentence"), [*ACCURACY, *ADVICE, *FINDINGS, *TITLES, *REFUSALS])
def test_the_sentence_is_as_it_was_weighed(says: Callable[[], object], sentence: str) -> None:
    assert str(says()) == sentence


def _step_2(staff: Client, survey: Survey) -> str:
    return text_of(staff.get(STEP_2, {"survey": survey.pk, "questions": first(survey)}))


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
    (
        _step_2,
        "All figures are based only on public numbers: the design and how many people answered. No answer was read.",
    ),
    (
        _step_3,
        "Nothing has been charged and no answer has been read, only how many people skipped a question, to count "
        "answers.",
    ),
    (_step_3, "The release is drawn once and charged to the budget. This can’t be undone."),
    (_release, "You can withdraw the release later, but you can’t undo what people have already seen."),
    (_published, "Withdrawing hides the public page. It can’t undo the charge, or what people have already seen."),
    (
        _public,
        "This release changes anyone’s odds between two true answers of one response at most 1.28-fold, even if "
        "that person knows all other reports.",
    ),
    (
        _public,
        "Reloading this release, plotting or rounding it, or computing with it costs nothing and reveals nothing new, "
        "because it is one stored draw.",
    ),
    (
        _ledger,
        "Lines can’t be changed or deleted. Raising or lowering the total adds a line with a reason. Spent budget "
        "is never refunded.",
    ),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("page", "sentence"), PAGES)
def test_the_page_says_it(staff: Client, page: Callable[[Client, Survey], str], sentence: str) -> None:
    assert sentence in page(staff, ready_survey())


@pytest.mark.django_db
def test_where_two_people_decide_nothing_is_drawn_before_the_second(staff: Client, settings: Settings) -> None:
    settings.RELEASES_NEED_APPROVAL = True
    sentence = "Another staff member reviews these terms, then approves or declines them."
    assert f"{sentence} Until then, nothing is drawn or charged." in _step_3(staff, ready_survey())
