"""How static files are stored: hashed names, compressed once, ES-module imports rewritten to the hashed names."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Whitenoise's storage that also follows `import … from "./module.js"` between our modules."""

    support_js_module_import_aggregation = True
