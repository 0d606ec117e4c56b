"""Whatever somebody brings along: told apart by what is in it, never by its name."""

from surveys.services.documents.parsing import parse_json
from surveys.services.documents.reading import read_document
from surveys.services.documents.xlsform import Imported, read_xlsform
from surveys.services.documents.xlsform.package import is_package


def read_import(raw: bytes) -> Imported:
    """Read a survey's document or an XLSForm; raises DocumentRefused with all that is wrong."""
    if is_package(raw):
        return read_xlsform(raw)
    data = parse_json(raw)
    return Imported(document=data, content=read_document(data))
