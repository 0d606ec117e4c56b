"""Raw SQL that the database has to refuse."""

from django.db import DatabaseError, connection, transaction


def refusal_of(statement: str) -> str:
    """Return why the database refuses a statement; "" where it does not."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as error:
        return str(error)
    return ""


def passing(statements: list[str], *words: str) -> dict[str, str]:
    """Return the statements that are not refused in one of these words, each with what was said instead."""
    refusals = {statement: refusal_of(statement) for statement in statements}
    return {statement: refusal for statement, refusal in refusals.items() if not any(word in refusal for word in words)}
