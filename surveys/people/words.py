"""What roles allow, in words, and the visitor's open invitations."""

from typing import Any

from django import template
from django.utils.translation import gettext_lazy as _

from surveys.models import Role
from surveys.people.selectors import waiting_for

register = template.Library()

_SAYS = {
    Role.EDITOR: _(
        "writes and rehearses the draft, opens, pauses, closes and seals the survey, and creates its links and groups"
    ),
    Role.ANALYST: _("views, exports and presents the results"),
    Role.RELEASER: _("publishes noisy releases of the results within the survey’s privacy budget"),
}


@register.filter
def role_says(role: str) -> str:
    return str(_SAYS[Role(role)])


@register.filter
def role_name(role: str) -> str:
    return str(Role(role).label)


@register.inclusion_tag("people/_invitations_waiting.html", takes_context=True)
def invitations_waiting(context: dict[str, Any]) -> dict[str, Any]:
    """Show what others have asked of the person who is signed in; nothing where nobody has."""
    return {"waiting": waiting_for(context["request"].user)}
