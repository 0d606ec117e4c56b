"""The designs, one object each.

To add a design: a module here with its class, a line in the registry, and its matrices in `surveys.privacy.designs`.
"""

from surveys.questionnaire.designs.chance import Chance
from surveys.questionnaire.designs.in_the_head import INNOCUOUS_LENGTH, HeadExample, InTheHead
from surveys.questionnaire.designs.registry import (
    NO_CHANCE,
    USUAL,
    USUAL_FOR_MANY,
    choices,
    every,
    find,
    label_of,
    named,
    register,
    unregister,
)

__all__ = [
    "INNOCUOUS_LENGTH",
    "NO_CHANCE",
    "USUAL",
    "USUAL_FOR_MANY",
    "Chance",
    "HeadExample",
    "InTheHead",
    "choices",
    "every",
    "find",
    "label_of",
    "named",
    "register",
    "unregister",
]
