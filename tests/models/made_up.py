"""What a made-up kind or design needs besides its class: a column that takes it, and a place in the registry."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType

import pytest
from django.db import connection
from django.db.models import CheckConstraint, Q

from surveys.common import caches
from surveys.models import Question
from surveys.models.designs import AskedDesign
from surveys.models.kinds import QuestionKind


@contextmanager
def column_takes(column: str, names: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand for the line in the enum with its migration: a column of questions takes one more name."""
    (known,) = (rule for rule in Question._meta.constraints if rule.name == f"question_{column}_known")
    assert isinstance(known, CheckConstraint)
    monkeypatch.setattr(known, "condition", Q(**{f"{column}__in": names}))
    monkeypatch.setattr(Question._meta.get_field(column), "choices", [(name, name) for name in names])
    on_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        drop = f"ALTER TABLE surveys_question DROP CONSTRAINT question_{column}_known"
        cursor.execute("PRAGMA ignore_check_constraints = ON" if on_sqlite else drop)
    yield
    if on_sqlite:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA ignore_check_constraints = OFF")


@contextmanager
def registered_in(registry: ModuleType, made_up: AskedDesign | QuestionKind) -> Iterator[None]:
    """Register it, and take it back if nobody else did."""
    registry.register(made_up)
    caches.clear()
    yield
    if registry.find(made_up.name):
        take_back(registry, made_up.name)


def take_back(registry: ModuleType, name: str) -> None:
    registry.unregister(name)
    caches.clear()
