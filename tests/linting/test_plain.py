"""What the linter says of questions that are sent as they are."""

import re
from itertools import product

import pytest

from surveys.common.selectors import definition_of
from surveys.drafts.services.groups import add_group
from surveys.linting.findings import Level, LintFinding
from surveys.linting.rules.plain import _shared_by_fewer, sensitive_word
from surveys.linting.selectors import findings_of, sensitive_unprotected
from surveys.linting.subject import unfinished
from surveys.models import Survey
from tests.factories import make_draft, plain, rewrite, several_of, yes_no

pytestmark = pytest.mark.django_db


def _findings(survey: Survey) -> dict[str, LintFinding]:
    return {finding.rule: finding for finding in findings_of(survey)}


@pytest.mark.parametrize(("n", "combinations", "than"), [(4, 3, 2), (5, 2, 3), (6, 2, 4), (3, 1, 2), (4, 3, 9)])
def test_how_many_share_a_combination_is_that_of_everybody_listed(n: int, combinations: int, than: int) -> None:
    everybody = list(product(range(combinations), repeat=n))
    alone = sum(person.count(person[0]) < than for person in everybody) / len(everybody)
    assert _shared_by_fewer(than, n, combinations) == pytest.approx(alone, rel=1e-12)


def test_combinations_with_groups_and_skipping_are_counted_against_the_people_expected() -> None:
    survey = make_draft(
        yes_no(), plain(leave_out="visibly"), plain(("North", "South"), "Where do you live?"), expected_n=40
    )
    add_group(survey=survey, name="7a")
    add_group(survey=survey, name="7b")
    finding = _findings(survey)["singled_out"]
    assert finding.numbers == (2, 3)
    # (3 + 1) · 2 · 2 groups: 40 · (15/16)³⁹ = 3.2 are alone, and all of them share theirs with fewer than 10.
    assert re.findall(r"\d+", finding.what)[-2:] == ["16", "40"]
    assert re.findall(r"\d+", finding.why) == ["3", "40", "40", "10", "10"]


def test_enough_people_make_it_a_hint() -> None:
    where = plain(("North", "South"), "Where do you live?")
    many, few = make_draft(yes_no(), where, expected_n=400), make_draft(yes_no(), plain(), expected_n=30)
    assert [_findings(survey)["singled_out"].level for survey in (many, few)] == [Level.HINT, Level.WARNING]


def test_what_chance_protects_has_no_such_finding() -> None:
    assert not {"singled_out", "sensitive_and_plain"} & _findings(make_draft(yes_no("Do you take drugs?"))).keys()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is your religion?", "en"),
        ("Did somebody harass you this year?", "en"),
        ("Hast du in diesem Jahr Drogen genommen?", "de"),
        ("¿Qué religión tienes?", "es"),
    ],
)
def test_a_sensitive_one_is_a_problem_in_each_language(text: str, language: str) -> None:
    finding = _findings(make_draft(yes_no(), plain(text=text), language=language))["sensitive_and_plain"]
    assert (finding.numbers, finding.level) == ((2,), Level.PROBLEM)
    assert finding.evidence.lower() in text.lower()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Have you falsified data?", "falsified"),
        ("Have you smoked weed this year?", "weed"),
        ("Have you paid for someone else to write your thesis?", "paid for someone"),
        ("Did you hit your partner this year?", "hit your partner"),
        ("What is your gender identity?", "gender identity"),
        ("Do you have a residence permit?", "residence permit"),
        ("Are you Muslim?", "muslim"),
        ("Have you dodged a fare?", "dodged"),
        ("Have you lied to a friend?", "you lied"),
        ("Hast du Daten gefälscht?", "gefälscht"),
        ("Hast du dieses Jahr gekifft?", "gekifft"),
        ("Haben Sie Ihre Arbeit von jemand anderem schreiben lassen?", "schreiben lassen"),
        ("Haben Sie jemanden geohrfeigt?", "geohrfeigt"),
        ("Welche Gender-Identität haben Sie?", "gender identität"),
        ("Haben Sie eine Aufenthaltserlaubnis?", "aufenthaltserlaubnis"),
        ("Sind Sie Muslimin?", "muslimin"),
        ("Bist du ohne gültigen Fahrschein gefahren?", "ohne gültigen fahrschein"),
        ("¿Has falsificado datos?", "falsificado"),
        ("¿Has fumado hierba este año?", "fumado hierba"),
        ("¿Has pagado a alguien para que escriba tu tesis?", "pagado a alguien"),
        ("¿Le has pegado a tu pareja?", "pegado a"),
        ("¿Cuál es tu identidad de género?", "identidad de género"),
        ("¿Tiene permiso de residencia?", "permiso de residencia"),
        ("¿Eres musulmana?", "musulmana"),
        ("¿Has viajado sin billete?", "sin billete"),
        ("האם אי פעם רימית בבחינה?", "רימית"),
        ("האם השתמשת השנה בסמים?", "בסמים"),
        ("מה הדת שלך?", "הדת"),
        ("לאיזו מפלגה הצבעת?", "מפלגה"),
        ("האם זייפת נתונים?", "זייפת"),
        ("האם היית קורבן לאלימות?", "לאלימות"),
        ("האם יש לך היתר עבודה?", "היתר עבודה"),
        ("האם נסעת בלי לשלם?", "בלי לשלם"),
    ],
)
@pytest.mark.parametrize("language", ["en", "he"])
def test_it_is_seen_whatever_language_the_survey_says_it_is_in(text: str, word: str, language: str) -> None:
    assert sensitive_word(unfinished(1, text)) == word


@pytest.mark.parametrize(
    "text",
    [
        "Which year of study are you in?",
        "Do you live in a hall of residence?",
        "How many hours did you sleep last night?",
        "Who pays for your studies?",
        "Hast du ein Lied im Ohr?",
        "Wie viele Std. hast du heute geschlafen?",
        "Welcher Hit lief im Radio?",
        "¿Te gusta la piña colada?",
        "¿Cuántas horas duermes?",
        "באיזו שנת לימודים את?",
        "מה מס' הכיתה שלך?",
        "מתי יום ההולדת שלך, ומה הולדת?",
        "האם חשוב לך לדאוג לסביבה?",
        "האם יש לך חוש הומור?",
        "האם קניתם כל מיני דברים?",
        "היכן גדלת?",
        "האם היכולת שלך טובה?",
        "כמה שעות ישנת הלילה?",
        "כמה אתם משלמים שכר דירה?",
        "האם אתם מוצאים בגדים זולים?",
    ],
)
def test_harmless_ones_need_no_confirmation(text: str) -> None:
    assert sensitive_word(unfinished(1, text)) == ""


def test_the_ends_of_a_scale_are_read() -> None:
    details = {"points": 5, "low_end": "Never took drugs", "high_end": "Every day"}
    survey = make_draft(yes_no(), plain((), "How was your week?", kind="scale", details=details))
    assert _findings(survey)["sensitive_and_plain"].numbers == (2,)
    assert sensitive_unprotected(definition_of(survey)) == (2,)


def test_a_translation_can_be_sensitive_as_well() -> None:
    survey = make_draft(yes_no(), plain(text="As-tu triché cette année ?"))
    assert sensitive_unprotected(definition_of(survey)) == ()
    # Of a language that no list is of, one of its translations says what it asks.
    words = {"As-tu triché cette année ?": "Hast du in diesem Jahr abgeschrieben?"}
    rewrite(survey, 0, translations={"de": words})
    assert sensitive_unprotected(definition_of(survey)) == (2,)


def test_its_options_are_read_too() -> None:
    survey = make_draft(yes_no(), plain(("Yes, drugs", "No", "Neither"), "Which of these this year?"))
    assert "sensitive_and_plain" in _findings(survey)


def test_it_is_never_called_a_proof_and_has_no_part_in_the_total() -> None:
    findings = _findings(make_draft(yes_no(), several_of(), plain()))
    assert "infinite_epsilon" not in findings
    assert "∞" not in " ".join(finding.what for finding in findings.values())
