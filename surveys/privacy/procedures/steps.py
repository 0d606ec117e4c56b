"""The steps of each design, from the parameters it was made with."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias, cast

from surveys.privacy.designs import Design
from surveys.privacy.procedures.labels import OWN_REPORTS
from surveys.privacy.procedures.sentences import Sentence, Step, StepKind

Steps: TypeAlias = tuple[Step, ...]


def steps_by_chance(design: Design, labels: Sequence[str]) -> Steps:
    """Return the steps where a device, coins or a die decide; of a design without a name, that its table decides."""
    return _BY_CHANCE.get(design.name, _by_the_table)(design, labels)


def steps_in_the_head(design: Design, labels: Sequence[str]) -> Steps | None:
    """Return the steps where facts that only the respondent knows decide; None where the design has none.

    Reports follow the design matrix only if every such fact is independent of the true answer (and two facts of each
    other), and protect as its epsilon says only from those who know none of these facts: so the steps ask for both.
    """
    found = _IN_THE_HEAD.get(design.name)
    return found(design, labels) if found else None


def _forced_response(design: Design, labels: Sequence[str]) -> Steps:
    no, yes = labels
    return (
        _chance("Chance asks for the truth ", _given(design, "truth"), ": your true answer is the report."),
        _chance(f"The other times chance itself reports “{yes}” ", _given(design, "yes"), f", else “{no}”."),
    )


def _warner(design: Design, labels: Sequence[str]) -> Steps:
    no, yes = labels
    p = _given(design, "p")
    return (
        _chance(f"Chance asks whether “{yes}” is true ", p, ": your true answer is the report."),
        _chance(f"It asks whether “{no}” is true ", 1 - p, ": the opposite of your true answer is the report."),
    )


def _mangat(design: Design, labels: Sequence[str]) -> Steps:
    no, yes = labels
    return (
        _report(f"If your true answer is “{yes}”, that is the report."),
        _chance(f"If it is “{no}”, chance reports “{no}” ", _given(design, "p"), f", else “{yes}”."),
    )


def _unrelated_question(design: Design, labels: Sequence[str]) -> Steps:
    no, yes = labels
    return (
        _chance("Chance asks the question itself ", _given(design, "p"), ": your true answer is the report."),
        _chance(
            f"The other times the answer to an innocuous question is the report, which is “{yes}” ",
            _given(design, "q"),
            f", else “{no}”.",
        ),
    )


def _unrelated_question_in_the_head(design: Design, labels: Sequence[str]) -> Steps:
    _, yes = labels
    return (
        _think(
            "Think of a fact about you that nobody here knows, that has nothing to do with the question, and that "
            "holds for ",
            _given(design, "p"),
        ),
        _report("If it holds for you, your true answer is the report."),
        _think(
            "If not, your answer to an innocuous question is the report. Nobody here knows that answer either, it has "
            f"nothing to do with the question or the fact, and it is “{yes}” for ",
            _given(design, "q"),
        ),
    )


def _crosswise(design: Design, labels: Sequence[str]) -> Steps:
    return _innocuous_by_chance(design, labels), _compare()


def _crosswise_in_the_head(design: Design, labels: Sequence[str]) -> Steps:
    return _innocuous_in_the_head(design, labels), _compare()


def _compare() -> Step:
    different, same = OWN_REPORTS["crosswise"]
    return _report(f"If both questions have the same answer, the report is “{same}”, else “{different}”.")


def _triangular(design: Design, labels: Sequence[str]) -> Steps:
    return _innocuous_by_chance(design, labels), _either(labels)


def _triangular_in_the_head(design: Design, labels: Sequence[str]) -> Steps:
    return _innocuous_in_the_head(design, labels), _either(labels)


def _either(labels: Sequence[str]) -> Step:
    neither, either = OWN_REPORTS["triangular"]
    no, _ = labels
    return _report(f"If both questions have the answer “{no}”, the report is “{neither}”, else “{either}”.")


def _innocuous_by_chance(design: Design, labels: Sequence[str]) -> Step:
    no, yes = labels
    return _chance(f"Chance answers an innocuous question: “{yes}” ", _given(design, "p"), f", else “{no}”.")


def _innocuous_in_the_head(design: Design, labels: Sequence[str]) -> Step:
    _, yes = labels
    return _think(
        "Answer an innocuous question silently. Nobody here knows your answer to it, it has nothing to do with the "
        f"question asked, and it is “{yes}” for ",
        _given(design, "p"),
    )


def _kuk(design: Design, labels: Sequence[str]) -> Steps:
    no, yes = labels
    draws = design.m - 1
    cards = "one card" if draws == 1 else f"{draws} cards one after the other, putting each back,"
    return (
        _deck(f"If your true answer is “{yes}”, take the deck in which ", _given(design, "p1")),
        _deck(f"If it is “{no}”, take the deck in which ", _given(design, "p2")),
        _report(f"Draw {cards} and report only how many are red."),
    )


def _k_ary(design: Design, labels: Sequence[str]) -> Steps:
    truth = _chance("Chance asks for the truth ", _given(design, "truth"), ": your true answer is the report.")
    given = cast("tuple[Fraction, ...] | None", dict(design.exact_parameters).get("weights"))
    spinner = given or (Fraction(1, design.k),) * design.k
    if len(set(spinner)) == 1:
        return truth, _chance("The other times a spinner stops at each answer equally often, ", spinner[0])
    return truth, *(
        _chance(f"The other times a spinner stops at “{label}” ", share)
        for label, share in zip(labels, spinner, strict=True)
        if share
    )


def _unary(design: Design, _labels: Sequence[str]) -> Steps:
    return (
        _report("Every answer gets a box, and only the box of your true answer is ticked."),
        _chance("That box stays ticked ", _given(design, "p")),
        _chance("Each other box is ticked by chance ", _given(design, "q")),
        _report("The ticked boxes are the report."),
    )


def _by_the_table(_design: Design, _labels: Sequence[str]) -> Steps:
    return (
        Step(StepKind.CHANCE, Sentence("Chance picks the report as often as the table says for your true answer.")),
    )


def _given(design: Design, name: str) -> Fraction:
    """Return a parameter that is one probability."""
    return cast("Fraction", dict(design.exact_parameters)[name])


def _chance(before: str, share: Fraction, after: str = ".") -> Step:
    return Step(StepKind.CHANCE, Sentence(before, share, after, "times"))


def _deck(before: str, share: Fraction) -> Step:
    return Step(StepKind.CHANCE, Sentence(before, share, " are red.", "cards"))


def _think(before: str, share: Fraction) -> Step:
    return Step(StepKind.THINK, Sentence(before, share, ".", "people"))


def _report(text: str) -> Step:
    return Step(StepKind.REPORT, Sentence(text))


_BY_CHANCE: dict[str, Callable[[Design, Sequence[str]], Steps]] = {
    "forced_response": _forced_response,
    "warner": _warner,
    "mangat": _mangat,
    "unrelated_question": _unrelated_question,
    "crosswise": _crosswise,
    "triangular": _triangular,
    "kuk": _kuk,
    "k_ary": _k_ary,
    "unary": _unary,
}
_IN_THE_HEAD: dict[str, Callable[[Design, Sequence[str]], Steps]] = {
    "unrelated_question": _unrelated_question_in_the_head,
    "crosswise": _crosswise_in_the_head,
    "triangular": _triangular_in_the_head,
}
