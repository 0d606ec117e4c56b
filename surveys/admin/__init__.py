"""The admin site: surveys to look at, budgets to set, releases to make; people and their permissions."""

from django.contrib import admin

from surveys.admin.budgets import BudgetAdmin
from surveys.admin.people import PeopleAdmin
from surveys.admin.releases import ReleaseAdmin
from surveys.admin.surveys import SurveyAdmin

admin.site.site_header = "Deniable administration"
admin.site.site_title = "Deniable administration"
admin.site.index_title = "Budgets, releases and people"

__all__ = ["BudgetAdmin", "PeopleAdmin", "ReleaseAdmin", "SurveyAdmin"]
