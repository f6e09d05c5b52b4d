"""A parameter that no machine can take is refused by name, before anything is launched or made."""
import pytest

from archdef import registry
from archdef.microbench import measure
from archdef.microbench.suite import UnfitParameter

pytestmark = pytest.mark.skipif("gf100" not in registry.names(), reason="needs the plugins of this repository")
WRONG = [("throughput", "chains", 0), ("throughput", "chains", 2**31 - 1), ("coalescing", "offset_words", -9), ("l1_throughput", "warps", -1), ("code", "instructions", 10**11),
         ("barrier", "warps", 0), ("barrier", "warps", 10**9), ("barrier", "warps", "x"), ("launch", "blocks", 0), ("launch", "blocks", 10**25), ("residency", "threads", 0),
         ("launch_series", "blocks", 0), ("small_kernels", "elements", 0), ("small_kernels", "elements", 10**12),
         ("residency", "shared_bytes", -1), ("global_atomic_latency", "lanes", 0), ("global_latency", "stride_bytes", 0), ("global_latency", "warm", 3),
         ("global_latency", "order", 3), ("global_latency", "footprint_bytes", 10**40), ("global_latency", "footprint_bytes", 1.5)]


@pytest.mark.parametrize("name, parameter, value", WRONG)
def test_a_value_that_is_none_is_refused_by_name(name, parameter, value):
    with pytest.raises(UnfitParameter, match=f"{parameter} of {name} must be"):
        measure(name, "gf100", **{parameter: value})
