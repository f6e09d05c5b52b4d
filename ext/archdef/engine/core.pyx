"""The engine as Python sees it."""
from libc.stdint cimport int64_t, uint64_t

from archdef.engine.grid cimport Grid
from archdef.engine.memory cimport AddressSpace, DeviceMemory
from archdef.engine.session cimport Session
from archdef.engine.tables cimport Tables

from archdef.engine.program import ProgramError, layout
from archdef.engine.records import COUNTER_DTYPE, MULTIPROCESSOR_DTYPE, PARTITION_DTYPE

__all__ = ["AddressSpace", "COUNTER_DTYPE", "DeviceMemory", "Grid", "MULTIPROCESSOR_DTYPE", "PARTITION_DTYPE", "ProgramError", "Session",
           "Simulation", "Tables", "layout"]

for _name, _class in (("AddressSpace", AddressSpace), ("DeviceMemory", DeviceMemory), ("Grid", Grid), ("Session", Session), ("Tables", Tables)):
    globals()[_name] = _class     # cimported above; public here


class Simulation:
    """One kernel launch on one machine: a session of a single grid.

    Parameters are those of `Session` and of `Session.launch`, whose `allowed` is `resident_blocks` here.
    """

    def __init__(self, dict machine, program, DeviceMemory memory not None, grid, block, bytes parameters=b"",
                 int64_t dynamic_shared_bytes=0, resident_blocks=1, int64_t max_instructions=1 << 62, int64_t max_cycles=1 << 50,
                 uint64_t global_base=0, uint64_t const_base=0, name=None, int64_t lookahead_cycles=0, **options):
        self._session = Session(machine, memory, max_instructions, max_cycles, lookahead_cycles)
        self._grid = self._session.launch(program, grid, block, parameters, dynamic_shared_bytes=dynamic_shared_bytes,
                                          allowed=resident_blocks, global_base=global_base, const_base=const_base, name=name, **options)

    def advance(self, double milliseconds=100.0):
        """Simulate for about so much host time; see `Session.advance`."""
        if self._session.advance(milliseconds):
            return True
        self._session.finished()
        return False

    def cancel(self):
        """Stop here: what has been stored so far stays, nothing more happens."""
        self._session.cancel()

    @property
    def grid(self):
        """The launch."""
        return self._grid

    @property
    def blocks(self):
        """Blocks of the grid."""
        return self._grid.blocks

    @property
    def blocks_done(self):
        """Blocks that have ended."""
        return self._grid.blocks_done

    @property
    def cycle(self):
        """Multiprocessor cycles simulated so far."""
        return self._session.cycle

    @property
    def lookahead_cycles(self):
        """Length of an epoch."""
        return self._session.lookahead_cycles

    def printed(self):
        """What the kernel has printed so far; see `Grid.printed`."""
        return self._grid.printed()

    def result(self):
        """Counters of the launch so far; see `Session.result`."""
        return self._session.result(self._grid)
