"""cuFFT: Fourier transforms. Reference: cufft.h of CUDA."""
from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Final

import attrs
import numpy as np

from archdef.errors import ArchdefError
from archdef.exec.calls import Int, Thread
from archdef.exec.failures import AfterFailure
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import (
    REALS, BoundContext, Library, Real, blocks, device_memory, host_array, long, present, say_bytes, to_device, usable)
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

LIBRARY: Final = Library("cufft", not_supported=16, lacking=16, other=5, statuses={
    "InvalidResourceHandle": 1, "MemoryAllocation": 2, "Type": 3, "InvalidValue": 4, "Size": 8, "IllegalAddress": 6, "MisalignedAddress": 6,
    "LaunchFailure": 6, "LaunchTimeout": 6, "InvalidDevice": 11})
answers = LIBRARY.answers
_C2C, _R2C, _C2R = "complex", "half", "real"
_TYPES: Final = {0x29: (_C2C, "S"), 0x2A: (_R2C, "S"), 0x2C: (_C2R, "S"), 0x69: (_C2C, "D"), 0x6A: (_R2C, "D"), 0x6C: (_C2R, "D")}
"""cufftType → what comes out, and the precision."""
_NAMED_TYPES: Final = {(4, 4, 4): 0x29, (0, 4, 4): 0x2A, (4, 0, 4): 0x2C, (5, 5, 5): 0x69, (1, 5, 5): 0x6A, (5, 1, 5): 0x6C}
"""cudaDataType of input, of output and of what is computed with → cufftType."""
_THREADS: Final = 128
_AXES: Final = 3
_MOST: Final = (1 << 31) - 1
"""Points along an axis, which kernels count in an int."""
_ROOMS: Final = 2
"""Passes read one array and write the other."""


@attrs.frozen
class Layout:
    """Where the numbers of an array are, in numbers, of which those that lie beside each other are one apart."""

    steps: tuple[int, ...]
    """From one to the next along each axis, the innermost last."""
    transform: int
    """From one transform to the next."""

    def packed(self, lengths: tuple[int, ...]) -> bytes:
        """Lay it out as kernels take it."""
        return struct.pack("<4i4q", *lengths, 0, *self.steps, self.transform)


def _dense(lengths: tuple[int, ...]) -> Layout:
    steps = tuple(math.prod(lengths[axis + 1:]) for axis in range(_AXES))
    return Layout(steps, math.prod(lengths))


@attrs.define(eq=False)
class Plan:
    """What a handle stands for."""

    context: BoundContext
    lengths: tuple[int, ...] = ()
    """Along each of three axes; empty before the plan is made."""
    kind: str = _C2C
    real: Real = REALS["S"]
    batch: int = 1
    given: tuple[Layout, Layout] | None = None
    """Of input and output, where the program said them."""
    stream: int = 0
    roots: dict[int, Pointer] = attrs.Factory(dict)
    rooms: list[Pointer] = attrs.Factory(list)

    @property
    def count(self) -> int:
        """How many numbers all transforms have."""
        return self.batch * math.prod(self.lengths)

    @property
    def nbytes(self) -> int:
        """Bytes of a complex array of them."""
        return 2 * self.real.nbytes * self.count

    def layouts(self, in_place: bool) -> tuple[Layout, Layout]:
        """Give those of input and output."""
        if self.given is not None:
            return self.given
        half = (*self.lengths[:2], self.lengths[2] // 2 + 1)
        reals = _dense((*self.lengths[:2], 2 * half[2]) if in_place else self.lengths)
        return {_C2C: (_dense(self.lengths), _dense(self.lengths)), _R2C: (reals, _dense(half)), _C2R: (_dense(half), reals)}[self.kind]

    def passes(self) -> Iterator[tuple[int, int, int, int]]:
        """Give ``(axis, radix, points of smaller transforms left, numbers from one point to the next)`` of each pass."""
        for axis, length in enumerate(self.lengths):
            left, apart = length, math.prod(self.lengths[axis + 1:])
            for radix in _factors(length):
                left //= radix
                yield axis, radix, left, apart
                apart *= radix

    def prepare(self, thread: Thread) -> None:
        """Allocate memory for the passes and write the roots of unity, so that transforms are launches alone, which graphs repeat."""
        while len(self.rooms) < _ROOMS:       # first, as what is too much for the device need not be computed here
            self.rooms.append(device_memory(thread, self.nbytes))
        for length in {each for each in self.lengths if each > 1}:
            angles = -2 * np.pi * np.arange(length) / length
            table = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(self.real.dtype)
            self.roots[length] = device_memory(thread, table.nbytes)
            to_device(thread, self.roots[length], table, 0)
        thread.runtime.StreamSynchronize(thread.session.stream(0))

    def room(self, thread: Thread) -> list[Pointer]:
        """Give memory for the passes. Raises Refusal on another device than that of the plan."""
        if self.context != BoundContext.current(thread):
            raise Refusal("InvalidDevice", f"the plan was made for device {self.context.device}")
        return self.rooms

    def free(self, thread: Thread) -> None:
        """Give memory back."""
        if not self.context.destroyed(thread):
            for pointer in (*self.rooms, *self.roots.values()):
                thread.runtime.Free(pointer)
        self.rooms, self.roots = [], {}


def _factors(number: int) -> Iterator[int]:
    for radix in (4, 2):
        while number % radix == 0:
            yield radix
            number //= radix
    radix = 3
    while number > 1:
        if radix * radix > number:
            radix = number
        while number % radix == 0:
            yield radix
            number //= radix
        radix += 2


def _plan(thread: Thread, handle: int) -> Plan:
    return usable(thread, handle & 0xFFFFFFFF, Plan)


def _make(thread: Thread, plan: Plan, lengths: tuple[int, ...], kind: int, batch: int, given: tuple[Layout, Layout] | None = None) -> None:
    if kind not in _TYPES:
        raise Refusal("Type", f"no type {kind:#x} of transform")
    if min(*lengths, batch) < 1 or max(lengths) > _MOST:
        raise Refusal("Size", f"{batch} transforms of {' x '.join(map(str, lengths))} points")
    if plan.lengths:
        raise Refusal("InvalidResourceHandle", "the plan is made already")
    plan.lengths, plan.batch, plan.given = (1,) * (_AXES - len(lengths)) + lengths, batch, given
    plan.kind, letter = _TYPES[kind]
    plan.real = REALS[letter]
    try:
        plan.prepare(thread)
    except (ArchdefError, AfterFailure):
        plan.free(thread)
        plan.lengths = ()
        raise


def _created(thread: Thread, out: int, lengths: tuple[int, ...], kind: int, batch: int, given: tuple[Layout, Layout] | None = None) -> None:
    present(plan=out)
    _make(thread, plan := Plan(BoundContext.current(thread)), lengths, kind, batch, given)
    thread.memory.put_word(out, thread.session.handle(plan), 4)


def _made(thread: Thread, handle: int, lengths: tuple[int, ...], kind: int, batch: int, size: int, given: tuple[Layout, Layout] | None = None) -> None:
    plan = _plan(thread, handle)
    present(size=size)
    _make(thread, plan, lengths, kind, batch, given)
    say_bytes(thread, size, _ROOMS * plan.nbytes)


def _many(thread: Thread, rank: int, n: int, embed: tuple[int, int], strides: tuple[int, int], distances: tuple[int, int],
          integer: str = "i4") -> tuple[tuple[int, ...], tuple[Layout, Layout] | None]:
    """Read lengths and layouts; `integer` is the type of lengths, and of sizes of the arrays around them."""
    if rank not in (1, 2, 3):
        raise Refusal("InvalidValue", f"a transform of {rank} dimensions")
    present(n=n)
    lengths = tuple(map(int, host_array(thread, n, rank, integer)))
    if not all(embed):
        return lengths, None
    made = []
    for place, stride, distance in zip(embed, strides, distances, strict=True):
        sizes = (1,) * (_AXES - rank) + tuple(map(int, host_array(thread, place, rank, integer)))
        made.append(Layout((sizes[1] * sizes[2] * stride, sizes[2] * stride, stride), distance))
        if max(map(abs, made[-1].steps)) >> 63:
            raise Refusal("Size", f"an array of {' x '.join(map(str, sizes))} numbers that lie {stride} apart")
    return lengths, (made[0], made[1])


@answers("cufftPlan1d")
def plan_1d(thread: Thread, out: int, n: Int, kind: Int, batch: Int) -> None:
    """Plan transforms of one dimension."""
    _created(thread, out, (n,), kind, batch)


@answers("cufftPlan2d")
def plan_2d(thread: Thread, out: int, nx: Int, ny: Int, kind: Int) -> None:
    """Plan one of two dimensions."""
    _created(thread, out, (nx, ny), kind, 1)


@answers("cufftPlan3d")
def plan_3d(thread: Thread, out: int, nx: Int, ny: Int, nz: Int, kind: Int) -> None:
    """Plan one of three dimensions."""
    _created(thread, out, (nx, ny, nz), kind, 1)


@answers("cufftPlanMany")
def plan_many(thread: Thread, out: int, rank: Int, n: int, inembed: int, istride: Int, idist: Int, onembed: int, ostride: Int, odist: Int, kind: Int,
              batch: Int) -> None:
    """Plan many, of arrays that lie in larger ones."""
    lengths, given = _many(thread, rank, n, (inembed, onembed), (istride, ostride), (idist, odist))
    _created(thread, out, lengths, kind, batch, given)


@answers("cufftCreate")
def create(thread: Thread, out: int) -> None:
    """Give a handle for a plan that is made later."""
    present(plan=out)
    thread.memory.put_word(out, thread.session.handle(Plan(BoundContext.current(thread))), 4)


@answers("cufftMakePlan1d")
def make_1d(thread: Thread, handle: Int, n: Int, kind: Int, batch: Int, size: int) -> None:
    """Plan transforms of one dimension."""
    _made(thread, handle, (n,), kind, batch, size)


@answers("cufftMakePlan2d")
def make_2d(thread: Thread, handle: Int, nx: Int, ny: Int, kind: Int, size: int) -> None:
    """Plan one of two dimensions."""
    _made(thread, handle, (nx, ny), kind, 1, size)


@answers("cufftMakePlan3d")
def make_3d(thread: Thread, handle: Int, nx: Int, ny: Int, nz: Int, kind: Int, size: int) -> None:
    """Plan one of three dimensions."""
    _made(thread, handle, (nx, ny, nz), kind, 1, size)


@answers("cufftMakePlanMany")
def make_many(thread: Thread, handle: Int, rank: Int, n: int, inembed: int, istride: Int, idist: Int, onembed: int, ostride: Int, odist: Int, kind: Int,
              batch: Int, size: int) -> None:
    """Plan many, of arrays that lie in larger ones."""
    lengths, given = _many(thread, rank, n, (inembed, onembed), (istride, ostride), (idist, odist))
    _made(thread, handle, lengths, kind, batch, size, given)


@answers("cufftMakePlanMany64")
def make_many_64(thread: Thread, handle: Int, rank: Int, n: int, inembed: int, istride: int, idist: int, onembed: int, ostride: int, odist: int, kind: Int,
                 batch: int, size: int) -> None:
    """Plan many, with lengths of 64 bits."""
    lengths, given = _many(thread, rank, n, (inembed, onembed), (long(istride), long(ostride)), (long(idist), long(odist)), "i8")
    _made(thread, handle, lengths, kind, long(batch), size, given)


@answers("cufftXtMakePlanMany")
def make_many_of_types(thread: Thread, handle: Int, rank: Int, n: int, inembed: int, istride: int, idist: int, itype: Int, onembed: int, ostride: int,
                       odist: int, otype: Int, batch: int, size: int, kind: Int) -> None:
    """Plan many, of types that are named one by one."""
    types = itype, otype, kind
    if types not in _NAMED_TYPES:
        raise Refusal("NotSupported", f"transforms of type {types[0]} into {types[1]}, computed as {types[2]}")
    make_many_64(thread, handle, rank, n, inembed, istride, idist, onembed, ostride, odist, _NAMED_TYPES[types], batch, size)


@answers("cufftGetSize")
def get_size(thread: Thread, handle: Int, size: int) -> None:
    """Give the bytes that the passes need."""
    say_bytes(thread, size, _ROOMS * _plan(thread, handle).nbytes)


@answers("cufftDestroy")
def destroy(thread: Thread, handle: Int) -> None:
    """Give a plan up."""
    thread.session.thing(handle & 0xFFFFFFFF, Plan).free(thread)
    thread.session.forget(handle & 0xFFFFFFFF)


LIBRARY.sets_stream("cufftSetStream", _plan)


@answers("cufftGetVersion")
def version(thread: Thread, out: int) -> None:
    """Say which version the program was compiled for."""
    present(version=out)
    thread.memory.put_word(out, 1000 * thread.session.cuda, 4)


def _run(thread: Thread, plan: Plan, name: str, units: int, *arguments: bytes) -> None:
    letter = plan.real.letter
    launch(thread, kernel(thread, f"fft.{letter}", f"archdef_fft_{letter}_{name}"), blocks(thread, -(-units // _THREADS)), (_THREADS,), arguments, plan.stream)


def _execute(thread: Thread, handle: int, kind: str, letter: str, source: int, to: int, direction: int) -> None:
    """Transform: bring the numbers together if they lie apart, make a pass for each factor, and spread them."""
    plan = _plan(thread, handle)
    if not plan.lengths or (plan.kind, plan.real) != (kind, REALS[letter]):
        raise Refusal("Type", "the plan is of another type" if plan.lengths else "the plan is not made")
    if direction not in (-1, 1):
        raise Refusal("InvalidValue", f"no direction {direction}")
    present(input=source, output=to)
    rooms = [int(each) for each in plan.room(thread)]
    layouts, dense, count = plan.layouts(source == to), _dense(plan.lengths), struct.pack("<q", plan.count)

    def address(place: int) -> bytes:
        return struct.pack("<Q", place)
    at = source
    if kind != _C2C or layouts[0] != dense:
        at = rooms[0]
        name = {_C2C: "gather_complex", _R2C: "gather_real", _C2R: "gather_half"}[kind]
        _run(thread, plan, name, plan.count, layouts[0].packed(plan.lengths), count, address(source), address(at))
    straight = kind == _C2C and layouts[1] == dense
    passes = list(plan.passes())
    for number, (axis, radix, left, apart) in enumerate(passes):
        length, butterflies = plan.lengths[axis], plan.count // radix
        target = to if straight and number == len(passes) - 1 and at != to else rooms[at == rooms[0]]
        step = struct.pack(f"<qq3i{'i' if plan.real.nbytes == 8 else ''}{plan.real.code}", butterflies, apart, length, radix, left,
                           *([0] if plan.real.nbytes == 8 else []), float(direction)) + address(int(plan.roots[length]))
        _run(thread, plan, f"pass_{radix}" if radix in (2, 4) else "pass", butterflies if radix in (2, 4) else plan.count, step, address(at), address(target))
        at = target
    if at != to:
        _run(thread, plan, f"scatter_{kind}", plan.count, layouts[1].packed(plan.lengths), count, address(at), address(to))


@answers("cufftExecC2C")
def exec_c2c(thread: Thread, handle: Int, source: int, to: int, direction: Int) -> None:
    """Transform complex numbers."""
    _execute(thread, handle, _C2C, "S", source, to, direction)


@answers("cufftExecR2C")
def exec_r2c(thread: Thread, handle: Int, source: int, to: int) -> None:
    """Transform real numbers; half of what comes out is stored."""
    _execute(thread, handle, _R2C, "S", source, to, -1)


@answers("cufftExecC2R")
def exec_c2r(thread: Thread, handle: Int, source: int, to: int) -> None:
    """Transform back to real numbers."""
    _execute(thread, handle, _C2R, "S", source, to, 1)


@answers("cufftExecZ2Z")
def exec_z2z(thread: Thread, handle: Int, source: int, to: int, direction: Int) -> None:
    """Transform complex numbers."""
    _execute(thread, handle, _C2C, "D", source, to, direction)


@answers("cufftExecD2Z")
def exec_d2z(thread: Thread, handle: Int, source: int, to: int) -> None:
    """Transform real numbers; half of what comes out is stored."""
    _execute(thread, handle, _R2C, "D", source, to, -1)


@answers("cufftExecZ2D")
def exec_z2d(thread: Thread, handle: Int, source: int, to: int) -> None:
    """Transform back to real numbers."""
    _execute(thread, handle, _C2R, "D", source, to, 1)
