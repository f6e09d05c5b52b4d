"""Kernels that launch kernels: a greeting that halves itself, and a sum by a loop, by children of each block, and by one tail a step."""
from pathlib import Path


from archdef.examples import Case, Input, Output, Workload
from archdef.examples.command import Table, command, launches
from archdef.formatting import count, seconds

BLOCK = 256
GREETERS = 8


def cases(size, random, architecture):
    """Sum `size` integers in pieces of one block each; greet."""
    numbers = random.integers(0, 1000, (size // (2 * BLOCK), 2 * BLOCK), dtype="i4")
    sums = Output(numbers.sum(axis=1, dtype="i4"))
    for kernel in ("loop_sum", "recursive_sum"):
        yield Case(kernel, (len(numbers),), (BLOCK,), (sums, Input(numbers), 2 * BLOCK), numbers.nbytes)
    yield Case("grid_sum", (len(numbers),), (BLOCK,), (sums, Input(numbers), 2 * BLOCK, 2 * BLOCK, len(numbers)), numbers.nbytes)
    yield Case("nested_hello", (1,), (GREETERS,), (GREETERS, 0), 0)


WORKLOAD = Workload("nested_launches", "sums by kernels that launch kernels", Path(__file__).with_suffix(".cu"), cases, size=1 << 14,
                    multiple=2 * BLOCK)


def tables(architectures):
    """One table a machine, and what the greeting prints."""
    for architecture in architectures:
        ran, refused = launches(WORKLOAD, architecture)
        rows = [(row.case.kernel, seconds(row.run.elapsed_s), count(row.run.counters.instructions), count(len(row.run.launches)),
                 count(max((launch.depth for launch in row.run.launches), default=0)),
                 f"{100 * row.run.counters.stalls['launch'] / sum(row.run.counters.stalls.values()):.1f} %") for row in ran]
        notes = [line for row in ran if row.case.kernel == "nested_hello" for line in row.run.printed.splitlines()]
        title = f"{architecture.name}: {architecture.vendor} {architecture.title}, {WORKLOAD.size:,} integers"
        yield Table(title, ("kernel", "time", "instructions", "launched", "deepest", "waiting to launch"), rows, refused + notes)


main = command(tables, machines=("gf100", "k40", "h100"))

if __name__ == "__main__":
    main()
