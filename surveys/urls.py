"""Every address of the application."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, path

from surveys.views import health, landing, lifecycle, releases, respondent, results, sharing
from surveys.views import surveys as instructor
from surveys.views.sign_in import SignIn

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
]

# Respondents.
urlpatterns += [
    path("", landing.landing, name="landing"),
    path("join", landing.join, name="join"),
    path("s/<str:code>/", respondent.answer, name="answer"),
    path("s/<str:code>/own-coin/", respondent.own_coin, name="own-coin"),
    path("s/<str:code>/server/", respondent.server_coin, name="server-coin"),
    path("s/<str:code>/receipt/", respondent.receipt, name="receipt"),
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
