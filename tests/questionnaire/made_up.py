"""What a made-up kind or design needs besides its class: a column that takes it, and a place in the registry."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from surveys.common import caches
from surveys.questionnaire.designs import Chance
from surveys.questionnaire.kinds import Answers


@contextmanager
def registered_in(registry: ModuleType, made_up: Chance | Answers) -> Iterator[None]:
    """Register it, and take it back if nobody else did."""
    registry.register(made_up)
    caches.clear()
    yield
    if registry.find(made_up.name):
        take_back(registry, made_up.name)


def take_back(registry: ModuleType, name: str) -> None:
    registry.unregister(name)
    caches.clear()
