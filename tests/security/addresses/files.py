"""Exports and the ethics packet."""

from tests.security.addresses.row import of_survey

_PROGRAMS = ("codebook", "codebook-csv", "r", "python", "notebook", "spss", "stata")
_REPORTS = ("csv", "labels", "json", "figures-csv", "figures-json", "deposit")

ROWS = (
    of_survey("survey-export", "analyse", state="closed"),
    *(of_survey(f"survey-export-{name}", "analyse", state="closed") for name in (*_PROGRAMS, *_REPORTS)),
    # Without enough responses there is nothing to export.
    *(of_survey(f"survey-export-{name}", "analyse", state="open", get=409) for name in _REPORTS),
    *(
        of_survey(f"survey-export-weights-{language}", "analyse", state=state, get=get)
        for language in ("r", "python")
        for state, get in (("closed", 200), ("open", 409))
    ),
    of_survey("survey-ethics", "analyse", state="open"),
)
