"""The surveys of the server that stands in processes of its own."""

from surveys.drafts.services.groups import add_group
from surveys.sharing.services import invite
from tests.browser.answering import every_way
from tests.factories import make_open, number_mean, one_of, several_of, yes_no

# Nobody writes this number by chance.
TRUE_NUMBER = "7316.25"
NUMBERS = {"low": [0, 1], "high": [10000, 1], "step": [1, 4], "unit": ""}
BATCH = "batchOfTheBrowserTests"
# With 9 of 10 true reports an audit's own uncertainty fits between 0.95 ε and ε at a hundred thousand people.
MOSTLY_TRUE = {"parameters": {"truth": [4, 5], "yes": [1, 2]}}
OPTIONS = [f"Option {number}" for number in range(1, 21)]
AUDITED = [several_of(OPTIONS, f"Question {number}?", **MOSTLY_TRUE) for number in range(1, 8)]


def open_surveys() -> tuple[str, ...]:
    """Open a survey to be audited and three to be answered, the last by the invitations that are returned."""
    make_open(*AUDITED, server_mode_allowed=True, code="AUDTED")
    several = [one_of([f"option {number}" for number in range(20)], f"Question {number}?") for number in range(8)]
    number = number_mean("How many?", details=NUMBERS, leave_out="no")
    make_open(*every_way(), code="TRACES")
    make_open(*several, number, server_mode_allowed=True, code="TRUTHS")
    invited = make_open(yes_no(), number, server_mode_allowed=True, by_invitation=True, code="NVTED")
    add_group(survey=invited, name="North")
    return invite(survey=invited, number=4, batch=BATCH).tokens
