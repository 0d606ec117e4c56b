"""A whole distribution in one charge: its tree, what is read off it, and what an earlier release of it answers."""

import json
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client

from surveys.models import Mechanism
from surveys.releases.files import document_of
from surveys.releases.mechanisms.tree_counts import Distribution
from surveys.releases.selectors.reading import reading_of
from tests.factories import PROTECTED, number_bands, scale
from tests.pages import rows_under
from tests.privacy.chance import seeded
from tests.releases.asked import MILLIONTH, asked_as, terms_of
from tests.releases.setting import published_release, ready_survey
from tests.releases.test_verifier import VERIFIER

pytestmark = pytest.mark.django_db

ELEVEN = {f"{code:x}": 50 + 30 * (code in {3, 4, 5}) for code in range(11)}
TREE: dict[str, Any] = {"mechanism": Mechanism.TREE_COUNTS, "epsilon": Fraction(1)}


def _released(delta: Fraction, **changes: Any) -> Any:  # noqa: ANN401 - a release
    survey = ready_survey(ELEVEN, scale(points=11), delta=Fraction(1, 1000), epsilon=10)
    return published_release(survey, **(TREE | {"delta": delta, "randbelow": seeded(3)} | changes))


@pytest.mark.parametrize(
    ("delta", "branching", "counts", "family"),
    [(Fraction(0), 11, 11, "discrete_laplace"), (MILLIONTH, 4, 14, "discrete_gaussian")],
)
def test_the_tree_is_the_one_with_the_least_noise(delta: Fraction, branching: int, counts: int, family: str) -> None:
    [part] = reading_of(_released(delta)).parts
    finding = part.finding
    assert isinstance(finding, Distribution)
    assert (finding.branching, len(part.part.output["noisy_counts"])) == (branching, counts)
    assert [source.family for source in part.plan.noise()] == [family]
    assert part.plan.mechanism.loss == part.plan.loss


@pytest.mark.parametrize("delta", [Fraction(0), MILLIONTH], ids=["laplace", "gaussian"])
def test_a_third_party_computes_the_same(delta: Fraction) -> None:
    document = json.loads(json.dumps(document_of(reading_of(_released(delta)))))
    number, faults = VERIFIER.faults_of(document)
    assert (faults, number > 40) == ([], True)
    for place in ("raw", "share", "low", "high"):
        row = document["parts"][0]["found"]["up_to"][4]
        right, row[place] = row[place], row[place] + 0.001
        assert VERIFIER.faults_of(document)[1] != [], place
        row[place] = right
    document["parts"][0]["found"]["branching"] = 3
    assert VERIFIER.faults_of(document)[1] != []


def test_shares_up_to_each_answer_rise_and_quartiles_are_in_order() -> None:
    [part] = reading_of(_released(MILLIONTH)).parts
    finding = part.finding
    assert isinstance(finding, Distribution)
    assert len(finding.up_to) == 10
    for name in ("share", "low", "high"):
        values = [getattr(one, name) for one in finding.up_to]
        assert values == sorted(values)
    codes = [(one.low, one.code, one.high) for one in finding.quartiles]
    assert all(list(each) == sorted(each) for each in codes)
    assert [sorted(each) for each in zip(*codes, strict=True)] == [list(each) for each in zip(*codes, strict=True)]


def test_its_page_has_the_shares_the_quartiles_and_the_counts(client: Client) -> None:
    release = _released(MILLIONTH)
    page = client.get(f"/r/{release.pk}/").content.decode()
    captions = ("Released and derived values", "Quartiles", "Counts of reports, as released")
    assert [len(rows_under(page, caption)) for caption in captions] == [10, 3, 14]


def test_too_much_noise_is_said() -> None:
    [part] = reading_of(_released(Fraction(0), epsilon=Fraction(1, 1000))).parts
    assert part.finding.is_uninformative


def test_what_it_says_costs_nothing_more_and_a_histogram_says_it_too() -> None:
    tree = terms_of(scale(), "tree_counts")
    quantile, histogram = terms_of(scale(), "quantile"), terms_of(scale(), "laplace_histogram")
    assert tree.answers(quantile)
    assert tree.answers(histogram)
    assert histogram.answers(tree)
    assert tree.derived_accuracy(tree, 0.95) == tree.accuracy(0.95).at_most
    # Each count by itself is off by less than the sums of several.
    alone = tree.derived_accuracy(histogram, 0.95)
    assert alone == tree.mechanism.noise.error_bound(0.95, 5)
    assert tree.derived_accuracy(quantile, 0.95) == quantile.error_from_counts(Fraction(int(alone)), 1000)
    assert histogram.derived_accuracy(tree, 0.95) == 2 * histogram.accuracy(0.95).at_most


def test_percentage_points_are_those_of_shares_of_people() -> None:
    terms = terms_of(scale(), "tree_counts", n=400)
    accuracy = terms.accuracy(0.95)
    slope = terms.design.matrix[0][0] - terms.design.matrix[0][1]
    assert accuracy.points == pytest.approx(100 * accuracy.at_most / (400 * float(slope)))
    assert terms.unit_of_reports == "points"
    assert 0 < terms.error_from_reports(0.9) < terms.error_from_reports(0.95)


def test_bands_of_a_number_have_quartiles_in_their_words() -> None:
    survey = ready_survey({"0": 20, "1": 200, "2": 20}, number_bands(), epsilon=10)
    release = published_release(survey, **(TREE | {"epsilon": Fraction(8)}))
    finding = reading_of(release).parts[0].finding
    [asked] = asked_as(number_bands())
    assert isinstance(finding, Distribution)
    assert finding.median == asked.first.labels[1]
    assert finding.median in finding.title


def test_not_saying_has_no_place_in_an_order() -> None:
    [asked] = asked_as(scale(**PROTECTED))
    assert "Prefer not to say" in terms_of(scale(), "tree_counts").unsuitable(asked)
