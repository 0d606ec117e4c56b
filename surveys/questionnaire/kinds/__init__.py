"""What can be asked, which designs suit each kind of question, and what the survey owner must say about it.

To add a kind: a module here with its class, and a line in the registry.
"""

from surveys.questionnaire.kinds.checks import (
    LARGEST_DENOMINATOR,
    MAX_OPTIONS,
    OPTION_LENGTH,
    pair_of,
)
from surveys.questionnaire.kinds.kind import (
    Answers,
    Detail,
    Figures,
    LeaveOut,
    Loss,
    Range,
    Typed,
    prefer_not_to_say,
)
from surveys.questionnaire.kinds.number_mean import MAX_STEPS
from surveys.questionnaire.kinds.registry import (
    ONE_OF_LIST,
    YES_OR_NO,
    all_details,
    check_details,
    choices,
    details_of,
    every,
    find,
    named,
    register,
    suitable_designs,
    traits_of,
    unregister,
)

__all__ = [
    "LARGEST_DENOMINATOR",
    "MAX_OPTIONS",
    "MAX_STEPS",
    "ONE_OF_LIST",
    "OPTION_LENGTH",
    "YES_OR_NO",
    "Answers",
    "Detail",
    "Figures",
    "LeaveOut",
    "Loss",
    "Range",
    "Typed",
    "all_details",
    "check_details",
    "choices",
    "details_of",
    "every",
    "find",
    "named",
    "pair_of",
    "prefer_not_to_say",
    "register",
    "suitable_designs",
    "traits_of",
    "unregister",
]
