"""Learners as they are published, with real numbers: for simulated people, as floats do not keep their promises."""

from typing import ClassVar


class LabLearner:
    """A learner whose proof is about real numbers. The last bits of floats may tell the data: no release uses it."""

    __slots__ = ()

    finite_precision_safe: ClassVar[bool] = False
