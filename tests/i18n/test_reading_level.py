"""What respondents read is as easy as a newspaper for everybody: measured by the formula of each language."""

import re
from itertools import chain
from statistics import mean

import pytest

from tests.i18n.catalogs import Message, messages, source
from tests.i18n.extraction import ROOT

_RESPONDENTS = re.compile(r"(?:templates|surveys)/answering/(?!check/|landing|views/check)")
_PLACEHOLDER = re.compile(r"%\(\w+\)[-#0 +]*[\d.]*[a-z]|\{\w*\}")
_TAG = re.compile(r"</?\w+[^<>]*>")
_WORD = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)?|\d+")
_VOWELS = {"en": "[aeiouy]+", "de": "[aeiouyäöü]+", "es": "[iuü]?(?:[aeoáéó]|[íú]|[iu])[iuy]?"}
Sentence = list[str]


def _sentences(text: str) -> list[Sentence]:
    """Return the words of each sentence; what is no sentence, such as a button's label, has none."""
    plain = _TAG.sub("", _PLACEHOLDER.sub("7", text.replace("%%", "%")))
    sentences = re.findall(r"[^.!?:;]*[.!?](?=\W|$)|[^.!?:;]+[:;]", plain)
    return [words for sentence in sentences if (words := _WORD.findall(sentence))]


def _words(sentences: list[Sentence]) -> Sentence:
    return [*chain(*sentences)]


def _syllables(word: str, language: str) -> int:
    if language == "en":
        # Mute ends, as in "made", "changed" and "sees"; not as in "people" and "ended".
        word = re.sub(r"(?<=[^aeiouyl])e$|(?<=[^aeiouytd])ed$|(?<=[^aeiouyscxzhg])es$", "", word.lower())
    return max(1, len(re.findall(_VOWELS[language], word.lower())))


def _flesch_kincaid_grade(sentences: list[Sentence]) -> float:
    """Kincaid, Fishburne, Rogers and Chissom (1975): the school grade in which English is understood."""
    words = _words(sentences)
    syllables = mean(_syllables(word, "en") for word in words)
    return 0.39 * mean(map(len, sentences)) + 11.8 * syllables - 15.59


def _wiener_sachtextformel(sentences: list[Sentence]) -> float:
    """Bamberger and Vanecek (1984), the first formula: the school grade in which German is understood."""
    words = _words(sentences)
    syllables = [_syllables(word, "de") for word in words]
    many, one = (100 * mean(test) for test in ([n >= 3 for n in syllables], [n == 1 for n in syllables]))
    long = 100 * mean(len(word) > 6 for word in words)
    return 0.1935 * many + 0.1672 * mean(map(len, sentences)) + 0.1297 * long - 0.0327 * one - 0.875


def _perspicuity(sentences: list[Sentence]) -> float:
    """Szigriszt Pazos (1993), of Spanish: on the scale INFLESZ the press writes 55 to 65, and 80 is very easy."""
    words = _words(sentences)
    return 206.835 - 62.3 * mean(_syllables(word, "es") for word in words) - mean(map(len, sentences))


def _lix(sentences: list[Sentence]) -> float:
    """Björnsson (1968), for any language: below 30 are books for children, newspapers have 40 to 50.

    There is no formula of Hebrew's own that counts letters and words alone. It writes few vowels, so its words are
    shorter than those that the scale was made on, and the limits here are lower.
    """
    words = _words(sentences)
    return mean(map(len, sentences)) + 100 * mean(len(word) > 6 for word in words)


def _respondents(language: str) -> list[Message]:
    catalog = messages(source(ROOT, "de" if language == "en" else language))
    return [message for message in catalog if any(map(_RESPONDENTS.match, message.places))]


def _texts(language: str) -> list[str]:
    return [message.text if language == "en" else message.translations[0] for message in _respondents(language)]


EASY = {
    # At most the tenth grade each, for Spanish no harder than what the press calls somewhat difficult, and for Hebrew
    # no harder than what newspapers begin with.
    "en": lambda sentences: _flesch_kincaid_grade(sentences) <= 10,
    "de": lambda sentences: _wiener_sachtextformel(sentences) <= 10,
    "es": lambda sentences: _perspicuity(sentences) >= 45,
    "he": lambda sentences: _lix(sentences) <= 40,
}


@pytest.mark.parametrize("language", EASY)
def test_every_text_of_ten_words_or_more_is_easy(language: str) -> None:
    texts = {text: sentences for text in _texts(language) if len(_words(sentences := _sentences(text))) >= 10}
    assert len(texts) > 100
    assert [text for text, sentences in texts.items() if not EASY[language](sentences)] == []


def test_all_texts_together_are_understood_in_the_sixth_grade() -> None:
    english, german, spanish, hebrew = ([*chain(*map(_sentences, _texts(language)))] for language in EASY)
    assert _flesch_kincaid_grade(english) <= 6
    assert _wiener_sachtextformel(german) <= 6
    assert _perspicuity(spanish) >= 75
    assert _lix(hebrew) <= 20


@pytest.mark.parametrize(
    ("language", "easy", "hard"),
    [
        ("en", "The cat sat on the mat. It was warm.", "Perturbation mechanisms deteriorate informational utility."),
        ("de", "Die Katze saß da. Es war warm.", "Perturbationsmechanismen beeinträchtigen Informationsgehalte."),
        ("es", "El gato se sienta. Hace sol.", "Determinados mecanismos perturbadores deterioran la información."),
        ("he", "החתול ישב על השטיח. היה חם.", "מנגנוני ההפרעה המקריים מצמצמים משמעותית תועלת סטטיסטית מתקבלת."),
    ],
)
def test_the_formulas_tell_easy_from_hard(language: str, easy: str, hard: str) -> None:
    assert EASY[language](_sentences(easy))
    assert not EASY[language](_sentences(hard))
