"""The scripts that this site serves, byte for byte, and their hashes: what "Check us" prints."""

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage

_OURS = "js/"


@dataclass(frozen=True, slots=True)
class Script:
    """One script as browsers receive it: in production its name and its imports carry hashes of their own."""

    name: str  # below static/ in the source
    path: str  # below the static root, as served
    address: str
    content: bytes

    @property
    def size(self) -> int:
        """The number of bytes, before any compression on the way."""
        return len(self.content)

    @property
    def sha256(self) -> str:
        """The hash as sha256sum prints it."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def integrity(self) -> str:
        """The same hash as browsers write it (Subresource Integrity)."""
        return "sha256-" + base64.b64encode(hashlib.sha256(self.content).digest()).decode()


def served_scripts() -> list[Script]:
    """Return every script of ours that pages can load, read anew: an altered file must show at once."""
    return [_script(name) for name in sorted(_names())]


def _names() -> set[str]:
    # The hashed storage knows what collectstatic stored; without it there is only the source.
    stored = getattr(staticfiles_storage, "hashed_files", None) or _in_the_source()
    return {name for name in stored if name.startswith(_OURS) and name.endswith(".js")}


def _in_the_source() -> list[str]:
    return [name for finder in finders.get_finders() for name, _storage in finder.list(None)]


def _script(name: str) -> Script:
    address = staticfiles_storage.url(name)
    path = address.removeprefix(str(settings.STATIC_URL))
    return Script(name, path, address, _served(path))


def _served(path: str) -> bytes:
    """Read where whitenoise reads: the source first where it uses finders, else the static root."""
    uses_finders = getattr(settings, "WHITENOISE_USE_FINDERS", settings.DEBUG)
    source = finders.find(path) if uses_finders else None
    if source:
        return Path(source).read_bytes()
    with staticfiles_storage.open(path) as file:
        content: bytes = file.read()
    return content
