"""Forms that the join code confirms: sealing, purging and the purge day; and the form of times and the cap."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.common.forms import DayField, MomentField
from surveys.course.services import has_begun
from surveys.models import Survey

_TIMES = ("opens_at", "closes_at", "response_cap")


class CodeConfirmForm(forms.Form):
    """The join code, typed by somebody who means it."""

    code = forms.CharField(
        max_length=40,
        error_messages={"required": gettext_lazy("Enter the join code.")},
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, survey: Survey, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._survey = survey
        self.fields["code"].label = _("Type %(code)s to confirm") % {"code": survey.code}

    def clean_code(self) -> str:
        """Take the code in small letters and with spaces around it, too."""
        code = str(self.cleaned_data["code"]).upper()
        if code != self._survey.code:
            raise ValidationError(
                _("“%(typed)s” isn’t this survey’s join code. Nothing was changed.")
                % {"typed": self.cleaned_data["code"]}
            )
        return code

    @property
    def options(self) -> Mapping[str, Any]:
        """Further arguments for the service: all that is asked for besides the code."""
        return {name: value for name, value in self.cleaned_data.items() if name != "code"}


class SealForm(CodeConfirmForm):
    """The join code, and how little is to be kept."""

    pairs_only = forms.BooleanField(
        label=gettext_lazy("Keep only counts per question and pair of questions"),
        required=False,
        help_text=gettext_lazy(
            "Complete responses are destroyed, so none can be recognized by its combination of reports. "
            "Results stay the same, except regressions on three or more questions. Reports can no longer be "
            "exported."
        ),
    )

    field_order = ("pairs_only", "code")


class PurgeDayForm(CodeConfirmForm):
    """The join code, and the day on which all that came in is destroyed."""

    purge_on = DayField(
        label=gettext_lazy("Destroy all answers on"), error_messages={"required": gettext_lazy("Choose a day.")}
    )

    field_order = ("purge_on", "code")


class ScheduleForm(forms.Form):
    """When an opened survey takes answers, and how many at most."""

    opens_at = MomentField(label=gettext_lazy("Opens"))
    closes_at = MomentField(label=gettext_lazy("Closes"))
    response_cap = forms.IntegerField(
        label=gettext_lazy("Maximum responses"),
        required=False,
        min_value=1,
        max_value=2_147_483_647,
        error_messages={"invalid": gettext_lazy("Enter a whole number, or leave the field empty.")},
    )

    def __init__(self, *args: Any, survey: Survey, **kwargs: Any) -> None:
        self._survey = survey
        super().__init__(*args, **({"initial": {name: getattr(survey, name) for name in _TIMES}} | kwargs))
        for name in ("opens_at", "closes_at"):
            self.fields[name].zone = survey.zone  # type: ignore[attr-defined]  # a MomentField
        if has_begun(survey, timezone.now()):
            del self.fields["opens_at"]

    def times(self) -> dict[str, Any]:
        """Return what the service stores: what was not changed stays to the second."""
        return {
            name: self.cleaned_data[name] if name in self.changed_data else getattr(self._survey, name)
            for name in _TIMES
        }
