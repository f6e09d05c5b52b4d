"""Run the launches of `row_launches` on a GPU and keep what they leave: ``python tests/hardware/measure_launches.py FILE [part of a name …]``.

Needs what `measure.py` needs. A launch that faults ends its process; the next process goes on behind it.
"""
from __future__ import annotations

import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from ctypes import create_string_buffer
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402
from assemble import ptxas  # noqa: E402
from row_launches import fingerprint, launches  # noqa: E402
from outputs import pack  # noqa: E402

from archdef.microbench.driver import LAYERED, SURFACE, Gpu  # noqa: E402
from archdef.ptx import parse  # noqa: E402
from archdef.testing.compare import Launch, Seen  # noqa: E402

CLUSTER = ")\n.explicitcluster .reqnctapercluster 1, 1, 1\n{"
"""Without a cluster of its own a block's stores into the cluster's shared memory are illegal instructions on this hardware."""


def assemble(launch: Launch) -> bytes | str:
    """Give a cubin, or what the assembler says."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "k.ptx"), Path(folder, "k.cubin")
        source.write_text(launch.ptx.replace(")\n{", CLUSTER, 1))
        done = subprocess.run([ptxas(), "-arch=sm_90", "-o", cubin, source], capture_output=True, text=True)
        return done.stderr if done.returncode else cubin.read_bytes()


def texels(array: np.ndarray, seen: Seen) -> tuple[np.ndarray, int]:
    """Give an image with the axes slices, rows, columns and channels of at most 32 bits; and how many axes the array of it has."""
    image = seen.image
    channels = image.channels
    places = array.shape[:-1] if channels > 1 else array.shape
    flat = np.ascontiguousarray(array)
    if flat.itemsize == 8:
        flat, channels = flat.view("u4"), 2 * channels
    axes = len(places) - image.layered
    slices = places[0] if image.layered or axes == 3 else 1
    rest = places[1:] if image.layered or axes == 3 else places
    return flat.reshape(slices, rest[0] if len(rest) == 2 else 1, rest[-1], channels), axes


def run(gpu: Gpu, launch: Launch, cubin: bytes) -> bytes:
    """Run one launch; give its arrays afterwards."""
    arrays = [a for a in launch.arguments if isinstance(a, np.ndarray)]
    seen = {a.array: a for a in launch.arguments if isinstance(a, Seen)}
    images, handles = {}, {}
    for k, how in seen.items():
        data, axes = texels(arrays[k], how)
        images[k] = gpu.array(data, axes=axes, flags=LAYERED * how.image.layered | SURFACE), data
        handles[k] = gpu.surface(gpu.of_array(images[k][0]))
    places = [gpu.send(a) for a in arrays]
    queue, given = iter(places), []
    for argument, parameter in zip(launch.arguments, parse(launch.ptx, "k.ptx").functions[launch.entry].parameters):
        if isinstance(argument, np.ndarray):
            given.append(next(queue))
        elif isinstance(argument, Seen):
            given.append(handles[argument.array])
        else:
            raw = argument if isinstance(argument, bytes) else int(argument).to_bytes(parameter.bytes, "little", signed=argument < 0)
            given.append(create_string_buffer(raw, max(len(raw), 1)))
    gpu.launch(gpu.load(cubin), launch.entry, launch.grid, launch.block, *given, shared_bytes=launch.shared_bytes)
    return b"".join((gpu.read_array(images[k][0], np.empty_like(images[k][1])) if k in images else
                     gpu.fetch(places[k], np.empty_like(np.ascontiguousarray(a)))).tobytes() for k, a in enumerate(arrays))


def run_from(names: list[str], cubins: list[bytes]) -> tuple[dict[str, tuple[int, bytes]], str | None]:
    """Run launches until one faults; give outputs by name and the fault."""
    gpu, got = Gpu(), {}
    for name, cubin in zip(names, cubins):
        launch = launches()[name]
        try:
            got[name] = fingerprint(launch), run(gpu, launch, cubin)
        except RuntimeError as error:
            return got, f"{name}: {error}"
    return got, None


def main(file: str, *parts: str) -> None:
    """Measure and write."""
    wanted = {n: k for n, k in launches().items() if not parts or any(p in n for p in parts)}
    with ThreadPoolExecutor() as pool:
        made = dict(zip(wanted, pool.map(assemble, wanted.values())))
    faults = [f"{name}: {text.strip().splitlines()[0]}" for name, text in made.items() if isinstance(text, str)]
    left, got, where = [name for name in wanted if isinstance(made[name], bytes)], {}, ""
    while left:
        with ProcessPoolExecutor(1) as pool:
            try:
                found, fault = pool.submit(run_from, left, [made[n] for n in left]).result()
                where = where or pool.submit(_where).result()
            except BrokenProcessPool as error:
                found, fault = {}, f"{left[0]}: {error}"
        got |= found
        left = left[len(found) + 1:]
        if fault:
            faults.append(fault)
    Path(file).write_bytes(pack(got, where))
    print(f"{len(got)} launches measured on {where}; {Path(file).stat().st_size} bytes; {len(faults)} without", *faults, sep="\n")


def _where() -> str:
    return Gpu().describe()


if __name__ == "__main__":
    main(*sys.argv[1:])
