"""Writing a survey: the editor, previews and saved versions."""

from django.urls import URLPattern, path

from surveys.views.authoring import editing, preview, typed_preview, versions

urlpatterns: list[URLPattern] = [
    path("surveys/new/blank/", editing.survey_new, name="survey-new"),
    path("surveys/preview/", typed_preview.survey_preview_typed, name="survey-preview-typed"),
    path("surveys/<str:code>/edit/", editing.survey_edit, name="survey-edit"),
    path("surveys/<str:code>/preview/", preview.survey_preview, name="survey-preview"),
    path("surveys/<str:code>/versions/", versions.survey_versions, name="survey-versions"),
    path("surveys/<str:code>/versions/<int:number>/", versions.survey_version, name="survey-version"),
    path("surveys/<str:code>/versions/<int:number>/restore/", versions.survey_restore, name="survey-restore"),
]
