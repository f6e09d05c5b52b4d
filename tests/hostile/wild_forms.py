"""Run every form of the instruction table that takes an address with wild values for it, by itself, so that a crash is seen.

``python wild_forms.py MACHINE [PORTION OF]`` prints what it is about to run as a line of JSON, then what came of it. ``rows`` for the portion takes
one form of each row of the table that the machine has, and addresses of nothing alone. The kernels are those
of `archdef.testing.forms`; of the form's statement one operand after the other, an address, a descriptor, a coordinate, a size or a count,
is replaced by a register that holds the wild value in some lanes and what it was in the others.
"""
from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator

import attrs
import matrix_kernels
import numpy as np

import archdef
from archdef import registry
from archdef.errors import ArchdefError, GuestFault, MissingFeature
from archdef.ptx import table
from archdef.testing import forms
from archdef.testing.compare import Launch, Seen

SHARED, LOCAL, CLUSTER = 0x01000000, 0x02000000, 0x03000000
"""Windows of generic addresses."""
FAR = (1 << 47) + 0x70000000, (1 << 63) + 0x60000000
"""Addresses of nothing, by all of their bits and by the lower half alone."""
WILD = (*FAR, 0, 8, -1, -16, -128, 1 << 31, (1 << 31) - 16, (1 << 32) - 128, (1 << 32) + (1 << 31), 1 << 40, (1 << 47) - 16, 1 << 47, (1 << 63) - 128, 1 << 63,
        -(1 << 32), SHARED - 16, SHARED, LOCAL - 16, LOCAL, CLUSTER - 16, CLUSTER, CLUSTER + (3 << 24), 0xFF000000 - 16)
"""What no kernel has been given, and edges of windows."""
WHO = (0xFFFFFFFF, 1 << 5)
"""Lanes that have the wild value."""
PLAIN = {"alu", "mad", "select", "predicate", "compare", "compare_pair", "set", "set_pair", "convert", "move", "move128", "video", "video_lanes", "carry",
         "vote", "active_mask", "shuffle", "shuffle_width", "redux", "elect", "match", "fence", "wmma_product", "matrix_product", "matrix_transpose", "return",
         "exit", "trap", "branch"}
"""Builders of forms that touch registers only."""
NAMES = re.compile(r"%(rd|r|h)(\d+)\b|(?<=\[)(?!%)[A-Za-z_]\w*|(?<=, )\d+(?=[,;])")
CANARY = 1 << 16


@attrs.frozen
class Place:
    """An operand of a form's statement."""

    start: int
    """Where it stands in the text."""
    end: int
    bracketed: bool
    """Whether it is an address of the form's, and no count or coordinate."""


def places(text: str, name: str) -> Iterator[tuple[int, Place]]:
    """Give the operands of statements of a form that can be replaced, each with where the statement begins."""
    for statement in re.finditer(rf"(?:@!?%p\d+ )?{re.escape(name)} (?P<rest>[^;]*;)", text):
        rest, at = statement["rest"], statement.start("rest")
        first = rest.index(",") if "," in rest and rest[0] not in "[{" else 0
        for found in NAMES.finditer(rest):
            before = rest[:found.start()]
            bracketed, braced = before.count("[") > before.count("]"), before.count("{") > before.count("}")
            if not bracketed and (braced or found.start() < first):
                continue        # results, and values
            yield statement.start(), Place(at + found.start(), at + found.end(), bracketed and not braced and before.endswith("["))


def wilder(text: str, statement: int, place: Place) -> str:
    """Exchange one operand; two parameters more say what for, and in which lanes."""
    name = text[place.start:place.end]
    kind = "h" if name.startswith("%h") else "r" if name.startswith("%r") and not name.startswith("%rd") or name.isdigit() else "rd"
    bits = {"h": 16, "r": 32, "rd": 64}[kind]
    convert = "" if bits == 64 else f"cvt.u{bits}.u64 %wild{kind}, %wild; " if bits == 32 else "cvt.u16.u64 %wildh, %wild; "
    target = "%wildrd" if kind == "rd" else f"%wild{kind}"
    setting = (f".reg .b64 %wild, %wildrd; .reg .b32 %wildr, %who; .reg .b16 %wildh; .reg .pred %mad; mov.u{bits} {target}, {name}; mov.u32 %who, %tid.x; and.b32 %who, %who, 31; "
               f"ld.param.u32 %wildr, [who]; shr.u32 %who, %wildr, %who; and.b32 %who, %who, 1; setp.ne.u32 %mad, %who, 0; mov.u{bits} {target}, {name}; "
               f"@!%mad bra SANE; ld.param.u64 %wild, [wild]; {convert or 'mov.u64 %wildrd, %wild; '}SANE:\n    ")
    text = text[:place.start] + target + text[place.end:]
    text = text[:statement] + setting + text[statement:]
    return re.sub(r"(\.visible \.entry k\([^)]*)\)", r"\1, .param .u64 wild, .param .u32 who)", text)


def launches(form: forms.Form) -> Iterator[Launch]:
    """Give a form's kernels: the one that every test has, or those of `matrix_kernels`."""
    launch = form.launch()
    if launch is None:
        yield from matrix_kernels.launches(form)
    else:
        yield launch


def tried(architecture) -> Iterator[tuple[forms.Form, Launch, int, Place]]:
    """Give every operand of every form that is to be tried."""
    for form in forms.forms(table.TABLE):
        if form.row.builder in PLAIN:
            continue
        form = attrs.evolve(form, lanes=architecture.warp.size)
        for launch in launches(form):
            seen = set()
            for statement, place in places(launch.ptx, form.name):
                if (key := (launch.ptx[place.start:place.end], place.bracketed)) not in seen:
                    seen.add(key)
                    yield form, launch, statement, place


class Bench:
    """A machine with memory that is a kernel's, and some around it that is not."""

    def __init__(self, machine: str):
        architecture = registry.get(machine)
        few = max(2, architecture["chip.multiprocessors_per_cluster"])      # a launch takes as long as there are multiprocessors to make
        architecture = architecture.evolve({"chip.multiprocessors": few})
        self.beside = archdef.Device(architecture)
        self.theirs = self.beside.to_device(np.full(CANARY, 0x5A, "u1"))
        self.device = archdef.Device(architecture, max_instructions=200_000, max_cycles=50_000_000)
        self.first = self.device.zeros(1 << 20, "u1")       # a tile that begins below all memory ends here, and not in what must stay as it is

    def prepared(self, launch: Launch):
        """Put a launch's arrays between two others; give the arguments, and the others."""
        before = self.device.to_device(np.full(CANARY, 0xA5, "u1"))
        arrays = [self.device.to_device(a) for a in launch.arguments if isinstance(a, np.ndarray)]
        after = self.device.to_device(np.full(CANARY, 0xA5, "u1"))
        queue = iter(arrays)
        given = [next(queue) if isinstance(a, np.ndarray) else a.on_device(self.device, arrays[a.array]) if isinstance(a, Seen)
                 else a.on_device(self.device, arrays[0]) if isinstance(a, matrix_kernels.Map) else a for a in launch.arguments]
        return given, arrays, (before, after)

    def kept(self, canaries) -> bool:
        """Whether memory that no kernel has been given is as it was."""
        return all((a.to_host() == 0xA5).all() for a in canaries) and (self.theirs.to_host() == 0x5A).all()


def outcome(kernel, launch: Launch, given, wild: int, who: int) -> str:
    try:
        kernel[launch.grid, launch.block, launch.shared_bytes](*given, wild, who)
    except GuestFault as fault:
        return fault.data["kind"] or "fault"
    except ArchdefError as error:
        return type(error).__name__
    return "ran"


def attempt(bench: Bench, form: forms.Form, launch: Launch, statement: int, place: Place, values: tuple[int, ...] = WILD, who: tuple[int, ...] = WHO) -> bool:
    """Run one operand's launches; give whether the machine takes them."""
    what = {"form": form.name, "builder": form.row.builder, "operand": launch.ptx[place.start:place.end], "address": place.bracketed}
    try:
        kernel = bench.device.compile(wilder(launch.ptx, statement, place))[launch.entry]
        kernel.program
    except ArchdefError as error:       # of a machine without it, or where an operand must be a constant
        print(json.dumps(what | {"refused": type(error).__name__, "missing": isinstance(error, MissingFeature)}), flush=True)
        return False
    given, arrays, canaries = bench.prepared(launch)
    data = arrays[0]
    edges = () if values is FAR else (data.address - 16, data.address + data.nbytes, data.address + data.nbytes + 1024, data.address + (1 << 63), data.address + 4400000000)
    for value in (*values, *edges):
        value &= (1 << 64) - 1
        for lanes in who:
            print(json.dumps(what | {"wild": value, "far": value in FAR, "who": lanes}), end="", flush=True)
            begun = time.monotonic()
            came = outcome(kernel, launch, given, value, lanes)
            print(f"\t{came}\t{time.monotonic() - begun:.2f}", flush=True)
    print(json.dumps(what | {"kept": bool(bench.kept(canaries))}), flush=True)
    return True


def rows(machine: str) -> None:
    """Run one form of each row, each of its addresses replaced by addresses of nothing in all lanes."""
    bench, done = Bench(machine), set()
    for form, launch, statement, place in tried(bench.device.architecture):
        key = id(form.row), launch.ptx[place.start:place.end]
        if place.bracketed and key not in done and attempt(bench, form, launch, statement, place, FAR, WHO[:1]):
            done.add(key)


def main(machine: str, portion: int, of: int) -> None:
    bench = Bench(machine)
    for number, (form, launch, statement, place) in enumerate(tried(bench.device.architecture)):
        if number % of == portion:
            attempt(bench, form, launch, statement, place)


if __name__ == "__main__":
    if sys.argv[2:] == ["rows"]:
        rows(sys.argv[1])
    else:
        main(sys.argv[1], *map(int, sys.argv[2:] or ("0", "1")))
