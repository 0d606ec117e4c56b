"""Every address of the application."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from surveys.views import check, groups, health, invitations, landing, lifecycle, releases, respondent, results, sharing
from surveys.views import surveys as instructor
from surveys.views.sign_in import SignIn

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

# Instructors.
urlpatterns += [
    path("sign-in/", SignIn.as_view(), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("surveys/", instructor.survey_list, name="survey-list"),
    path("surveys/new/", instructor.survey_new, name="survey-new"),
    path("surveys/<str:code>/", instructor.survey_detail, name="survey-detail"),
    path("surveys/<str:code>/edit/", instructor.survey_edit, name="survey-edit"),
    path("surveys/<str:code>/preview/", instructor.survey_preview, name="survey-preview"),
    path("surveys/<str:code>/share/", sharing.survey_share, name="survey-share"),
    path("surveys/<str:code>/qr.svg", sharing.survey_qr, name="survey-qr"),
    path("surveys/<str:code>/groups/", groups.survey_groups, name="survey-groups"),
    path("surveys/<str:code>/invitations/", invitations.survey_invitations, name="survey-invitations"),
    path("surveys/<str:code>/invitations/csv/", invitations.survey_invitations_csv, name="survey-invitations-csv"),
    path("surveys/<str:code>/open/", lifecycle.survey_open, name="survey-open"),
    path("surveys/<str:code>/pause/", lifecycle.survey_pause, name="survey-pause"),
    path("surveys/<str:code>/close/", lifecycle.survey_close, name="survey-close"),
    path("surveys/<str:code>/results/", results.survey_results, name="survey-results"),
    path("surveys/<str:code>/results/figures/", results.survey_figures, name="survey-figures"),
]

# Published releases.
urlpatterns += [
    path("r/<slug:release_id>/", releases.release, name="release"),
    path("r/<slug:release_id>.json", releases.release_json, name="release-json"),
]

# Machines.
urlpatterns += [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
