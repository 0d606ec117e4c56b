"""Every address of the application."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from surveys.urls import accounts, authoring, documents, lifecycle, people, presenting, rehearsing
from surveys.views import check, ethics, exports, health, landing, releases
from surveys.views.handing_out import groups, invitations
from surveys.views.respondents import respondent
from surveys.views.results import bayes, methods, overview, plan, question, regression, relate
from surveys.views.results import groups as group_results

handler400 = "surveys.views.errors.bad_request"
handler403 = "surveys.views.errors.permission_denied"
handler404 = "surveys.views.errors.page_not_found"
handler500 = "surveys.views.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("language/", require_POST(set_language), name="language"),
]

# Respondents: the same pages behind every door of a survey.
behind_a_door = [
    path("", respondent.answer, name="answer"),
    path("own-coin/", respondent.own_coin, name="own-coin"),
    path("server/", respondent.server_coin, name="server-coin"),
    path("receipt/", respondent.receipt, name="receipt"),
]
urlpatterns += [
    path("", landing.landing, name="landing"),
    path("join", landing.join, name="join"),
    path("check/", check.check, name="check"),
    # The pages' own words come before groups: no group can be called like one of them.
    path("s/<str:code>/", include(behind_a_door)),
    path("s/<str:code>/i/<str:token>/", include(behind_a_door)),
    path("s/<str:code>/<str:group>/", include(behind_a_door)),
    path("s/<str:code>/<str:group>/i/<str:token>/", include(behind_a_door)),
]

# Instructors. Addresses with a word of their own come before those with a code in its place.
for area in (accounts, documents, authoring, lifecycle, people, rehearsing, presenting):
    urlpatterns += area.urlpatterns
urlpatterns += [
    path("surveys/<str:code>/groups/", groups.survey_groups, name="survey-groups"),
    path("surveys/<str:code>/invitations/", invitations.survey_invitations, name="survey-invitations"),
    path("surveys/<str:code>/invitations/csv/", invitations.survey_invitations_csv, name="survey-invitations-csv"),
]

results = [
    path("", overview.survey_results, name="survey-results"),
    path("figures/", overview.survey_figures, name="survey-figures"),
    path("questions/<int:number>/", question.survey_results_question, name="survey-results-question"),
    path("groups/", group_results.survey_results_groups, name="survey-results-groups"),
    path("relate/", relate.survey_results_relate, name="survey-results-relate"),
    path("regression/", regression.survey_results_regression, name="survey-results-regression"),
    path("bayes/", bayes.survey_results_bayes, name="survey-results-bayes"),
    path("plan/", plan.survey_results_plan, name="survey-results-plan"),
    path("methods/", methods.survey_results_methods, name="survey-results-methods"),
]
urlpatterns += [path("surveys/<str:code>/results/", include(results))]

files = [
    path("", exports.survey_export, name="survey-export"),
    path("responses.csv", exports.survey_export_csv, name="survey-export-csv"),
    path("labels.csv", exports.survey_export_labels, name="survey-export-labels"),
    path("responses.json", exports.survey_export_json, name="survey-export-json"),
    path("codebook/", exports.survey_export_codebook, name="survey-export-codebook"),
    path("codebook.csv", exports.survey_export_codebook_csv, name="survey-export-codebook-csv"),
    path("analysis.R", exports.survey_export_r, name="survey-export-r"),
    path("analysis.py", exports.survey_export_python, name="survey-export-python"),
    path("analysis.ipynb", exports.survey_export_notebook, name="survey-export-notebook"),
]
urlpatterns += [
    path("surveys/<str:code>/export/", include(files)),
    path("surveys/<str:code>/ethics/", ethics.survey_ethics, name="survey-ethics"),
]

# Published releases.
urlpatterns += [
    path("r/<slug:release_id>/", releases.release, name="release"),
    path("r/<slug:release_id>.json", releases.release_json, name="release-json"),
    path("r/of/<slug:key>/", releases.index, name="release-index"),
    path("r/of/<slug:key>.json", releases.index_json, name="release-index-json"),
]

# Machines.
urlpatterns += [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
