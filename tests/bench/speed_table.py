"""Print the speed table: ``python tests/bench/speed_table.py``. Rates on one core, beside those of existing simulators."""
import threading
import time

from launches import KERNELS, MACHINES, Prepared, machine, peak_mib, transactions

EXISTING = [  # thousand warp instructions a second, GPGPU-Sim 4.2, GTX 480 configuration, measured on the same work by us
    ("vector add 256Ki", "vector_add", None, 1 << 18, 17.0), ("naive transpose 512", "transpose", "naive", 512, 3.4),
    ("tiled transpose 512", "transpose", "tiled", 512, 15.7), ("matmul 128", "matmul", "tiled", 128, 26.4),
    ("reduction 128Ki", "reduction", "interleaved", 1 << 17, 28.0)]


def best(prepared, repeats: int = 3):
    """Shortest wall time of some launches, and the last run."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run = prepared()
        times.append(time.perf_counter() - start)
    return min(times), run


def rates() -> None:
    print(f"{'kernel':24}{'machine':10}{'M wi/s':>8}{'ns/wi':>8}{'ns/tx':>8}{'tx/wi':>8}{'RSS MiB':>9}  correct")
    for kernel, (name, entry, size) in KERNELS.items():
        for where in MACHINES:
            prepared = Prepared(machine(where), name, entry, size)
            seconds, run = best(prepared)
            n, sent = run.counters.instructions, transactions(run)
            print(f"{kernel:24}{where:10}{n / seconds / 1e6:8.2f}{seconds / n * 1e9:8.0f}{seconds / max(sent, 1) * 1e9:8.0f}"
                  f"{sent / n:8.3f}{peak_mib():9.0f}  {prepared.correct()}", flush=True)


def against_existing() -> None:
    print(f"\n{'same work, gf100':24}{'archdef k/s':>12}{'GPGPU-Sim 4.2 k/s':>19}{'ratio':>8}")
    for label, name, entry, size, theirs in EXISTING:
        seconds, run = best(Prepared(machine("gf100"), name, entry, size))
        ours = run.counters.instructions / seconds / 1e3
        print(f"{label:24}{ours:12.0f}{theirs:19.1f}{ours / theirs:8.0f}")


def linearity() -> None:
    print(f"\n{'copy on gt200':24}{'instructions':>14}{'s':>8}{'ns/wi':>8}")
    for size in (512, 1024, 2048):
        seconds, run = best(Prepared(machine("gt200"), "transpose", "copy", size))
        n = run.counters.instructions
        print(f"{size:<24}{n:14}{seconds:8.3f}{seconds / n * 1e9:8.0f}", flush=True)


def threads() -> None:
    launches = [Prepared(machine("gt200"), "matmul", "tiled", 512) for _ in range(2)]
    alone, _ = best(launches[0])
    workers = [threading.Thread(target=prepared) for prepared in launches]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    together = time.perf_counter() - start
    print(f"\ntwo launches in two threads: {together:.3f} s, one alone {alone:.3f} s, ratio {together / alone:.2f}")


if __name__ == "__main__":
    rates()
    against_existing()
    linearity()
    threads()
