"""Does counting what a program has launched change anything for the program?"""
import pytest

from archdef import Device, registry
from archdef.errors import ArchdefError, GuestFault
from archdef.exec.tally import KEPT_AT_ONCE, Tally
from archdef.host import Host
from archdef.runtime.api import Runtime

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
PTX = """.version 6.0
.target sm_20
.address_size 64
.visible .entry empty() { ret; }
.visible .entry faults() { .reg .b64 %rd<2>; .reg .b32 %r<2>; mov.u64 %rd1, 64; ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1; ret; }
"""


@pytest.fixture
def runtime():
    found = Runtime({})
    found.use(Device("gt200", host=Host()))
    return found


def launch(runtime, tally, name, times=1):
    kernel = runtime.device().compile(PTX)[name]
    for _ in range(times):
        tally.launched(runtime.LaunchKernel(kernel, (1, 1, 1), (32, 1, 1), [], 0, None))


def test_a_program_that_launches_often_has_the_time_that_its_own_calls_take(runtime):
    tally, host = Tally(), runtime.device().context.host
    launch(runtime, tally, "empty")
    runtime.DeviceSynchronize()
    began, names = host.now, set()
    tally.count()
    assert host.now == began
    launch(runtime, tally, "empty", 2 * KEPT_AT_ONCE)
    names = {span.name for span in host.timeline().spans if span.place == "host"}
    assert names == {"launch empty", f"synchronize {runtime.device().context.label}"}
    runtime.DeviceSynchronize()
    tally.count()
    (total,) = tally
    assert total.launches == 2 * KEPT_AT_ONCE + 1 and total.longest is not None and total.cycles >= total.launches


def test_a_program_hears_of_a_fault_that_was_counted_before_it_asked(runtime):
    tally = Tally()
    launch(runtime, tally, "faults")
    launch(runtime, tally, "empty", KEPT_AT_ONCE)       # of which the first is counted, and those behind the fault are dropped
    assert len(tally.failed) > 0 and "faults" in tally.failed[0]
    with pytest.raises(GuestFault):
        runtime.DeviceSynchronize()


def test_what_was_not_run_because_of_an_error_is_no_launch(runtime):
    tally = Tally()
    launch(runtime, tally, "faults")
    launch(runtime, tally, "empty", 3)
    with pytest.raises(GuestFault):
        runtime.DeviceSynchronize()
    tally.count()
    assert [total.kernel for total in tally] == [] and len(tally.failed) == 4
    with pytest.raises(ArchdefError):
        launch(runtime, tally, "absent")
