"""Results, for those who may analyse; the same pages show a rehearsal."""

from tests.security.addresses.row import of_survey

_TABS = ("groups", "relate", "regression", "weights", "bayes", "plan", "methods")

ROWS = (
    of_survey("survey-results", "analyse", state="closed", rehearsals=True),
    of_survey("survey-figures", "analyse", state="closed", rehearsals=True),
    of_survey("survey-results-question", "analyse", state="closed", extra=(1,), rehearsals=True),
    *(of_survey(f"survey-results-{tab}", "analyse", state="closed", rehearsals=True) for tab in _TABS),
)
