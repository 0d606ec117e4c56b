"""What a package offers as a library: one list of names, each imported from its module when somebody asks for it."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

Listing: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Headings, below each the modules of a package, and of each module the public names."""


def modules_of(listing: Listing) -> dict[str, str]:
    """Return the module of each name."""
    return {name: module for part in listing.values() for module, names in part.items() for name in names}


def offer(package: str, listing: Listing) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package that loads nothing before it is asked for (PEP 562)."""
    modules = modules_of(listing)

    def load(name: str) -> Any:  # noqa: ANN401 - whatever the module has under that name
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    return load, lambda: sorted(modules)
