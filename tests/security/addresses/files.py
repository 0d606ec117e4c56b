"""Exports, the tokens with which programs read them, and the ethics packet."""

from tests.security.addresses.row import of_survey, public

_PROGRAMS = ("codebook-csv", "r", "python", "notebook", "spss", "stata")
_REPORTS = ("csv", "labels", "json", "figures-csv", "figures-json", "deposit")

ROWS = (
    of_survey("survey-export", "analyse", state="closed"),
    of_survey("survey-export-codebook", "analyse", state="closed"),
    *(of_survey(f"survey-export-{name}", "analyse", state="closed", programs=True) for name in (*_PROGRAMS, *_REPORTS)),
    # Without enough responses there is nothing to export.
    *(of_survey(f"survey-export-{name}", "analyse", state="open", get=409, programs=True) for name in _REPORTS),
    *(
        of_survey(f"survey-export-weights-{language}", "analyse", state=state, get=get)
        for language in ("r", "python")
        for state, get in (("closed", 200), ("open", 409))
    ),
    of_survey("survey-ethics", "analyse", state="open"),
    # The page with the token; tests/tokens/ knows what a token opens.
    of_survey("survey-tokens", "analyse", state="closed", post=200, body={"label": "weekly report", "days": "30"}),
    public("api-document"),
)
