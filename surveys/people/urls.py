"""Who else may do what with a survey."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.people.views")

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/people/", views.survey_people, name="survey-people"),
    path("surveys/<str:code>/people/transfer/", views.survey_transfer, name="survey-transfer"),
    path("surveys/<str:code>/leave/", views.survey_leave, name="survey-leave"),
    path("invited/", views.invited, name="invited"),
    path("invited/link/<str:token>/", views.invited_by_link, name="invited-by-link"),
    path("invited/<str:code>/", views.invited_by_name, name="invited-by-name"),
    path("invited/<str:code>/owner/", views.invited_as_owner, name="invited-as-owner"),
]
