"""How hypothesis looks for counter-examples: without a clock, as machines are shared, and repeatably in CI."""

import os

from hypothesis import settings

settings.register_profile("deniable", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("deniable")
