"""cuRAND: random numbers, made on the device or on the host. Reference: curand.h of CUDA."""
from __future__ import annotations

import struct
from typing import Final

import attrs
import numpy as np

from archdef.exec.calls import Int, Thread, UInt
from archdef.exec.libraries.kernels import kernel, launch
from archdef.exec.libraries.library import REALS, BoundContext, Library, Real, blocks, device_memory, present, to_device, usable
from archdef.exec.libraries.sequences import Mrg32k3a, Philox, Sequences, Xorwow
from archdef.exec.libraries.sobol import DIMENSIONS, Sobol, directions
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

_OUT_OF_RANGE, _LAUNCH_FAILURE = 104, 201
LIBRARY: Final = Library("curand", not_supported=103, lacking=106, other=999, statuses={
    "InvalidResourceHandle": 101, "MemoryAllocation": 102, "InvalidValue": _OUT_OF_RANGE, "Length": 105, "IllegalAddress": _LAUNCH_FAILURE,
    "MisalignedAddress": _LAUNCH_FAILURE, "LaunchFailure": _LAUNCH_FAILURE, "LaunchTimeout": _LAUNCH_FAILURE, "NoDevice": 203})
answers = LIBRARY.answers
_KINDS: Final[dict[int, type[Sequences]]] = {100: Xorwow, 101: Xorwow, 121: Mrg32k3a, 161: Philox, 200: Sobol, 201: Sobol}
_QUASI_ORDER: Final = 201
_OTHERS: Final = {141: "MTGP32", 142: "MT19937", 202: "Sobol's, scrambled", 203: "Sobol's of 64 bits",
                  204: "Sobol's of 64 bits, scrambled"}
_THREADS: Final = 64


@attrs.define(eq=False)
class Generator:
    """What a handle stands for."""

    kind: type[Sequences]
    context: BoundContext
    on_host: bool
    seed: int = 0
    offset: int = 0
    stream: int = 0
    dimensions: int = 1
    """Of quasirandom numbers."""
    sequences: Sequences | None = None
    """None before the first number after a change of seed or offset."""
    states: Pointer | None = None
    """Where the device has the states."""
    states_context: BoundContext | None = None
    """Of the device that has them."""

    @property
    def is_quasi(self) -> bool:
        """Whether its numbers are quasirandom."""
        return self.kind is Sobol

    def again(self) -> None:
        """Let the sequences begin anew."""
        self.sequences = None

    def begun(self, thread: Thread) -> Sequences:
        """Give the sequences; their states are on the device, unless the generator is the host's."""
        if self.sequences is None or (not self.on_host and self.states_context != BoundContext.current(thread)):
            if not self.on_host and thread.runtime.StreamIsCapturing(thread.session.stream(self.stream)):
                raise Refusal("StreamCaptureUnsupported", "a generator that has no states yet cannot be captured: call curandGenerateSeeds before")
            self.sequences = Sobol(self.dimensions, self.offset) if self.is_quasi else self.kind(self.seed, self.offset)
            if not self.on_host:
                self.free(thread)
                self.states_context, self.states = BoundContext.current(thread), device_memory(thread, self.sequences.states.nbytes)
                to_device(thread, self.states, self.sequences.states, self.stream)
        return self.sequences

    def free(self, thread: Thread) -> None:
        """Give memory of the device back."""
        if self.states is not None and self.states_context is not None and not self.states_context.destroyed(thread):
            thread.runtime.Free(self.states)
        self.states = None


def _generator(thread: Thread, handle: int) -> Generator:
    found = thread.session.thing(handle, Generator)
    return found if found.on_host else usable(thread, handle, Generator)


def _create(thread: Thread, out: int, kind: int, on_host: bool) -> None:
    present(generator=out)
    if kind in _OTHERS:
        raise Refusal("NotSupported", f"generator {kind} ({_OTHERS[kind]})")
    if kind not in _KINDS:
        raise Refusal("NotSupported", f"no generator {kind}")
    if _KINDS[kind] is Sobol:
        directions(32)      # programs look for what is missing here
    thread.memory.put_word(out, thread.session.handle(Generator(_KINDS[kind], BoundContext.current(thread), on_host)))


@answers("curandCreateGenerator")
def create(thread: Thread, out: int, kind: Int) -> None:
    """Make a generator whose numbers the device makes."""
    _create(thread, out, kind, on_host=False)


@answers("curandCreateGeneratorHost")
def create_host(thread: Thread, out: int, kind: Int) -> None:
    """Make a generator whose numbers the host makes."""
    _create(thread, out, kind, on_host=True)


@answers("curandDestroyGenerator")
def destroy(thread: Thread, handle: int) -> None:
    """Give a generator up."""
    thread.session.thing(handle, Generator).free(thread)
    thread.session.forget(handle)


@answers("curandGetVersion")
def version(thread: Thread, out: int) -> None:
    """Say which version the program was compiled for."""
    present(version=out)
    thread.memory.put_word(out, 1000 * thread.session.cuda, 4)


@answers("curandSetPseudoRandomGeneratorSeed")
def set_seed(thread: Thread, handle: int, seed: int) -> None:
    """Set the seed; the sequences begin anew."""
    found = _generator(thread, handle)
    if found.is_quasi:
        raise Refusal("NotSupported", "a seed for quasirandom numbers")
    found.seed = seed
    found.again()


@answers("curandSetGeneratorOffset")
def set_offset(thread: Thread, handle: int, offset: int) -> None:
    """Set how many numbers are left out; the sequences begin anew."""
    found = _generator(thread, handle)
    found.offset = offset
    found.again()


@answers("curandSetGeneratorOrdering")
def set_ordering(thread: Thread, handle: int, ordering: Int) -> None:
    """Take the orders that are one here: best, default, legacy, dynamic."""
    found = _generator(thread, handle)
    if found.is_quasi:
        if ordering != _QUASI_ORDER:
            raise Refusal("InvalidValue", f"no order {ordering} of quasirandom numbers")
        return
    if ordering == 102:
        raise Refusal("NotSupported", "sequences with seeds of their own (CURAND_ORDERING_PSEUDO_SEEDED)")
    if ordering not in (100, 101, 103, 104):
        raise Refusal("InvalidValue", f"no order {ordering} of pseudorandom numbers")
    found.again()


@answers("curandSetQuasiRandomGeneratorDimensions")
def set_dimensions(thread: Thread, handle: int, dimensions: UInt) -> None:
    """Set how many dimensions quasirandom numbers have; the sequences go on where they are."""
    found = _generator(thread, handle)
    if not found.is_quasi:
        raise Refusal("NotSupported", "dimensions of pseudorandom numbers")
    if not 1 <= dimensions <= DIMENSIONS:
        raise Refusal("InvalidValue", f"{dimensions} dimensions: 1 to {DIMENSIONS} are there")
    if found.sequences is not None:
        found.offset = found.sequences.turn
    found.dimensions = dimensions
    found.again()


LIBRARY.sets_stream("curandSetStream", _generator)


@answers("curandGenerateSeeds")
def generate_seeds(thread: Thread, handle: int) -> None:
    """Make the states."""
    _generator(thread, handle).begun(thread)


def _generate(thread: Thread, handle: int, what: str, real: Real | None, out: int, count: int, *more: float) -> None:
    """Make numbers: ``bits``, ``uniform`` or ``normal``, which come in pairs."""
    found = _generator(thread, handle)
    if what == "normal" and count % 2 and not found.kind.odd_normals:
        raise Refusal("Length", f"normal numbers come in pairs, {count} were asked for")
    if found.is_quasi and what == "normal":
        raise Refusal("NotSupported", "quasirandom numbers of a normal distribution")
    if count % found.dimensions:
        raise Refusal("Length", f"{count} numbers of {found.dimensions} dimensions")
    if not count:
        return
    present(output=out)
    double = real is not None and real.nbytes == 8
    sequences = found.begun(thread)
    if found.on_host:
        _draw(thread, sequences, f"{what}{'_double' if double else ''}", out, count, more)
        return
    units = sequences.units(what, count)
    name = f"{sequences.name}{'_d' if double else ''}"
    chosen = kernel(thread, f"curand.{name}", f"archdef_{name}_{what}")
    draw = struct.pack("<QIIQQ", int(found.states or 0), sequences.count, sequences.turn, units, out)
    arguments = (draw[:8], draw[8:24], draw[24:], *(struct.pack(f"<{real.code}", each) for each in more if real is not None))
    wanted = -(-sequences.threads(units) // _THREADS)
    grid = blocks(thread, wanted) if found.is_quasi else (wanted,)      # each sequence has a thread, and they are few
    launch(thread, chosen, grid, (_THREADS,), arguments, found.stream)
    sequences.take(units)


def _draw(thread: Thread, sequences: Sequences, what: str, out: int, count: int, more: tuple[float, ...]) -> None:
    """Make numbers on the host; `more`: mean and standard deviation."""
    for made in sequences.pieces(what, count):
        if more:
            made = (made * made.dtype.type(more[1]) + made.dtype.type(more[0])).astype(made.dtype)
        thread.memory.out_of(out, np.ascontiguousarray(made).view("u1"))
        out += made.nbytes


@answers("curandGenerate")
def generate(thread: Thread, handle: int, out: int, count: int) -> None:
    """Make random bits."""
    _generate(thread, handle, "bits", None, out, count)


@answers("curandGenerateUniform")
def generate_uniform(thread: Thread, handle: int, out: int, count: int) -> None:
    """Make uniform numbers above 0, up to 1."""
    _generate(thread, handle, "uniform", REALS["S"], out, count)


@answers("curandGenerateUniformDouble")
def generate_uniform_double(thread: Thread, handle: int, out: int, count: int) -> None:
    """Make uniform numbers above 0, up to 1."""
    _generate(thread, handle, "uniform", REALS["D"], out, count)


@answers("curandGenerateNormal")
def generate_normal(thread: Thread, handle: int, out: int, count: int) -> None:
    """Make normal numbers, by Box and Muller's method."""
    _generate(thread, handle, "normal", REALS["S"], out, count, *map(REALS["S"].passed, thread.floats[:2]))


@answers("curandGenerateNormalDouble")
def generate_normal_double(thread: Thread, handle: int, out: int, count: int) -> None:
    """Make normal numbers, by Box and Muller's method."""
    _generate(thread, handle, "normal", REALS["D"], out, count, *thread.floats[:2])


# ---------------------------------------------------------------------------------------------------------- direction vectors
_SETS: Final = {101: 32, 103: 64}
"""curandDirectionVectorSet_t → bits of the vectors of Joe and Kuo."""
_SCRAMBLED: Final = {102: 32, 104: 64}


def _direction_vectors(thread: Thread, out: int, kind: int, bits: int) -> None:
    present(vectors=out)
    if _SCRAMBLED.get(kind) == bits:
        raise Refusal("NotSupported", "scrambled direction vectors")
    if _SETS.get(kind) != bits:
        raise Refusal("InvalidValue", f"no set {kind} of direction vectors of {bits} bits")
    thread.memory.put_word(out, thread.session.table(thread.connection, f"curand directions {bits}", directions(bits)))


@answers("curandGetDirectionVectors32")
def direction_vectors(thread: Thread, out: int, kind: Int) -> None:
    """Give the address of the direction vectors of 20,000 dimensions, of 32 bits."""
    _direction_vectors(thread, out, kind, 32)


@answers("curandGetDirectionVectors64")
def direction_vectors_64(thread: Thread, out: int, kind: Int) -> None:
    """Give the address of the direction vectors of 20,000 dimensions, of 64 bits."""
    _direction_vectors(thread, out, kind, 64)
