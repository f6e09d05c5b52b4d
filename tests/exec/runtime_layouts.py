"""Write where the functions of NVIDIA's static runtimes lie, ``archdef/exec/static_runtimes.txt``, of archives that are at hand.

``python tests/exec/runtime_layouts.py FILE…``: wheels of PyPI's ``nvidia-cuda-runtime`` and ``nvidia-cuda-runtime-cu12`` for x86-64 (12.9 and later have the
archive: ``pip download --no-deps nvidia-cuda-runtime==13.0.96``), or ``PACKAGE==VERSION:libcudart_static.a`` for archives that come otherwise, such as
Debian's ``nvidia-cuda-dev``. What the file has of other versions stays. No code is written, but digests of it.
"""
import struct
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "ext" / "standin"))
from runtimes import ANCHOR_BYTES, IMPORTS, MOST_PLACES, NO_WINDOW, UNIT, WINDOW_BYTES, Runtime, by_version, digest, read, written

TABLE = Path(__file__).parents[2] / "archdef" / "exec" / "static_runtimes.txt"
ARCHIVE = "libcudart_static.a"
SYMTAB, RELA, FUNCTION, UNDEFINED = 2, 4, 2, 0
BEFORE, BEHIND = 4, 12
"""What a linker may change before the place that a relocation names, and from there on: it makes other instructions of those that load addresses out of the
global offset table (their opcodes stand up to four bytes before the address), and of the two that ask for thread-local variables."""
REDIRECTED_BYTES = 5


class Symbol(NamedTuple):
    """A symbol of an object: section 0 is that of undefined ones."""

    name: str
    kind: int
    section: int
    value: int
    size: int


class Object:
    """What a relocatable object has."""

    def __init__(self, data: bytes):
        start, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        self._data = data
        self._sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * k) for k in range(count)]
        found = [k for k, each in enumerate(self._sections) if self._text(self._sections[names], each[0]) == ".text" and each[5]]
        if len(found) != 1:
            raise ValueError(f"it has {len(found)} sections .text with code in them, where a runtime has one")
        self.text = found[0]
        if self._sections[self.text][8] % UNIT:
            raise ValueError(f"its code is not aligned to {UNIT} bytes")

    def code(self) -> bytes:
        """Give the bytes of .text."""
        return self._bytes(self._sections[self.text])

    def symbols(self) -> Iterator[Symbol]:
        """Give all symbols."""
        for table in self._sections:
            if table[1] == SYMTAB:
                for name, info, _, section, value, size in struct.iter_unpack("<IBBHQQ", self._bytes(table)):
                    yield Symbol(self._text(self._sections[table[6]], name), info & 15, section, value, size)

    def relocations(self) -> Iterator[int]:
        """Give the places in .text that the linker fills in."""
        for table in self._sections:
            if table[1] == RELA and table[7] == self.text:
                yield from (place for place, _, _ in struct.iter_unpack("<QQq", self._bytes(table)))

    def _bytes(self, section: tuple[int, ...]) -> bytes:
        return self._data[section[4]:section[4] + section[5]]

    def _text(self, section: tuple[int, ...], at: int) -> str:
        start = section[4] + at
        return self._data[start:self._data.index(b"\0", start)].decode()


def member(archive: bytes) -> bytes:
    """Give the one object of an archive."""
    found, at = [], 8
    while at + 60 <= len(archive):
        name, size = archive[at:at + 16].strip(), int(archive[at + 48:at + 58])
        if name not in (b"/", b"//", b"/SYM64/"):
            found.append(archive[at + 60:at + 60 + size])
        at += 60 + size + size % 2
    if len(found) != 1:
        raise ValueError(f"it has {len(found)} objects, where a static runtime has one")
    return found[0]


def layout(archive: bytes, version: str, package: str, names: set[str]) -> Runtime:
    """Say where functions lie in a runtime. names : of functions that the stand-in has. Raises ValueError if it is not made as runtimes are."""
    found = Object(member(archive))
    symbols = list(found.symbols())
    if missing := set(IMPORTS) - {each.name for each in symbols if each.section == UNDEFINED}:
        raise ValueError(f"it does not call {', '.join(sorted(missing))}, by which runtimes are told from other libraries")
    code = found.code()
    changed = bytearray(len(code) + BEHIND)
    for place in found.relocations():
        first = max(0, place - BEFORE)
        changed[first:place + BEHIND] = bytes([1]) * (place + BEHIND - first)
    counts = Counter(code[at:at + WINDOW_BYTES] for at in range(0, len(code), UNIT))
    functions = {}
    for each in sorted(symbols):
        if each.kind == FUNCTION and each.name in names and each.section and each.size >= REDIRECTED_BYTES:
            if each.section != found.text or each.value % UNIT or each.value // UNIT >= MOST_PLACES:
                raise ValueError(f"{each.name} does not lie in .text at a multiple of {UNIT} bytes below {MOST_PLACES * UNIT}")
            functions[each.name] = (each.value // UNIT, _window(code, changed, each, counts))
    windows = [UNIT * (place + window) for _, (place, window) in sorted(functions.items()) if window is not None]
    anchors = Counter(code[at:at + ANCHOR_BYTES] for at in range(0, len(code), UNIT))
    anchor = next((at for at in windows if anchors[code[at:at + ANCHOR_BYTES]] == 1), None)
    if anchor is None:
        raise ValueError("no function has code that there is once only")
    total = digest(b"".join(code[at:at + WINDOW_BYTES] for at in windows))
    return Runtime((version,), package, anchor // UNIT, digest(code[anchor:anchor + ANCHOR_BYTES]), total, functions)


def _window(code: bytes, changed: bytearray, function: Symbol, counts: Counter[bytes]) -> int | None:
    """Find bytes of a function that no linker changes, such as no other function has, if there are any."""
    free = [at for at in range(0, min(function.size - WINDOW_BYTES + 1, UNIT * NO_WINDOW), UNIT)
            if not any(changed[function.value + at:function.value + at + WINDOW_BYTES])]
    best = min(free, key=lambda at: counts[code[function.value + at:function.value + at + WINDOW_BYTES]], default=None)
    return None if best is None else best // UNIT


def of_file(source: str, names: set[str]) -> Runtime:
    """Say where functions lie in the runtime of a wheel or an archive."""
    if source.endswith(".whl"):
        package, version = Path(source).name.split("-")[:2]
        with zipfile.ZipFile(source) as wheel:
            inside = [name for name in wheel.namelist() if name.endswith(f"/{ARCHIVE}")]
            if len(inside) != 1:
                raise SystemExit(f"{source} has no {ARCHIVE}")
            return layout(wheel.read(inside[0]), version, package.replace("_", "-"), names)
    origin, _, path = source.partition(":")
    package, _, version = origin.partition("==")
    if not path or not version:
        raise SystemExit(f"{source} is neither a wheel nor PACKAGE==VERSION:FILE")
    return layout(Path(path).read_bytes(), version, package, names)


def main() -> None:
    """Add the files of the command line to the table."""
    names = set((TABLE.parent / "functions.txt").read_text(encoding="ascii").split())
    found = [of_file(source, names) for source in sys.argv[1:]]
    fresh = {version for each in found for version in each.versions}
    kept = [each for each in read(TABLE.read_text(encoding="ascii") if TABLE.exists() else "") if not fresh & set(each.versions)]
    TABLE.write_text(written(by_version(kept + found)), encoding="ascii")


if __name__ == "__main__":
    main()
