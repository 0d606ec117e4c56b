"""The tool's own addresses, the platforms that may launch it, and surveys that give credit."""

from dataclasses import dataclass

from django.urls import reverse

from surveys.common.selectors import survey_by_code
from surveys.models import CoursePlatform, Survey
from surveys.models.survey import CODE_ALPHABET


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


def survey_with_credit(code: str) -> Survey | None:
    """Return the survey behind a join code, if it was opened and gives credit."""
    if not set(code.upper()) <= set(CODE_ALPHABET):
        return None
    try:
        pk = survey_by_code(code).pk
    except Survey.DoesNotExist:
        return None
    survey = Survey.objects.get(pk=pk)
    return None if survey.is_draft or not survey.questionnaire.credit else survey
