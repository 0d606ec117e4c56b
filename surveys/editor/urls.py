"""Writing a survey: the editor, previews and saved versions."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.editor.views")

urlpatterns: list[URLPattern] = [
    path("surveys/new/blank/", views.survey_new, name="survey-new"),
    path("surveys/preview/", views.survey_preview_typed, name="survey-preview-typed"),
    path("surveys/<str:code>/edit/", views.survey_edit, name="survey-edit"),
    path("surveys/<str:code>/preview/", views.survey_preview, name="survey-preview"),
    path("surveys/<str:code>/languages/", views.survey_languages, name="survey-languages"),
    path("surveys/<str:code>/languages/<str:language>/", views.survey_language, name="survey-language"),
    path("surveys/<str:code>/versions/", views.survey_versions, name="survey-versions"),
    path("surveys/<str:code>/versions/<int:number>/", views.survey_version, name="survey-version"),
    path("surveys/<str:code>/versions/<int:number>/restore/", views.survey_restore, name="survey-restore"),
]
