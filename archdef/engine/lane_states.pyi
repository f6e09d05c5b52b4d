from collections.abc import Sequence

import numpy as np

RECORD_DTYPE: np.dtype

class LaneTracer:
    def __init__(self, warps: Sequence[int], first: int, last: int, room: int) -> None: ...
    @property
    def lost(self) -> int: ...
    def records(self) -> np.ndarray: ...
