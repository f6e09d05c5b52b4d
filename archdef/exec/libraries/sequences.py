"""The random numbers of cuRAND, as numpy computes them: states for the kernels to begin with, and the numbers of generators of the host.

Each generator has so many sequences, far apart in one long one; a number is taken of each in turn, or four. Reference: curand_kernel.h of CUDA.
"""
from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

_WORDS, _BITS = 5, 160
_DRAWN_AT_ONCE = 1 << 16


class Sequences(ABC):
    """The sequences of one generator."""

    name: ClassVar[str]
    """Of its kernels."""
    count: ClassVar[int]
    odd_normals: ClassVar[bool] = False
    """Whether an odd number of normal numbers may be asked for."""
    states: np.ndarray
    turn: int
    """Where in the sequences the next number is."""

    @abstractmethod
    def __init__(self, seed: int, offset: int):
        """offset : how many numbers are left out before the first."""

    @abstractmethod
    def units(self, what: str, count: int) -> int:
        """Give how many turns so many numbers take; what: ``bits``, ``uniform`` or ``normal``, of double precision with ``_double`` behind."""

    @abstractmethod
    def threads(self, units: int) -> int:
        """Give how many threads of a kernel have something to do in so many turns."""

    @abstractmethod
    def take(self, units: int) -> None:
        """Note that a kernel takes so many turns."""

    @abstractmethod
    def draw(self, what: str, count: int) -> np.ndarray:
        """Give the next numbers."""

    def pieces(self, what: str, count: int) -> Iterator[np.ndarray]:
        """Give the next numbers, some at a time: a program may ask for more than there is memory."""
        for first in range(0, count, _DRAWN_AT_ONCE):
            yield self.draw(what, min(_DRAWN_AT_ONCE, count - first))


class InTurn(Sequences):
    """Sequences of which each gives one number, or a pair of normal numbers, at its turn."""

    def __init__(self, seed: int, offset: int):
        each, more = divmod(offset, self.count)
        self.states = self.begun(seed & (1 << 64) - 1, each)
        self.turn = more
        if more:
            self.states[:more] = self.stepped(self.states[:more])

    @abstractmethod
    def begun(self, seed: int, position: int) -> np.ndarray:
        """Give the states of all sequences at a position, one a row."""

    @abstractmethod
    def bits(self, states: np.ndarray) -> np.ndarray:
        """Give the next 32 bits of some sequences, whose states go on."""

    def uniform(self, states: np.ndarray) -> np.ndarray:
        """Give the next uniform numbers of single precision."""
        return uniform(self.bits(states))

    def uniform_double(self, states: np.ndarray) -> np.ndarray:
        """Give the next uniform numbers of double precision."""
        return _uniform_double(self.bits(states), self.bits(states))

    def normal(self, states: np.ndarray) -> np.ndarray:
        """Give the next pairs of normal numbers of single precision."""
        return _normal(self.bits(states), self.bits(states))

    def normal_double(self, states: np.ndarray) -> np.ndarray:
        """Give the next pairs of normal numbers of double precision."""
        return _normal_double(*(self.bits(states) for _ in range(4)))

    def stepped(self, states: np.ndarray) -> np.ndarray:
        """Give states after one number more."""
        self.bits(states := states.copy())
        return states

    def units(self, what: str, count: int) -> int:
        return count // 2 if what.startswith("normal") else count

    def threads(self, units: int) -> int:
        return min(units, self.count)

    def take(self, units: int) -> None:
        self.turn = (self.turn + units) % self.count

    def draw(self, what: str, count: int) -> np.ndarray:
        make, units, made = getattr(self, what), self.units(what, count), []
        while units:
            taken = min(units, self.count - self.turn)
            made.append(make(self.states[self.turn:self.turn + taken]))
            self.take(taken)
            units -= taken
        return np.concatenate(made).reshape(-1)


def uniform(bits: np.ndarray) -> np.ndarray:
    """Give the uniform numbers of single precision that bits make."""
    return np.asarray(bits.astype("f4") * np.float32(2.3283064e-10) + np.float32(2.3283064e-10) / np.float32(2))


def _uniform_double(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.asarray(_fraction(low, high) * 2.0 ** -53 + 2.0 ** -54)


def _normal(size_bits: np.ndarray, angle_bits: np.ndarray) -> np.ndarray:
    part = np.float32(2.3283064e-10) * np.float32(6.2831855)
    size, angle = np.sqrt(np.float32(-2) * np.log(uniform(size_bits))), angle_bits.astype("f4") * part + part / np.float32(2)
    return np.stack([size * np.sin(angle), size * np.cos(angle)], axis=-1)


def _normal_double(low: np.ndarray, high: np.ndarray, angle_low: np.ndarray, angle_high: np.ndarray) -> np.ndarray:
    size, angle = np.sqrt(-2 * np.log(_uniform_double(low, high))), np.pi * (_fraction(angle_low, angle_high) * 2.0 ** -52 + 2.0 ** -53)
    return np.stack([size * np.sin(angle), size * np.cos(angle)], axis=-1)


def _fraction(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Give 53 bits of two times 32."""
    return np.asarray(low.astype("u8") ^ high.astype("u8") << np.uint64(21))


class Xorwow(InTurn):
    """XORWOW; sequences are 2^67 apart."""

    name, count = "xorwow", 4096

    def begun(self, seed: int, position: int) -> np.ndarray:
        """Give the states of all sequences."""
        low = 1099087573 * ((seed & 0xFFFFFFFF) ^ 0xAAD26B49) & 0xFFFFFFFF
        high = 2591861531 * (seed >> 32 ^ 0xF7DCEFDD) & 0xFFFFFFFF
        first = np.array([123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low], "u8").astype("u4")
        vectors, jump = _mapped(_power(position), first[None]), _apart()
        while len(vectors) < self.count:
            vectors, jump = np.concatenate([vectors, _mapped(jump, vectors)]), _mapped(jump, jump)
        states = np.empty((self.count, 1 + _WORDS), "u4")
        states[:, 0] = (6615241 + low + high + 362437 * position) & 0xFFFFFFFF
        states[:, 1:] = vectors
        return states

    def bits(self, states: np.ndarray) -> np.ndarray:
        """Give the next 32 bits."""
        t = states[:, 1] ^ states[:, 1] >> 2
        states[:, 1:5] = states[:, 2:6].copy()
        states[:, 5] = states[:, 5] ^ states[:, 5] << 4 ^ t ^ t << 1
        states[:, 0] += np.uint32(362437)
        return np.asarray(states[:, 5] + states[:, 0])


def _mapped(images: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Map vectors of bits, one a row, by a linear map, whose rows are the images of the single bits."""
    mapped = np.zeros_like(vectors)
    for bit, image in enumerate(images):
        mapped ^= (np.uint32(0) - (vectors[:, bit // 32] >> np.uint32(bit % 32) & np.uint32(1)))[:, None] & image
    return mapped


@functools.cache
def _one_step() -> np.ndarray:
    """Give the map that leads from the bits of a state to those of the next."""
    units = np.zeros((_BITS, 1 + _WORDS), "u4")
    units[:, 1:] = _identity()
    Xorwow.bits(None, units)  # type: ignore[arg-type]
    return units[:, 1:].copy()


def _power(steps: int) -> np.ndarray:
    found, square = None, _one_step()
    while steps:
        if steps & 1:
            found = square if found is None else _mapped(square, found)
        square, steps = _mapped(square, square), steps >> 1
    return _identity() if found is None else found


def _identity() -> np.ndarray:
    units = np.zeros((_BITS, _WORDS), "u4")
    units[np.arange(_BITS), np.arange(_BITS) // 32] = np.uint32(1) << np.arange(_BITS, dtype="u4") % np.uint32(32)
    return units


@functools.cache
def _apart() -> np.ndarray:
    return _power(1 << 67)


_M1, _M2 = 4294967087, 4294944443
_STEPS = (np.array([[0, 1, 0], [0, 0, 1], [_M1 - 810728, 1403580, 0]], object), np.array([[0, 1, 0], [0, 0, 1], [_M2 - 1370589, 0, 527612]], object))


class Mrg32k3a(InTurn):
    """MRG32k3a; sequences are 2^76 apart."""

    name, count = "mrg", 81920

    def begun(self, seed: int, position: int) -> np.ndarray:
        """Give the states of all sequences."""
        x1, x2 = (seed & 0xFFFFFFFF) ^ 0x55555555, seed >> 32 ^ 0xAAAAAAAA
        factors = (x1, x2, x1, x2, x1, x2) if seed else (1,) * 6
        halves = []
        for start, modulus, step in zip((0, 3), (_M1, _M2), _STEPS, strict=True):
            vector = np.array([[factor * 12345 % modulus] for factor in factors[start:start + 3]], object)
            columns = (_matrix_power(step, position, modulus) @ vector % modulus).astype("u8")
            jump = _matrix_power(step, 1 << 76, modulus)
            while columns.shape[1] < self.count:
                columns = np.concatenate([columns, _modular(jump.astype("u8"), columns, modulus)], axis=1)
                jump = jump @ jump % modulus
            halves.append(columns[:, :self.count])
        return np.concatenate(halves).T.astype("u4")

    def steps(self, states: np.ndarray) -> np.ndarray:
        """Give the next numbers from 1 to 4294967087."""
        s = states.astype("u8")
        p1 = (np.uint64(1403580) * s[:, 1] + np.uint64(810728) * (np.uint64(_M1) - s[:, 0])) % np.uint64(_M1)
        p2 = (np.uint64(527612) * s[:, 5] + np.uint64(1370589) * (np.uint64(_M2) - s[:, 3])) % np.uint64(_M2)
        states[:, [0, 1, 3, 4]] = states[:, [1, 2, 4, 5]]
        states[:, 2], states[:, 5] = p1, p2
        return np.where(p1 > p2, p1 - p2, p1 + np.uint64(_M1) - p2)

    def bits(self, states: np.ndarray) -> np.ndarray:
        """Give the next 32 bits."""
        return (self.steps(states).astype("f8") * 1.000000048662).astype("u4")

    def uniform(self, states: np.ndarray) -> np.ndarray:
        """Give the next uniform numbers of single precision."""
        return self.uniform_double(states).astype("f4")

    def uniform_double(self, states: np.ndarray) -> np.ndarray:
        """Give the next uniform numbers of double precision."""
        return self.steps(states).astype("f8") * 2.3283065498378288e-10

    def normal(self, states: np.ndarray) -> np.ndarray:
        """Give the next pairs of normal numbers of single precision."""
        size = np.sqrt(np.float32(-2) * np.log(self.uniform(states)))
        angle = self.uniform(states) * np.float32(6.2831855)
        return np.stack([size * np.sin(angle), size * np.cos(angle)], axis=1)

    def normal_double(self, states: np.ndarray) -> np.ndarray:
        """Give the next pairs of normal numbers of double precision."""
        size, angle = np.sqrt(-2 * np.log(self.uniform_double(states))), 2 * np.pi * self.uniform_double(states)
        return np.stack([size * np.sin(angle), size * np.cos(angle)], axis=1)


def _matrix_power(step: np.ndarray, power: int, modulus: int) -> np.ndarray:
    found, square = np.eye(3, dtype=object), step
    while power:
        found = square @ found % modulus if power & 1 else found
        square, power = square @ square % modulus, power >> 1
    return found


def _modular(matrix: np.ndarray, columns: np.ndarray, modulus: int) -> np.ndarray:
    products = matrix[:, :, None] * columns[None] % np.uint64(modulus)       # less than 2^64, as both are less than 2^32
    return np.asarray(products.sum(axis=1) % np.uint64(modulus))


class Philox(Sequences):
    """Philox 4x32 with 10 rounds; sequences are 2^66 apart. Each gives four numbers at its turn: a block of 32 bits each, or two blocks of 64.

    A sequence goes on behind its fourth number, by as many blocks as the call takes that asks for this. So a call that begins in the midst of four
    takes the same blocks again.
    """

    name, count, odd_normals = "philox", 65536, True

    def __init__(self, seed: int, offset: int):
        each, self.turn = divmod(offset, 4 * self.count)
        self.states = np.zeros((self.count, 6), "u4")
        self.states[:, 0], self.states[:, 1], self.states[:, 2] = each & 0xFFFFFFFF, each >> 32, np.arange(self.count)
        self.states[:, 4], self.states[:, 5] = seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF
        self._go_on(np.arange(self.turn // 4), 1)

    def units(self, what: str, count: int) -> int:
        return count

    def threads(self, units: int) -> int:
        return min(-(-(self.turn % 4 + units) // 4), self.count)

    def take(self, units: int) -> None:
        self.turn = (self.turn + units) % (4 * self.count)

    def draw(self, what: str, count: int) -> np.ndarray:
        made = []
        while count:
            first = self.turn % 4
            taken = min(count, 4 * self.count - first)
            which = (self.turn // 4 + np.arange(-(-(first + taken) // 4))) % self.count
            blocks = 2 if what.endswith("double") else 1
            made.append(self._numbers(what, self._words(which, blocks)).reshape(-1)[first:first + taken])
            self._go_on(which[:(first + taken) // 4], blocks)
            self.take(taken)
            count -= taken
        return np.concatenate(made)

    @staticmethod
    def _numbers(what: str, words: np.ndarray) -> np.ndarray:
        """Make four numbers of the words of each row."""
        if what == "bits":
            return words
        if what == "uniform":
            return uniform(words)
        if what == "uniform_double":
            return _uniform_double(words[:, ::2], words[:, 1::2])
        return _normal(words[:, ::2], words[:, 1::2]) if what == "normal" else _normal_double(*(words[:, each::4] for each in range(4)))

    def _go_on(self, which: np.ndarray, blocks: int) -> None:
        low = self.states[which, 0] + np.uint32(blocks)
        self.states[which, 1] += low < blocks
        self.states[which, 0] = low

    def _words(self, which: np.ndarray, blocks: int) -> np.ndarray:
        """Give the next blocks of some sequences, a sequence a row."""
        states, made = self.states[which].astype("u8"), []
        k0, k1, low = states[:, 4], states[:, 5], np.uint64(0xFFFFFFFF)
        for number in range(blocks):
            begin = states[:, 0] + np.uint64(number)
            made.append(_rounds(begin & low, states[:, 1] + (begin >> np.uint64(32)) & low, states[:, 2], states[:, 3], k0, k1))
        return np.concatenate(made, axis=1)


def _rounds(c0: np.ndarray, c1: np.ndarray, c2: np.ndarray, c3: np.ndarray, k0: np.ndarray, k1: np.ndarray) -> np.ndarray:
    low = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = p1 >> np.uint64(32) ^ c1 ^ k0, p1 & low, p0 >> np.uint64(32) ^ c3 ^ k1, p0 & low
        k0, k1 = k0 + np.uint64(0x9E3779B9) & low, k1 + np.uint64(0xBB67AE85) & low
    return np.stack([c0, c1, c2, c3], axis=1).astype("u4")
