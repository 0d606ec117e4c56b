"""Who else may do what with a survey."""

from django.urls import URLPattern, path

from surveys.views.members import invited, people

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/people/", people.survey_people, name="survey-people"),
    path("surveys/<str:code>/people/transfer/", people.survey_transfer, name="survey-transfer"),
    path("surveys/<str:code>/leave/", people.survey_leave, name="survey-leave"),
    path("invited/", invited.invited, name="invited"),
    path("invited/link/<str:token>/", invited.invited_by_link, name="invited-by-link"),
    path("invited/<str:code>/", invited.invited_by_name, name="invited-by-name"),
    path("invited/<str:code>/owner/", invited.invited_as_owner, name="invited-as-owner"),
]
