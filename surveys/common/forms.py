"""Form fields for probabilities, numbers, percentages, days and times, and the list of problems above a form."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.forms.renderers import BaseRenderer
from django.forms.utils import flatatt
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from surveys.common.caches import cached
from surveys.models.survey import time_zones
from surveys.privacy.rationals import exact, probability


class ProbabilityField(forms.CharField):
    """One exact probability strictly between 0 and 1, or `certain`, typed as "1/2" or "0.75"; cleans to a Fraction."""

    def __init__(self, *, certain: Fraction | None = None, max_length: int = 40, **kwargs: Any) -> None:
        self._certain = certain
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction; an empty field stays "" where it is not required."""
        typed = super().clean(value)
        return _read_probability(typed, certain=self._certain) if typed else ""


class SharesField(forms.CharField):
    """Exact probabilities separated by commas, or nothing; cleans to a tuple of Fractions."""

    def __init__(self, *, max_length: int = 400, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        typed = super().clean(value)
        return tuple(_read_probability(part.strip()) for part in typed.split(",")) if typed else ()


class NumberField(forms.CharField):
    """One exact number, typed as "12", "-3" or "7.5"; cleans to a Fraction, or to None where nothing is typed."""

    def __init__(self, *, max_length: int = 40, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        typed = super().clean(value)
        return _number(typed) if typed else None


class NumbersField(forms.CharField):
    """Exact numbers separated by commas, spaces or lines; cleans to a list of Fractions."""

    def __init__(self, *, max_length: int = 600, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        typed = super().clean(value)
        return [_number(part) for part in re.split(r"[\s,;]+", typed) if part]


def _read_probability(typed: str, *, certain: Fraction | None = None) -> Fraction:
    try:
        number = probability(typed, "probability")
    except ValueError:
        raise forms.ValidationError(
            _("“%(typed)s” is not a probability. Enter a fraction or a decimal between 0 and 1, such as 1/2 or 0.75.")
            % {"typed": typed}
        ) from None
    if not (0 < number < 1 or number == certain):
        raise nothing_to_chance(typed)
    return number


def nothing_to_chance(typed: str) -> forms.ValidationError:
    return forms.ValidationError(
        _("With “%(typed)s”, nothing is random. Enter a fraction or a decimal between 0 and 1, such as 1/2.")
        % {"typed": typed}
    )


def _number(typed: str) -> Fraction:
    try:
        return exact(typed.replace("−", "-"), "number")
    except ValueError:
        raise forms.ValidationError(
            _("“%(typed)s” is not a number. Enter a number such as 12, −3 or 7.5, with a decimal point.")
            % {"typed": typed}
        ) from None


def number_in(typed: str, *, most: int) -> int | None:
    """Return a whole number from 0 to `most`, or None for anything else."""
    if not (typed.isascii() and typed.isdecimal() and len(typed) <= 10):
        return None
    return int(typed) if int(typed) <= most else None


def typed_probability(value: Sequence[int]) -> str:
    """Return a stored [numerator, denominator] as it is typed."""
    return str(Fraction(*value))


def named_message(form: forms.BaseForm, name: str, message: str) -> str:
    """Put the field's name before a message, but for one of ours that says what to do where nothing was typed."""
    if name not in form.fields:
        return message
    required = str(form.fields[name].error_messages["required"])
    if message == required != str(forms.Field.default_error_messages["required"]):
        return message
    return _("%(field)s: %(message)s") % {"field": str(form[name].label).rstrip("?"), "message": message}


# Form fields for exact shares in percent.


# In a line of several shares, one that is not said.
UNSAID = "-"


class PercentField(forms.CharField):
    """An exact percentage, typed as "30", "12.5", "12,5" or "100/3"; cleans to a share, or to None where empty."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=40, widget=forms.TextInput(attrs={"inputmode": "decimal"}), **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        typed = super().clean(value)
        return _read_percent(typed) if typed else None


class PercentsField(forms.CharField):
    """So many percentages in one line, "-" for those that share the rest; cleans to a list of shares and None."""

    def __init__(self, *, number: int, **kwargs: Any) -> None:
        super().__init__(max_length=40 * number, **kwargs)
        self.number = number

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the shares in the order typed; nothing typed is no share said."""
        parts = super().clean(value).split() or [UNSAID] * self.number
        if len(parts) != self.number:
            raise forms.ValidationError(
                _("Enter %(wanted)s percentages separated by spaces, one for each answer. You entered %(given)s.")
                % {"wanted": self.number, "given": len(parts)}
            )
        return [None if part == UNSAID else _read_percent(part) for part in parts]


def _read_percent(typed: str) -> Fraction:
    try:
        # A percentage has no thousands, so a comma stands before decimals.
        share = exact(typed.removesuffix("%").strip().replace(",", "."), "share") / 100
    except ValueError:
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise forms.ValidationError(
            _("“%(typed)s” is not a percentage. Enter a number from 0 to 100, such as 30 or 12.5.") % {"typed": typed}
        )
    return share


# The choice of a time zone.


_COMMON = (
    "UTC",
    "America/Los_Angeles",
    "America/Denver",
    "America/Chicago",
    "America/New_York",
    "America/Mexico_City",
    "America/Bogota",
    "America/Sao_Paulo",
    "Europe/London",
    "Europe/Madrid",
    "Europe/Paris",
    "Europe/Berlin",
    "Europe/Zurich",
    "Europe/Vienna",
    "Europe/Athens",
    "Europe/Kyiv",
    "Africa/Lagos",
    "Africa/Johannesburg",
    "Africa/Nairobi",
    "Asia/Dubai",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Australia/Sydney",
)
_AREAS = ("Africa/", "America/", "Antarctica/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/")


class ZoneSelect(forms.Select):
    """A choice among all time zones; their six hundred options are written once for each language."""

    def render(
        self, name: str, value: object, attrs: dict[str, Any] | None = None, renderer: BaseRenderer | None = None
    ) -> SafeString:
        options = _options(get_language() or "")
        chosen = f'value="{escape(value)}"'
        # Everything in it was escaped when it was written; the chosen one has a mark more.
        shown = SafeString(options.replace(chosen, f"{chosen} selected", 1))
        attributes = self.build_attrs(self.attrs, {**(attrs or {}), "name": name})
        return format_html("<select{}>{}</select>", flatatt(attributes), shown)


@cached(8)
def _options(language: str) -> str:
    others = sorted(name for name in time_zones() if name.startswith(_AREAS) and name not in _COMMON)
    groups = ((_("Often used"), [name for name in _COMMON if name in time_zones()]), (_("All others"), others))
    return "".join(
        f'<optgroup label="{escape(label)}">'
        + "".join(f'<option value="{escape(name)}">{escape(name.replace("_", " "))}</option>' for name in names)
        + "</optgroup>"
        for label, names in groups
    )


# Times as survey owners type them, on the clocks of a time zone, which may skip an hour or go through it twice.


TYPED = "%Y-%m-%dT%H:%M"


def moment(typed: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """Return when the clocks of a zone show this time; raises ValidationError where they never do, or twice."""
    first, second = (typed.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1))
    if first == second:
        return first
    values = {"time": f"{typed:%H:%M}", "date": f"{typed:%Y-%m-%d}", "zone": zone.key}
    # In a gap, what either reading shows on the clocks is another time than the one typed.
    if first.astimezone(zone).replace(tzinfo=None) != typed:
        raise ValidationError(
            _("%(time)s does not exist on %(date)s in %(zone)s, because the clocks go forward. Choose another time.")
            % values
        )
    raise ValidationError(
        _("%(time)s occurs twice on %(date)s in %(zone)s, because the clocks go back. Choose an earlier or later time.")
        % values
    )


class DayField(forms.DateField):
    default_error_messages: ClassVar = {"invalid": gettext_lazy("Enter a date, such as 2027-03-01.")}

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}))
        super().__init__(input_formats=["%Y-%m-%d"], **kwargs)


class MomentField(forms.Field):
    """A time on the clocks of `zone`, which the form sets, cleaned to UTC; None where nothing is typed."""

    default_error_messages: ClassVar = {
        "invalid": gettext_lazy("Enter a date and time, such as 2027-03-01 14:30."),
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


# What an error summary says of small forms.


class RowsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # no parameters at run time
    """Rows that are checked in a list."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Refuse a key that is too large for any row by the same words as one that is none of them."""
        try:
            return super().clean(value)
        except OverflowError:
            raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice") from None


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One line of the summary: what is wrong, and the field to go to."""

    field_id: str
    message: str


def blame(form: forms.BaseForm, refused: ValidationError) -> None:
    """Put what a service refused beside the fields that it names."""
    known = {name: errors for name, errors in _by_field(refused).items() if name in form.fields}
    for name, errors in known.items():
        form.add_error(name, errors)
    for name, errors in _by_field(refused).items():
        if name not in known:
            form.add_error(None, errors)


def problems_of(form: forms.BaseForm, *, first_field: str) -> list[FieldProblem]:
    """Return everything wrong with a form; what belongs to no field leads to the first."""
    return [
        FieldProblem(_place_of(form[first_field if name == "__all__" else name]), str(message))
        for name, messages in form.errors.items()
        for message in messages
    ]


def form_page(
    request: HttpRequest, template: str, form: forms.BaseForm, *, first_field: str, **context: object
) -> HttpResponse:
    """Render a page with one form: with status 422 and a list of problems where it was sent with any."""
    problems = problems_of(form, first_field=first_field) if form.is_bound else None
    return render(request, template, {**context, "form": form, "problems": problems}, status=422 if problems else 200)


def _place_of(field: forms.BoundField) -> str:
    """Return the id to go to: a group of boxes has none of its own, so the first of them."""
    if field.id_for_label or not field.subwidgets:
        return str(field.id_for_label)
    return str(field.subwidgets[0].id_for_label)


def _by_field(refused: ValidationError) -> dict[str, list[str]]:
    return refused.message_dict if hasattr(refused, "error_dict") else {"": refused.messages}
