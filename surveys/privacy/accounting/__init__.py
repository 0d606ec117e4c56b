"""What several guarantees come to together."""

from surveys.privacy.accounting.composition import compose
from surveys.privacy.accounting.local_central import local_then_central, local_then_central_k_ary

__all__ = ["compose", "local_then_central", "local_then_central_k_ary"]
