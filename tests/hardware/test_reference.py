"""The reference interpreter gives what the hardware gave: the oracle that everything else is compared with is itself measured.

Of each form a window of threads runs, another one for each form; ``-m long`` runs every form whole.
"""
import re
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from compare import split
from forms import every_form
from kernel import CONSTANT, HEAD, THREADS, Form
from operands import TUPLES, values
from outputs import BYTES, filled, known

from archdef.ptx import parse
from archdef.testing import bounds, reference

FORMS = every_form()
MEASURED = [name for name in known() if name in FORMS]
GROUP = 100
WINDOW = 64
SHARE = 8
"""One of so many forms is run in the ordinary suite."""
VALUE = (np.arange(16, dtype=np.uint8) * 17).tobytes()
UNKNOWN = {}
"""Regular expressions of names that the reference computes otherwise, or not at all: each with the reason. Strict."""
for line in (Path(__file__).parent / "unknown_to_reference.txt").read_text().splitlines():
    if line and line[0] != "#":
        pattern, _, reason = line.partition("  ")
        UNKNOWN[re.compile(pattern)] = reason.strip()


@cache
def whole_blocks(form: Form) -> bool:
    """Whether a form's result depends on threads of other warps."""
    return form.name.startswith("bar")


def window_of(form: Form) -> int:
    """Give the first thread of a form's window; of forms with 16 bytes of memory for each thread, beside the columns, it is 0."""
    return 0 if "%d32" in form.body or "%d33" in form.body else crc32(form.name.encode()) % (TUPLES // WINDOW) * WINDOW


def in_reference(form: Form, first: int, count: int) -> bytes:
    """Give the hardware's outputs, with those of `count` threads from `first` on replaced by the reference's."""
    data = filled(form).copy()
    slots = data.view(np.uint64).reshape(8, TUPLES)
    slots[:, :count] = slots[:, first:first + count].copy()
    memory = reference.Memory()
    places = memory.allocate(data.tobytes()), memory.allocate(BYTES)
    shape = ((count,), (1,)) if count <= THREADS else ((THREADS,), (count // THREADS,))
    module = parse(HEAD + CONSTANT + form.kernel("k"), form.name)
    reference.run(module, "k", shape[1], shape[0], [*places, VALUE], warp_size=32, memory=memory)
    raw = np.frombuffer(memory.read(places[1], BYTES), np.uint8)
    wanted = bytearray(known()[form.name][1])
    if not form.results:
        wanted[16 * first:16 * (first + count)] = raw[:16 * count].tobytes()
    place, slots = 0, raw.view(np.uint64).reshape(8, TUPLES)
    for column, n in enumerate(form.results):
        wanted[place + n * first:place + n * (first + count)] = slots[column, :count].astype(f"<u{n}").tobytes()
        place += n * TUPLES
    return bytes(wanted)


def fault(form: Form, first: int, count: int) -> str | None:
    """Say what is wrong with a form, if anything is."""
    wanted = known()[form.name][1]
    try:
        got = in_reference(form, first, count)
    except reference.OracleError as error:
        return f"{type(error).__name__}: {error}"
    if got == wanted:
        return None
    opcode, *words = form.name.partition("/")[0].split(".")
    accepts = bounds.rule(opcode, tuple(words))
    for column, (found, expected) in enumerate(zip(split(form, got), split(form, wanted))):
        for t in np.flatnonzero(found != expected):
            operands = [int(values(c)[t]) for c in form.columns] if form.results else []
            if accepts is None or not accepts(operands, int(expected[t]), int(found[t])):
                return (f"result {column} of thread {t}, of {', '.join(map(hex, operands))}, is {int(found[t]):#x}, "
                        f"the hardware has {int(expected[t]):#x}")
    return None


def check(names, window):
    faults = {}
    for name in names:
        form = FORMS[name]
        first, count = 0, TUPLES
        if window and not whole_blocks(form):
            first, count = window_of(form), WINDOW
        faults[name] = fault(form, first, count)
    listed = {name for name in names if any(p.fullmatch(name) for p in UNKNOWN)}
    assert {name: why for name, why in faults.items() if why and name not in listed} == {}
    if not window:
        assert [name for name in listed if faults[name] is None] == [], "these agree now: take them off the list"


@pytest.mark.parametrize("start", range(0, len(MEASURED), GROUP * SHARE))
def test_the_reference_gives_what_the_hardware_gave(start):
    check([name for name in MEASURED[start:start + GROUP * SHARE] if crc32(name.encode()) % SHARE == 0], window=True)


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, len(MEASURED), GROUP))
def test_the_reference_gives_what_the_hardware_gave_in_every_thread(start):
    check(MEASURED[start:start + GROUP], window=False)


def test_the_list_of_what_the_reference_lacks_names_measured_forms():
    for pattern in UNKNOWN:
        assert any(pattern.fullmatch(name) for name in MEASURED), pattern.pattern
