"""The sentences of a survey's own pages that promise something or warn of a loss, each held here only."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from surveys.course.services import begin_next_version, close_survey, purge_survey, seal_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from surveys.sharing.services import invite, new_batch
from tests.factories import fill, make_draft, make_open, plain, send, triangular, yes_no
from tests.pages import owner_of, text_of, words_of
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db


def _few() -> Survey:
    survey = make_open()
    fill(survey, {"1": 3})
    return survey


def _closed() -> Survey:
    survey = make_open(by_invitation=True, minimum_n=5)
    for token in invite(survey=survey, number=30, batch=new_batch()).tokens[:12]:
        send(survey, "1", token=token)
    return close_survey(survey=survey)


def _released() -> Survey:
    survey = ready_survey({"0": 61, "1": 39}, epsilon=1)
    published_release(survey)
    add_group(survey=survey, name="Monday")
    return close_survey(survey=survey)


def _purged() -> Survey:
    survey = purge_survey(survey=_few_closed())
    survey.erasures.all().delete()
    return survey


def _few_closed() -> Survey:
    return close_survey(survey=_few())


def _with_a_day() -> Survey:
    return make_open(purge_on=dt.date(2900, 3, 1))


def _with_next_version() -> Survey:
    survey = make_open()
    begin_next_version(survey=survey)
    return survey


# For each page: a survey, and sentences that its reader finds there.
SENTENCES: list[tuple[str, Callable[[], Survey], list[str]]] = [
    (
        "survey-open",
        lambda: make_draft(yes_no(), triangular(), plain(text="What is your religion?")),
        [
            "1 question is not protected: question 3 is sent as it is.",
            "Opening freezes the survey: its questions, answers and designs can’t be changed afterwards.",
            "Question 2 has a report that proves an answer: its ε is infinite, and no sum holds it.",
            "Question 3 is sensitive and sent as it is: whoever exports the answers reads it beside each person’s other"
            " reports.",
        ],
    ),
    (
        "survey-close",
        _few,
        [
            "A closed survey never opens again. 3 people answered.",
            "The results stay hidden: they need 10 people.",
        ],
    ),
    (
        "survey-seal",
        _closed,
        [
            "Sealing can’t be undone. Only totals of the reports remain.",
            "The keyed hashes by which the pages that sent the 12 answers could be known again",
            "30 invitations, and which of them were used",
            "The sums of 12 answers, with all results and exports",
            "Earlier backups: delete them, because they contain what is destroyed here",
        ],
    ),
    (
        "survey-purge",
        _released,
        [
            "Purging cannot be taken back. It destroys the reports of 100 answers, and with them all results.",
            "100 answers, counted in 2 different combinations of reports",
            "All further releases: ε = 0.50 of the budget is not spent, and never will be",
            "1 release, 1 of them published, and the ledger: what was drawn and told cannot be untold",
            "Earlier backups: delete them, because they contain what is destroyed here",
        ],
    ),
    (
        "answer",
        _with_a_day,
        [
            "On 1 March 2900 all answers are destroyed.",
            "On 1 March 2900 at the latest all of this is destroyed here",
        ],
    ),
    ("survey-ethics", _with_a_day, ["Until 1 March 2900: on that day the survey purges itself"]),
    ("survey-ethics", make_open, ["No date is set by the program"]),
    ("survey-detail", _with_next_version, ["Results are never pooled"]),
    (
        "survey-detail",
        make_open,
        [
            "Not frozen, because no promise depends on them: times, maximum responses and group names.",
            "Results appear once 10 people have answered; 0 have so far.",
        ],
    ),
    ("survey-detail", lambda: seal_survey(survey=close_survey(survey=ready_survey())), ["Only sums are left"]),
    ("survey-detail", lambda: purge_survey(survey=_few_closed()), ["The reports are deleted"]),
    ("survey-detail", _purged, ["The reports are destroyed"]),
]


@pytest.mark.parametrize(("name", "make", "sentences"), SENTENCES)
def test_a_page_promises_or_warns(name: str, make: Callable[[], Survey], sentences: list[str]) -> None:
    survey = make()
    reader = Client() if name == "answer" else owner_of(survey)
    page = words_of(text_of(reader.get(reverse(name, args=[survey.code]))))
    assert [sentence for sentence in sentences if sentence not in page] == []
