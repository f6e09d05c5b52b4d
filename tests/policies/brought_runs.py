"""Run the kernel of `test_brought` on a machine with changes."""
from test_brought import run

from archdef import registry


def cycles(name, changes):
    """Give the cycles of a launch on two multiprocessors."""
    return run(registry.get(name).evolve({"chip.multiprocessors": 2, **changes}))[0].cycles
