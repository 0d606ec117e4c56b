import pytest

pytest.register_assert_rewrite("tests.privacy.mechanisms.conformance")
