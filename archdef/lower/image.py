"""The initial contents of a module's variables: what is not 0, and where. An array that nobody initialises takes no room on the host."""
from __future__ import annotations

import attrs


@attrs.frozen(slots=True)
class Image:
    """Initial contents of memory, 0 where no part says otherwise. ``bytes(image)`` writes all of it out."""

    nbytes: int
    parts: tuple[tuple[int, bytes], ...] = ()
    """Offset and contents of each part, in order; they do not overlap."""

    def __len__(self) -> int:
        return self.nbytes

    def __bytes__(self) -> bytes:
        whole = bytearray(self.nbytes)
        for offset, data in self.parts:
            whole[offset:offset + len(data)] = data
        return bytes(whole)

    def patched(self, places: dict[int, bytes]) -> tuple[tuple[int, bytes], ...]:
        """Give the parts with other contents at some offsets, each of which lies within one part."""
        parts, offsets, at = [], sorted(places), 0
        for start, data in self.parts:
            changed = bytearray(data)
            while at < len(offsets) and offsets[at] < start + len(data):
                new = places[offsets[at]]
                changed[offsets[at] - start:offsets[at] - start + len(new)] = new
                at += 1
            parts.append((start, bytes(changed)))
        return tuple(parts)
