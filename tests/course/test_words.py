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
            "1 question is not protected. The answer to question 3 is sent as it is.",
            "Opening freezes the survey. Its questions, answer options and designs can’t be changed afterwards.",
            "Question 2 has a report that proves an answer, so its ε is infinite and not included in any total.",
            "Question 3 is sensitive and sent as it is. Anyone who exports the answers sees each person’s answer to "
            "it next to that person’s other reports.",
        ],
    ),
    (
        "survey-close",
        _few,
        [
            "Closing can’t be undone. 3 people have answered.",
            "Results will stay hidden, because at least 10 people are needed.",
        ],
    ),
    (
        "survey-seal",
        _closed,
        [
            "Sealing can’t be undone. Only counts of the reports remain.",
            "The keyed hashes that could identify the pages from which 12 responses were sent",
            "30 invitations, and the record of which of them were used",
            "The counts of 12 responses, with all results and exports",
            "Earlier backups: delete them, because they still contain the destroyed data",
        ],
    ),
    (
        "survey-purge",
        _released,
        [
            "Purging can’t be undone. It destroys all reports in 100 responses, and all results.",
            "100 responses, stored as counts (different combinations of reports: 2)",
            "All further releases (the remaining budget of ε = 0.50 can’t be spent)",
            "1 release (1 published) and the ledger, because the draw can’t be undone",
            "Earlier backups: delete them, because they still contain the destroyed data",
        ],
    ),
    (
        "answer",
        _with_a_day,
        [
            "On 1 March 2900 all answers will be destroyed.",
            "All of this and the totals made from it will be destroyed here by 1 March 2900. Figures published before "
            "then stay.",
        ],
    ),
    (
        "survey-ethics",
        _with_a_day,
        ["Until 1 March 2900. On that day the survey is purged automatically, whatever its state."],
    ),
    (
        "survey-ethics",
        make_open,
        ["The program sets no date. Reports are kept until the survey owner purges the survey and"],
    ),
    ("survey-detail", _with_next_version, ["Results are never pooled"]),
    (
        "survey-detail",
        make_open,
        [
            "Times, the maximum number of responses and group names are not frozen, because no promise depends on "
            "them.",
            "Results need at least 10 responses. Responses so far: 0.",
        ],
    ),
    (
        "survey-detail",
        lambda: seal_survey(survey=close_survey(survey=ready_survey())),
        ["Only counts of the reports remain."],
    ),
    ("survey-detail", lambda: purge_survey(survey=_few_closed()), ["The reports have been deleted"]),
    ("survey-detail", _purged, ["The reports have been destroyed"]),
]


@pytest.mark.parametrize(("name", "make", "sentences"), SENTENCES)
def test_a_page_promises_or_warns(name: str, make: Callable[[], Survey], sentences: list[str]) -> None:
    survey = make()
    reader = Client() if name == "answer" else owner_of(survey)
    page = words_of(text_of(reader.get(reverse(name, args=[survey.code]))))
    assert [sentence for sentence in sentences if sentence not in page] == []
