"""Everything about a survey but its questions, as its author writes it."""

from typing import TYPE_CHECKING, Any, ClassVar, cast
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy

from surveys.forms.moments import MomentField
from surveys.forms.zones import ZoneSelect
from surveys.models import Survey
from surveys.models.survey import time_zones

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[Survey]  # generic for the type checker only
else:
    _ModelForm = forms.ModelForm


class SurveyForm(_ModelForm):
    """Everything about a survey but its questions."""

    expected_n = forms.IntegerField(
        label=gettext_lazy("How many answers do you expect?"),
        min_value=1,
        max_value=10_000_000,
        initial=30,
        help_text=gettext_lazy("For planning: the precision to expect is for this many."),
    )
    expected_share = forms.IntegerField(
        label=gettext_lazy("What share may be true, in percent?"),
        min_value=1,
        max_value=99,
        initial=30,
        help_text=gettext_lazy("A guess, for planning: respondents and results never see it."),
    )
    opens_at = MomentField(label=gettext_lazy("Opens"))
    closes_at = MomentField(label=gettext_lazy("Closes"))
    language = forms.ChoiceField(
        label=gettext_lazy("Language of the respondents’ pages"),
        choices=settings.LANGUAGES,
        initial=settings.LANGUAGE_CODE,
        help_text=gettext_lazy("For all that the pages say themselves; what you write stays as it is."),
    )

    class Meta:
        """Columns an author may write."""

        model = Survey
        fields = (
            "title",
            "introduction",
            "consent",
            "support",
            "language",
            "expected_n",
            "expected_share",
            "minimum_n",
            "response_cap",
            "time_zone",
            "opens_at",
            "closes_at",
            "by_invitation",
            "server_mode_allowed",
        )
        widgets: ClassVar = {
            "introduction": forms.Textarea(attrs={"rows": 3}),
            "consent": forms.Textarea(attrs={"rows": 3}),
            "support": forms.Textarea(attrs={"rows": 2}),
            "time_zone": ZoneSelect,
        }
        error_messages: ClassVar = {"title": {"required": gettext_lazy("Write a title.")}}
        labels: ClassVar = {
            "time_zone": gettext_lazy("Time zone of these times"),
        }
        help_texts: ClassVar = {
            "introduction": gettext_lazy("What it is about and why you ask. Respondents see it first."),
            "consent": gettext_lazy("Anything they should agree to before they answer."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = self["time_zone"].value()
        for name in ("opens_at", "closes_at"):
            times = cast("MomentField", self.fields[name])
            times.zone = ZoneInfo(zone if zone in time_zones() else "UTC")

    def columns(self) -> dict[str, Any]:
        """Return what the service stores."""
        return {name: self.cleaned_data[name] for name in self._meta.fields or ()}
