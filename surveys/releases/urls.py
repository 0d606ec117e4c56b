"""Published releases: pages and JSON, one by one and by survey."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.releases.views")

urlpatterns: list[URLPattern] = [
    path("r/<slug:release_id>/", views.release, name="release"),
    path("r/<slug:release_id>.json", views.release_json, name="release-json"),
    path("r/<slug:release_id>/synthetic.csv", views.synthetic, name="release-synthetic"),
    path("r/<slug:release_id>/opendp.py", views.opendp, name="release-opendp"),
    path("r/<slug:release_id>/registry.yaml", views.registry, name="release-registry"),
    path("r/of/<slug:key>/", views.index, name="release-index"),
    path("r/of/<slug:key>.json", views.index_json, name="release-index-json"),
]
