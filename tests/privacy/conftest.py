"""The programs that ours are compared with."""

from types import ModuleType

import pytest


@pytest.fixture
def dp() -> ModuleType:
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    return opendp


@pytest.fixture
def pld() -> ModuleType:
    pytest.importorskip("dp_accounting")
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution
