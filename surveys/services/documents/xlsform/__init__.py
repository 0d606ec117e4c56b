"""XLSForms, of which the part is read that fits."""

from surveys.services.documents.xlsform.converting import read_xlsform
from surveys.services.documents.xlsform.report import Imported, Line

__all__ = ["Imported", "Line", "read_xlsform"]
