"""Products of two sparse matrices: all products of elements are made, sorted by where they belong, and summed."""
from __future__ import annotations

import attrs

from archdef.exec.calls import Int, Thread
from archdef.exec.libraries.cusparse.descriptions import SparseMatrix
from archdef.exec.libraries.cusparse.handles import Sparse, answers, factors, run_for_each, same, sparse, straight, typed, word
from archdef.exec.libraries.cusparse.sorting import WORD_BYTES, Sorted, add_up, put_starts, read_number, sort
from archdef.exec.libraries.library import give, present, say_bytes
from archdef.runtime.status import Refusal


@attrs.define(eq=False)
class SparseProduct:
    """What the functions that make a product step by step tell each other."""

    ends: int = 0
    """Where the device has how many products all elements of A up to each make."""
    products: int | None = None
    """None: not yet counted."""
    sums: Sorted | None = None
    """Where the device has the keys of the elements of C, in order, and these."""


@attrs.frozen
class _Room:
    """The memory that a program gives for the products."""

    address: int
    products: int
    value_bytes: int

    def part(self, number: int) -> int:
        """Give the address of the keys, places, other keys, other places (0 to 3), counts (4) and values (5)."""
        return self.address + WORD_BYTES * (number * self.products + (number > 4))

    @property
    def nbytes(self) -> int:
        return self.part(5) + self.value_bytes * self.products - self.address


@attrs.frozen
class _Step:
    """One call: its handle, its matrices, and what came before."""

    found: Sparse
    a: SparseMatrix
    b: SparseMatrix
    c: SparseMatrix
    state: SparseProduct

    def counted(self) -> int:
        """Give the number of products. Raises Refusal if the step that counts them has not been taken."""
        if self.state.products is None:
            raise Refusal("InvalidValue", "cusparseSpGEMM_workEstimation comes first, with memory")
        return self.state.products

    def room(self, address: int) -> _Room:
        """Give what the products need, at an address."""
        return _Room(address, self.counted(), self.c.real.nbytes)


def _step(thread: Thread, handle: int, of_a: int, of_b: int, matrices: tuple[int, int, int], kind: int, algorithm: int, state: int) -> _Step:
    a, b, c = (thread.session.thing(each, SparseMatrix) for each in matrices)
    found = _Step(sparse(thread, handle), a, b, c, thread.session.thing(state, SparseProduct))
    straight(of_a)
    straight(of_b)
    same(a.real, b.real, c.real, typed(kind))
    if not 0 <= algorithm <= 5:
        raise Refusal("InvalidValue", f"no algorithm {algorithm}")
    if a.by_element or b.by_element or c.by_element:
        raise Refusal("NotSupported", "products of sparse matrices by elements: those by rows are there")
    if a.batches > 1 or b.batches > 1 or c.batches > 1:
        raise Refusal("NotSupported", "products of several pairs of sparse matrices in one call")
    if (a.rows, a.columns, b.columns) != (c.rows, b.rows, c.columns):
        raise Refusal("InvalidValue", f"{a.rows} x {a.columns} times {b.rows} x {b.columns} into {c.rows} x {c.columns}")
    a.placed()
    b.placed()
    return found


@answers("cusparseSpGEMM_createDescr")
def create(thread: Thread, out: int) -> None:
    """Begin a product."""
    give(thread, out, SparseProduct())


@answers("cusparseSpGEMM_destroyDescr")
def destroy(thread: Thread, state: int) -> None:
    """Give it up."""
    thread.session.thing(state, SparseProduct)
    thread.session.forget(state)


@answers("cusparseSpGEMM_workEstimation")
def count_products(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, beta: int, c: int, kind: Int, algorithm: Int, state: int,
                   size: int, buffer: int) -> None:
    """Count the products of elements, or say how much memory that needs."""
    step = _step(thread, handle, of_a, of_b, (a, b, c), kind, algorithm, state)
    present(size=size)
    counts = step.a.count + 1
    if not buffer:
        say_bytes(thread, size, WORD_BYTES * counts)
        return
    _enough(thread, size, WORD_BYTES * counts)
    run_for_each(thread, step.found, step.a.real, "product_counts", counts, step.a.packed(), step.b.packed(), word(buffer))
    add_up(thread, step.found, step.a.real, counts, buffer)
    products = read_number(thread, step.found, buffer + WORD_BYTES * step.a.count)
    if products < 0:
        raise Refusal("InvalidValue", "rows that do not begin one behind the other")
    step.state.ends, step.state.products, step.state.sums = buffer, products, None


def _enough(thread: Thread, size: int, needed: int) -> None:
    given = int.from_bytes(thread.memory.get(size, WORD_BYTES), "little")
    if given < needed:
        raise Refusal("LaunchOutOfResources", f"{given} bytes are given, {needed} needed")


@answers("cusparseSpGEMM_getNumProducts")
def product_count(thread: Thread, state: int, out: int) -> None:
    """Say how many products of elements there are."""
    present(products=out)
    found = thread.session.thing(state, SparseProduct)
    if found.products is None:
        raise Refusal("InvalidValue", "cusparseSpGEMM_workEstimation comes first, with memory")
    thread.memory.put_word(out, found.products)


@answers("cusparseSpGEMM_estimateMemory")
def product_size(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, beta: int, c: int, kind: Int, algorithm: Int, state: int,
                 size: int, buffer: int, compute_size: int) -> None:
    """Say how much memory the products need. They are made all at once, so that the part of them that the program names means nothing."""
    step = _step(thread, handle, of_a, of_b, (a, b, c), kind, algorithm, state)
    if buffer:
        present(size_to_compute=compute_size)
        say_bytes(thread, compute_size, step.room(0).nbytes)
    else:
        present(size=size)
        step.counted()
        thread.memory.put_word(size, WORD_BYTES)


@answers("cusparseSpGEMM_compute")
def multiply(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, beta: int, c: int, kind: Int, algorithm: Int, state: int,
             size: int, buffer: int) -> None:
    """Make the elements of A B, and count them, or say how much memory that needs."""
    step = _step(thread, handle, of_a, of_b, (a, b, c), kind, algorithm, state)
    room, real, found = step.room(buffer), step.c.real, step.found
    present(size=size)
    if not buffer:
        say_bytes(thread, size, room.nbytes)
        return
    _enough(thread, size, room.nbytes)
    products, counts, values = room.products, room.part(4), room.part(5)
    of, free = Sorted(room.part(0), room.part(1)), Sorted(room.part(2), room.part(3))
    if products:
        run_for_each(thread, found, real, "products", products, step.a.packed(), step.b.packed(), word(products), word(step.state.ends), *map(word, of),
                     word(values))
        of, free = sort(thread, found, real, products, of, free)
    run_for_each(thread, found, real, "distinct", products + 1, word(products), word(of.keys), word(counts))
    add_up(thread, found, real, products + 1, counts)
    if products:
        run_for_each(thread, found, real, "sums", products, word(products), *map(word, of), word(values), word(counts), *map(word, free))
    step.c.count = read_number(thread, found, counts + WORD_BYTES * products)
    step.state.sums = free


@answers("cusparseSpGEMM_copy")
def put_product(thread: Thread, handle: int, of_a: Int, of_b: Int, alpha: int, a: int, b: int, beta: int, c: int, kind: Int, algorithm: Int,
                state: int) -> None:
    """C = alpha A B + beta C, of which `multiply` has made the product."""
    step = _step(thread, handle, of_a, of_b, (a, b, c), kind, algorithm, state)
    sums, c_ = step.state.sums, step.c
    if sums is None:
        raise Refusal("InvalidValue", "cusparseSpGEMM_compute comes first, with memory")
    by, old = factors(thread, step.found, c_.real, alpha, beta)
    c_.placed()
    if c_.rows:
        put_starts(thread, step.found, c_, c_.count, sums.keys, c_.columns)
    if c_.count:
        run_for_each(thread, step.found, c_.real, "put_sums", c_.count, *map(word, sums), by, old, c_.packed())
