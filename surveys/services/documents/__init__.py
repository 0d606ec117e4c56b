"""Surveys as documents: read whole or refused whole, with everything that is wrong said at once."""

from surveys.services.documents.content import GroupDraft, SurveyContent
from surveys.services.documents.creating import create_from, duplicate
from surveys.services.documents.importing import read_import
from surveys.services.documents.problems import DocumentRefused, Problem
from surveys.services.documents.reading import parse_document, read_document
from surveys.services.documents.xlsform import Imported, Line

__all__ = [
    "DocumentRefused",
    "GroupDraft",
    "Imported",
    "Line",
    "Problem",
    "SurveyContent",
    "create_from",
    "duplicate",
    "parse_document",
    "read_document",
    "read_import",
]
