"""Times as authors type them, on the clocks of a time zone, which may leave an hour out or go through it twice."""

import datetime as dt
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

TYPED = "%Y-%m-%dT%H:%M"


def moment(typed: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """Return when the clocks of a zone show this time; raises ValidationError where they never do, or twice."""
    first, second = (typed.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1))
    if first == second:
        return first
    told = {"time": f"{typed:%H:%M}", "date": f"{typed:%Y-%m-%d}", "zone": zone.key}
    # In a gap, what either reading shows on the clocks is another time than the one typed.
    if first.astimezone(zone).replace(tzinfo=None) != typed:
        raise ValidationError(
            _("There is no %(time)s on %(date)s in %(zone)s: clocks are put forward over it. Choose another time.")
            % told
        )
    raise ValidationError(
        _("It is %(time)s twice on %(date)s in %(zone)s: clocks are put back. Choose a time before or after.") % told
    )


class MomentField(forms.Field):
    """A time on the clocks of `zone`, which the form sets, cleaned to UTC; None where nothing is typed."""

    default_error_messages: ClassVar = {
        "invalid": gettext_lazy("Write a date and a time, such as 2027-03-01 14:30."),
    }

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.DateTimeInput(format=TYPED, attrs={"type": "datetime-local"}))
        kwargs.setdefault("required", False)
        super().__init__(**kwargs)
        self.zone = ZoneInfo("UTC")

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Show a stored time on the clocks of the zone; what was typed stays as it is."""
        if not isinstance(value, dt.datetime):
            return value
        return value.astimezone(self.zone).replace(tzinfo=None, second=0, microsecond=0)

    def to_python(self, value: Any) -> dt.datetime | None:  # noqa: ANN401 - Field's signature
        """Return the time in UTC."""
        if value in self.empty_values:
            return None
        try:
            typed = parse_datetime(str(value).strip())
            if typed is not None:
                return typed.astimezone(dt.UTC) if typed.tzinfo else moment(typed, self.zone)
        except (ValueError, OverflowError):
            pass  # no day of any month, or at the end of what a date can be
        raise ValidationError(self.error_messages["invalid"], code="invalid")

    def has_changed(self, initial: Any, data: Any) -> bool:  # noqa: ANN401 - Field's signature
        """Whether another minute was typed than the one shown."""
        try:
            return bool(self.to_python(self.prepare_value(initial)) != self.to_python(data))
        except ValidationError:
            return True
