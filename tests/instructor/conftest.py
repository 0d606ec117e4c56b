"""What every test of the instructor's pages needs."""

from collections.abc import Iterator

import pytest

from surveys.selectors import responses


@pytest.fixture(autouse=True)
def _nothing_counted_before() -> Iterator[None]:
    """Rolled-back tests use the same keys again, so what was counted for one must not be shown to the next."""
    responses._tally.cache_clear()
    yield
    responses._tally.cache_clear()
