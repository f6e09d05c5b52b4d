"""Irregular gather: transactions that no pattern predicts."""
from pathlib import Path

from archdef.examples.workload import Case, Input, Output, Workload


def cases(size, random, architecture):
    """Gather `size` floats at random places."""
    values, index = random.random(size, dtype="f4"), random.integers(0, size, size, dtype="i4")
    yield Case("gather", (size // 256,), (256,), (Output(values[index]), Input(values), Input(index), size), 12 * size)


WORKLOAD = Workload("gather", "irregular gather", Path(__file__).with_suffix(".cu"), cases, size=1 << 20, multiple=256)
