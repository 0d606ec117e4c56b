"""What a starter is: a survey to begin with, why it asks as it does, and the studies behind it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys.selectors.documents import FORMAT, VERSION
from surveys.services.documents import SurveyContent, read_document

Text = str | Promise

VOLUNTARY = _("Taking part is voluntary. You may leave out any question.")
INTRODUCTION = _(
    "Your phone adds chance to every answer before it is sent. Nobody can know what you meant, and the share in the "
    "whole group can still be estimated."
)
# In brackets, so that nobody takes it for an address when its author has forgotten it.
SUPPORT = _("[Write here who helps: a name, a telephone number, the hours.]")


@dataclass(frozen=True)
class Starter:
    """A survey to begin with; its texts come in the language that is in force when it is read."""

    key: str  # in its address
    topic: Text  # what authors look for; respondents read the survey's own title
    after: str  # the study that it comes from, in short
    asks: Text  # what it asks, in one sentence
    why: Text  # why in this way
    sources: tuple[str, ...]  # works as they are cited; the first is that study
    survey: dict[str, Any]
    questions: tuple[dict[str, Any], ...]

    @property
    def document(self) -> dict[str, Any]:
        """The survey's document, in the language in force."""
        survey = {"language": translation.get_language(), **self.survey}
        whole = {"format": FORMAT, "version": VERSION, "survey": survey, "questions": list(self.questions)}
        said: dict[str, Any] = _said(whole)
        return said

    @cached_property
    def _any_language(self) -> SurveyContent:
        with translation.override("en"):
            return read_document(self.document)

    @property
    def content(self) -> SurveyContent:
        """What a draft made from it would hold, as far as no words matter: designs, numbers."""
        return self._any_language


def _said(value: Any) -> Any:  # noqa: ANN401 - whatever stands in a document
    """Return a value with its texts in the language in force."""
    if isinstance(value, Promise):
        return str(value)
    if isinstance(value, dict):
        return {name: _said(inner) for name, inner in value.items()}
    return [_said(inner) for inner in value] if isinstance(value, list) else value


def yes_no(text: Text, *, truth: tuple[int, int], leave_out: str = "visibly") -> dict[str, Any]:
    """Ask yes or no with two coins; the second is fair."""
    return {
        "kind": "yes_no",
        "text": text,
        "design": "forced_response",
        "parameters": {"truth": list(truth), "yes": [1, 2]},
        "leave_out": leave_out,
    }


def unrelated(text: Text, *, selector: Text, innocuous: Text) -> dict[str, Any]:
    """Ask yes or no, or an unrelated question instead, as a birthday decides: no device takes part."""
    return {
        "kind": "yes_no",
        "text": text,
        "design": "unrelated_question",
        # Of 365 days, 257 are the 10th of a month or later, and 181 come before July.
        "parameters": {"p": [257, 365], "q": [181, 365]},
        "details": {
            "selector": selector,
            "selector_source": _("257 of the 365 days of a year. Births are spread about evenly over them."),
            "innocuous": innocuous,
            "innocuous_source": _("181 of the 365 days of a year. Births are spread about evenly over them."),
        },
    }
