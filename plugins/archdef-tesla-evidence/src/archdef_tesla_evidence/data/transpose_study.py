"""The eight kernels of the transpose study, as its first column times them: one pass per launch."""
from pathlib import Path

from archdef.examples import Case, Input, Output, Workload

TILE = 32


def inside_tiles(matrix):
    """Transpose every tile where it stands."""
    side = matrix.shape[0] // TILE
    return matrix.reshape(side, TILE, side, TILE).transpose(0, 3, 2, 1).reshape(matrix.shape).copy()


def tiles_only(matrix):
    """Move every tile to its transposed place."""
    side = matrix.shape[0] // TILE
    return matrix.reshape(side, TILE, side, TILE).transpose(2, 1, 0, 3).reshape(matrix.shape).copy()


EXPECTED = {
    "copy": lambda m: m, "copy_shared": lambda m: m, "naive": lambda m: m.T.copy(), "coalesced": lambda m: m.T.copy(),
    "conflict_free": lambda m: m.T.copy(), "fine_grained": inside_tiles, "coarse_grained": tiles_only, "diagonal": lambda m: m.T.copy()}


def cases(size, random, architecture, passes=1):
    """Launch the eight kernels on a `size` x `size` matrix of floats."""
    matrix = random.random((size, size), dtype="f4")
    for kernel, expected in EXPECTED.items():
        yield Case(kernel, (size // TILE, size // TILE), (TILE, 8), (Output(expected(matrix)), Input(matrix), size, size, passes),
                   2 * matrix.nbytes * passes)


WORKLOAD = Workload("transpose_study", "matrix transposes of Ruetsch and Micikevicius 2009",
                    Path(__file__).with_name("transpose_study.cu"), cases, size=2048, multiple=TILE, size_means="rows and columns")
