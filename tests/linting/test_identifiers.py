"""What asks who somebody is and, as false alarms are defects too, what does not, whatever language it is in."""

import time

import pytest

from surveys.linting.findings import LintFinding
from surveys.linting.rules.protection import asks_who
from surveys.linting.selectors import QUESTION_RULES
from surveys.linting.subject import LintedSurvey, language_of, unfinished
from tests.linting.sound_questions import SOUND


def _asked(text: str, language: str = "en") -> set[str]:
    """Return what the rules that read one question alone find in it."""
    return {finding.rule for finding in _found(text, language)}


def _found(text: str, language: str) -> list[LintFinding]:
    read = unfinished(1, text)
    about = [finding for rule in QUESTION_RULES for finding in rule(read)]
    return [*asks_who(LintedSurvey((read,), language=language)), *about]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What is your name?"),
        ("en", "Please enter your student number."),
        ("en", "Have you cheated? Write your e-mail address here"),
        ("en", "Your full name:"),
        ("en", "Phone number"),
        ("en", "When were you born?"),
        ("en", "What's your date of birth?"),
        ("en", "What is your home address and postcode?"),
        ("de", "Wie heißt du?"),
        ("de", "Wie lautet deine Matrikelnummer?"),
        ("de", "Bitte nennen Sie uns Ihren Namen."),
        ("de", "Was ist Ihre E-Mail-Adresse?"),
        ("de", "Wann hast du Geburtstag?"),
        ("de", "Dein Name:"),
        ("es", "¿Cómo te llamas?"),
        ("es", "¿Cuál es tu correo electrónico?"),
        ("es", "Indica tu número de estudiante, por favor"),
        ("es", "¿Cuándo naciste?"),
        ("es", "Escriba su nombre y apellidos"),
    ],
)
def test_what_asks_who_somebody_is_is_an_identifier(language: str, text: str) -> None:
    assert "identifier" in _asked(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Have you ever given a false name?"),
        ("en", "Have you ever had to give your name to the police?"),
        ("en", "Is your mother’s birthday in January, February or March?"),
        ("en", "Is the last digit of your oldest friend’s phone number 3 to 9?"),
        ("en", "Did you use somebody else’s student number to sign in this term?"),
        ("en", "Have you shared your address with a stranger online?"),
        ("en", "What is your name for this feeling?"),
        ("en", "Do you know the name of your supervisor?"),
        ("en", "Did you sign somebody else’s name this year?"),
        ("de", "Hast du in diesem Schuljahr einen falschen Namen angegeben?"),
        ("de", "Ist der Geburtstag deiner Mutter im Januar, Februar oder März?"),
        ("de", "Ist die letzte Ziffer der Telefonnummer deines ältesten Freundes 3 bis 9?"),
        ("es", "¿Has dado un nombre falso este año?"),
        ("es", "¿Es el cumpleaños de tu madre en enero, febrero o marzo?"),
        ("es", "¿Has usado este año el número de teléfono de otra persona?"),
    ],
)
def test_what_speaks_of_names_and_numbers_otherwise_is_left_alone(language: str, text: str) -> None:
    assert _asked(text, language) == set()


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in SOUND.items() for text in texts]
)
def test_sound_questions_are_left_alone_whatever_the_pages_speak(language: str, text: str) -> None:
    assert language_of(text, "en") == language_of(text, "de") == language
    assert _asked(text) == set()


ADVERSARIAL = [
    "a" * 500,
    "what is your own current exact " * 16,
    "Wie lautet deine genaue private " * 15,
    "¿Cuál es tu " * 41,
    "A " * 250,
    "1-" * 250,
    " " * 500,
    "(" * 500,
    "’" * 500,
]


@pytest.mark.parametrize("text", ADVERSARIAL)
def test_no_text_takes_long(text: str) -> None:
    for language in ("en", "de", "es"):
        read = unfinished(1, text, kind="one_of", options=(text[:120],) * 20)
        plain = unfinished(1, text)
        begin = time.process_time()
        list(asks_who(LintedSurvey((read, plain), language=language)))
        for rule in QUESTION_RULES:
            list(rule(read))
            list(rule(plain))
        assert time.process_time() - begin < 0.25


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("Have you lied? What’s  YOUR name?", "What’s  YOUR name"),
        ("Was it  domestic\nVIOLENCE?", "domestic\nVIOLENCE"),
        ("Wie lautet deine E-Mail-Adresse?", "Wie lautet deine E-Mail-Adresse"),
    ],
)
def test_what_it_quotes_is_what_the_author_wrote(text: str, evidence: str) -> None:
    assert [finding.evidence for finding in _found(text, "en")] == [evidence]
