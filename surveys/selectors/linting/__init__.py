"""The linter: what in a survey may mislead people, or betray them, with the reason and what to do about it.

`findings_of(survey)` reads a stored survey; `surveys.forms.authoring.linting.typed_findings` takes what is typed.
Both give findings in the order of their weight, for `editor/_lint.html`:

    {% include "editor/_lint.html" with findings=findings %}
"""

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.reading import findings_of
from surveys.selectors.linting.subject import LintedQuestion, LintedSurvey
from surveys.selectors.linting.table import RULES, findings_in

__all__ = ["RULES", "Finding", "Level", "LintedQuestion", "LintedSurvey", "findings_in", "findings_of"]
