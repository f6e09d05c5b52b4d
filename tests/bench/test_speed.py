"""How fast does the engine simulate? Opt-in: ``pytest tests/bench`` (extra ``bench``). Nothing here can fail on time."""
import pytest
from launches import KERNELS, MACHINES, Prepared, machine, peak_mib, transactions

pytest.importorskip("pytest_benchmark", reason="the extra 'bench' is not installed")


@pytest.mark.parametrize("where", MACHINES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_simulated_instruction_rate(benchmark, kernel, where):
    prepared = Prepared(machine(where), *KERNELS[kernel])
    run = benchmark.pedantic(prepared, rounds=3, warmup_rounds=1)
    assert prepared.correct()
    if benchmark.stats is None:
        pytest.skip("pytest-benchmark times nothing here (it is disabled, or runs under xdist); the result was correct")
    seconds, instructions, sent = benchmark.stats.stats.median, run.counters.instructions, transactions(run)
    benchmark.extra_info.update(
        million_warp_instructions_per_s=round(instructions / seconds / 1e6, 2),
        ns_per_warp_instruction=round(seconds / instructions * 1e9, 1),
        ns_per_transaction=round(seconds / max(sent, 1) * 1e9, 1), transactions_per_instruction=round(sent / instructions, 3),
        peak_rss_mib=round(peak_mib()))
