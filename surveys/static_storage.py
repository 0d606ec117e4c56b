"""How static files are stored: hashed names, compressed once, ES-module imports rewritten to the hashed names."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

# A licence stays, and what tools read.
_COMMENT = (r"/\*(?![!#])[\s\S]*?\*/\s*", "")


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Whitenoise's storage that also follows `import … from "./module.js"` between our modules.

    Comments in style sheets are for readers of the source: no phone waits for them.
    """

    # Of scripts only ours are modules: looking for imports in Django's took half of `collectstatic`.
    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("*.css", (_COMMENT,)),
        ("js/*.js", CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]),  # noqa: SLF001
    )

    def url_converter(
        self, name: str, hashed_files: dict[str, str], template: str | None = None
    ) -> Callable[[re.Match[str]], str]:
        """Return what makes text of a match: nothing of a comment, the hashed address of any other."""
        if template == _COMMENT[1]:
            return lambda _match: template
        converter: Callable[[re.Match[str]], str] = super().url_converter(name, hashed_files, template)
        return converter

    def load_manifest(self) -> tuple[dict[str, str], str]:
        """Take a manifest that was written by half for none: `collectstatic` writes it anew."""
        with suppress(ValueError):
            manifest: tuple[dict[str, str], str] = super().load_manifest()
            return manifest
        return {}, ""

    def post_process(self, paths: Mapping[str, tuple[Storage, str]], *args: Any, **options: Any) -> Iterator[Any]:
        """Store the files under hashed names, and remember what they are made from."""
        self._made_from = _hash_of(paths)
        yield from super().post_process(paths, *args, **options)

    def file_hash(self, name: str | None, content: Any = None) -> str | None:  # noqa: ANN401 - Django's
        """Return the hash of a file; the manifest, which has no name, has that of what the files are made from."""
        hashed: str | None = self._made_from if name is None else super().file_hash(name, content)
        return hashed

    def current_files(self) -> list[str]:
        """Return the paths of the files that pages get; none if `collectstatic` would not make them from the same."""
        found: dict[str, tuple[Storage, str]] = {}
        for finder in finders.get_finders():
            for name, storage in finder.list(StaticFilesConfig.ignore_patterns):
                found.setdefault(name, (storage, name))
        return list(map(self.path, self.hashed_files.values())) if self.manifest_hash == _hash_of(found) else []


def _hash_of(paths: Mapping[str, tuple[Storage, str]]) -> str:
    """Return a hash of these files, and of what is done to them here."""
    made_from = hashlib.sha256(Path(__file__).read_bytes())
    for name, (storage, path) in sorted(paths.items(), key=itemgetter(0)):
        with storage.open(path) as file:
            made_from.update(f"{name}\n{file.size}\n".encode() + file.read())
    return made_from.hexdigest()
