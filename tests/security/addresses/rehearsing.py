"""Rehearsing with simulated respondents: for those who may edit, each a copy of their own."""

from tests.security.addresses.row import of_survey

ROWS = (
    of_survey("survey-rehearse", "edit", post=302, body={"respondents": "20", "q1-0": "30"}),
    # Without a rehearsal of one's own there is nothing to go on with, and nothing to leave.
    of_survey("survey-rehearse-step", "edit", get=None, post=302, changes=False),
    of_survey("survey-rehearse-leave", "edit", get=None, post=302, changes=False),
)
