"""How hypothesis looks for counter-examples: without a clock, as machines are shared, and repeatably in CI.

`make test` tries a tenth of the examples that `make test-all` tries, and looks at pages in some of the settings.
"""

import os

from hypothesis import settings

ALL_EXAMPLES = "TESTS_ALL_EXAMPLES"


def examples(number: int) -> settings:
    """Return what tries this many examples where all are asked for, and a tenth elsewhere."""
    return settings(deadline=None, max_examples=number if ALL_EXAMPLES in os.environ else max(10, number // 10))


settings.register_profile("deniable", examples(100), derandomize="CI" in os.environ)
settings.load_profile("deniable")
