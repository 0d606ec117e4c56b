"""Published releases, for everybody; tests/releases/test_roles.py knows those of the admin site."""

from django.urls import reverse

from surveys.releases.selectors.doors import index_key
from tests.security.addresses.row import public

ROWS = (
    *(
        public(name, where=lambda setting, _survey, name=name: reverse(name, args=[setting.release.pk]))
        for name in ("release", "release-json", "release-opendp", "release-registry")
    ),
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
