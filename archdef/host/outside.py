"""Bytes of the host that are no array of this process."""
from __future__ import annotations

import abc

import numpy as np


class Outside(abc.ABC):
    """Ordinary memory of the host that another process has: copies move it from there into device memory, or back, and the call waits for them.

    nbytes : how many they are.
    """

    nbytes: int

    @abc.abstractmethod
    def into(self, array: np.ndarray) -> None:
        """Read the first of them into an array of bytes. Raises nothing: what goes wrong is for whoever made the object to look at."""

    @abc.abstractmethod
    def out_of(self, array: np.ndarray) -> None:
        """Write the first of them from an array of bytes. Likewise."""
