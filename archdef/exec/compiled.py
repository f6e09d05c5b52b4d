"""What NVRTC was told in place of what the program said; the stand-in sees to it, and this keeps it for the account."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread, answers


@answers("archdefCompilesFor", status=False)
def compiles_for(thread: Thread, asked: Int, given: Int) -> None:
    """Note that code was compiled for another architecture than the program asked for: compute capabilities times 10."""
    thread.session.tally.compiled[asked, given] = None
