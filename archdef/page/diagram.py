"""The block diagram of a machine: the chip with its multiprocessors and memory on the left, one multiprocessor on the right."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable
from typing import Any, TypeVar

from archdef.page.drawing import Drawing, Words
from archdef.report.described import numbers_assumed
from archdef.formatting import count, size, three
from archdef.spec import Architecture, Unit
from archdef.spec.policy import Named

LEFT, RIGHT, GAP, MARGIN = 560, 640, 64, 24
CACHES_ABREAST = 3
"""In one row."""
"""Pixels: widths of the two halves, what lies between them, and around them."""
INK, SOFT = "#1e293b", "#64748b"
SM, LANE, STORE, ISSUE, WIRE, DRAM = (
    ("#dbeafe", "#3b82f6"),
    ("#bbf7d0", "#16a34a"),
    ("#ede9fe", "#7c3aed"),
    ("#fef3c7", "#d97706"),
    ("#f1f5f9", "#94a3b8"),
    ("#e2e8f0", "#475569"),
)


def diagram(architecture: Architecture) -> str:
    """Draw an architecture as SVG text; values that nobody has published are in another colour."""
    return _Diagram(architecture).drawn()


class _Diagram:
    def __init__(self, architecture: Architecture):
        self.arch, self.words = architecture, architecture.words
        self.uncertain = set(architecture.assumed())
        self.on = Drawing(
            f"Block diagram of the {architecture.vendor} {architecture.title}",
            f"{architecture.chip.multiprocessors} multiprocessors, {architecture.dram.partitions} memory partitions",
        )

    def told(self, path: str, form: Callable[[Any], str] | str = count) -> Words:
        """Give a value as a piece of a label."""
        value = self.arch[path]
        return Words(form(value) if callable(form) else form, path in self.uncertain)

    def drawn(self) -> str:
        arch = self.arch
        self.on.text(MARGIN, 40, f"{arch.vendor} {arch.title}", size=24, bold=True)
        self.on.text(MARGIN, 62, f"{arch.label} · {arch.family} · compute capability {arch.compute_capability}", size=13, color=SOFT)
        top = 86
        cell, chip_end = self.chip(MARGIN, top)
        sm_end = self.multiprocessor(MARGIN + LEFT + GAP, top, cell)
        end = max(chip_end, sm_end) + 30
        self.on.text(
            MARGIN,
            end - 4,
            ["Drawn from the declaration. ", Words("This colour: assumed", True), ", nobody has published it. B: bytes."],
            size=11,
            color=SOFT,
        )
        return self.on.svg(2 * MARGIN + LEFT + GAP + RIGHT, end + 14)

    # ---------------------------------------------------------------------------------------------------------- the chip
    def chip(self, x: float, y: float) -> tuple[tuple[float, float, float, float], float]:
        """Draw everything outside the multiprocessors; give where one of them stands, and where the drawing ends."""
        arch, on, chip, clocks = self.arch, self.on, self.arch.chip, self.arch.clocks
        clusters: list[str | Words] = []
        if chip.multiprocessors_per_cluster > 1:
            number = count(-(-chip.multiprocessors // chip.multiprocessors_per_cluster))
            clusters = [
                " in ",
                Words(number, "chip.multiprocessors_per_cluster" in self.uncertain),
                f" {_plural(self.words.cluster, 2)} of ",
                self.told("chip.multiprocessors_per_cluster"),
            ]
        on.text(
            x,
            y + 14,
            [
                self.told("chip.multiprocessors"),
                f" {_plural(self.words.multiprocessor, chip.multiprocessors)}",
                *clusters,
                " at ",
                self.told("clocks.shader_mhz", _mhz),
            ],
            size=14,
            bold=True,
            room=LEFT,
        )
        cell, y = self.multiprocessors(x, y + 24)
        self.arrows(x + LEFT / 2, y, 22)
        y += 22
        net = arch.interconnect
        on.box(x, y, LEFT, 44, fill=WIRE[0], line=WIRE[1])
        on.text(
            x + 10,
            y + 18,
            [
                "Interconnect at ",
                self.told("clocks.core_mhz", _mhz),
                ": ",
                self.told("interconnect.request_latency_ns", _short),
                " ns there, ",
                self.told("interconnect.response_latency_ns", _short),
                " ns back",
            ],
            bold=True,
            size=12.5,
            room=LEFT - 20,
        )
        whose = self.words.multiprocessor if net.injection_scope == "multiprocessor" else self.words.cluster
        on.text(
            x + 10,
            y + 35,
            [
                f"B/cycle: each {whose} sends ",
                self.told("interconnect.injection_bytes_per_cycle"),
                f", each {self.words.partition} takes ",
                self.told("interconnect.partition_request_bytes_per_cycle"),
                " and answers ",
                self.told("interconnect.partition_response_bytes_per_cycle"),
            ],
            size=11,
            color=SOFT,
            room=LEFT - 20,
        )
        y += 44
        self.arrows(x + LEFT / 2, y, 22)
        y = self.memory(x, y + 22)
        if arch.host_link is not None:
            self.arrows(x + LEFT / 2, y, 18)
            y += 18
            on.box(x, y, LEFT, 44, fill=WIRE[0], line=WIRE[1])
            on.text(
                x + 10,
                y + 18,
                [
                    f"Host by {arch.host_link.name}: ",
                    self.told("host_link.pinned_h2d_gb_s", _short),
                    " GB/s there, ",
                    self.told("host_link.pinned_d2h_gb_s", _short),
                    " GB/s back",
                ],
                bold=True,
                size=12.5,
                room=LEFT - 20,
            )
            on.text(
                x + 10,
                y + 35,
                [
                    self.told("host_link.copy_engines"),
                    f" {_plural('copy engine', arch.host_link.copy_engines)}, ",
                    self.told("host_link.work_queues"),
                    f" {_plural('work queue', arch.host_link.work_queues)}, ",
                    self.told("host_link.concurrent_grids"),
                    f" {_plural('grid', arch.host_link.concurrent_grids)} at a time",
                ],
                size=11,
                color=SOFT,
            )
            y += 44
        on.box(x - 10, 86 - 8, LEFT + 20, y - 86 + 18, fill="#f8fafc", line="#cbd5e1", round=8, back=True)
        return cell, max(y, 0) + (10 if clocks else 0)

    def multiprocessors(self, x: float, y: float) -> tuple[tuple[float, float, float, float], float]:
        chip = self.arch.chip
        each = min(chip.multiprocessors_per_cluster, chip.multiprocessors)
        groups = -(-chip.multiprocessors // each)
        padding, between = (4, 6) if each > 1 else (0, 4)
        columns_in = each if each <= 4 else math.ceil(math.sqrt(each))
        rows_in = -(-each // columns_in)

        def fits(cell: int) -> int:
            """Give how many clusters stand in a row."""
            return int((LEFT + between) // (columns_in * (cell + 2) - 2 + 2 * padding + between))

        cell = next(
            (c for c in range(64, 3, -1) if fits(c) and -(-groups // fits(c)) * (rows_in * (c + 2) + 2 * padding + between) <= 190), 3
        )
        in_row = max(1, fits(cell))
        in_row = -(-groups // -(-groups // in_row))  # rows of about the same length
        group_width, group_height = columns_in * (cell + 2) - 2 + 2 * padding, rows_in * (cell + 2) - 2 + 2 * padding
        first = None
        indent = (LEFT - in_row * (group_width + between) + between) / 2
        for group in range(groups):
            gx, gy = x + indent + group % in_row * (group_width + between), y + group // in_row * (group_height + between)
            if each > 1:
                self.on.box(gx, gy, group_width, group_height, fill="#ffffff", line="#93c5fd", round=4)
            for k in range(min(each, chip.multiprocessors - group * each)):
                cx, cy = gx + padding + k % columns_in * (cell + 2), gy + padding + k // columns_in * (cell + 2)
                marked = group == min(in_row, groups) - 1 and k == min(columns_in, each, chip.multiprocessors - group * each) - 1
                self.on.box(cx, cy, cell, cell, fill="#3b82f6" if marked else SM[0], line=SM[1], round=min(3, cell / 6))
                if cell >= 24:
                    self.on.text(
                        cx + cell / 2,
                        cy + cell / 2 + 4,
                        str(group * each + k),
                        size=10.5,
                        anchor="middle",
                        color="#ffffff" if marked else SOFT,
                        room=cell - 4,
                    )
                if marked:
                    first = (cx, cy, cell, cell)
        assert first is not None, "one is marked"
        return first, y + -(-groups // in_row) * (group_height + between) - between

    def memory(self, x: float, y: float) -> float:
        arch, on, dram, l2 = self.arch, self.on, self.arch.dram, self.arch.caches.l2
        per_row = next(-(-dram.partitions // rows) for rows in range(1, dram.partitions + 1) if -(-dram.partitions // rows) <= 40)
        gap = 4 if per_row <= 20 else 2
        width = (LEFT + gap) / per_row - gap
        slices = l2 is not None and l2.scope == "partition"
        textures = arch.caches.texture_l2
        with_slices: list[str | Words] = [self.told("caches.l2.size_bytes", size), " of L2 and "] if slices else []
        on.text(
            x,
            y + 14,
            [
                self.told("dram.partitions"),
                f" {_plural(self.words.partition, dram.partitions)}, each ",
                *with_slices,
                Words(
                    f"{dram.bus_bits // dram.partitions} bit"
                    if dram.bus_bits % dram.partitions == 0
                    else f"{dram.bus_bits / dram.partitions:.1f} bit",
                    "dram.bus_bits" in self.uncertain or "dram.partitions" in self.uncertain,
                ),
                " of DRAM bus",
            ],
            size=14,
            bold=True,
            room=LEFT,
        )
        y += 24
        if l2 is not None and not slices:
            on.box(x, y, LEFT, 26, fill=STORE[0], line=STORE[1])
            on.text(x + 10, y + 17, ["L2: ", self.told("caches.l2.size_bytes", size)], bold=True)
            y += 32
        for number in range(dram.partitions):
            px, py = x + number % per_row * (width + gap), y + number // per_row * (62 if slices else 42)
            on.box(px, py, width, 7, fill=_hue(number, dram.partitions), round=2)
            if slices:
                on.box(px, py + 9, width, 18, fill=STORE[0], line=STORE[1], round=2)
                if width >= 22:
                    on.text(px + width / 2, py + 22, "L2", size=10, anchor="middle", color=STORE[1])
                py += 20
            on.box(px, py + 9, width, 24, fill=DRAM[0], line=DRAM[1], round=2)
            if width >= 12:
                on.text(px + width / 2, py + 25, str(number), size=10, anchor="middle", color=DRAM[1], room=width - 2)
        y += -(-dram.partitions // per_row) * (62 if slices else 42)
        y = self.chunks(x, y)
        bandwidth = Words(
            f"{three(arch.dram_bandwidth_gb_s)} GB/s",
            bool({"clocks.memory_mhz", "dram.bus_bits", "dram.transfers_per_clock"} & self.uncertain),
        )
        lines: list[list[str | Words]] = [
            [
                bandwidth,
                ": ",
                self.told("dram.bus_bits"),
                " bit x ",
                self.told("clocks.memory_mhz", _mhz),
                " x ",
                self.told("dram.transfers_per_clock", _short),
                " transfers; ",
                self.told("dram.capacity_bytes", _capacity),
            ],
            [
                "each: ",
                self.told("dram.banks"),
                " banks with rows of ",
                self.told("dram.row_bytes", size),
                ", bursts of ",
                self.told("dram.burst_bytes", size),
                ", queue of ",
                self.told("dram.queue_entries"),
                ", ",
                _policy(dram.scheduling),
            ],
        ]
        if l2 is not None:
            lines.insert(
                0,
                [
                    "L2 ",
                    Words(size(arch.l2_bytes), "caches.l2.size_bytes" in self.uncertain),
                    ": lines of ",
                    self.told("caches.l2.line_bytes", size),
                    ", sectors of ",
                    self.told("caches.l2.sector_bytes", size),
                    ", ",
                    self.told("caches.l2.ways"),
                    " ways, write ",
                    l2.write,
                    ", ",
                    self.told("caches.l2.latency_cycles"),
                    " cycles",
                ],
            )
        if textures is not None:
            lines.insert(
                1,
                [
                    "L2 of textures: ",
                    self.told("caches.texture_l2.size_bytes", size),
                    f" per {textures.scope}, ",
                    self.told("caches.texture_l2.ways"),
                    " ways",
                ],
            )
        for line in lines:
            y += 16
            on.text(x, y, line, size=11.5, room=LEFT)
        return y + 10

    def chunks(self, x: float, y: float) -> float:
        """Draw the first chunks of the address space in the colours of the partitions that hold them."""
        dram = self.arch.dram
        shown = min(max(3 * dram.partitions, 24), 112)
        width = LEFT / shown
        for chunk in range(shown):
            partition = dram.partition_map.partition(chunk * dram.interleave_bytes, dram.interleave_bytes, dram.partitions)
            self.on.box(x + chunk * width, y + 4, width - (1 if width > 5 else 0.3), 10, fill=_hue(partition, dram.partitions), round=1)
        y += 27
        self.on.text(
            x,
            y,
            [
                "addresses in chunks of ",
                self.told("dram.interleave_bytes", size),
                ", ",
                Words(_policy(dram.partition_map), "dram.partition_map" in self.uncertain),
                ": chunk k has the colour of its ",
                self.words.partition,
            ],
            size=11,
            color=SOFT,
            room=LEFT,
        )
        return y

    def arrows(self, x: float, y: float, height: float) -> None:
        for dx, down in ((-14, True), (14, False)):
            tip, tail = (y + height - 3, y + 3) if down else (y + 3, y + height - 3)
            back = -5 if down else 5
            self.on.path([(x + dx, tail), (x + dx, tip)], line=WIRE[1], thick=1.6)
            self.on.path([(x + dx - 4, tip + back), (x + dx, tip), (x + dx + 4, tip + back)], line=WIRE[1], thick=1.6)

    # -------------------------------------------------------------------------------------------------- a multiprocessor
    def multiprocessor(self, x: float, y: float, cell: tuple[float, float, float, float]) -> float:
        arch, on, limits = self.arch, self.on, self.arch.limits
        top = y - 8
        on.text(
            x,
            y + 14,
            [
                f"One {self.words.multiprocessor}: ",
                self.told("limits.warps_per_multiprocessor"),
                f" {_plural(self.words.warp, 2)} of ",
                self.told("warp.size"),
                " lanes, ",
                self.told("limits.blocks_per_multiprocessor"),
                f" {_plural(self.words.block, 2)}",
            ],
            size=14,
            bold=True,
            room=RIGHT,
        )
        on.text(
            x,
            y + 30,
            [
                "a block: at most ",
                self.told("limits.threads_per_block"),
                " threads, ",
                self.told("limits.shared_bytes_per_block", size),
                f" of {self.words.shared}; a thread: ",
                self.told("limits.registers_per_thread"),
                " registers",
            ],
            size=11,
            color=SOFT,
            room=RIGHT,
        )
        y = self.schedulers(x, y + 40)
        y = self.registers(x, y + 8)
        y = self.shared_units(x, y + 8)
        y = self.shared_memory(x, y + 8)
        y = self.caches(x, y + 8)
        y += 18
        on.text(
            x,
            y,
            [
                "under way: ",
                self.told("load_store.reads_in_flight_per_multiprocessor"),
                " reads, ",
                self.told("load_store.stores_in_flight_per_multiprocessor"),
                " stores; a transaction every ",
                self.told("load_store.transaction_cycles"),
                f" {_plural('cycle', arch.load_store.transaction_cycles)}; registers per ",
                limits.register_allocation_scope,
                " in units of ",
                self.told("limits.register_allocation_unit"),
            ],
            size=11,
            color=SOFT,
            room=RIGHT,
        )
        end = y + 12
        on.box(x - 10, top, RIGHT + 20, end - top, fill="#eff6ff", line=SM[1], round=8, back=True)
        cx, cy, cw, ch = cell
        edge = MARGIN + LEFT + 10
        on.path(
            [(edge, cy), (x - 10, top + 8), (x - 10, end - 8), (edge, cy + ch)], line="#93c5fd", fill="#dbeafe", dashes="4 3", back=True
        )
        for level in (cy, cy + ch):
            on.path([(cx + cw, level), (edge, level)], line="#93c5fd", dashes="4 3")
        return end

    def schedulers(self, x: float, y: float) -> float:
        arch, on, issue = self.arch, self.on, self.arch.schedulers
        own = [unit for unit in arch.units if unit.scope == "scheduler"]
        warps = -(-arch.limits.warps_per_multiprocessor // issue.count)
        gap = 8
        width = (RIGHT + gap) / issue.count - gap
        inner = width - 16
        slots = min(warps, max(1, int((inner + 2) // 6)))
        rows = -(-warps // slots)
        heights = [24 + self._rows(unit.lanes * unit.copies, inner) for unit in own]
        height = 50 + rows * 11 + sum(heights)
        for k in range(issue.count):
            sx = x + k * (width + gap)
            on.box(sx, y, width, height, fill="#ffffff", line=ISSUE[1])
            on.box(sx, y, width, 38, fill=ISSUE[0], line=ISSUE[1])
            on.text(
                sx + 8, y + 15, f"{self.words.scheduler} {k}" if issue.count > 1 else self.words.scheduler, bold=True, size=12, room=inner
            )
            wide: list[str | Words] = [self.told("schedulers.issue_width"), " issues / "] if issue.issue_width > 1 else ["issue / "]
            if numbers_assumed("schedulers.policy", issue.policy, self.uncertain):
                wide = [" (", Words("numbers assumed", True), ")", ", ", *wide]
            else:
                wide = [", ", *wide]
            on.text(
                sx + 8,
                y + 31,
                [
                    Words(_policy(issue.policy), "schedulers.policy" in self.uncertain),
                    *wide,
                    self.told("schedulers.issue_interval_cycles"),
                    f" {_plural('cycle', issue.issue_interval_cycles)}",
                ],
                size=10.5,
                color=SOFT,
                room=inner,
            )
            step = min(9, (inner + 2) / slots)
            for warp in range(-((k - arch.limits.warps_per_multiprocessor) // issue.count)):  # slot w belongs to scheduler w % count
                on.box(
                    sx + 8 + warp % slots * step,
                    y + 44 + warp // slots * 11,
                    step - 2,
                    9,
                    fill="#fde68a",
                    line=ISSUE[1],
                    round=1,
                    thick=0.5,
                )
            uy = y + 50 + rows * 11
            for unit, unit_height in zip(own, heights, strict=True):
                self.lanes(unit, sx + 8, uy, inner)
                uy += unit_height
        return y + height

    def lanes(self, unit: Unit, x: float, y: float, width: float) -> None:
        """Draw the lanes of a unit, all its copies, below its name."""
        many = f" x {unit.copies}" if unit.copies > 1 else ""
        path = f"units.{unit.name}.lanes"
        cycles = -(-self.arch.warp.size // unit.lanes)
        self.on.text(
            x,
            y + 11,
            [
                unit.name,
                ": ",
                Words(f"{unit.lanes} {_plural('lane', unit.lanes)}", path in self.uncertain),
                many,
                f", {cycles} {_plural('cycle', cycles)} a {self.words.warp}",
            ],
            size=11,
            room=width,
        )
        per_row, cell = self._cells(unit.lanes * unit.copies, width)
        for lane in range(unit.lanes * unit.copies):
            self.on.box(
                x + lane % per_row * (cell + 2),
                y + 16 + lane // per_row * (cell + 2),
                cell,
                cell,
                fill=LANE[0],
                line=LANE[1],
                round=1.5,
                thick=0.8,
            )

    @staticmethod
    def _cells(lanes: int, width: float) -> tuple[int, float]:
        per_row = min(lanes, 16 if width < 330 else 32)
        return per_row, min(14.0, (width + 2) / per_row - 2)

    def _rows(self, lanes: int, width: float) -> float:
        per_row, cell = self._cells(lanes, width)
        return -(-lanes // per_row) * (cell + 2)

    def registers(self, x: float, y: float) -> float:
        limits = self.arch.limits
        parts = 1 if limits.register_file_partitions is None else limits.register_file_partitions.count
        self.on.box(x, y, RIGHT, 26, fill=STORE[0], line=STORE[1])
        for k in range(1, min(parts, 32)):
            for edge, inside in ((y, y + 5), (y + 26, y + 21)):
                self.on.path([(x + k * RIGHT / min(parts, 32), edge), (x + k * RIGHT / min(parts, 32), inside)], line=STORE[1])
        each = limits.registers_per_multiprocessor
        split: list[str | Words] = [" in ", self.told("limits.register_file_partitions.count"), " parts"] if parts > 1 else []
        self.on.text(
            x + 10,
            y + 17,
            [
                "Register file: ",
                self.told("limits.registers_per_multiprocessor"),
                " x 32 bit = ",
                Words(size(4 * each), "limits.registers_per_multiprocessor" in self.uncertain),
                *split,
            ],
            bold=True,
            room=RIGHT - 20,
        )
        return y + 26

    def shared_units(self, x: float, y: float) -> float:
        """Draw the units that all schedulers share, side by side, each as wide as its lanes want."""
        units = [unit for unit in self.arch.units if unit.scope != "scheduler"]
        if not units:
            return y - 8
        wanted = {unit.name: max(min(unit.lanes * unit.copies, 16) * 13 + 16, 190) for unit in units}
        rows = math.ceil(sum(wanted.values()) / RIGHT)
        while any(sum(wanted[unit.name] for unit in row) + 8 * (len(row) - 1) > RIGHT for row in _shared_out(units, rows)) and rows < len(
            units
        ):
            rows += 1
        for row in _shared_out(units, rows):
            spare = (RIGHT - sum(wanted[unit.name] for unit in row) - 8 * (len(row) - 1)) / len(row)
            widths = [wanted[unit.name] + spare for unit in row]
            height = 22 + max(self._rows(unit.lanes * unit.copies, width - 16) for unit, width in zip(row, widths, strict=True))
            ux = x
            for unit, width in zip(row, widths, strict=True):
                self.on.box(ux, y, width, height, fill="#ffffff", line=LANE[1])
                self.lanes(unit, ux + 8, y + 3, width - 16)
                ux += width + 8
            y += height + 6
        return y - 6

    def shared_memory(self, x: float, y: float) -> float:
        shared, on = self.arch.shared, self.on
        on.box(x, y, RIGHT, 56, fill=STORE[0], line=STORE[1])
        title = f"{self.words.shared[:1].upper()}{self.words.shared[1:]}: "
        on.text(x + 10, y + 17, [title, self.told("limits.shared_bytes_per_multiprocessor", size)], bold=True, size=12.5)
        on.text(
            x + 250,
            y + 17,
            [
                self.told("shared.banks"),
                " banks x ",
                self.told("shared.bank_width_bytes"),
                " B, ",
                self.told("shared.conflict_lanes"),
                " lanes at a time, ",
                self.told("shared.latency_cycles"),
                " cycles, ",
                self.told("shared.pass_cycles"),
                " a pass",
            ],
            size=11,
            room=RIGHT - 260,
        )
        width = (RIGHT - 20) / shared.banks
        for bank in range(shared.banks):
            on.box(
                x + 10 + bank * width, y + 26, width - (1.5 if width > 6 else 0.5), 20, fill="#ddd6fe", line=STORE[1], round=1, thick=0.6
            )
            if width >= 14:
                on.text(x + 10 + bank * width + width / 2 - 0.7, y + 40, str(bank), size=8.5, anchor="middle", color=STORE[1])
        return y + 56

    def caches(self, x: float, y: float) -> float:
        names = {"l1": "L1", "constant": "Constant cache", "constant_l2": "Constant L2", "constant_l3": "Constant L3", "texture_l1": "Texture L1",
                 "instruction": "Instructions", "instruction_l2": "Instructions L2", "instruction_l3": "Instructions L3"}
        there = [(name, title) for name, title in names.items() if getattr(self.arch.caches, name) is not None]
        if not there:
            self.on.text(x, y + 14, "no caches", size=11.5, color=SOFT)
            return y + 18
        for number, row in enumerate(_shared_out(there, -(-len(there) // CACHES_ABREAST))):
            y += 68 if number else 0
            width = (RIGHT + 8) / len(row) - 8
            for k, (name, title) in enumerate(row):
                self.cache(x + k * (width + 8), y, width, name, title)
        return y + 60

    def cache(self, x: float, y: float, width: float, name: str, title: str) -> None:
        cache, path = getattr(self.arch.caches, name), f"caches.{name}"
        self.on.box(x, y, width, 60, fill=STORE[0], line=STORE[1], dashes=None if cache.enabled else "4 3")
        whose = "" if cache.scope == "multiprocessor" else f" per {getattr(self.words, cache.scope, cache.scope)}"
        self.on.text(
            x + 10, y + 17, [f"{title}: ", self.told(f"{path}.size_bytes", size), whose], bold=True, size=12, room=width - 16
        )
        self.on.text(
            x + 10,
            y + 34,
            ["lines of ", self.told(f"{path}.line_bytes", size), ", sectors of ", self.told(f"{path}.sector_bytes", size)],
            size=11,
            room=width - 16,
        )
        self.on.text(
            x + 10,
            y + 50,
            [
                self.told(f"{path}.ways"),
                " ways, ",
                self.told(f"{path}.latency_cycles"),
                " cycles, ",
                self.told(f"{path}.misses_in_flight"),
                " misses",
            ],
            size=11,
            room=width - 16,
        )


T = TypeVar("T")


def _shared_out(things: list[T], rows: int) -> list[list[T]]:
    """Split a list into rows of about the same length."""
    return [things[len(things) * k // rows : len(things) * (k + 1) // rows] for k in range(rows)]


def _hue(number: int, of: int) -> str:
    """Give one of `of` colours around the wheel, neighbours apart in lightness too."""
    red, green, blue = colorsys.hls_to_rgb(number / of, 0.74 if number % 2 else 0.60, 0.55)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def _policy(value: Named) -> str:
    return str(value.short_name).replace("_", " ")


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _mhz(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0") + " MHz"


def _short(value: float) -> str:
    return f"{value:g}"


def _capacity(value: int) -> str:
    return f"{value / 2**30:.3g} GiB" if value >= 2**30 else f"{value / 2**20:.3g} MiB"
