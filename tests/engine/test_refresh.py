"""Does a refresh of device memory cost what it should, by whom it holds and how often it may be put off?"""
import archdef
import pytest
from archdef.errors import SpecErrors
from archdef.microbench.bandwidth import dram_bandwidth
from archdef.microbench.memory_latency import global_latency
from archdef.microbench.simulated import Simulated

PERIOD_NS, T_RFC_NS = 2000, 400
BEFORE = archdef.architecture("gf100")


def machine(groups: int | None = None, **changed) -> Simulated:
    """A machine whose banks are refreshed in so many groups, each once in `PERIOD_NS`; None: without refresh."""
    if groups:
        changed |= {"t_refi_ns": PERIOD_NS / groups, "t_rfc_ns": T_RFC_NS, "refresh_banks": BEFORE.dram.banks // groups}
    return Simulated(archdef.Device(BEFORE.evolve({f"dram.{name}": value for name, value in changed.items()})))


def chase_ns(simulated: Simulated) -> float:
    """Mean latency of loads from device memory, one at a time, at random."""
    return global_latency(simulated, footprint_bytes=64 << 20, warm=False)["cycles"] * 1000 / BEFORE.clocks.shader_mhz


@pytest.mark.parametrize("groups", [2, BEFORE.dram.banks])
@pytest.mark.parametrize("postponed", [0, 8])
def test_a_load_waits_for_half_a_refresh_as_often_as_its_banks_are_refreshed(groups, postponed):
    """Loads come at any time: the share of T_RFC_NS / PERIOD_NS waits, for half of it on average; nothing is there to put it off for."""
    waited = chase_ns(machine(groups, refreshes_postponed=postponed)) - chase_ns(machine())
    assert waited == pytest.approx(T_RFC_NS**2 / 2 / PERIOD_NS, rel=0.25)


def test_all_banks_at_a_time_take_their_share_of_the_bandwidth_and_few_take_less():
    """Banks that are refreshed one after the other let the others use the bus, which waits now and then as many requests want the one that cannot serve."""
    alone, together, few = (dram_bandwidth(machine(groups))["gb_s"] for groups in (None, 1, BEFORE.dram.banks))
    assert together < 0.9 * alone
    assert 1.1 * together < few < alone


def test_refreshes_that_may_be_put_off_leave_more_of_the_bandwidth():
    """They wait until nothing wants their banks, and are made up for then."""
    never, now, later = (dram_bandwidth(machine(groups, refreshes_postponed=postponed))["gb_s"] for groups, postponed in ((None, 0), (1, 0), (1, 8)))
    assert 1.03 * now < later < never


def test_without_a_period_nothing_is_refreshed_however_many_banks_would_be():
    """Leaving out the period alone, as a sweep does, switches refresh off; banks without a period are refused by name."""
    refreshed = archdef.architecture("h100")
    with_refresh, without = (chase_ns(Simulated(archdef.Device(each))) for each in (refreshed, refreshed.evolve({"dram.t_refi_ns": None})))
    assert without < with_refresh
    with pytest.raises(SpecErrors) as refused:
        archdef.architecture("gt200").evolve({"dram.t_refi_ns": None, "dram.refresh_banks": 4})
    assert "gt200.dram.refresh_banks" in str(refused.value.exceptions[0])
