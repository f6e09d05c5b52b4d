"""Run every form at every address on one machine, and print what came of it as a line of JSON each: run by itself, so that a crash is seen.

``python probe.py MACHINE [PORTION OF]``
"""
import json
import sys

import numpy as np
from accesses import AROUND, BYTES, CALLS, FORMS, OTHERS, edges

import archdef
from archdef.errors import ArchdefError, GuestFault, MissingFeature

SHARED, LOCAL = 0x01000000, 0x02000000
"""Windows of generic addresses."""
WHO = ((0xFFFFFFFF, 16), (1 << 5, 0), (0xFFFFFFFF, 0), (3, 1 << 63), (0x00FF00F0, (1 << 61) + 16))
"""Lanes that access the address, and how far apart: a pattern of the first trip, one lane, all on one, and patterns that go round the address space."""
MASK = (1 << 64) - 1


def lanes(address: int, who: int, step: int, threads: int) -> list[int]:
    """What the lanes access."""
    return [address + step * lane & MASK for lane in range(threads) if who >> lane % 32 & 1]


def addresses(form, program, start: int) -> list[int]:
    """What a form is tried at."""
    starts = {"shared": (0, program.shared_bytes), "local": (0, program.local_bytes), "generic shared": (SHARED, program.shared_bytes),
              "generic local": (LOCAL, program.local_bytes)}
    return [a & MASK for a in (*AROUND, *edges(*starts.get(form.space, (start, BYTES))))]


def inside(form, program, accessed: list[int], arrays) -> bool:
    """Whether all of it may be accessed: of shared and local memory the lower half of an address counts."""
    regions, bits = [(a.address, a.nbytes) for a in arrays], 64
    if form.space in ("shared", "local"):
        regions, bits = [(0, program.shared_bytes if form.space == "shared" else program.local_bytes)], 32
    places = [(a + form.offset) % (1 << bits) for a in accessed]
    return all(place % form.bytes == 0 and any(start <= place and place + form.bytes <= start + size for start, size in regions) for place in places)


def outcome(kernel, threads: int, arguments) -> str:
    try:
        kernel[1, threads](*arguments)
    except GuestFault as fault:
        return fault.data["kind"] or "fault"
    except ArchdefError as error:
        return type(error).__name__
    return "ran"


def main(machine: str, portion: int, of: int) -> None:
    beside = archdef.Device(machine)
    theirs = beside.to_device(np.full(1 << 20, 0x5A, "u1"))
    device = archdef.Device(machine, max_instructions=10**6)
    before, good, after = (device.to_device(np.full(BYTES, 0xA5, "u1")) for _ in range(3))
    threads = device.architecture.warp.size
    for number, form in enumerate((*FORMS, *CALLS, *OTHERS)):
        try:
            kernel = device.compile(form.text).k
            program = kernel.program
        except MissingFeature:
            print(json.dumps({"form": form.name, "missing": True}), flush=True)
            continue
        block = 128 if form.name == "wgmma" else threads
        for turn, address in enumerate(addresses(form, program, good.address)):
            for how, (who, step) in enumerate(WHO):
                if (number + turn + how) % of != portion:
                    continue
                accessed = lanes(address, who, step, block)
                expected = "any" if form.space == "call" else "ran" if inside(form, program, accessed, (before, good, after)) else "fault"
                print(json.dumps({"form": form.name, "space": form.space, "address": hex(address), "who": who, "step": step, "expected": expected}), end="", flush=True)
                found = outcome(kernel, block, (good, address, step, who))
                print("\t" + found, flush=True)
        kept = all((a.to_host() == 0xA5).all() for a in (before, after)) and good.to_host().nbytes == BYTES
        print(json.dumps({"form": form.name, "kept": bool(kept and (theirs.to_host() == 0x5A).all())}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:] or ("0", "1")))
