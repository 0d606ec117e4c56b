"""What the linter finds in the options of a question, and what it must leave alone."""

import pytest

from tests.linting.linted import asked


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("0–5", "5–10"), True),
        (("0-5 times", "5-10 times", "more than 10 times"), True),
        (("1 to 3", "3 to 6"), True),
        (("Unter 5 Stunden", "5 bis 10 Stunden", "ab 10 Stunden"), True),
        (("hasta 5", "5 a 10"), True),
        (("less than 10", "5 or more"), True),
        (("€0–€100", "€100–€200"), True),
        (("1,000–2,000", "2,000–3,000"), True),
        (("Coffee", "Coffee or energy drinks"), True),
        (("Once", "Once or twice"), True),
        (("0–4", "5–9", "10 or more"), False),
        (("under 5", "5–10", "more than 10"), False),
        (("less than 10", "10 or more"), False),
        (("0 to below 5", "5 to 10"), False),
        (("0–5 minutes", "1–5 hours"), False),
        (("Never", "Once or twice", "Often"), False),
        (("Often", "Very often"), False),
        (("Never", "Almost never"), False),
        (("18", "19", "20"), False),
        (("1,000–1,999", "2,000–3,000"), False),
        (("Grade 9", "Grade 10"), False),
        (("1.5", "2.5"), False),
    ],
)
def test_options_that_overlap_are_found(options: tuple[str, ...], found: bool) -> None:
    assert ("options_overlap" in asked("How much?", kind="one_of", options=options)) is found
    # Of several options each is a question of its own: two may be true.
    assert "options_overlap" not in asked("How much?", kind="several_of", options=options)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("Caffeine tablet", "Caffeine tablets"), True),
        (("The phone", "Phone"), True),
        (("Sleeping pills", "Sleepng pills"), True),
        (("diario", "diaria"), True),
        (("Legal", "Illegal"), False),
        (("Typical", "Atypical"), False),
        (("Agree", "Disagree"), False),
        (("Male", "Female"), False),
        (("Week 1", "Week 2"), False),
        (("Mutter", "Vater"), False),
        (("June", "July"), False),
        (("A crib sheet", "A second phone"), False),
    ],
)
def test_options_that_read_nearly_the_same_are_found(options: tuple[str, ...], found: bool) -> None:
    for kind in ("one_of", "several_of"):
        assert ("options_alike" in asked("Which?", kind=kind, options=options)) is found


@pytest.mark.parametrize(
    ("text", "options", "found"),
    [
        ("Which of these did you last use?", ("Coffee", "Tablets", "Alcohol"), True),
        ("Welche davon hast du benutzt?", ("Kaffee", "Tabletten", "Alkohol"), True),
        ("¿Cuál de estas has usado?", ("Café", "Pastillas", "Alcohol"), True),
        ("Which of these did you last use?", ("Nothing", "Coffee", "Tablets"), False),
        ("Welche davon hast du benutzt?", ("Kaffee", "Tabletten", "Etwas anderes"), False),
        ("¿Cuál de estas has usado?", ("Café", "Pastillas", "Ninguna de ellas"), False),
        ("How satisfied are you?", ("Little", "Rather", "Very"), False),
        ("Which age group are you in?", ("18–24", "25–34", "35 or more"), False),
    ],
)
def test_a_list_in_which_nothing_may_fit_is_found(text: str, options: tuple[str, ...], found: bool) -> None:
    assert ("nothing_fits" in asked(text, kind="one_of", options=options)) is found


def test_a_long_option_is_found() -> None:
    long = "Something that takes far too many words to be read at a glance on a phone"
    assert "long_option" in asked("Which?", kind="several_of", options=("Tea", long))
    assert "long_option" not in asked("Which?", kind="several_of", options=("Tea", long[:70]))
