"""What everybody may open: the front page, the check of the device, the machines' pages."""

from tests.security.addresses.row import public

ROWS = (
    public("landing"),
    public("join", get=404),  # without a code there is nothing to join
    public("check"),
    public("language", get=None, post=302, body={"language": "de"}, changes=False),
    public("healthz"),
    public("readyz"),
    public("metrics", get=404),  # where no token is set
)
