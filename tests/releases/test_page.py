"""The public page of a release: one stored draw, the same bytes for everybody, for people and experts."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from django.template.loader import get_template, render_to_string
from django.test import Client, override_settings
from django.utils import translation

from surveys.models import Mechanism, Release
from surveys.numbers.words import four_digits
from surveys.privacy.accounting.local_central import local_then_central, local_then_central_delta
from surveys.releases.families.figure import Figure, NumberScale, mean_name
from surveys.releases.families.sums import Number
from surveys.releases.mechanisms import PLANS
from surveys.releases.selectors.reading import reading_of
from surveys.releases.services.releasing import withdraw
from surveys.releases.words.release import fold
from tests.factories import make_admin, numbers_of, one_of, triangular, yes_no
from tests.pages import words_of
from tests.releases.every_release import HOSTILE, every_release, questions_of, survey_of_every_kind
from tests.releases.setting import make_release, published_release, ready_survey
from tests.releases.steps import says

pytestmark = pytest.mark.django_db

THREE = {"0": 150, "1": 100, "2": 50}
DELTA = Fraction(1, 10**6)
TEMPLATES = Path(get_template("releases/found/_counts.html").origin.name).parent
OF_EVERY_FAMILY = {
    Mechanism.LAPLACE_HISTOGRAM,
    Mechanism.TREE_COUNTS,
    Mechanism.MOST_COMMON,
    Mechanism.TOP,
    Mechanism.QUANTILE,
    Mechanism.BEST_PRICE,
    Mechanism.TOTAL,
    Mechanism.BOUNDS,
    Mechanism.SMOOTH_MEDIAN,
    Mechanism.JOINT_TABLE,
    Mechanism.FIGURES_BY_GROUP,
    Mechanism.BEST_PREDICTOR,
}
# The form that changes the language carries a token of its own, and the address to come back to.
_OF_THE_VISIT = r'name="(csrfmiddlewaretoken|next)" value="[^"]*"'


def _addresses(release: Release) -> tuple[str, ...]:
    return tuple(f"/r/{release.pk}{end}" for end in ("/", ".json", "/embed/", ".svg", ".png"))


def _page(client: Client, release: Release) -> str:
    return client.get(f"/r/{release.pk}/").content.decode()


@pytest.mark.uncounted
@pytest.mark.parametrize("refreshes", [100, pytest.param(1_000, marks=pytest.mark.slow)])
def test_hundreds_of_refreshes_of_the_json_are_the_same_bytes(client: Client, refreshes: int) -> None:
    release = published_release(ready_survey(THREE, one_of()), mechanism=Mechanism.MOST_COMMON)
    assert len({client.get(f"/r/{release.pk}.json").content for _ in range(refreshes)}) == 1


def test_ten_refreshes_of_the_page_of_every_family_are_the_same_bytes(client: Client) -> None:
    seen = set()
    for release in every_release(survey_of_every_kind(n=60, seed=4), only=OF_EVERY_FAMILY):
        families = {part.finding.family for part in reading_of(release).parts}
        if not families <= seen:
            seen |= families
            assert len({client.get(f"/r/{release.pk}/").content for _ in range(10)}) == 1
    assert seen == {path.stem[1:] for path in TEMPLATES.glob("_*.html")} - {"refused"}


@override_settings(SITE_ADDRESS="https://survey.example.org")
def test_everybody_gets_the_same_bytes_and_no_cookie(client: Client) -> None:
    release = published_release(ready_survey())
    for address in _addresses(release):
        anonymous = client.get(address)
        client.force_login(make_admin())
        signed_in = client.get(address, headers={"accept-language": "de", "user-agent": "other"})
        client.logout()
        other_host = client.get(address, headers={"host": "localhost"})
        assert anonymous.content == signed_in.content == other_host.content
        assert not anonymous.cookies
        assert not signed_in.cookies


def test_a_release_may_be_kept_for_a_minute_and_asked_for_again_by_its_etag(client: Client) -> None:
    release = published_release(ready_survey())
    for address in _addresses(release):
        answer = client.get(address)
        assert answer["Cache-Control"] == "public, max-age=60"
        assert client.get(address, headers={"if-none-match": answer["ETag"]}).status_code == 304
        assert client.post(address).status_code == 405


def test_refreshing_charges_nothing(client: Client) -> None:
    release = published_release(ready_survey())
    for address in _addresses(release):
        client.get(address)
    release.survey.budget.refresh_from_db()
    assert release.survey.budget.spent_epsilon == Fraction(1, 2)


def test_a_later_release_of_another_question_changes_no_earlier_page(client: Client) -> None:
    survey = ready_survey({"00": 30, "01": 20, "11": 10}, one_of(), yes_no())
    first, other = questions_of(survey, (0, 1))
    release = published_release(survey, questions=[first], epsilon=Fraction(1, 4))
    before = [client.get(address).content for address in _addresses(release)]
    published_release(survey, questions=[other], epsilon=Fraction(1, 4))
    assert [client.get(address).content for address in _addresses(release)] == before


def test_a_later_published_draw_of_the_same_question_is_named_on_the_earlier_page_and_changes_nothing_else(
    client: Client,
) -> None:
    survey, documents = ready_survey(), []
    release = published_release(survey, epsilon=Fraction(1, 4))
    for later in (0, 1):
        if later:
            published_release(survey, epsilon=Fraction(1, 4))
        documents.append(json.loads(client.get(f"/r/{release.pk}.json").content))
    draws = [document["parts"][0].pop("draws")["of"] for document in documents]
    assert draws == [1, 2]
    assert documents[0] == documents[1]


def test_an_unpublished_a_withdrawn_and_an_unknown_release_do_not_exist_alike(client: Client) -> None:
    user = make_admin()
    client.force_login(user)
    hidden = make_release(ready_survey())
    withdrawn = published_release(ready_survey())
    withdraw(release=withdrawn, user=user)
    for end in ("/", ".json", "/embed/", ".svg", ".png"):
        answers = [client.get(f"/r/{key}{end}") for key in (hidden.pk, withdrawn.pk, "nothing")]
        assert [answer.status_code for answer in answers] == [404] * 3
        assert len({re.sub(_OF_THE_VISIT, "", answer.content.decode()) for answer in answers}) == 1


def test_the_page_tells_people_and_experts(client: Client) -> None:
    release = published_release(ready_survey({"0": 610, "1": 390}), epsilon=Fraction(1))
    page = words_of(_page(client, release))
    shown = [
        "Replace one response (REPLACE_ONE)",
        "This release alone 1.61-fold Each phone’s report 3-fold",
        "local ε ≤ 1.10",
        "2.72-fold, central ε = 1 ",
        "About your true answer ε ≤ 0.48",
        "at most ε = 0.4707",
        "at most 1.61-fold",
        "Reloading this release, plotting or rounding it, or computing with it costs nothing",
        "1,000",
        "Dwork, McSherry, Nissim & Smith (2006)",
        "With probability 90%",
        "With probability 95%",
        "With probability 99%",
        "locally private before storage",
        f"/r/{release.pk}/",
    ]
    assert [words for words in shown if words not in page] == []


def test_the_page_says_once_of_whom_its_estimates_are(client: Client) -> None:
    page = words_of(_page(client, published_release(ready_survey({"0": 61, "1": 39}, yes_no()))))
    assert page.count(words_of(render_to_string("common/_of_whom.html"))) == 1


def test_a_release_of_several_questions_says_what_each_says_and_what_all_cost(client: Client) -> None:
    survey = ready_survey({"00": 300, "01": 200, "11": 100}, one_of(), yes_no())
    questions = questions_of(survey, (0, 1))
    release = published_release(survey, questions=questions, epsilon=Fraction(333_333, 10**6))
    page = _page(client, release)
    assert page.count('data-figure="counts"') == 2
    for part in reading_of(release).parts:
        assert four_digits(part.truth.local_epsilon) in page
    together = reading_of(release).truth
    local = sum(part.plan.question.epsilon for part in reading_of(release).parts)
    assert together.epsilon == pytest.approx(local_then_central(local, release.epsilon))
    assert f"at most ε = {four_digits(together.epsilon)}" in words_of(page)


def test_delta_reaches_the_truth_less_than_it_is(client: Client) -> None:
    survey = ready_survey(THREE, one_of(), delta=Fraction(1, 1000))
    release = published_release(survey, mechanism=Mechanism.GAUSSIAN_HISTOGRAM, delta=DELTA)
    truth = reading_of(release).truth
    assert truth.delta == local_then_central_delta(truth.local_epsilon, release.epsilon, DELTA)
    assert 0 < truth.delta < DELTA
    page = words_of(_page(client, release))
    assert [delta for delta in (four_digits(truth.delta), "0.000001") if f"δ = {delta}" not in page] == []


def test_where_a_report_proves_an_answer_only_the_release_protects(client: Client) -> None:
    release = published_release(ready_survey(None, triangular(leave_out="no")))
    page = _page(client, release)
    assert f"<strong>{fold(math.inf)}</strong>" in page
    assert ("∞" in page, "proof" in says(page)) == (True, True)
    document = json.loads(client.get(f"/r/{release.pk}.json").content)
    assert (document["truth"]["local_epsilon"], document["truth"]["epsilon"]) == (None, 0.5)


def test_no_loss_is_written_as_less_than_it_is(client: Client) -> None:
    """Read back from the page, every bound on a loss is at least the exact one."""
    release = published_release(ready_survey(THREE, one_of()), epsilon=Fraction(123_457, 10**6))
    [part] = reading_of(release).parts
    page = words_of(_page(client, release))
    for before, exact, digits in (
        ("local ε ≤ ", part.plan.local_epsilon, 2),
        ("About your true answer ε ≤ ", part.truth.epsilon, 2),
        ("at most ε = ", part.truth.epsilon, 4),
        ("This release alone ", math.exp(part.truth.epsilon), 2),
        ("About your phone’s report ", math.exp(release.epsilon), 2),
        ("Each phone’s report ", math.exp(part.plan.local_epsilon), 2),
    ):
        written = re.search(before + r"(\d+(?:\.\d+)?)", page)
        assert written is not None, before
        # e to the ε is rounded to eight places before it goes up.
        assert 0 <= round(float(written[1]) - exact, 8) < 10**-digits


@pytest.mark.parametrize("language", ["en", "de"])
def test_text_in_a_survey_is_shown_as_text(client: Client, language: str) -> None:
    survey = survey_of_every_kind(n=30, seed=5, note=HOSTILE, title=HOSTILE, language=language)
    with translation.override("fr"):
        for release in every_release(survey, only={Mechanism.LAPLACE_HISTOGRAM, Mechanism.TOP}):
            page = _page(client, release)
            assert "&lt;script&gt;alert(1)" in page
            assert "<script" not in page
            assert "{{ x }}" in page
            assert f'<html lang="{language}"' in page


def test_bibtex_cannot_be_broken_out_of(client: Client) -> None:
    release = published_release(ready_survey(None, yes_no("50% of {us} & \\input{x} _$#? Yes")))
    page = _page(client, release)
    entry = re.search(r"<code>(@misc.*?)</code>", page, re.DOTALL)
    assert entry is not None
    text = entry[1].replace("&amp;", "&").replace("&#x27;", "'").replace("&quot;", '"')
    assert [each for each in (r"50\%", r"\{us\} \&", r"\textbackslash{}input\{x\} \_\$\#?") if each not in text] == []
    unescaped = re.sub(r"\\[{}]", "", text)
    assert unescaped.count("{") == unescaped.count("}")
    assert f"url = {{/r/{release.pk}/}}" in text


def test_every_mechanism_is_described_with_its_sources() -> None:
    assert list(PLANS) == Mechanism.values
    for offer in PLANS.values():
        assert str(offer.explanation).endswith(".")
        assert offer.exactness_sentence
        assert offer.references
        assert all(re.search(r"\(\d{4}\)$", who) and where for who, where in offer.references)


def test_the_page_links_its_json_its_schema_and_the_survey_s_releases_but_not_the_survey(client: Client) -> None:
    survey = ready_survey()
    page = _page(client, published_release(survey))
    assert f'href="/r/of/{survey.content_hash[:16]}/"' in page
    assert "schemas/release-1.schema.json" in page
    assert survey.code not in page


def test_an_interval_that_would_be_lost_on_all_that_is_possible_has_an_axis_of_its_own() -> None:
    scale = NumberScale(Fraction(0), Fraction(10**9), "€")
    for high, end in ((2_000_000.0, 10**9), (500_000.0, 500_000)):
        figure = Figure(1.0, 400_000.0, 300_000.0, high, scale, among_those_who_say=False)
        chart = Number("total", mean_name, figure, middles=False, method="exact").chart(name="part-1")
        assert chart.axis.high == end


def test_the_noise_of_several_questions_is_of_their_truths_together(client: Client) -> None:
    one = _page(client, published_release(ready_survey({"0": 60, "1": 40}, yes_no())))
    survey = ready_survey({"00": 60, "11": 40}, yes_no(), yes_no())
    several = _page(client, published_release(survey, questions=numbers_of(survey)))
    assert [says(page) & {"truth", "truths"} for page in (one, several)] == [{"truth"}, {"truths"}]
