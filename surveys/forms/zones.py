"""The choice of a time zone."""

from functools import lru_cache
from typing import Any

from django import forms
from django.forms.renderers import BaseRenderer
from django.forms.utils import flatatt
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from surveys.models.survey import time_zones

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
        """Write the options around the chosen one."""
        options = _options(get_language() or "")
        chosen = f'value="{escape(value)}"'
        # Everything in it was escaped when it was written; the chosen one has a mark more.
        shown = SafeString(options.replace(chosen, f"{chosen} selected", 1))
        attributes = self.build_attrs(self.attrs, {**(attrs or {}), "name": name})
        return format_html("<select{}>{}</select>", flatatt(attributes), shown)


@lru_cache(maxsize=8)
def _options(language: str) -> str:
    others = sorted(name for name in time_zones() if name.startswith(_AREAS) and name not in _COMMON)
    groups = ((_("Often used"), [name for name in _COMMON if name in time_zones()]), (_("All others"), others))
    return "".join(
        f'<optgroup label="{escape(label)}">'
        + "".join(f'<option value="{escape(name)}">{escape(name.replace("_", " "))}</option>' for name in names)
        + "</optgroup>"
        for label, names in groups
    )
