"""What a release says as a sentence to quote, and the number that its page shows largest."""

import re
from fractions import Fraction

import pytest
from django.test import Client
from django.utils import translation

from surveys.models import Mechanism
from surveys.releases.families.figure import Figure, NumberScale
from surveys.releases.families.finding import about_people
from surveys.releases.selectors.reading import reading_of
from surveys.releases.words.release import release_headline, release_title
from tests.factories import number_mean, numbers_of, one_of, yes_no
from tests.pages import words_of
from tests.releases.every_release import every_release, survey_of_every_kind
from tests.releases.fixed import fixed_counts
from tests.releases.setting import published_release, ready_survey
from tests.releases.steps import says

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.251, "1 in 4"),
        (0.24, "1 in 4"),
        (0.268, "1 in 4"),
        (0.272, "27 of 100"),
        (0.3, "30 of 100"),
        (0.34, "1 in 3"),
        (0.43, "43 of 100"),
        (0.66, "2 in 3"),
        (0.104, "1 in 10"),
        (0.02, "2 of 100"),
        (0.0, "0 of 100"),
        (1.0, "100 of 100"),
    ],
)
def test_people_are_written_as_people_say_it_where_that_is_near(share: float, words: str) -> None:
    assert about_people(share).replace("\N{NO-BREAK SPACE}", " ") == words


def test_the_plain_share_is_never_farther_off_than_a_tenth_of_it_and_two_hundredths() -> None:
    for thousandths in range(1001):
        words = about_people(thousandths / 1000).replace("\N{NO-BREAK SPACE}", " ")
        if ratio := re.fullmatch(r"(\d+) in (\d+)", words):
            plain = Fraction(int(ratio[1]), int(ratio[2]))
            assert abs(plain - Fraction(thousandths, 1000)) <= min(Fraction(1, 50), plain / 10) + Fraction(1, 10**9)


def test_every_finding_has_a_headline_in_every_language() -> None:
    releases = list(every_release(survey_of_every_kind(n=600, seed=3)))
    for language in ("en", "de", "es"):
        with translation.override(language):
            for release in releases:
                reading = reading_of(release)
                assert all(part.finding.headline_words for part in reading.parts), release.mechanism
                if len(reading.parts) == 1:
                    assert release_headline(reading) != release_title(reading)


def test_a_page_says_the_number_largest_and_its_interval_next(client: Client) -> None:
    release = published_release(ready_survey({"0": 6100, "1": 3900}), epsilon=Fraction(1))
    page = client.get(f"/r/{release.pk}/").content.decode()
    finding = reading_of(release).parts[0].finding
    key = finding.key_figure()
    assert key is not None
    assert f'<p class="key-figure"><strong><bdi>{key.figure}</bdi></strong> <span>of 100</span></p>' in page
    [limits] = re.findall(r'<p class="limits">(.*?)</p>', page, re.DOTALL)
    assert re.findall(r"<strong>(.*?)</strong>", limits) == [key.low, key.high]
    assert int(key.low) <= int(key.figure) <= int(key.high)
    assert finding.headline_words in page


def test_the_number_of_a_mean_has_its_unit_beside_it() -> None:
    survey = ready_survey({"0": 6100, "1": 3900}, number_mean())
    [part] = reading_of(published_release(survey, mechanism=Mechanism.MEAN)).parts
    key = part.finding.key_figure()
    assert key is not None
    assert key.of == number_mean().details["unit"]
    assert key.of not in key.figure


def test_a_wide_interval_stands_in_place_of_a_number(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed_counts(monkeypatch, 30, 30)
    release = published_release(ready_survey({"0": 30, "1": 30}, yes_no()), epsilon=Fraction(1))
    finding = reading_of(release).parts[0].finding
    key = finding.key_figure()
    assert key is not None
    assert not finding.is_uninformative
    assert not key.is_estimate
    assert re.findall(r"\d+", finding.title) == [key.low, key.high, "100"]
    page = words_of(client.get(f"/r/{release.pk}/").content.decode())
    assert (finding.title in page, f"{key.low} to {key.high} of 100" in page) == (True, True)


@pytest.mark.parametrize(
    ("high", "shown", "numbers"),
    [(3.9, "2.00", ["2.00"]), (4.0, "0.00 to 4.00", ["0.00", "4.00"])],
)
def test_a_number_over_two_fifths_of_what_is_possible_is_shown_by_its_limits(
    high: float, shown: str, numbers: list[str]
) -> None:
    figure = Figure(2.0, 2.0, 0.0, high, NumberScale(Fraction(0), Fraction(10), "hours"), among_those_who_say=False)
    assert figure.key("Mean").figure == shown
    assert re.findall(r"[\d.]+", figure.title("Mean")) == numbers


def test_where_nothing_follows_no_number_is_shown_large(client: Client) -> None:
    release = published_release(ready_survey({"0": 6, "1": 5}, yes_no()), epsilon=Fraction(1, 100))
    page = client.get(f"/r/{release.pk}/").content.decode()
    finding = reading_of(release).parts[0].finding
    assert finding.is_uninformative
    assert ("nothing" in says(page), finding.headline_words in words_of(page)) == (True, True)
    assert "key-figure" not in page


def test_several_questions_have_a_headline_each_and_the_page_is_called_by_the_first_of_them(client: Client) -> None:
    survey = ready_survey({"00": 3000, "01": 2000, "11": 1000}, one_of(), yes_no())
    release = published_release(survey, questions=numbers_of(survey), epsilon=Fraction(1))
    reading = reading_of(release)
    assert release_headline(reading) == release_title(reading)
    assert release_title(reading).startswith(reading.parts[0].plan.question.text)
    page = client.get(f"/r/{release.pk}/").content.decode()
    assert all(part.finding.headline_words in page for part in reading.parts)
