"""Asking again in a new version flips new coins for the same truth: what both give away adds up, and it is said."""

import itertools
import json
import math
import re
from fractions import Fraction

import pytest
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import definition_of, survey_by_code
from surveys.course.services import begin_next_version, close_survey, open_survey
from surveys.drafts.selectors import others_of
from surveys.drafts.services.surveys import save_draft
from surveys.linting.selectors import findings_of
from surveys.models import Survey
from surveys.releases.ledger.selectors import ledger_of
from surveys.releases.selectors.reading import reading_of
from surveys.releases.words.release import loss
from tests.factories import fill, make_admin, make_budget, make_open, one_of, triangular, yes_no
from tests.pages import owner_of, words_of
from tests.releases.setting import make_release, published_release, ready_survey
from tests.releases.steps import says

pytestmark = pytest.mark.django_db

TWICE = "9‑fold (ε ≤ 2.20)"
"""What two reports by fair coins give away: of one person to one version, or to two."""


def _next(survey: Survey) -> Survey:
    draft = begin_next_version(survey=survey)
    return open_survey(survey=draft)


def _words(address: str, client: Client | None = None) -> str:
    return words_of((client or Client()).get(address).content.decode())


def _promise(survey: Survey) -> str:
    return _words(f"/s/{survey.code}/")


def test_two_versions_of_fair_coins_are_twice_ln_3_and_the_promise_of_each_says_so() -> None:
    first = make_open(yes_no(leave_out="no"))
    assert _promise(first).count(TWICE) == 1
    second = _next(first)
    matrices = [definition_of(version).items[0].design.matrix for version in (first, second)]
    pairs = itertools.product(*matrices)
    assert max(one[1] * other[1] / (one[0] * other[0]) for one, other in pairs) == 9
    assert _promise(second).count(TWICE) == 2
    # The first still takes answers, and its page had been rendered before there was a second.
    assert _promise(first).count(TWICE) == 2


def test_every_version_that_was_opened_counts_whatever_became_of_it_and_no_draft_does() -> None:
    first = make_open(yes_no(leave_out="no"))
    branch = _next(first)
    close_survey(survey=branch)
    second = _next(first)
    draft = begin_next_version(survey=second)
    others = others_of(second)
    assert others is not None
    assert others.numbers == (1, 2)
    assert others.bounded_epsilon == pytest.approx(2 * math.log(3))
    assert "27‑fold (ε ≤ 3.30)" in _promise(second)
    assert "81‑fold (ε ≤ 4.40)" in _words(reverse("survey-preview", args=[draft.code]), owner_of(draft))


def test_a_version_that_proves_something_leaves_no_bound() -> None:
    first = make_open(yes_no(), triangular())
    second = save_draft(survey=begin_next_version(survey=first), questions=[yes_no()])
    open_survey(survey=second)
    assert "ε = ∞" in _promise(second)


def test_the_door_of_a_survey_without_versions_asks_for_none() -> None:
    alone, first = make_open(), make_open()
    second = _next(first)
    assert not survey_by_code(alone.code).may_have_versions
    assert survey_by_code(first.code).may_have_versions
    assert survey_by_code(second.code).may_have_versions


def test_the_servers_form_that_comes_back_says_it_too() -> None:
    first = make_open(yes_no(leave_out="no"), server_mode_allowed=True)
    second = _next(first)
    assert [_words(f"/s/{second.code}/server/{query}").count(TWICE) for query in ("", "?missing=1")] == [2, 2]


def test_the_ethics_packet_and_the_linter_add_versions_up() -> None:
    first = make_open(yes_no(), one_of())
    draft = begin_next_version(survey=first)
    packet = _words(reverse("survey-ethics", args=[draft.code]), owner_of(draft))
    assert "144‑fold (ε ≤ 4.97)" in packet
    [finding] = [finding for finding in findings_of(draft) if finding.rule == "total_epsilon"]
    assert [number for number in ("(1)", "4.97", "4.") if number not in finding.what] == []
    assert "total_epsilon" not in {finding.rule for finding in findings_of(make_open(yes_no(), one_of()))}
    editor = _words(reverse("survey-edit", args=[draft.code]), owner_of(draft))
    assert finding.what in editor


def _released_versions() -> tuple[Survey, Survey]:
    first = ready_survey({"0": 61, "1": 39}, yes_no(leave_out="no"))
    make_release(first)
    second = _next(first)
    fill(second, {"0": 50, "1": 50})
    make_budget(second)
    return first, second


def test_a_release_of_a_version_says_what_all_versions_give_away() -> None:
    first, second = _released_versions()
    release = published_release(second, epsilon=Fraction(1, 4))
    versions = reading_of(release).versions
    assert versions is not None
    exact = _exact_loss(0.5) + _exact_loss(0.25)
    assert float(versions.truth.epsilon) == pytest.approx(exact, abs=1e-12)
    assert exact > 1.9 * reading_of(release).truth_so_far.epsilon
    stated = json.loads(Client().get(f"/r/{release.pk}.json").content)["all_versions_so_far"]
    assert (stated["versions"], stated["epsilon"], stated["delta"]) == ([1], "3/4", "0")
    assert stated["truth"]["epsilon"] >= versions.truth.epsilon
    page = _words(f"/r/{release.pk}/")
    assert ("ε = 0.75" in page, " ".join(loss(versions.truth).split()) in page) == (True, True)
    alone = published_release(ready_survey())
    pages = [Client().get(f"/r/{each.pk}/").content.decode() for each in (release, alone)]
    assert ["versions" in says(page) for page in pages] == [True, False]
    assert first.pk != second.pk


def _exact_loss(central: float) -> float:
    """Return the exact loss of the truth behind one of fair coins' reports in a noisy count of them."""
    q = math.exp(-central)
    weights = [(0.75 * q ** abs(drawn - 1) + 0.25 * q ** abs(drawn)) for drawn in range(-3, 5)]
    others = [(0.25 * q ** abs(drawn - 1) + 0.75 * q ** abs(drawn)) for drawn in range(-3, 5)]
    return max(abs(math.log(one / other)) for one, other in zip(weights, others, strict=True))


def test_a_later_release_of_another_version_changes_no_page_that_stands() -> None:
    first, second = _released_versions()
    release = published_release(second, epsilon=Fraction(1, 4))
    before = [Client().get(f"/r/{release.pk}{end}").content for end in ("/", ".json")]
    make_release(first, epsilon=Fraction(1, 4))
    versions = reading_of(release).versions
    assert versions is not None
    assert versions.central.epsilon == Fraction(3, 4)
    assert [Client().get(f"/r/{release.pk}{end}").content for end in ("/", ".json")] == before


def test_the_ledger_has_the_sum_over_all_versions_as_it_stands(client: Client) -> None:
    first, second = _released_versions()
    make_release(second, epsilon=Fraction(1, 4))
    for survey, other in ((first, 2), (second, 1)):
        versions = ledger_of(survey).versions
        assert versions is not None
        assert (versions.numbers, versions.central.epsilon) == ((other,), Fraction(3, 4))
        client.force_login(make_admin())
        page = client.get(reverse("admin:surveys_budget_change", args=[survey.budget.pk]))
        assert "versions" in says(page.content.decode())
        assert re.search(rf"version {other}: central ε = 0\.75,", words_of(page.content.decode()))
    assert ledger_of(ready_survey()).versions is None
