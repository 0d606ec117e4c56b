"""What a design means for the person who answers, read from its matrix."""

from collections.abc import Sequence
from dataclasses import dataclass

from surveys.privacy.designs import Design
from surveys.privacy.procedures.labels import NO_YES, report_labels
from surveys.privacy.procedures.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Fact:
    """How often people with one true answer send one report."""

    truth: int
    report: int
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class Proof:
    """A report that rules true answers out; epsilon is infinite."""

    report: int
    ruled_out: tuple[int, ...]
    sentence: Sentence


def facts(design: Design, labels: Sequence[str] = NO_YES) -> tuple[Fact, ...]:
    """Return how often people with each true answer send each report: all of the matrix, answer by answer.

    Parameters
    ----------
    design : Design
        The design in use.
    labels : sequence of str
        What the true answers are called, in the order of their codes.
    """
    names = report_labels(design, labels)
    return tuple(
        Fact(truth, report, Sentence(f"Of people whose true answer is “{label}”, ", row[truth], f" report “{name}”."))
        for truth, label in enumerate(labels)
        for report, (name, row) in enumerate(zip(names, design.matrix, strict=True))
    )


def proofs(design: Design, labels: Sequence[str] = NO_YES) -> tuple[Proof, ...]:
    """Return the reports that rule true answers out; none where epsilon is finite.

    Parameters
    ----------
    design : Design
        The design in use.
    labels : sequence of str
        What the true answers are called, in the order of their codes.
    """
    found = []
    for report, name in enumerate(report_labels(design, labels)):
        row = design.matrix[report]
        ruled_out = tuple(truth for truth, share in enumerate(row) if not share)
        if ruled_out:
            possible = " or ".join(f"“{label}”" for label, share in zip(labels, row, strict=True) if share)
            sentence = Sentence(f"The report “{name}” proves that the true answer is {possible}.")
            found.append(Proof(report, ruled_out, sentence))
    return tuple(found)
