"""The admin site: surveys to look at, budgets to set, releases to make; people and their permissions."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from surveys.accounts.admin import PeopleAdmin, SecondFactorAdmin, SignUpInvitationAdmin
from surveys.course.admin import SurveyAdmin
from surveys.lti.admin import CoursePlatformAdmin
from surveys.releases.admin.desk import first_page
from surveys.releases.admin.proposal import ProposalAdmin
from surveys.releases.admin.release import ReleaseAdmin
from surveys.releases.ledger.admin import BudgetAdmin, LedgerEntryAdmin
from surveys.upkeep.admin import version_page

admin.site.site_header = _("Administration of Deniable")
admin.site.site_title = _("Administration of Deniable")
admin.site.index_title = _("Budget remaining")

__all__ = [
    "BudgetAdmin",
    "CoursePlatformAdmin",
    "LedgerEntryAdmin",
    "PeopleAdmin",
    "ProposalAdmin",
    "ReleaseAdmin",
    "SecondFactorAdmin",
    "SignUpInvitationAdmin",
    "SurveyAdmin",
    "first_page",
    "version_page",
]
