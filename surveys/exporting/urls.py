"""The files of a survey, and its ethics packet."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.exporting.views")

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/export/", views.survey_export, name="survey-export"),
    path("surveys/<str:code>/export/responses.csv", views.survey_export_csv, name="survey-export-csv"),
    path("surveys/<str:code>/export/labels.csv", views.survey_export_labels, name="survey-export-labels"),
    path("surveys/<str:code>/export/responses.json", views.survey_export_json, name="survey-export-json"),
    path("surveys/<str:code>/export/figures.csv", views.survey_export_figures_csv, name="survey-export-figures-csv"),
    path("surveys/<str:code>/export/figures.json", views.survey_export_figures_json, name="survey-export-figures-json"),
    path("surveys/<str:code>/export/codebook/", views.survey_export_codebook, name="survey-export-codebook"),
    path("surveys/<str:code>/export/codebook.csv", views.survey_export_codebook_csv, name="survey-export-codebook-csv"),
    path("surveys/<str:code>/export/analysis.R", views.survey_export_r, name="survey-export-r"),
    path("surveys/<str:code>/export/analysis.py", views.survey_export_python, name="survey-export-python"),
    path("surveys/<str:code>/export/analysis.ipynb", views.survey_export_notebook, name="survey-export-notebook"),
    path("surveys/<str:code>/export/weights.R", views.survey_export_weights_r, name="survey-export-weights-r"),
    path(
        "surveys/<str:code>/export/weights.py",
        views.survey_export_weights_python,
        name="survey-export-weights-python",
    ),
    path("surveys/<str:code>/ethics/", views.survey_ethics, name="survey-ethics"),
]
