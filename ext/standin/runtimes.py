"""Write static_runtimes.h: where functions lie in the CUDA runtimes that are linked into programs, of static_runtimes.txt, which says it in little space.

A runtime is one section of code, so that functions lie at the same places of it in every program. Places are counted in units of 16 bytes. A window is
a few bytes of a function's code which no linker changes.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

UNIT, ANCHOR_BYTES, WINDOW_BYTES = 16, 16, 32
IMPORTS = ("dlvsym", "get_nprocs", "nftw", "shm_unlink")
"""Functions of the C library that all runtimes call, and few other libraries: objects that lack one of them are not searched."""
NO_WINDOW = 255
MOST_PLACES = 1 << 16
_START, _FACTOR, _WORD = 0xCBF29CE484222325, 0x9E3779B97F4A7C15, (1 << 64) - 1
_COMMENT = ("# Where functions lie in the CUDA runtimes that programs are linked with, and digests of their code: written by tests/exec/runtime_layouts.py.\n"
            "# runtime VERSIONS PACKAGE PLACE-OF-ANCHOR DIGEST-OF-ANCHOR DIGEST-OF-WINDOWS, then for each function and runtime:\n"
            "# how far it lies behind the one before, and how far behind its beginning its window does; all in hexadecimal.\n")


class Runtime(NamedTuple):
    """One runtime.

    versions  : as NVIDIA counts them; those with the same code are one runtime.
    package   : in which they were found.
    anchor    : place of the code by which the runtime is searched.
    functions : name → its place, and how far behind that its window is; None: it has none.
    """

    versions: tuple[str, ...]
    package: str
    anchor: int
    anchor_digest: int
    digest: int
    functions: dict[str, tuple[int, int | None]]

    def is_same(self, other: Runtime) -> bool:
        """Say whether nothing but versions and package tells two apart."""
        return self[2:] == other[2:]


def digest(code: bytes, found: int = _START) -> int:
    """Give the digest of code, and of what was digested before it: as runtimes.c does."""
    for at in range(0, len(code), 8):
        found = (found ^ int.from_bytes(code[at:at + 8], "little")) * _FACTOR & _WORD
        found ^= found >> 29
    return found


def read(text: str) -> list[Runtime]:
    """Read what `written` has written."""
    heads: list[Runtime] = []
    last: list[int] = []
    for line in text.splitlines():
        first, *rest = line.split()
        if first == "runtime":
            versions, package, *numbers = rest
            heads.append(Runtime(tuple(versions.split(",")), package, *(int(each, 16) for each in numbers), {}))
            last.append(0)
        elif first != "#":
            for k, entry in enumerate(rest):
                if entry != "-":
                    step, _, window = entry.partition(".")
                    last[k] += int(step, 16)
                    heads[k].functions[first] = (last[k], int(window, 16) if window else None)
    return heads


def written(runtimes: list[Runtime]) -> str:
    """Give the text of a file. Functions are in the order in which they lie in the newest runtime, as far as it has them, so that steps are small."""
    lines = [f"runtime {','.join(each.versions)} {each.package} {each.anchor:x} {each.anchor_digest:016x} {each.digest:016x}\n" for each in runtimes]
    last = [0] * len(runtimes)
    for name in _order(runtimes):
        entries = []
        for k, each in enumerate(runtimes):
            place, window = each.functions.get(name, (None, None))
            entries.append("-" if place is None else f"{place - last[k]:x}" + (f".{window:x}" if window is not None else ""))
            last[k] = last[k] if place is None else place
        lines.append(f"{name} {' '.join(entries)}\n")
    return _COMMENT + "".join(lines)


def by_version(runtimes: list[Runtime]) -> list[Runtime]:
    """Make one of runtimes with the same code, and put the oldest first."""
    found: list[Runtime] = []
    for each in sorted(runtimes, key=lambda each: _numbers(each.versions[0])):
        same = next((k for k, other in enumerate(found) if each.is_same(other)), None)
        if same is None:
            found.append(each)
        else:
            found[same] = found[same]._replace(versions=tuple(sorted({*found[same].versions, *each.versions}, key=_numbers)))
    return found


def header(runtimes: list[Runtime], names: list[str]) -> str:
    """Give the text of the header. names : of all functions, in the order of their numbers."""
    numbers = {name: number for number, name in enumerate(names)}
    entries, heads = [], []
    for each in runtimes:
        heads.append(f"    {{{_numbers(each.versions[0])[0]}, {len(entries)}, {len(each.functions)}, {each.anchor}, "
                     f"{each.anchor_digest:#x}u, {each.digest:#x}u}},\n")
        if strange := each.functions.keys() - numbers.keys():
            raise ValueError(f"static_runtimes.txt has functions that functions.txt has not: {', '.join(sorted(strange))}")
        entries += [f"    {{{numbers[name]}, {place}, {NO_WINDOW if window is None else window}}},\n"
                    for name, (place, window) in sorted(each.functions.items())]
    imports = ", ".join(f'"{name}"' for name in IMPORTS)
    return (f"#define RUNTIMES {len(runtimes)}\n#define UNIT {UNIT}\n#define ANCHOR_BYTES {ANCHOR_BYTES}\n#define WINDOW_BYTES {WINDOW_BYTES}\n"
            f"#define NO_WINDOW {NO_WINDOW}\n#define DIGEST_START {_START:#x}u\n#define DIGEST_FACTOR {_FACTOR:#x}u\n"
            f"static const char *const runtime_imports[] = {{{imports}}};\n"
            "static const struct runtime_function runtime_functions[] = {\n" + "".join(entries) + "};\n"
            "static const struct static_runtime static_runtimes[RUNTIMES] = {\n" + "".join(heads) + "};\n")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def _order(runtimes: list[Runtime]) -> list[str]:
    order: list[str] = []
    for each in reversed(runtimes):
        known, before = set(order), None
        for name in sorted(each.functions, key=lambda name: (each.functions[name][0], name)):
            if name not in known:
                order.insert(0 if before is None else order.index(before) + 1, name)
            before = name
    return order


def main() -> None:
    """Write it: python runtimes.py static_runtimes.txt functions.txt static_runtimes.h."""
    runtimes, names, out = map(Path, sys.argv[1:])
    out.write_text(header(read(runtimes.read_text(encoding="ascii")), sorted(names.read_text(encoding="ascii").split())), encoding="ascii")


if __name__ == "__main__":
    main()
