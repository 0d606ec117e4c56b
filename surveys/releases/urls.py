"""Published releases: pages, JSON and pictures, one by one and by survey, and how other sites embed them."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.releases.views")

urlpatterns: list[URLPattern] = [
    path("r/<slug:release_id>/", views.release, name="release"),
    path("r/<slug:release_id>.json", views.release_json, name="release-json"),
    path("r/<slug:release_id>/embed/", views.release_embed, name="release-embed"),
    path("r/<slug:release_id>.svg", views.release_svg, name="release-svg"),
    path("r/<slug:release_id>.png", views.release_png, name="release-png"),
    path("r/<slug:release_id>/synthetic.csv", views.synthetic, name="release-synthetic"),
    path("r/<slug:release_id>/opendp.py", views.opendp, name="release-opendp"),
    path("r/<slug:release_id>/registry.yaml", views.registry, name="release-registry"),
    path("r/of/<slug:key>/", views.index, name="release-index"),
    path("r/of/<slug:key>.json", views.index_json, name="release-index-json"),
    path("oembed", views.oembed, name="oembed"),
]
