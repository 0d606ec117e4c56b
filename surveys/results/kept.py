"""What a page shows of its survey is the same for all who may see it: it is made once and kept."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import template
from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe

from surveys.common.caches import PAGES

register = template.Library()


@dataclass(frozen=True)
class Part:
    """What a page shows of its survey: the key of all that it depends on, and what makes the template's context."""

    key: str
    build: Callable[[], dict[str, Any]]


class KeptPart(template.Node):
    """The nodes of a template that show a `Part`.

    Of the request they are given what was asked for and nothing else: no visitor's name, token or message can get into
    what others are shown.
    """

    def __init__(self, nodelist: template.NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.RequestContext) -> SafeString:  # type: ignore[override]  # pages have a request
        """Return what is kept, else build and render it."""
        part: Part = context["part"]

        def make() -> bytes:
            asked = HttpRequest()
            asked.GET = context["request"].GET
            alone = context.new(part.build() | {"request": asked})
            alone.request = asked
            return self.nodelist.render(alone).encode()

        return mark_safe(PAGES.of(part.key, make).decode())  # noqa: S308 - rendered by the template


@register.tag
def kept(parser: template.base.Parser, _token: template.base.Token) -> KeptPart:
    """Keep what is rendered up to `endkept`."""
    nodelist = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptPart(nodelist)
