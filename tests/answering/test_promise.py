"""The promise: every number on it follows from the matrices that are in force."""

import gzip
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from surveys.answering.words.designs import chance_line, odds_factor
from surveys.answering.words.grids import least_protected
from surveys.answering.words.promise import chance_is_added, is_first_flip, odds_line, ways_of_leaving_out
from surveys.models import Group
from surveys.numbers.words import epsilon_at_most, of_100
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.question import Question
from tests.answering.parts import define, part, plain_spaces
from tests.answering.promised import check, check_bound, check_odds, numbers_of
from tests.factories import (
    PROTECTED,
    crosswise,
    every_kind,
    make_open,
    number_bands,
    number_mean,
    one_of,
    scale,
    several_of,
    triangular,
    unrelated,
    warner,
    yes_no,
)
from tests.pages import words_of
from tests.property_profile import examples

_SKEWED: dict[str, Any] = {"truth": [1, 2], "weights": [[1, 2], [1, 4], [1, 4]]}


def promise(definition: Definition, **context: Any) -> str:
    return render_to_string("answering/_promise.html", {"definition": definition, **context})


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", html).split())  # no-break spaces too become plain


def pairs(most: int = 40) -> st.SearchStrategy[list[int]]:
    """Probabilities as they are stored."""
    return st.integers(1, most).flatmap(lambda below: st.tuples(st.integers(0, below), st.just(below)).map(list))


def k_ary(k: int) -> st.SearchStrategy[dict[str, Any]]:
    weights = st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any)
    shares = weights.map(lambda given: [[weight, sum(given)] for weight in given])
    spinner = st.one_of(st.just({}), shares.map(lambda given: {"weights": given}))
    return st.builds(lambda truth, rest: {"truth": truth} | rest, pairs(), spinner)


@st.composite
def drafts(draw: st.DrawFn) -> Question:
    """Any kind with any design and any exact parameters that a survey may have."""
    leave_out = draw(st.sampled_from(["no", "visibly", "protected"]))
    protected = leave_out == "protected"
    kind = draw(st.sampled_from(["yes_no", "one_of", "several_of", "scale", "number_mean", "number_bands"]))
    given: dict[str, Any] = {"leave_out": leave_out, "accepts_infinite": True}
    if kind in {"one_of", "scale", "number_bands"}:
        answers = draw(st.integers(2, 6))
        given["parameters"] = draw(k_ary(answers + protected))
        if kind == "one_of":
            return one_of("ABCDEF"[:answers], **given)
        if kind == "scale":
            return scale(points=answers, **given)
        details = {"edges": [[25 * edge, 2] for edge in range(answers + 1)], "unit": draw(st.sampled_from(["", "€"]))}
        return number_bands(details=details, **given)
    make = {"yes_no": yes_no, "several_of": several_of, "number_mean": number_mean}[kind]
    design = "k_ary" if protected else draw(st.sampled_from(["forced_response", "warner", "k_ary"]))
    if kind == "yes_no" and not protected:
        design = draw(st.sampled_from([design, "crosswise", "triangular", "unrelated_question"]))
    if design in {"crosswise", "triangular", "unrelated_question"}:
        fact = draw(st.text("abcdef", min_size=4, max_size=8))
        make = {"crosswise": crosswise, "triangular": triangular, "unrelated_question": unrelated}[design]
        names = ["p", "q"] if design == "unrelated_question" else ["p"]
        details = {"innocuous": f"Is it {fact}?", "innocuous_source": "Statistics."}
        if design == "unrelated_question":
            details |= {"selector": f"Was it {fact}?", "selector_source": "Counted"}
        return make(details=details, parameters={name: draw(pairs()) for name in names}, **given)
    names = {"forced_response": ["truth", "yes"], "warner": ["p"]}.get(design, [])
    parameters = {name: draw(pairs()) for name in names} or draw(k_ary(2 + protected))
    return make(design=design, parameters=parameters, **given)


def can_be_asked(draft: Question) -> bool:
    try:
        define(draft)
    except ValidationError:
        return False
    return True


@pytest.mark.uncounted
@examples(300)
@given(asked=st.lists(drafts().filter(can_be_asked), min_size=1, max_size=5), minimum_n=st.integers(5, 100_000))
def test_every_number_follows_from_the_matrices(asked: list[Question], minimum_n: int) -> None:
    definition = define(*asked, minimum_n=minimum_n)
    check(promise(definition), definition)


@pytest.mark.parametrize("draft", every_kind(), ids=lambda draft: f"{draft.kind}, {draft.design}, {draft.leave_out}")
def test_every_kind_and_design_is_promised_what_its_matrix_keeps(draft: Question) -> None:
    beside = [] if draft.design != "plain" else [warner()]
    other = yes_no(parameters={"truth": [1, 3], "yes": [1, 5]})
    for asked in ([*beside, draft], [*beside, draft, draft, draft], [draft, other]):
        definition = define(*asked)
        check(promise(definition), definition)


@pytest.mark.parametrize(
    "draft", [*(each for each in every_kind() if each.design != "plain"), one_of(parameters=_SKEWED)]
)
def test_the_odds_are_the_same_beside_the_question(draft: Question) -> None:
    definition = define(yes_no(), draft)
    question = definition.questions[1]
    context = {"definition": definition, "question": question, "item": question.first}
    check_odds(render_to_string("answering/_odds.html", context), question)
    check_bound(
        words(render_to_string("answering/_question_why.html", context)).replace("ε ≤ ", "ε\u00a0≤\u00a0"), question
    )


@pytest.mark.uncounted
def test_no_number_can_be_changed_unnoticed() -> None:
    """The planted fault, in every number and every picture in turn."""
    for asked in ([one_of(parameters=_SKEWED)], [yes_no(), warner(parameters={"p": [9, 10]})], every_kind()):
        definition = define(*asked, minimum_n=25)
        html = promise(definition)
        check(html, definition)
        # Numbers that people read, and the paths of dots; not the frames of pictures.
        shown = [number.span() for number in re.finditer(r"\d+(?:[.,]\d+)*(?=[^<>]*<)", html)]
        dots = [
            (path.start(1), path.start(1) + number.end())
            for path in re.finditer(r'dot-\w+\)" d="([^"]+)"', html)
            for number in re.finditer(r"[\d.]+", path[1])
        ]
        assert len(shown) > 5
        assert len(dots) >= 20
        for _start, end in shown + dots:
            wrong = html[: end - 1] + str((int(html[end - 1]) + 1) % 10) + html[end:]
            with pytest.raises((AssertionError, IndexError)):
                check(wrong, definition)


def test_a_number_that_nothing_explains_is_noticed() -> None:
    definition = define(yes_no())
    with pytest.raises(AssertionError, match="7"):
        check(promise(definition).replace("</dd>", " with 7 others</dd>", 1), definition)


@pytest.mark.parametrize(
    ("draft", "changed"),
    [
        (yes_no(), {"parameters": {"truth": [2, 3], "yes": [1, 2]}}),
        (warner(), {"parameters": {"p": [7, 10]}}),
        (one_of(), {"parameters": {"truth": [1, 3]}}),
        (one_of(parameters=_SKEWED), {"parameters": _SKEWED | {"weights": [[1, 4], [1, 2], [1, 4]]}}),
        (several_of(**PROTECTED), {"parameters": {"truth": [1, 3]}}),
        (number_mean(), {"parameters": {"truth": [1, 2], "yes": [1, 3]}}),
        (crosswise(), {"parameters": {"p": [1, 3]}}),
        (unrelated(), {"parameters": {"p": [7, 10], "q": [1, 3]}}),
        (triangular(), {"parameters": {"p": [1, 3]}}),
    ],
    ids=lambda given: given.design if isinstance(given, Question) else "",
)
def test_changing_a_coins_bias_changes_the_words(draft: Question, changed: dict[str, Any]) -> None:
    before, after = define(draft), define(replace(draft, **changed))
    assert words(promise(before)) != words(promise(after))
    check(promise(after), after)
    with pytest.raises(AssertionError):
        check(promise(before), after)


@pytest.mark.parametrize(
    ("asked", "whose"),
    [
        ([yes_no(), yes_no("Ever?")], []),
        ([yes_no(), one_of(), yes_no("Ever?"), yes_no("Never?"), one_of(["a", "b", "c"])], [2, 5]),
        ([one_of(), yes_no(), triangular(), warner()], [3]),
        ([yes_no(), warner(parameters={"p": [9, 10]}), number_mean()], [2]),
        # Three parts together tell more than one answer to the third, but the line below speaks of one answer.
        ([several_of(), yes_no(), warner(parameters={"p": [4, 5]})], [3]),
        ([yes_no(), number_mean()], [1]),
    ],
)
def test_the_pictures_are_those_of_the_least_protected(asked: list[Question], whose: list[int]) -> None:
    shown = least_protected(define(*asked))
    assert shown
    assert numbers_of(shown.whose) == whose


def test_answers_with_different_names_have_one_picture() -> None:
    definition = define(one_of(), one_of(["a", "b", "c"]))
    check(promise(definition), definition)
    shown = least_protected(definition)
    assert shown
    assert not re.search("Never|Once|Often|“", " ".join(f"{each.about} {each.sent}" for each in shown.both))


def test_the_authors_few_words_stand_and_many_are_behind_what_they_are() -> None:
    few, many = "How common is this?", "How common is this? " * 20
    assert "<summary>About this survey" not in promise(define(yes_no(), introduction=few))
    html = promise(define(yes_no(), introduction=many))
    assert html.index("<summary>About this survey") < html.index('id="begin"')


@pytest.mark.parametrize(("asked", "most"), [([yes_no()], 80), (every_kind()[:10], 120)])
def test_the_promise_keeps_to_its_words(asked: list[Question], most: int) -> None:
    html = re.sub(r"(?s)(</summary>).*?</details>", r"\1", promise(define(*asked, introduction="How common is this?")))
    html = re.sub(r'(?s)<p class="small" id="unscripted">.*?</p>', "", html)
    assert len(re.sub(r"<[^>]+>", " ", html).split()) <= most


@pytest.mark.parametrize(
    ("draft", "numbers"),
    [
        (yes_no(), ["75", "100", "25"]),
        (yes_no(parameters={"truth": [1, 2], "yes": [1, 5]}), ["60", "100", "10"]),
        (several_of(), ["75", "100", "25"]),
        (one_of(), ["66.7", "100", "16.7"]),
        (number_mean(), ["0", "12", "12", "75", "100", "12", "25"]),  # which is rounded to 0 or 12 hours
        # Each answer has a chance of its own: the table below the fold says them all.
        (one_of(parameters=_SKEWED), []),
        (crosswise(), []),
    ],
)
def test_a_question_says_its_own_chance_in_one_line(draft: Question, numbers: list[str]) -> None:
    assert re.findall(r"\d+(?:\.\d+)?", chance_line(define(draft).questions[0].first)) == numbers


def test_that_a_flip_is_final_is_said_at_the_first_one() -> None:
    definition = define(crosswise(), yes_no(), yes_no("Ever?"))
    assert [is_first_flip(question, definition) for question in definition.questions] == [False, True, False]


@pytest.mark.parametrize(
    ("asked", "ways"),
    [
        ([yes_no()], "visible"),
        ([one_of(**PROTECTED)], "hidden"),
        ([yes_no(leave_out="no")], ""),
        ([yes_no(), one_of(**PROTECTED)], "both"),
    ],
)
def test_hiding_and_seeing_that_somebody_skipped_are_told_apart(asked: list[Question], ways: str) -> None:
    assert ways_of_leaving_out(define(*asked)) == ways


def test_no_phone_adds_chance_where_a_fact_does() -> None:
    definition = define(crosswise())
    assert chance_is_added(definition) == "head"
    text = words_of(promise(definition))
    assert part("_label_chance", definition, chance="head") in text
    assert "phone" not in text[: text.index(plain_spaces(odds_line(definition)))]


_NUMBER_WITH_WEIGHTS: dict[str, Any] = {"truth": [1, 2], "weights": [[1, 4], [1, 4], [1, 2]]}


def test_the_odds_of_a_number_are_those_of_the_end_that_it_was_rounded_to() -> None:
    number = define(number_mean(**(PROTECTED | {"parameters": _NUMBER_WITH_WEIGHTS})))
    check(promise(number), number)
    # 11 hours are mostly rounded to “12 hours”: what is said of one of several answers would be wrong of them.
    heads = [
        re.findall(r'<th scope="col">([^<]+)<', odds(each)) for each in (number, define(one_of(parameters=_SKEWED)))
    ]
    assert [len(head) for head in heads] == [3, 3]
    assert set(heads[0]) & set(heads[1]) == {"Answer"}


def odds(definition: Definition) -> str:
    return render_to_string("answering/_odds.html", {"definition": definition, "item": definition.questions[0].first})


def test_the_group_and_the_invitation_are_named_where_there_are_any() -> None:
    ordinary = promise(define(yes_no()))
    invited = promise(define(yes_no(), by_invitation=True), group=Group(name="Class B"))
    assert [("Class B" in page, "invitation" in page) for page in (ordinary, invited)] == [(False, False), (True, True)]


def test_bounds_are_rounded_up_and_shares_never_to_nothing_nor_to_all() -> None:
    assert epsilon_at_most(2.4849) == "ε\u00a0≤\u00a02.49"
    assert epsilon_at_most(1e-9) == "ε\u00a0≤\u00a00.01"
    assert odds_factor(define(yes_no(parameters={"truth": [1, 3], "yes": [1, 2]}), yes_no()).losses) == "6"
    assert odds_factor(define(warner(parameters={"p": [7, 10]})).losses) == "2.4"
    assert odds_factor(define(*[yes_no()] * 10).losses) == "59,100"
    assert odds_factor(define(*[yes_no()] * 13).losses) == ""  # 1,594,323: nobody can picture it
    assert [of_100(Fraction(*share)) for share in ((2, 3), (1, 9999), (9999, 10000), (1, 1))] == [
        "66.7",
        "0.01",
        "99.99",
        "100",
    ]


def test_a_hundred_and_fifty_items_have_no_factor_that_overflows() -> None:
    certain = yes_no(parameters={"truth": [99, 100], "yes": [1, 2]})
    definition = define(*[certain] * 149, triangular())
    assert odds_factor(definition.losses) == ""
    check(promise(definition), definition)


def test_numbers_are_written_as_the_language_writes_them() -> None:
    with translation.override("de"):
        assert of_100(Fraction(2, 3)) == "66,7"
        assert epsilon_at_most(1.0986) == "ε\u00a0≤\u00a01,10"
        assert 'd="M0 0H100V60H0ZM0 60H66.6667V70H0Z"' in promise(define(one_of()))


@pytest.mark.django_db
def test_dots_are_drawn_from_patterns_that_stand_once_outside_of_every_step(client: Client) -> None:
    """A browser draws no pattern of a step that is hidden."""
    html = client.get(f"/s/{make_open(*every_kind()).code}/").content.decode()
    for name in set(re.findall(r"url\(#([\w-]+)\)", html)) | {"coin"}:
        assert html.count(f'id="{name}"') == 1
        assert html.index(f'id="{name}"') < html.index("data-step")


@pytest.mark.django_db
def test_twenty_questions_fit_in_thirty_kilobytes_with_all_they_load(client: Client) -> None:
    survey = make_open(*every_kind(), *every_kind()[:5], title="Honest answers about exams", consent="Freely.")
    html = client.get(f"/s/{survey.code}/").content.decode()
    static = Path(settings.BASE_DIR) / "static"
    files = {*re.findall(r'/static/((?:css|js)/[\w.]+)"', html)}
    while more := {
        f"js/{name}"
        for file in files
        for name in re.findall(r'from "\./([\w.]+)"', (static / file).read_text())
        if f"js/{name}" not in files
    }:
        files |= more
    assert len(files) >= 3
    parts = {file: len(gzip.compress((static / file).read_bytes(), 9)) for file in files}
    parts["page"] = len(gzip.compress(html.encode(), 9))
    assert sum(parts.values()) <= 30 * 1024, parts
