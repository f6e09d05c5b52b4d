"""The machine on which most calls of the runtime are tried, and how a refusal is expected."""
import pytest

from archdef import registry
from archdef.errors import RuntimeApiError

MACHINE = next((name for name in ("k40", "v100") if name in registry.names()), None)
ON_A_MACHINE = pytest.mark.skipif(MACHINE is None, reason="no machine is installed")


def refused(name):
    """Expect a status, by its whole name or without CUDA's prefix."""
    return pytest.raises(RuntimeApiError, match=rf"^(cudaError)?{name} \(")
