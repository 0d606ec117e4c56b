"""What is run from the command line, and how it ends where the database, the disk or a file is not as it must be."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError, connection

_NO_SUCH_TABLE = "42P01"  # PostgreSQL's words for it come in the server's language


@contextmanager
def ending_in_one_line() -> Iterator[None]:
    """End the process with one line; a mistake in the program, and `--traceback`, still show everything."""
    try:
        yield
    except (DataError, IntegrityError):
        raise
    except (DatabaseError, InterfaceError, ImproperlyConfigured, OSError) as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(_words(error))


def _words(error: Exception) -> str:
    if isinstance(error, ImproperlyConfigured):
        return str(error)
    if isinstance(error, OSError):
        return f"{': '.join(map(str, filter(None, [error.filename, error.strerror or str(error)])))}."
    line = str(error).partition("\n")[0].rstrip(".")
    if "no such table" in line or getattr(error.__cause__, "sqlstate", None) == _NO_SUCH_TABLE:
        return f"{line}. Run `{settings.COMMAND} migrate` first."
    return f"The database {connection.settings_dict['NAME']}: {line}."
