"""The tool's own addresses, and the platforms that may launch it."""

from dataclasses import dataclass

from django.urls import reverse

from surveys.models import CoursePlatform


@dataclass(frozen=True, slots=True)
class ToolAddresses:
    """What a platform needs to know of this tool; all that it launches is launched at one address."""

    login: str
    launch: str
    keys: str


def tool_addresses(site: str) -> ToolAddresses:
    return ToolAddresses(*(site + reverse(f"lti-{name}") for name in ("login", "launch", "keys")))


def platform_named(issuer: str, client_id: str) -> CoursePlatform | None:
    """Return the platform, which may leave its client ID out where no other one has its issuer."""
    found = [each for each in CoursePlatform.objects.all() if each.issuer == issuer]
    found = [each for each in found if client_id in {"", each.client_id}]
    return found[0] if len(found) == 1 else None


def deployments_of(platform: CoursePlatform) -> list[str]:
    return [line.strip() for line in platform.deployment_ids.splitlines() if line.strip()]
