"""How designs are explained: every sentence's share is the matrix's or a parameter's."""

import re
from fractions import Fraction

import pytest
from hypothesis import given

from surveys.privacy.designs import (
    Design,
    UnaryDesign,
    crosswise,
    forced_response,
    from_matrix,
    k_ary,
    kuk,
    mangat,
    triangular,
    unrelated_question,
    warner,
)
from surveys.privacy.own_chance import own_chance
from surveys.privacy.procedures import (
    Carrier,
    Sentence,
    StepKind,
    facts,
    out_of,
    procedures,
    proofs,
    report_labels,
)
from tests.privacy.any_design import designs

HALF = Fraction(1, 2)
INNOCUOUS = (
    "Answer an innocuous question silently. Nobody here knows your answer to it, it has nothing to do with the "
    "question asked, and it is “Yes” for 1 of 6 people."
)


def told(design: Design, carrier: Carrier = Carrier.DEVICE, labels: tuple[str, ...] = ("No", "Yes")) -> list[str]:
    (way,) = (way for way in procedures(design, labels) if way.carrier == carrier)
    return [step.sentence.words() for step in way.steps]


def labels_for(design: Design) -> tuple[str, ...]:
    return tuple("ABCDEFGHIJ"[: design.k])


def test_fair_coins_are_told_in_two_steps() -> None:
    assert told(forced_response("2/3", "1/4")) == [
        "Chance asks for the truth 2 of 3 times: your true answer is the report.",
        "The other times chance itself reports “Yes” 1 of 4 times, else “No”.",
    ]


def test_warner_asks_for_the_statement_or_its_opposite() -> None:
    assert told(warner("3/4")) == [
        "Chance asks whether “Yes” is true 3 of 4 times: your true answer is the report.",
        "It asks whether “No” is true 1 of 4 times: the opposite of your true answer is the report.",
    ]


def test_mangat_lets_only_no_be_perturbed() -> None:
    assert told(mangat("7/10")) == [
        "If your true answer is “Yes”, that is the report.",
        "If it is “No”, chance reports “No” 7 of 10 times, else “Yes”.",
    ]


def test_the_unrelated_question_is_told_for_a_device_and_for_the_head() -> None:
    design = unrelated_question("2/3", "1/12")
    assert told(design) == [
        "Chance asks the question itself 2 of 3 times: your true answer is the report.",
        "The other times the answer to an innocuous question is the report, which is “Yes” 1 of 12 times, else “No”.",
    ]
    assert told(design, Carrier.IN_THE_HEAD) == [
        "Think of a fact about you that nobody here knows, that has nothing to do with the question, and that "
        "holds for 2 of 3 people.",
        "If it holds for you, your true answer is the report.",
        "If not, your answer to an innocuous question is the report. Nobody here knows that answer either, it has "
        "nothing to do with the question or the fact, and it is “Yes” for 1 of 12 people.",
    ]


def test_crosswise_compares_two_answers() -> None:
    compare = "If both questions have the same answer, the report is “the same”, else “different”."
    assert told(crosswise("1/6")) == ["Chance answers an innocuous question: “Yes” 1 of 6 times, else “No”.", compare]
    assert told(crosswise("1/6"), Carrier.IN_THE_HEAD) == [
        INNOCUOUS,
        compare,
    ]


def test_triangular_hides_which_of_both_is_yes() -> None:
    either = "If both questions have the answer “No”, the report is “No to both”, else “Yes to at least one”."
    assert told(triangular("1/6"))[1] == either
    assert told(triangular("1/6"), Carrier.IN_THE_HEAD) == [
        INNOCUOUS,
        either,
    ]


def test_kuk_is_told_with_two_decks() -> None:
    assert told(kuk("7/10", "1/5", draws=3)) == [
        "If your true answer is “Yes”, take the deck in which 7 of 10 cards are red.",
        "If it is “No”, take the deck in which 1 of 5 cards are red.",
        "Draw 3 cards one after the other, putting each back, and report only how many are red.",
    ]
    assert told(kuk("7/10", "1/5"))[-1] == "Draw one card and report only how many are red."


def test_a_fair_spinner_is_told_once_and_another_answer_by_answer() -> None:
    assert told(k_ary(3), labels=("A", "B", "C")) == [
        "Chance asks for the truth 1 of 2 times: your true answer is the report.",
        "The other times a spinner stops at each answer equally often, 1 of 3 times.",
    ]
    assert told(k_ary(3, HALF, [HALF, HALF, 0]), labels=("A", "B", "C"))[1:] == [
        "The other times a spinner stops at “A” 1 of 2 times.",
        "The other times a spinner stops at “B” 1 of 2 times.",
    ]
    assert told(k_ary(2, HALF, [HALF, HALF])) == told(k_ary(2))


def test_unary_is_told_box_by_box() -> None:
    assert told(UnaryDesign(3, HALF, Fraction(1, 4)).design, labels=("A", "B", "C")) == [
        "Every answer gets a box, and only the box of your true answer is ticked.",
        "That box stays ticked 1 of 2 times.",
        "Each other box is ticked by chance 1 of 4 times.",
        "The ticked boxes are the report.",
    ]


def test_a_design_without_a_name_refers_to_its_table() -> None:
    assert told(from_matrix(warner("3/4").matrix)) == [
        "Chance picks the report as often as the table says for your true answer."
    ]


def test_steps_say_who_does_something() -> None:
    kinds = [step.kind for step in procedures(crosswise("1/6"))[-1].steps]
    assert kinds == [StepKind.THINK, StepKind.REPORT]
    assert procedures(mangat("7/10"))[0].steps[1].kind == StepKind.CHANCE


@given(designs)
def test_a_device_always_can_and_coins_where_there_are_instructions(design: Design) -> None:
    ways = {way.carrier: way for way in procedures(design, labels_for(design))}
    assert Carrier.DEVICE in ways
    assert (Carrier.OWN_CHANCE in ways) == (own_chance(design) is not None)
    if Carrier.OWN_CHANCE in ways:
        assert ways[Carrier.OWN_CHANCE].throws.matrix == design.matrix
        assert ways[Carrier.OWN_CHANCE].steps == ways[Carrier.DEVICE].steps
    assert (Carrier.IN_THE_HEAD in ways) == (design.name in {"crosswise", "triangular", "unrelated_question"})
    assert ways[Carrier.DEVICE].throws is None


@given(designs)
def test_the_facts_are_the_matrix(design: Design) -> None:
    found = facts(design, labels_for(design))
    assert [(fact.truth, fact.report) for fact in found] == [(i, j) for i in range(design.k) for j in range(design.m)]
    assert all(fact.sentence.share == design.matrix[fact.report][fact.truth] for fact in found)


@given(designs)
def test_there_are_proofs_where_epsilon_is_infinite(design: Design) -> None:
    found = {proof.report: proof.ruled_out for proof in proofs(design, labels_for(design))}
    assert found == {
        report: tuple(truth for truth in range(design.k) if row[truth] == 0)
        for report, row in enumerate(design.matrix)
        if 0 in row
    }
    assert bool(found) == (design.epsilon == float("inf"))


def test_a_fact_is_told_about_people_with_one_answer() -> None:
    assert [fact.sentence.words() for fact in facts(forced_response())][:2] == [
        "Of people whose true answer is “No”, 3 of 4 report “No”.",
        "Of people whose true answer is “No”, 1 of 4 report “Yes”.",
    ]
    assert facts(mangat("7/10"))[-1].sentence.words() == "Of people whose true answer is “Yes”, all report “Yes”."


def test_a_proof_names_what_remains_possible() -> None:
    (proof,) = proofs(triangular("1/6"))
    assert proof.sentence.words() == "The report “No to both” proves that the true answer is “No”."
    (proof,) = proofs(from_matrix([["1/2", "1/4", 0], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "3/4"]]), "ABC")
    assert proof.sentence.words() == "The report “A” proves that the true answer is “A” or “B”."


@pytest.mark.parametrize(
    ("design", "labels", "names"),
    [
        (warner("3/4"), ("never", "once"), ("never", "once")),
        (crosswise("1/4"), ("No", "Yes"), ("different", "the same")),
        (triangular("1/4"), ("No", "Yes"), ("No to both", "Yes to at least one")),
        (kuk(HALF, "1/4", draws=2), ("No", "Yes"), ("0 red", "1 red", "2 red")),
        (UnaryDesign(2, HALF, Fraction(1, 4)).design, ("A", "B"), ("nothing", "A", "B", "A + B")),
        (
            from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]]),
            ("A", "B"),
            ("report 0", "report 1", "report 2"),
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Design) else None,
)
def test_reports_have_names(design: Design, labels: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert report_labels(design, labels) == names


@pytest.mark.parametrize("explain", [procedures, facts, proofs, report_labels])
def test_there_is_one_label_for_each_true_answer(explain: object) -> None:
    with pytest.raises(ValueError, match="labels must be 3, one for each true answer, got 2"):
        explain(k_ary(3))


def test_a_page_words_shares_its_own_way() -> None:
    sentence = Sentence("In ", Fraction(3, 4), ".", "cases")
    assert sentence.words() == "In 3 of 4 cases."
    assert sentence.words(lambda share, counted: f"{share * 100} of 100 {counted}") == "In 75 of 100 cases."
    assert Sentence("Always.").words(lambda *_share: "never shown") == "Always."
    assert [out_of(Fraction(0)), out_of(Fraction(1))] == ["none", "all"]


@pytest.mark.parametrize("design", [crosswise("1/6"), triangular("1/6"), unrelated_question("2/3", "1/12")])
def test_every_innocuous_fact_is_unknown_here_and_has_nothing_to_do_with_the_question(design: Design) -> None:
    for way in procedures(design):
        for step in way.steps:
            if step.kind == StepKind.THINK:
                assert "obody here knows" in step.sentence.before
                assert "nothing to do with the question" in step.sentence.before


def test_certain_and_impossible_shares_are_worded_too() -> None:
    assert told(warner(1)) == [
        "Chance asks whether “Yes” is true all of the times: your true answer is the report.",
        "It asks whether “No” is true none of the times: the opposite of your true answer is the report.",
    ]
    assert told(kuk(1, "1/5"))[0] == "If your true answer is “Yes”, take the deck in which all of the cards are red."
    assert told(triangular(0), Carrier.IN_THE_HEAD)[0].endswith("it is “Yes” for none of the people.")


@given(designs)
def test_no_share_is_a_bare_all_or_none_of_something_counted(design: Design) -> None:
    for way in procedures(design, labels_for(design)):
        for step in way.steps:
            assert not re.search(r"\b(all|none) (times|people|cards)", step.sentence.words())
