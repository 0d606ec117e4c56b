"""Every address of the application."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from surveys.accounts import urls as accounts_urls
from surveys.answering.views import check, doors, pages
from surveys.common import views as common_views
from surveys.course import urls as course_urls
from surveys.documents import urls as documents_urls
from surveys.editor import urls as editor_urls
from surveys.exporting import views as exporting_views
from surveys.people import urls as people_urls
from surveys.presenting import urls as presenting_urls
from surveys.rehearsing import urls as rehearsing_urls
from surveys.releases import views as releases_views
from surveys.results import views as results_views
from surveys.results.beliefs import views as beliefs_views
from surveys.results.groups import views as group_results
from surveys.results.methods import views as methods_views
from surveys.results.planning import views as planning_views
from surveys.results.question import views as question_views
from surveys.results.regression import views as regression_views
from surveys.results.relate import views as relate_views
from surveys.sharing import views as sharing_views

handler400 = "surveys.common.views.bad_request"
handler403 = "surveys.common.views.permission_denied"
handler404 = "surveys.common.views.page_not_found"
handler500 = "surveys.common.views.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("language/", require_POST(set_language), name="language"),
]

# Respondents: the same pages behind every door of a survey.
behind_a_door = [
    path("", pages.answer, name="answer"),
    path("own-coin/", pages.own_coin, name="own-coin"),
    path("server/", pages.server_coin, name="server-coin"),
    path("receipt/", pages.receipt, name="receipt"),
]
urlpatterns += [
    path("", doors.landing, name="landing"),
    path("join", doors.join, name="join"),
    path("check/", check.check, name="check"),
    # The pages' own words come before groups: no group can be called like one of them.
    path("s/<str:code>/", include(behind_a_door)),
    path("s/<str:code>/i/<str:token>/", include(behind_a_door)),
    path("s/<str:code>/<str:group>/", include(behind_a_door)),
    path("s/<str:code>/<str:group>/i/<str:token>/", include(behind_a_door)),
]

# Instructors. Addresses with a word of their own come before those with a code in its place.
for area in (accounts_urls, documents_urls, editor_urls, course_urls, people_urls, rehearsing_urls, presenting_urls):
    urlpatterns += area.urlpatterns
urlpatterns += [
    path("surveys/<str:code>/groups/", sharing_views.survey_groups, name="survey-groups"),
    path("surveys/<str:code>/invitations/", sharing_views.survey_invitations, name="survey-invitations"),
    path("surveys/<str:code>/invitations/csv/", sharing_views.survey_invitations_csv, name="survey-invitations-csv"),
]

results = [
    path("", results_views.survey_results, name="survey-results"),
    path("figures/", results_views.survey_figures, name="survey-figures"),
    path("questions/<int:number>/", question_views.survey_results_question, name="survey-results-question"),
    path("groups/", group_results.survey_results_groups, name="survey-results-groups"),
    path("relate/", relate_views.survey_results_relate, name="survey-results-relate"),
    path("regression/", regression_views.survey_results_regression, name="survey-results-regression"),
    path("bayes/", beliefs_views.survey_results_bayes, name="survey-results-bayes"),
    path("plan/", planning_views.survey_results_plan, name="survey-results-plan"),
    path("methods/", methods_views.survey_results_methods, name="survey-results-methods"),
]
urlpatterns += [path("surveys/<str:code>/results/", include(results))]

files = [
    path("", exporting_views.survey_export, name="survey-export"),
    path("responses.csv", exporting_views.survey_export_csv, name="survey-export-csv"),
    path("labels.csv", exporting_views.survey_export_labels, name="survey-export-labels"),
    path("responses.json", exporting_views.survey_export_json, name="survey-export-json"),
    path("codebook/", exporting_views.survey_export_codebook, name="survey-export-codebook"),
    path("codebook.csv", exporting_views.survey_export_codebook_csv, name="survey-export-codebook-csv"),
    path("analysis.R", exporting_views.survey_export_r, name="survey-export-r"),
    path("analysis.py", exporting_views.survey_export_python, name="survey-export-python"),
    path("analysis.ipynb", exporting_views.survey_export_notebook, name="survey-export-notebook"),
]
urlpatterns += [
    path("surveys/<str:code>/export/", include(files)),
    path("surveys/<str:code>/ethics/", exporting_views.survey_ethics, name="survey-ethics"),
]

# Published releases.
urlpatterns += [
    path("r/<slug:release_id>/", releases_views.release, name="release"),
    path("r/<slug:release_id>.json", releases_views.release_json, name="release-json"),
    path("r/of/<slug:key>/", releases_views.index, name="release-index"),
    path("r/of/<slug:key>.json", releases_views.index_json, name="release-index-json"),
]

# Machines.
urlpatterns += [
    path("healthz", common_views.healthz, name="healthz"),
    path("readyz", common_views.readyz, name="readyz"),
]
