"""A survey's key is made once, is kept by nobody else, and signs numbers and nothing else."""

import pytest
from cryptography.hazmat.primitives.serialization import load_der_private_key
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from surveys.common.selectors import definition_of
from surveys.credit import services
from surveys.models import CreditKey
from tests.credit.device import Device
from tests.factories import make_draft, make_open


@given(data=st.binary(max_size=300))
def test_bytes_are_read_as_they_were_written(data: bytes) -> None:
    assert services.read(services.written(data)) == data


@pytest.mark.parametrize("text", ["A", "AB", "AA==", "AAA=", "A+/A", "AAAA\n", " AAA", "ÄAAA", "A A A A", "AAAA!"])
def test_a_text_written_otherwise_is_not_read(text: str) -> None:
    assert services.read(text) is None


@pytest.mark.django_db
class TestKey:
    def test_a_key_is_stored_with_its_survey_and_only_its_modulus_is_told(self) -> None:
        survey = make_draft(credit=True)
        modulus = services.make_key(survey)
        key = load_der_private_key(bytes(CreditKey.objects.get(survey=survey).private_key), None)
        assert len(modulus) == 342
        assert key.public_key().public_numbers().n == services.modulus_of(modulus)  # type: ignore[union-attr]

    def test_a_signature_is_the_one_that_the_page_can_use(self) -> None:
        survey = make_open(credit=True)
        device = Device.at(survey)
        signature = services.sign(survey, device.blinded)
        assert (len(signature), len(device.receipt(signature))) == (342, 427)
        assert services.sign(survey, device.blinded) == signature

    def test_a_process_reads_the_key_once(self) -> None:
        survey = make_open(credit=True)
        services.sign(survey, Device.at(survey).blinded)
        with CaptureQueriesContext(connection) as queries:
            services.sign(survey, Device.at(survey).blinded)
        assert len(queries) == 0

    @pytest.mark.parametrize("blinded", ["", "A", "A" * 342, "_" * 342, "A" * 341 + "Q"])
    def test_what_is_no_number_is_not_signed(self, blinded: str) -> None:
        survey = make_open(credit=True)
        assert not services.is_blinded(definition_of(survey).credit_key, blinded)
        with pytest.raises(ValueError, match="must be above 1"):
            services.sign(survey, blinded)

    def test_another_key_than_the_frozen_one_signs_nothing(self) -> None:
        """Planted: one survey's row holds a key, and its questionnaire the modulus of another."""
        survey, other = make_open(credit=True), make_open(credit=True)
        anothers = services.modulus_of(definition_of(other).credit_key)
        with pytest.raises(RuntimeError, match="not the one"):
            services._private_key(survey.pk, anothers)
