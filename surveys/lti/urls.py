"""What course platforms and the people whom they send here ask for; `surveys/middleware.py` knows the first two."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.lti.views")

# `surveys/asgi.py` keeps all of them from those who do not wait for a platform.
urlpatterns: list[URLPattern] = [
    path("lti/login/", views.login, name="lti-login"),
    path("lti/launch/", views.launch, name="lti-launch"),
    path("lti/keys/", views.keys, name="lti-keys"),
    path("lti/redeem/<str:code>/", views.redeem, name="lti-redeem"),
    path("lti/deep-link/", views.deep_link, name="lti-deep-link"),
    path("lti/register/<str:token>/", views.register, name="lti-register"),
]
