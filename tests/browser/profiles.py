"""Answers that nobody gives by chance, to every kind of truth: what the tests of lasting profiles look for in files."""

from surveys.models import Survey
from tests.factories import PROTECTED, crosswise, make_open, number_mean, one_of, scale, several_of, yes_no

BY_DEVICE, BY_SERVER, PLANTED = "7316.25", "8216.25", "9116.25"
NUMBERS = {"low": [0, 1], "high": [10000, 1], "step": [1, 4], "unit": ""}
SHOWN = "[data-step]:not([hidden]) "


def survey_of_truths() -> Survey:
    """Open a survey with every kind of truth, a number that is typed first."""
    return make_open(
        number_mean("How many?", details=NUMBERS, leave_out="no"),
        yes_no(),
        one_of(),
        several_of(leave_out="no"),
        scale(),
        crosswise(),
        number_mean("How few, or not saying?", **PROTECTED),
        server_mode_allowed=True,
    )


def holds(data: bytes, text: str) -> bool:
    """Tell whether a file holds this text, in either of the ways in which browsers write texts."""
    return text.encode() in data or text.encode("utf-16-le") in data
