"""A device that the runtime uses while a test runs."""
import pytest
from expectations import MACHINE

from archdef.runtime import cuda


@pytest.fixture
def device():
    (device,) = cuda.use(MACHINE)
    yield device
    cuda.use()
