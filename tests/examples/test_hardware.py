"""Do the examples behave as on the hardware on which they were measured?"""
import pytest
from documented import example

from archdef import registry
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")
MEASURED = [name for name in example("latency_hiding").HARDWARE if name in registry.names()]


@pytest.mark.parametrize("kernel", ["chains_1", "chains_2"])
@pytest.mark.parametrize("name", MEASURED)
def test_the_rate_of_additions_is_the_hardwares_for_every_number_of_resident_warps(name, kernel):
    module, architecture = example("latency_hiding"), registry.get(name)
    hardware, simulated = module.hardware_rates(architecture, kernel), module.rates(architecture, kernel)
    compared = hardware.keys() & simulated.keys()
    assert len(compared) > 40
    for warps in compared:
        assert simulated[warps] == pytest.approx(hardware[warps], rel=0.05), f"{warps} warps"


@pytest.mark.parametrize("name", MEASURED)
def test_the_warps_that_the_hardware_needs_follow_from_the_description(name):
    module, architecture = example("latency_hiding"), registry.get(name)
    for kernel, chains in module.CHAINS.items():
        assert module.saturation(module.hardware_rates(architecture, kernel)) == module.needed_warps(architecture, chains)


@pytest.mark.parametrize("name", [name for name in example("reduction").HARDWARE if name in registry.names()])
def test_the_kernels_of_the_reduction_come_in_the_order_of_the_hardware(name):
    """Those that hardware tells apart by two fifths; the largest grid that is quick to simulate is a sixteenth of the hardware's, on which the
    faster kernels do not fill it any more (an H100 itself takes 10432 and 9803 cycles for `unrolled_4` and `unrolled_8` there)."""
    from archdef.examples.command import launches

    module = example("reduction")
    hardware = module.HARDWARE[name]["us"]
    simulated = {row.case.kernel: row.run.cycles for row in launches(module.WORKLOAD, registry.get(name))[0]}
    for slower in hardware:
        for faster in hardware:
            if hardware[slower] > 1.4 * hardware[faster]:
                assert simulated[slower] > simulated[faster], f"{slower} should be slower than {faster}"
