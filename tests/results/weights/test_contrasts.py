"""What several questions say together, with weights: the core's numbers, and nobody singled out."""

import numpy as np
import pytest

from surveys.course.services import close_survey
from surveys.estimation.weighting.contrasts import anchor_terms, estimate_weighted_contrast, list_terms, share_term
from surveys.estimation.weighting.raking import Margin, rake
from surveys.models import Survey
from surveys.privacy.designs import direct, forced_response
from surveys.questionnaire.question import Question
from surveys.results.words import difference_words
from tests.factories import crosswise, fill, make_open, plain, two_lists, yes_no
from tests.pages import words_of
from tests.results.grouping import group_of
from tests.results.seen import context_of, page_and_context

pytestmark = pytest.mark.django_db
PAGE = "survey-results-weights"
ARMS = [{"name": "First", "weight": 1}, {"name": "Second", "weight": 1}]
SUBJECT = plain(("Arts", "Science"), "What do you study?")
DIRECT = {"design": "plain", "parameters": {}}
CLASSES = {"Mon": [40, 60, 30, 20], "Tue": [50, 30, 45, 25], "Wed": [35, 40, 30, 30]}
KNOWN = np.array([0.7, 0.3])


def _closed(counts: dict[str, int], *questions: Question, **fields: object) -> Survey:
    survey = make_open(*questions, minimum_n=10, **fields)
    fill(survey, counts)
    return close_survey(survey=survey)


def _coins_and_direct() -> Survey:
    """Reports in either arm, "-" not asked, then the subject, then the arm."""
    asked = yes_no(quantity=1, arms=[1]), yes_no("Directly?", quantity=1, arms=[2], **DIRECT)
    counts = {"0-00": 40, "1-00": 60, "0-10": 70, "1-10": 30, "-001": 80, "-101": 25, "-011": 90, "-111": 15}
    return _closed(counts, *asked, SUBJECT, arms=ARMS)


class TestDifferences:
    def test_arms_are_raked_each_by_itself_and_compared(self) -> None:
        page, context = page_and_context(PAGE, _coins_and_direct(), "?q3-0=70&q3-1=30")
        counts = [40, 60, 70, 30, 80, 25, 90, 15]
        reports, other = np.array([0, 1] * 4), np.full(4, 255)
        coins, said = np.append(reports[:4], other), np.append(other, reports[4:])
        subject = np.array([0, 0, 1, 1, 2, 2, 3, 3])
        margin = Margin("subject in each arm", subject, np.append(200 * KNOWN, 210 * KNOWN))
        weights = rake(counts, [margin]).weights
        terms = share_term(coins, forced_response()), share_term(said, direct())
        interval = estimate_weighted_contrast(terms, (1, -1), counts, weights, margins=[margin]).interval()
        [difference] = context["differences"]
        assert (difference.interval.low, difference.interval.high) == pytest.approx((interval.low, interval.high))
        assert difference_words(difference, tested=False) in words_of(page)
        # The twin: without weights it is another difference.
        plainly = estimate_weighted_contrast(terms, (1, -1), counts).interval()
        assert plainly.low != pytest.approx(interval.low, abs=1e-3)

    def test_without_arms_nothing_is_compared(self) -> None:
        counts = {"00": 40, "10": 60, "01": 70, "11": 30}
        context = context_of(PAGE, _closed(counts, yes_no(), SUBJECT), "?q2-0=70&q2-1=30")
        assert context["contrasts"] == []

    def test_a_question_that_was_not_answered_as_it_should_be_is_not_compared(self) -> None:
        asked = yes_no(quantity=1, arms=[1]), yes_no("Otherwise?", quantity=1, arms=[2])
        counts = {"0-00": 40, "1-00": 60, "0-10": 70, "1-10": 30, "-001": 2, "-101": 98, "-011": 1, "-111": 99}
        context = context_of(PAGE, _closed(counts, *asked, SUBJECT, arms=ARMS), "?q3-0=70&q3-1=30")
        assert context["contrasts"] == []
        assert len(context["results"].questions) == 2


class TestGroups:
    QUERY = "?q2-0=70&q2-1=30&compare=1"

    def _classes(self) -> Survey:
        survey = make_open(yes_no(leave_out="no"), SUBJECT, minimum_n=10)
        for name, counts in CLASSES.items():
            fill(survey, dict(zip(("00", "10", "01", "11"), counts, strict=True)), group=group_of(survey, name))
        return close_survey(survey=survey)

    def test_each_two_groups_are_compared_with_weights(self) -> None:
        counts = np.ravel(list(CLASSES.values()))
        rows, groups = np.arange(12), np.arange(12) // 4
        margin = Margin("subject", rows % 4 // 2, counts.sum() * KNOWN)
        weights = rake(counts, [margin]).weights
        terms = [share_term(np.where(groups == group, rows % 2, 255), forced_response()) for group in range(3)]
        for role, drawn in (("none", {}), ("strata", {"strata": groups})):
            context = context_of(PAGE, self._classes(), f"{self.QUERY}&role={role}")
            chart = context["charts"][-1]
            assert chart.name == "weights-groups"
            for row, (first, second) in zip(chart.rows, [(0, 1), (0, 2), (1, 2)], strict=True):
                contrast = estimate_weighted_contrast(
                    [terms[first], terms[second]], (1, -1), counts, weights, margins=[margin], **drawn
                )
                interval = contrast.interval()
                assert row.label == f"{list(CLASSES)[first]} − {list(CLASSES)[second]}"
                assert (row.point, row.low, row.high) == pytest.approx((contrast.point, interval.low, interval.high))

    @pytest.mark.parametrize("more", ["", "&compare=", "&role=clusters&compare=1", "&compare=2"])
    def test_groups_are_not_compared_unless_it_is_asked_for_and_they_are_all_there_are(self, more: str) -> None:
        context = context_of(PAGE, self._classes(), "?q2-0=70&q2-1=30" + more)
        assert "weights-groups" not in {chart.name for chart in context["charts"]}
        assert bool(context["notices"]) == more.endswith("2")


class TestLists:
    QUERY = "?q1-0=70&q1-1=30"

    def _lists(self, few: int = 15) -> Survey:
        # Somebody has to be protected: by a last question, which is not looked at here.
        counts = {
            "0-000": 20, "1-000": 30, "2-000": 30, "3-000": 20, "0-100": 30, "1-100": 30, "2-110": 20, "3-110": 20,
            "-0001": 15, "-1001": 25, "-2001": 30, "-3001": 20, "-4001": 12, "-0101": 25, "-1101": 30, "-2111": 20,
            "-3111": 20, "-4111": few,
        }  # fmt: skip
        # Of the answers that are sent as they are those to the first question are merged last.
        ordered = {f"{reports[2]}{reports[:2]}{reports[3:]}": n for reports, n in counts.items()}
        return _closed(ordered, SUBJECT, *two_lists(**DIRECT), yes_no(leave_out="no"), arms=ARMS)

    def test_the_difference_in_means_is_weighted(self) -> None:
        page, context = page_and_context(PAGE, self._lists(), self.QUERY)
        counts = [20, 30, 30, 20, 30, 30, 20, 20, 15, 25, 30, 20, 12, 25, 30, 20, 20, 15]
        control = np.append(np.tile(np.arange(4), 2), np.full(10, 255))
        treatment = np.append(np.full(8, 255), np.tile(np.arange(5), 2))
        subject = np.repeat([0, 1, 2, 3], [4, 4, 5, 5])
        margin = Margin("subject in each arm", subject, np.append(200 * KNOWN, 212 * KNOWN))
        weights = rake(counts, [margin]).weights
        contrast = estimate_weighted_contrast(
            list_terms(control, treatment, (direct(4), direct(5))), (1, -1), counts, weights,
            margins=[margin], between=(0, 1),
        )  # fmt: skip
        [both] = context["lists"]
        assert both.share.moment == pytest.approx(contrast.point)
        assert both.share.standard_error == pytest.approx(contrast.standard_error)
        assert (both.share.low, both.share.high) == pytest.approx((contrast.interval().low, contrast.interval().high))
        assert context["contrasts"][0] in words_of(page)

    def test_numbers_that_few_of_a_subject_gave_are_not_in_it(self) -> None:
        assert context_of(PAGE, self._lists(few=9), self.QUERY)["lists"] == ()

    def test_protected_numbers_need_only_enough_people(self) -> None:
        counts = {"0-00": 9, "1-00": 30, "2-00": 30, "3-00": 40, "0-10": 30, "1-10": 30, "2-10": 20, "3-10": 9}
        counts |= {"-001": 9, "-101": 25, "-201": 30, "-301": 20, "-411": 30, "-011": 25, "-111": 30, "-211": 9}
        survey = _closed(counts, *two_lists(), SUBJECT, arms=ARMS)
        assert len(context_of(PAGE, survey, "?q3-0=70&q3-1=30")["lists"]) == 1


class TestAnchors:
    def _cards(self, few: int = 70) -> Survey:
        details = {
            "innocuous": "Was your father born in January, February or March?",
            "innocuous_source": "Births by month, national statistics: 1 of 4.",
        }
        asked = crosswise(leave_out="no"), crosswise("Have you been to Mars?", details=details, leave_out="no")
        counts = {"000": 25, "010": 60, "100": 20, "110": 40, "001": 20, "011": few, "101": 22, "111": 45}
        return _closed(counts, *asked, SUBJECT)

    def test_a_share_is_corrected_with_weights(self) -> None:
        page, context = page_and_context(PAGE, self._cards(), "?q3-0=70&q3-1=30&anchor=2&known=0")
        counts, rows = [25, 60, 20, 40, 20, 70, 22, 45], np.arange(8)
        margin = Margin("subject", rows // 4, 302 * KNOWN)
        design = context["definition"].questions[0].design
        [term, _] = anchor_terms(rows // 2 % 2, rows % 2, design, design)
        weights = rake(counts, [margin]).weights
        contrast = estimate_weighted_contrast([term], [1], counts, weights, margins=[margin])
        [corrected] = context["corrected"]
        assert corrected.share.moment == pytest.approx(contrast.point)
        interval = contrast.interval()
        assert (corrected.share.low, corrected.share.high) == pytest.approx((interval.low, interval.high))
        assert context["contrasts"][0] in words_of(page)

    def test_it_is_offered_and_not_asked_for_by_itself(self) -> None:
        context = context_of(PAGE, self._cards(), "?q3-0=70&q3-1=30")
        assert {item.key for item in context["anchors"].items} == {"1", "2"}
        assert context["contrasts"] == []

    def test_an_anchor_that_shows_nobody_to_be_attentive_corrects_nothing(self) -> None:
        # Half of all are said to have been there: then taps at random look the same.
        context = context_of(PAGE, self._cards(), "?q3-0=70&q3-1=30&anchor=2&known=50")
        assert context["contrasts"] == []
        assert context_of(PAGE, self._cards(), "?q3-0=70&q3-1=30&anchor=9")["notices"]
