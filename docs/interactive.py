"""Interactive figures: for every position of their sliders, what the declared rules of each machine give. ``_static/interactive.js`` draws them.

The rules are those that the engine follows (the conformance suite compares them). A page holds its data, so that it works without a server.
"""
from __future__ import annotations

import json
from html import escape
from pathlib import Path

import archdef
from archdef import registry
from archdef.errors import LaunchError
from archdef.spec import Architecture
from measurements import SHOWN

STRIDES, OFFSETS = range(33), (0, 1, 4, 8, 16)
ROW_WORDS, PADDINGS = (16, 32, 64), range(9)
FIRST = 2
"""Which machine is shown first: one with whole warps of 32 lanes and lines of 128 bytes, as most texts draw them."""
THREADS, REGISTERS, SHARED = range(32, 1025, 32), range(8, 129, 4), range(0, 65537, 2048)


def _machines() -> dict[str, Architecture]:
    return {name: registry.get(name) for name in SHOWN if name in registry.names()}


def _title(machine: Architecture) -> str:
    return f"{machine.name}: {machine.title}"


def repeated(pieces: list[tuple[int, int]]) -> list[list[int]]:
    """Shorten ``(start, bytes)`` to ``[start, bytes, step, count]`` where equal pieces follow at equal distances."""
    found: list[list[int]] = []
    for start, size in pieces:
        if found and found[-1][1] == size:
            last = found[-1]
            step = start - last[0] - last[2] * (last[3] - 1)
            if last[3] == 1 or step == last[2]:
                last[2:] = [step, last[3] + 1]
                continue
        found.append([start, size, 0, 1])
    return found


def pieces(machine: Architecture, stride: int, offset: int) -> list[tuple[int, int]]:
    """The transactions of a load of a warp, lane k of which reads word ``offset + k * stride``: first byte and bytes of each."""
    rule = machine.coalescing.load
    return [(t.address, t.bytes) for t in rule.transactions([4 * (offset + stride * lane) for lane in range(machine.warp.size)], 4)]


def strides() -> dict:
    """Lanes to segments."""
    machines = {name: {"title": _title(machine), "lanes": machine.warp.size,
                       "pieces": [[repeated(pieces(machine, stride, offset)) for stride in STRIDES] for offset in OFFSETS]}
                for name, machine in _machines().items()}
    return {"machines": machines, "first": FIRST, "controls": [_slider("stride", "stride, words", STRIDES, 2), _choice("offset", "first word", OFFSETS, 0)]}


def column(machine: Architecture, row_words: int) -> dict:
    """A read of a column by a warp: the bank of each lane that is served in the first group, passes, and the fewest passes that there could be."""
    shared, lanes = machine.shared, machine.warp.size
    together = min(lanes, shared.conflict_lanes)
    addresses = [4 * row_words * lane for lane in range(lanes)]
    words = [address // shared.bank_width_bytes for address in addresses[:together]]
    return {"banks": [int(bank) for bank in shared.bank_map.banks_of(words, shared.banks)],
            "passes": int(shared.passes(addresses)), "least": int(shared.groups(addresses))}


def padding() -> dict:
    """A column of a tile on the banks."""
    machines = {name: {"title": _title(machine), "lanes": machine.warp.size, "banks": machine.shared.banks,
                       "columns": [[column(machine, words + pad) for pad in PADDINGS] for words in ROW_WORDS]}
                for name, machine in _machines().items()}
    return {"machines": machines, "first": FIRST,
            "controls": [_choice("row", "words per row", ROW_WORDS, 1), _slider("padding", "padding, words", PADDINGS, 0)]}


def _allowed(machine: Architecture, resource: str, **launch: int) -> int:
    """Blocks that one resource allows; 0 where no block can run."""
    try:
        return archdef.occupancy(machine, **launch).limits[resource]
    except LaunchError:
        return 0


def resources() -> dict:
    """What each resource allows; the least of them is resident."""
    machines = {}
    for name, machine in _machines().items():
        warp, limits = machine.warp.size, machine.limits
        machines[name] = {
            "title": _title(machine), "lanes": warp, "mostWarps": limits.warps_per_multiprocessor, "blocks": limits.blocks_per_multiprocessor,
            "warps": [_allowed(machine, "warps", threads=threads, registers=1) for threads in THREADS],
            "registers": [[_allowed(machine, "registers", threads=threads, registers=count) for count in REGISTERS] for threads in THREADS],
            "shared": [_allowed(machine, "shared", threads=warp, registers=1, shared_bytes=size) for size in SHARED]}
    return {"machines": machines, "first": FIRST,
            "controls": [_slider("threads", "threads per block", THREADS, 7), _slider("registers", "registers per thread", REGISTERS, 2),
                         _slider("shared", "shared memory per block, bytes", SHARED, 0)]}


def _slider(name: str, label: str, values: range, first: int) -> dict:
    return {"name": name, "label": label, "from": values.start, "step": values.step, "count": len(values), "first": first}


def _choice(name: str, label: str, values: tuple[int, ...], first: int) -> dict:
    return {"name": name, "label": label, "values": list(values), "first": first}


INTERACTIVE = {
    "strides": (strides, "coalescing",
                "A load of one warp, lane k of which reads word k times the stride. A square is a word: filled, a lane reads it; pale, it is moved "
                "without being asked for. A line of the picture is 256 bytes."),
    "padding": (padding, "bank_conflicts",
                "A warp reads a column of a tile in shared memory: each row of the picture is a lane, each column a bank. Lanes alone in their bank "
                "are served in one pass; those that share one (red) wait for each other. Shown are the lanes that are served together."),
    "resources": (resources, "occupancy",
                  "The places for warps of one multiprocessor, and which of them blocks of this shape fill; below, occupancy over block size at "
                  "these registers and this shared memory.")}
"""Each with its data, the figure that stands for it where no script runs, and its caption."""


def html(name: str) -> str:
    """The figure as a part of a page; the picture is for those without scripts."""
    data, picture, caption = INTERACTIVE[name]
    text = json.dumps(data(), separators=(",", ":")).replace("<", "\\u003c")
    return (f'<figure class="interactive" id="interactive-{name}" data-draws="{name}"><div class="controls"></div><div class="drawing"></div>'
            f'<p class="said" aria-live="polite"></p><script type="application/json">{text}</script>'
            f'<noscript><p>This figure has sliders where scripts run. What launches measured:</p>'
            f'<img class="drawn" src="../_static/{picture}.svg" alt="{escape(caption)}"></noscript><figcaption>{escape(caption)}</figcaption></figure>\n')


def write(folder: Path) -> None:
    """Write all, for the pages to include."""
    for name in INTERACTIVE:
        (folder / f"{name}.html").write_text(html(name), encoding="utf-8")
