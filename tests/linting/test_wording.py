"""What the linter finds in the wording of a question and, as false alarms are defects too, what it leaves alone."""

import time

import pytest

from surveys.linting.selectors import QUESTION_RULES
from surveys.linting.subject import LintedQuestion, language_of
from tests.linting.linted import asked
from tests.linting.sound_questions import SOUND

FOUND = {
    "identifier": [
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
    "double_negative": [
        ("en", "Does it seem possible or impossible to you that it never did not happen?"),
        ("en", "Have you never not paid for a ticket?"),
        ("en", "Do you disagree that teachers should not strike?"),
        ("en", "Is nobody in your class without a phone?"),
        ("en", "Haven’t you refused to answer?"),
        ("de", "Hast du noch nie keinen Fahrschein gehabt?"),
        ("de", "Lehnst du es ab, dass Lehrkräfte nicht streiken?"),
        ("de", "Kommst du nicht ohne Alkohol durch die Woche?"),
        ("es", "¿No crees que los profesores no deberían hacer huelga?"),
        ("es", "¿Estás en desacuerdo con que no se pueda copiar?"),
        ("es", "¿No puedes pasar una semana sin alcohol?"),
    ],
    "leading": [
        ("en", "Don’t you agree that cheating is wrong?"),
        ("en", "Wouldn't you say that exams are unfair?"),
        ("en", "Everybody knows that people copy. Have you copied?"),
        ("en", "As you know, most people think that tests are too hard. Do you?"),
        ("en", "Is it, of course, wrong to lie?"),
        ("en", "Isn’t it unfair to copy?"),
        ("de", "Findest du nicht auch, dass Abschreiben falsch ist?"),
        ("de", "Wäre es nicht besser, ehrlich zu sein?"),
        ("de", "Jeder weiß, dass alle abschreiben. Hast du abgeschrieben?"),
        ("de", "Sind Sie nicht auch der Meinung, dass Prüfungen unfair sind?"),
        ("es", "¿No cree usted que copiar está mal?"),
        ("es", "Todo el mundo sabe que se copia. ¿Has copiado?"),
        ("es", "¿No te parece que los exámenes son injustos?"),
        ("es", "¿Es, sin duda, injusto copiar en un examen?"),
    ],
    "presupposes": [
        ("en", "Have you stopped cheating?"),
        ("en", "Why did you copy in the exam?"),
        ("de", "Hast du aufgehört, bei Prüfungen abzuschreiben?"),
        ("es", "¿Has dejado de copiar en los exámenes?"),
    ],
    "double_barrelled": [
        ("en", "Have you ever copied or shared an assignment?"),
        ("en", "Have you ever lied to a teacher and stolen from a shop?"),
        ("en", "In the past 12 months, have you copied or shared an assignment?"),
        ("de", "Hast du schon einmal abgeschrieben oder gelogen?"),
        ("de", "Haben Sie jemals etwas gestohlen und verkauft?"),
        ("es", "¿Has mentido o copiado en un examen?"),
        ("es", "¿Has robado algo y vendido lo robado?"),
    ],
    "ever": [
        ("en", "Have you ever cheated in an exam?"),
        ("de", "Hast du schon einmal bei einer Prüfung abgeschrieben?"),
        ("de", "Haben Sie jemals gelogen?"),
        ("es", "¿Has copiado alguna vez en un examen?"),
    ],
    "capitals": [
        ("en", "Have you cheated? ANSWER WITH CARE please"),
        ("de", "Hast du abgeschrieben? BITTE EHRLICH SEIN"),
        ("es", "¿Has copiado? RESPONDE CON CUIDADO"),
    ],
    "long_text": [("en", "Have you " + "really " * 40 + "copied?")],
}


@pytest.mark.parametrize(
    ("rule", "language", "text"), [(rule, *case) for rule, cases in FOUND.items() for case in cases]
)
def test_a_rule_finds_what_it_is_for(rule: str, language: str, text: str) -> None:
    assert rule in asked(text, language)


LEFT_ALONE = [
    ("en", "Have you ever given a false name?"),
    ("en", "Have you ever had to give your name to the police?"),
    ("en", "Is your mother’s birthday in January, February or March?"),
    ("en", "Is the last digit of your oldest friend’s phone number 3 to 9?"),
    ("en", "Did you use somebody else’s student number to sign in this term?"),
    ("en", "Have you shared your address with a stranger online?"),
    ("en", "What is your name for this feeling?"),
    ("en", "Do you know the name of your supervisor?"),
    ("en", "Did you sign somebody else’s name this year?"),
    ("en", "How often did you use AI this term although it was not allowed?"),
    ("en", "How many days did you miss school last year without being ill?"),
    ("en", "Did you travel without a ticket because you had no money?"),
    ("en", "Do you say whether or not you smoke?"),
    ("en", "Have you failed an exam without telling your parents this year?"),
    ("en", "Have you copied parts of course materials this term?"),
    ("en", "Did you take drugs or medicines in the last 30 days?"),
    ("en", "Have you stopped a fight this year?"),
    ("en", "Did you agree to a contract this year?"),
    ("en", "Would you report a friend who cheated?"),
    ("en", "Would you think less of a friend who copied?"),
    ("en", "Do you know somebody who cheated this term?"),
    ("en", "Do you feel safe at this school?"),
    ("en", "Have you used WhatsApp during an exam this year? Think of NASA."),
    ("en", "Did you NEVER cheat this term?"),
    ("en", "Were you at a party with your parents and brothers last week?"),
    ("de", "Hast du in diesem Schuljahr einen falschen Namen angegeben?"),
    ("de", "Ist der Geburtstag deiner Mutter im Januar, Februar oder März?"),
    ("de", "Ist die letzte Ziffer der Telefonnummer deines ältesten Freundes 3 bis 9?"),
    ("de", "Hast du in den letzten 12 Monaten ohne Fahrschein die Bahn benutzt?"),
    ("de", "Hast du dieses Jahr natürliche Schmerzmittel genommen?"),
    ("de", "Hast du in diesem Jahr gegen Regeln der Schule verstoßen?"),
    ("de", "Hast du heute Gemüse und Gesundheit im Unterricht behandelt?"),
    ("de", "Weißt du, ob oder ob nicht du dieses Jahr geimpft bist?"),
    ("de", "Bist du nie nach Hause gegangen, weil du kein Geld hattest?"),
    ("de", "Finden Sie die Prüfungen in diesem Semester fair?"),
    ("es", "¿Has dado un nombre falso este año?"),
    ("es", "¿Es el cumpleaños de tu madre en enero, febrero o marzo?"),
    ("es", "¿Has viajado sin billete en los últimos 12 meses?"),
    ("es", "¿No has contado nada a nadie en este curso?"),
    ("es", "¿Este año no has dicho nunca la verdad a tus padres?"),
    ("es", "¿Has usado este año el número de teléfono de otra persona?"),
    ("es", "¿Crees que los exámenes de este curso son justos?"),
    ("es", "¿Cuántas veces por semana bebes alcohol?"),
    ("es", "¿Has dejado dinero a un amigo este mes?"),
]


@pytest.mark.parametrize(("language", "text"), LEFT_ALONE)
def test_ordinary_questions_are_left_alone(language: str, text: str) -> None:
    # “Ever” is a hint of its own.
    assert asked(text, language) - {"ever"} == set()


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language, texts in SOUND.items() for text in texts]
)
def test_sound_questions_are_left_alone_whatever_the_pages_speak(language: str, text: str) -> None:
    assert language_of(text, "en") == language_of(text, "de") == language
    assert asked(text) == set()


@pytest.mark.parametrize("kind", ["number_mean", "scale", "one_of"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How often did you copy?", True),
        ("How many hours did you work unpaid?", True),
        ("How many hours did you work unpaid last week?", False),
        ("Wie oft hast du abgeschrieben?", True),
        ("Wie oft hast du in diesem Schuljahr abgeschrieben?", False),
        ("¿Cuántas veces has copiado en un examen?", True),
        ("¿Cuántas veces has copiado este curso en un examen?", False),
        ("How old are you?", False),
    ],
)
def test_amounts_want_a_period(kind: str, text: str, found: bool) -> None:
    assert ("no_period" in asked(text, kind=kind)) is found


ADVERSARIAL = [
    "a" * 500,
    "not " * 125,
    "have you ever " * 36,
    "Hast du ge" + "geschrieben oder " * 28,
    "¿No cree " * 55,
    "what is your own current exact " * 16,
    "A " * 250,
    "ABCDE " * 83,
    "1-" * 250,
    " " * 500,
    "have you copied " + "x" * 460 + " or",
    "(" * 500,
    "’" * 500,
]


@pytest.mark.parametrize("text", ADVERSARIAL)
def test_no_text_takes_long(text: str) -> None:
    for language in ("en", "de", "es"):
        read = LintedQuestion(1, text, "one_of", (text[:120],) * 20, language=language)
        plain = LintedQuestion(1, text, language=language)
        begin = time.process_time()
        for rule in QUESTION_RULES:
            list(rule(read))
            list(rule(plain))
        assert time.process_time() - begin < 0.25


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("Hast du  JEMALS\ngelogen?", "JEMALS"),
        ("Wie lautet deine E-Mail-Adresse?", "Wie lautet deine E-Mail-Adresse"),
        ("Don’t you AGREE that it is wrong?", "Don’t you AGREE"),
    ],
)
def test_what_it_quotes_is_what_the_author_wrote(text: str, evidence: str) -> None:
    read = LintedQuestion(number=1, text=text, language=language_of(text, "en"))
    assert [finding.evidence for rule in QUESTION_RULES for finding in rule(read)] == [evidence]
