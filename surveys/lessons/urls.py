"""Lessons: put together, on the wall, and on phones."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

assembling, phones, wall = (Views(f"surveys.lessons.views.{name}") for name in ("assembling", "phones", "wall"))

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/lesson/", assembling.survey_lesson, name="survey-lesson"),
    path("surveys/<str:code>/lesson/present/", wall.survey_lesson_present, name="survey-lesson-present"),
    path("surveys/<str:code>/lesson/present/live/", wall.survey_lesson_live, name="survey-lesson-live"),
    path("surveys/<str:code>/lesson/present/picture/", wall.survey_lesson_picture, name="survey-lesson-picture"),
    path("lesson/<str:code>/", phones.lesson, name="lesson"),
    path("lesson/<str:code>/now/", phones.lesson_now, name="lesson-now"),
    path("lesson/<str:code>/picture/", phones.lesson_picture, name="lesson-picture"),
    path("lesson/<str:code>/found/", phones.lesson_find, name="lesson-find"),
]
