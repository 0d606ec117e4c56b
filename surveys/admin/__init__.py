"""The admin site: surveys to look at, budgets to set, releases to make; people and their permissions."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from surveys.admin.accounts import SecondFactorAdmin, SignUpInvitationAdmin
from surveys.admin.ledger.budgets import BudgetAdmin
from surveys.admin.ledger.entries import LedgerEntryAdmin
from surveys.admin.people import PeopleAdmin
from surveys.admin.releases.release import ReleaseAdmin
from surveys.admin.surveys import SurveyAdmin

admin.site.site_header = _("Deniable administration")
admin.site.site_title = _("Deniable administration")
admin.site.index_title = _("Budgets, releases and people")

__all__ = [
    "BudgetAdmin",
    "LedgerEntryAdmin",
    "PeopleAdmin",
    "ReleaseAdmin",
    "SecondFactorAdmin",
    "SignUpInvitationAdmin",
    "SurveyAdmin",
]
