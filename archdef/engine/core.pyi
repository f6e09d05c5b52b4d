from collections.abc import Sequence
from typing import Any

import numpy as np

from archdef.engine.memory import DeviceMemory as DeviceMemory
from archdef.engine.program import ProgramError as ProgramError
from archdef.engine.program import layout as layout

COUNTER_DTYPE: np.dtype
MULTIPROCESSOR_DTYPE: np.dtype
PARTITION_DTYPE: np.dtype

class Simulation:
    def __init__(
        self, machine: dict[str, Any], program: Any, memory: DeviceMemory, grid: Sequence[int], block: Sequence[int],
        parameters: bytes = b"", dynamic_shared_bytes: int = 0, resident_blocks: int = 1, max_instructions: int = ...,
        max_cycles: int = ..., global_base: int = 0, const_base: int = 0, name: str | None = None, lookahead_cycles: int = 0,
        heap_bytes: int = ..., print_bytes: int = ..., textures: bytes | None = None,
    ) -> None: ...
    def advance(self, milliseconds: float = 100.0) -> bool: ...
    def cancel(self) -> None: ...
    def printed(self) -> tuple[bytes, int]: ...
    def result(self) -> dict[str, Any]: ...
    @property
    def blocks(self) -> int: ...
    @property
    def blocks_done(self) -> int: ...
    @property
    def cycle(self) -> int: ...
    @property
    def lookahead_cycles(self) -> int: ...
