"""Sharing a survey and presenting it to a class."""

from tests.security.addresses.row import Row, of_survey

ROWS: tuple[Row, ...] = (
    of_survey("survey-share", "edit", state="open"),
    of_survey("survey-qr", "edit", state="open"),
    of_survey("survey-poster", "edit", state="open"),
    of_survey("survey-present", "present", state="closed", post={"editor": 403, "others": 302}),
    of_survey("survey-present-live", "present", state="closed"),
)
