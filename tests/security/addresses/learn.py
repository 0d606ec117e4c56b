"""The lab: everybody may look, and nothing of it is stored."""

from tests.security.addresses.row import public

ROWS = (
    public("lab"),
    public("lab-page", extra=("coin",)),
    public("lab-picture", extra=("coin",)),
    public("lab-numbers", extra=("coin",)),
)
