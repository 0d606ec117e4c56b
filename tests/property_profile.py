"""How hypothesis looks for counter-examples here: without a clock, as these machines are shared, and repeatably in CI."""

import os

from hypothesis import settings

settings.register_profile("deniable", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("deniable")
