"""How static files are stored: hashed names, compressed once, ES-module imports rewritten to the hashed names."""

import re
from collections.abc import Callable

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
