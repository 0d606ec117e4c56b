"""How each design is carried out and what it shows, as sentences with exact shares that pages can word their way."""

from surveys.privacy.procedures.carriers import Carrier, Procedure, procedures
from surveys.privacy.procedures.consequences import Fact, Proof, facts, proofs
from surveys.privacy.procedures.labels import NO_YES, report_labels
from surveys.privacy.procedures.sentences import Sentence, Step, StepKind, out_of

__all__ = [
    "NO_YES",
    "Carrier",
    "Fact",
    "Procedure",
    "Proof",
    "Sentence",
    "Step",
    "StepKind",
    "facts",
    "out_of",
    "procedures",
    "proofs",
    "report_labels",
]
