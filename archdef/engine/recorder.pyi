from collections.abc import Sequence

import numpy as np

BLOCK_DTYPE: np.dtype
WARP_DTYPE: np.dtype
SUMS_DTYPE: np.dtype
MEMORY_DTYPE: np.dtype
ACTIVITY_DTYPE: np.dtype
REQUEST_DTYPE: np.dtype
REQUEST_TIMES: tuple[str, ...]

class TimelineRecorder:
    def __init__(
        self, detail: int, first: int, last: int, width: int, buckets: int, block_room: int, warp_room: int, chosen: Sequence[int] | None = None,
    ) -> None: ...
    @property
    def width(self) -> int: ...
    @property
    def lost(self) -> tuple[int, int, int]: ...
    def blocks(self) -> np.ndarray: ...
    def warps(self) -> np.ndarray: ...
    def memory_requests(self) -> np.ndarray: ...
    def sums(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]: ...
