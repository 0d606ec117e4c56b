"""One rule for all pages and files of a survey: what one shows of groups and modes gives away nothing of another."""

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

import numpy as np
import pytest
from django.urls import reverse

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.models import Survey
from surveys.responses import told as rule
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.selectors.tally import MISSING, tally_of
from surveys.responses.told import separable_groups, separable_parts
from tests.exporting.reports import download
from tests.factories import make_open, one_of, yes_no
from tests.pages import owner_of, page_of, rows_under, text_of, words_of
from tests.results.grouping import answer, group_of

pytestmark = pytest.mark.django_db
_WITHHELD = "(withheld)"


def _file(survey: Survey) -> list[dict[str, str]]:
    text = download(owner_of(survey), survey, "survey-export-csv").decode()
    return list(csv.DictReader(io.StringIO(text)))


def _parts_on_page(survey: Survey, number: int, name: str) -> dict[str, int]:
    """The number of answers of each group or mode that a question's page shows, in the table of that name."""
    response = owner_of(survey).get(reverse("survey-results-question", args=[survey.code, number]))
    page, table = text_of(response), response.context.get(name)
    rows = rows_under(page, table.caption) if table and table.caption in page else []
    assert len(rows) == (len(table.rows) if table else 0)
    return {row[0]: int(row[1]) for row in rows}


def _groups_on_pages(survey: Survey) -> dict[str, dict[str, int]]:
    """The number of answers of each group that a page shows separately, by page."""
    names = sorted(survey.groups.values_list("name", flat=True))
    overview = words_of(page_of("survey-results", survey))
    pages = {"overview": {name: int(n) for name, n in re.findall(r"(class \w+) \((\d+)\)", overview)}}
    for number in range(1, len(definition_of(survey).questions) + 1):
        pages[f"question {number}"] = {name: n for name, n in _parts_on_page(survey, number, "groups").items() if n}
        page = page_of("survey-results-groups", survey, f"?item={number}&option=1")
        rows = rows_under(page, "“Yes” by group") if "“Yes” by group" in page else []
        pages[f"groups {number}"] = {row[0]: int(row[1]) for row in rows if row[0] in names}
    return pages


def _too_small(survey: Survey) -> list[str]:
    """Whatever pages and the file together show of fewer people than the minimum, but not of nobody.

    A class is found by its own figures, or by what all pages and the file leave when others are taken away.
    """
    rows, pages, minimum = _file(survey), _groups_on_pages(survey), survey.minimum_n
    slugs = dict(survey.groups.values_list("name", "slug"))
    shown = {slug for name, slug in slugs.items() if any(name in page for page in pages.values())}
    shown |= {row["group"] for row in rows} - {_WITHHELD}
    keys = {slug: pk for pk, slug in survey.groups.values_list("pk", "slug")} | {"": 0}
    responses = tally_of(survey, items=len(definition_of(survey).items))
    everybody = np.ones(responses.counts.size, dtype=bool)
    small = []
    for question, answered in enumerate([everybody, *(responses.patterns != MISSING).T]):
        sizes: Counter[int] = Counter()
        for group, count in zip(responses.groups[answered].tolist(), responses.counts[answered].tolist(), strict=True):
            sizes[group] += count
        if sum(sizes.values()) < minimum:
            continue
        for number in range(len(shown) + 1):
            for parts in combinations(sorted(shown), number):
                together = sum(sizes[keys[part]] for part in parts)
                small += [
                    f"question {question}: {parts} {size}"
                    for size in (together, sum(sizes.values()) - together)
                    if 0 < size < minimum
                ]
    for row in {tuple(page.items()) for page in pages.values()}:
        for name, _n in row:
            if slugs[name] not in {line["group"] for line in rows}:
                small.append(f"a page shows {name}, the file does not")
    return small


def _one_left_out(survey: Survey) -> Survey:
    """Somebody alone in a class, who left the first question out, beside two large classes."""
    for name, reports in (("A", {"00": 50, "10": 30, "11": 20}), ("D", {"00": 25, "11": 25}), ("C", {"-2": 1})):
        answer(survey, reports, group_of(survey, f"class {name}"))
    return close_survey(survey=survey)


def _survey(seed: int) -> Survey:
    random = Random(seed)  # noqa: S311 - answers of nobody
    survey = make_open(yes_no(), yes_no("And?"), yes_no("Ever?", leave_out="no"), minimum_n=10)
    for name in "ABCD"[: random.randint(2, 4)]:
        counts = {
            f"{first}{second}1": random.choice([0, 0, 1, 4, 9, 14])
            for first in "01-"
            for second in random.choice(["01", "-", "1-"])
        }
        answer(survey, counts, group_of(survey, f"class {name}"))
    answer(survey, {"111": random.choice([0, 2, 15]), "001": 12}, group_of(survey, "class Z"))
    answer(survey, {"111": random.choice([0, 3, 20])})
    return close_survey(survey=survey)


@pytest.mark.parametrize("seed", range(6))
def test_pages_and_the_file_together_show_nobody_or_enough(seed: int) -> None:
    survey = _survey(seed)
    assert not _too_small(survey)


@pytest.mark.uncounted
def test_a_report_of_one_person_is_not_in_a_class_of_one() -> None:
    survey = make_open(yes_no(), one_of(("N", "O", "X"), leave_out="visibly"), minimum_n=20)
    survey = _one_left_out(survey)
    assert not _too_small(survey)
    rows = _file(survey)
    assert Counter(row["group"] == _WITHHELD for row in rows) == {True: 51, False: 100}
    for number in (1, 2):
        # A class that the file does not show is shown on no page: else the row without an answer is C's.
        page = words_of(page_of("survey-results-groups", survey, f"?item={number}"))
        assert "2 groups" in page
        assert "class D" not in page
        assert "class D" not in page_of("survey-results-question", survey, number=number)
    assert "class D" not in page_of("survey-results", survey)
    assert "class D" not in page_of("survey-results-methods", survey)
    assert "class D" not in page_of("survey-results-regression", survey, "?outcome=1&groups=1")


def _two_classes_and_one_person() -> Survey:
    survey = make_open(yes_no(), yes_no("And?"), minimum_n=20)
    answer(survey, {"00": 50, "10": 50}, group_of(survey, "class A"))
    answer(survey, {"00": 25, "11": 25}, group_of(survey, "class D"))
    answer(survey, {"-1": 1}, group_of(survey, "class C"))
    return close_survey(survey=survey)


def test_deciding_page_by_page_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _too_small(_two_classes_and_one_person())

    def first_question_only(countings: Sequence[Mapping[int, int]], minimum_n: int) -> frozenset[int]:
        return separable_parts([countings[1]], minimum_n)

    monkeypatch.setattr(rule, "separable_parts", first_question_only)
    assert _too_small(_two_classes_and_one_person())


def test_three_classes_of_25_are_all_shown_where_some_answers_are_skipped() -> None:
    survey = make_open(yes_no(), yes_no("And?"), minimum_n=10)
    for place, name in enumerate("ABC"):
        counts = {"11": 8, "00": 9, "10": 5, "-1": 1 + place, "0-": 2 - place}
        answer(survey, counts, group_of(survey, f"class {name}"))
    survey = close_survey(survey=survey)
    for page in _groups_on_pages(survey).values():
        assert page.keys() == {"class A", "class B", "class C"}


def test_a_question_that_too_few_answered_hides_no_group_elsewhere() -> None:
    survey = make_open(yes_no(), yes_no("And?"), minimum_n=10)
    answer(survey, {"1-": 20, "11": 3}, group_of(survey, "class A"))
    answer(survey, {"1-": 20, "0-": 9}, group_of(survey, "class B"))
    survey = close_survey(survey=survey)
    definition = definition_of(survey)
    assert separable_groups(snapshot_of(survey, definition), definition) == set(
        survey.groups.values_list("pk", flat=True)
    )
    pages = _groups_on_pages(survey)
    assert pages["groups 1"] == {"class A": 23, "class B": 29}
    assert pages["groups 2"] == pages["question 2"] == {}


class TestModes:
    """Who added chance is shown where no part of a mode is too small, when no more answers come."""

    @staticmethod
    def _modes(survey: Survey) -> dict[str, int]:
        return _parts_on_page(survey, 1, "modes")

    def test_a_mode_of_three_does_not_follow_by_subtraction(self) -> None:
        survey = make_open(yes_no(leave_out="no"), minimum_n=20)
        answer(survey, {"0": 50, "1": 47})
        answer(survey, {"1": 3})
        assert self._modes(close_survey(survey=survey)) == {"The respondent’s device": 100}
        other = make_open(yes_no(leave_out="no"), minimum_n=20)
        answer(other, {"0": 50, "1": 47})
        answer(other, {"1": 3}, mode="own_coin")
        assert self._modes(close_survey(survey=other)) == {}

    def test_a_mode_that_files_withhold_in_a_group_does_not_follow_from_the_sum(self) -> None:
        survey = make_open(yes_no(leave_out="no"), minimum_n=10)
        for name, with_coins in (("A", 30), ("B", 2)):
            group = group_of(survey, f"class {name}")
            answer(survey, {"0": 20, "1": 20}, group)
            answer(survey, {"1": with_coins}, group, mode="own_coin")
        close_survey(survey=survey)
        rows = Counter((row["group"], row["mode"]) for row in _file(survey))
        assert sorted(rows.values()) == [30, 40, 42]
        assert self._modes(survey) == {}
