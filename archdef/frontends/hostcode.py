"""Where a source needs a compiler for the host as well: the first line that a GPU cannot execute."""
from __future__ import annotations

import re

_HOST = (
    (re.compile(r"\b(?:int|void|auto)\s+main\s*\("), "`main`"),
    (re.compile(r"\bcuda(?:Memcpy(?:(?:To|From)\w+)?|DeviceReset|SetDevice|Host\w+|EventElapsedTime|Bind\w+)\s*\("),
     "a call of the runtime API"),
    (re.compile(r"^[ \t]*#[ \t]*include[ \t]*<(?:iostream|fstream|sstream|iomanip|vector|string|map|set|list|deque|chrono|random|memory|thread|mutex|"
                r"sys/\w+\.h|unistd\.h|thrust/\w+\.h)>", re.MULTILINE), "a header of the host's library"),
    (re.compile(r"^[ \t]*#[ \t]*include[ \t]*<(?:cu(?:blas|dnn|fft|rand|solver|sparse)\w*|helper_\w+|mpi|nccl|nvml|omp)\.h>", re.MULTILINE),
     "a header of a library that hosts call"),
    (re.compile(r"\bstd::(?:cerr|clog|cout|endl)\b|\bfprintf\s*\(\s*std(?:err|out)\b"), "output of the host"))
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:\\\n|[^\n])*", re.MULTILINE)
"""What a macro stands for is host code where it is used, if anywhere."""


def host_code(text: str) -> tuple[int, str, str] | None:
    """Find the first line that only a host can execute: its number, what it is, the line itself.

    None if there is none, or if the source tells compilers of device code alone apart and so keeps the host's from them.
    """
    if "__CUDACC_RTC__" in text:
        return None
    bare = _MACRO.sub(_blank, _NO_CODE.sub(_blank, text))
    found = [(match.start(), what) for pattern, what in _HOST if (match := pattern.search(bare))]
    if not found:
        return None
    start, what = min(found)
    line = bare.count("\n", 0, start) + 1
    return line, what, text.splitlines()[line - 1].strip()


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
