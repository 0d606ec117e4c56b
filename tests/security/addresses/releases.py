"""Published releases, for everybody; tests/releases/test_roles.py knows those of the admin site."""

from django.urls import reverse

from surveys.releases.selectors.doors import index_key
from tests.security.addresses.row import public
from tests.security.addresses.setting import Setting


def _address(setting: Setting) -> str:
    return f"http://testserver{reverse('release', args=[setting.release.pk])}"


ROWS = (
    *(
        public(name, where=lambda setting, _survey, name=name: reverse(name, args=[setting.release.pk]))
        for name in ("release", *(f"release-{kind}" for kind in ("json", "embed", "svg", "png", "opendp", "registry")))
    ),
    public("oembed", where=lambda setting, _survey: f"{reverse('oembed')}?url={_address(setting)}"),
    # Of counts of one question nobody can be made up.
    public(
        "release-synthetic",
        where=lambda setting, _survey: reverse("release-synthetic", args=[setting.release.pk]),
        get=404,
    ),
    *(
        public(name, where=lambda setting, _survey, name=name: reverse(name, args=[index_key(setting.release.survey)]))
        for name in ("release-index", "release-index-json")
    ),
)
