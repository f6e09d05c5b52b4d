"""Do data that come in one cycle pass the banks in an order that does not depend on the length of the engine's epochs?"""
import pytest

from archdef import registry
from archdef.testing.conformance import examine


@pytest.mark.skipif("v100" not in registry.names(), reason="needs the Volta plugin")
@pytest.mark.parametrize("banks", [32, 16])
def test_counters_do_not_depend_on_epochs_however_many_passes_data_take(banks):
    assert examine(registry.get("v100").evolve({"shared.banks": banks}), only=lambda name: "on_epochs" in name).good
