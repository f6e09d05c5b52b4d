"""Run PTX with numbers, registers, widths, spaces and statements exchanged: by itself, so that a crash is seen. The PTX is what is shipped, and the
kernels of the forms of the instruction table.

``python mutate.py SEED COUNT`` prints what it is about to run, then what came of it.
"""
import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import matrix_kernels
import numpy as np

import archdef
from archdef.errors import ArchdefError, GuestFault
from archdef.testing import forms
from archdef.testing.compare import Launch

ROOT = Path(__file__).resolve().parents[2]
MACHINES = ("gt200", "k40", "v100", "h100", "c500")
NUMBERS = (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 4095, 4096, 65535, 65536, 0x00FFFFFC, 0x01000000, 0x01000010, 0x02000000, 0x03000000,
           (1 << 31) - 4, (1 << 31) - 1, 1 << 31, (1 << 32) - 4, (1 << 32) - 1, 1 << 32, (1 << 32) + 64, 1 << 40, 1 << 47, (1 << 63) - 1, 1 << 63, (1 << 64) - 16, (1 << 64) - 1)
"""What a number is replaced by, positive or negative."""
NUMBER = re.compile(r"(?<![%\w.$])-?(?:0x[0-9a-fA-F]+|\d+)\b(?!\.)")
REGISTER = re.compile(r"%(r|rd|f|fd|p|rs|h)(\d+)\b")
EXCHANGED = {"u32": ("u64", "s32", "u8"), "u64": ("u32",), "b32": ("b64",), "b64": ("b32",), "f32": ("f64",), "x1": ("x4",), "x4": ("x1",), "v2": ("v4",),
             "v4": ("v2",),
             "global": ("shared", "local"), "shared": ("global", "local"), "local": ("global", "shared"), "const": ("global",), "param": ("global",),
             "cta": ("cluster",),
             "1d": ("2d",), "2d": ("3d",), "tile": ("im2col",), "add": ("exch",)}
"""A modifier → what it is replaced by."""
WORD = re.compile(rf"\.({'|'.join(EXCHANGED)})\b")
STATEMENT = re.compile(r"[^;{}:]+;")
PLAIN = ("alu", "convert", "compare", "compare_pair", "set", "set_pair", "video", "video_lanes", "wmma_product", "carry")
"""Builders of forms that touch registers only: few of them are taken."""
BUFFER = 1 << 16


def sources() -> list[Path]:
    """PTX that is shipped with archdef, its plugins and its tests."""
    return sorted(p for where in ("archdef", "plugins", "tests/data") for p in (ROOT / where).rglob("*.ptx"))


def mutated(text: str, rng: random.Random) -> str:
    """Exchange some numbers, registers and modifiers of the bodies, among them offsets of addresses; drop, repeat and exchange statements."""
    start = text.index("{")
    head, body = text[:start], text[start:]
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        pattern = rng.choice((NUMBER, NUMBER, NUMBER, REGISTER, REGISTER, WORD, STATEMENT))
        found = list(pattern.finditer(body))
        if not found:
            continue
        at = rng.choice(found)
        if pattern is NUMBER:
            other = str(rng.choice((1, -1)) * rng.choice(NUMBERS))
        elif pattern is REGISTER:
            other = rng.choice([m for m in found if m[1] == at[1]])[0]
        elif pattern is WORD:
            other = "." + rng.choice(EXCHANGED[at[1]])
        else:
            other = rng.choice(("", at[0] + at[0], at[0] + rng.choice(found)[0], rng.choice(found)[0]))
            if ".reg" in at[0] + other or ".param" in at[0]:        # without declarations nothing is left to try
                continue
        body = body[:at.start()] + other + body[at.end():]
    return head + body


def arguments(kernel, device, rng: random.Random) -> list:
    """Something for each parameter: arrays, small numbers, and now and then anything."""
    given = []
    for parameter in kernel.parameters:
        if parameter.bytes == 8 and rng.random() < 0.9:
            given.append(device.to_device(np.full(BUFFER, rng.randrange(256), "u1")))
        elif parameter.bytes <= 8:
            number = rng.choice((0, 1, 32, 64, 256, 1000)) if rng.random() < 0.8 else rng.choice(NUMBERS)
            given.append(number & (1 << 8 * parameter.bytes - 1) - 1)
        else:
            given.append(np.frombuffer(rng.randbytes(parameter.bytes), f"V{parameter.bytes}")[0])
    return given


def attempt(text: str, machine: str, rng: random.Random) -> str:
    """What becomes of one kernel of a text; what is no `ArchdefError` is raised."""
    device = archdef.Device(machine, max_instructions=20000)
    beside = device.to_device(np.full(BUFFER, 0x5A, "u1"))
    try:
        module = device.compile(text)
        kernel = module[rng.choice(sorted(module.kernels))]
        kernel[rng.choice((1, 1, 2, (2, 2))), rng.choice((1, 32, 64, (16, 4)))](*arguments(kernel, device, rng))
    except GuestFault as fault:
        return fault.data["kind"] or "fault"
    except ArchdefError as error:
        return type(error).__name__
    finally:
        beside.to_host()
    return "ran"


def kernels() -> dict[str, Callable[[], str]]:
    """Give all texts by name."""
    taken = {str(path.relative_to(ROOT)): path.read_text for path in sources()}
    for number, form in enumerate(forms.forms()):
        if form.row.builder not in PLAIN or number % 40 == 0:
            taken[f"form {form.name}"] = lambda form=form: (form.launch() or next(matrix_kernels.launches(form), None) or Launch("{}", ())).ptx
    return taken


def main(seed: int, count: int) -> None:
    texts = kernels()
    shipped, formed = ([name for name in sorted(texts) if name.startswith("form ") == made] for made in (False, True))
    for number in range(seed, seed + count):
        rng = random.Random(number)
        name, machine = rng.choice(rng.choice((shipped, formed))), rng.choice(MACHINES)
        text = mutated(texts[name](), rng)
        print(json.dumps({"seed": number, "file": name, "machine": machine}), end="", flush=True)
        print("\t" + attempt(text, machine, rng), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
