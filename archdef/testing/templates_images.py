"""Kernels around one texture or surface instruction."""
from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from archdef.testing import values
from archdef.testing.compare import Launch, Seen
from archdef.testing.reference import Image
from archdef.testing.reference.types import width
from archdef.testing.templates import BLOCKS, THREADS, base, kernel, register, template

if TYPE_CHECKING:
    from archdef.testing.forms import Form

COUNT = THREADS * BLOCKS
WORDS = {"1d": "x", "2d": "xy", "3d": "xyzz", "a1d": "lx", "a2d": "lxyy", "cube": "xyzz", "acube": "lxyz"}
"""Geometry → coordinates as PTX lists them: l a layer, and vectors of three padded to four."""
SHAPES = {"1d": (23,), "2d": (7, 11), "3d": (3, 5, 6), "a1d": (4, 9), "a2d": (3, 5, 7), "cube": (6, 5, 5), "acube": (12, 4, 4)}
PARAMETERS = ".param .u64 in, .param .u64 out, .param .u64 image, .param .u64 seen"


def _texels(source: random.Random, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Fill an image; floats are finite, because which NaN a mean gives is nobody's promise."""
    rng = np.random.default_rng(source.getrandbits(32))
    if dtype[0] == "f":
        return (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def _floats(source: random.Random, size: int, normalized: bool, edges: bool = True) -> np.ndarray:
    """Draw coordinates in and around an axis; on borders and centres of texels, and special ones."""
    rng = np.random.default_rng(source.getrandbits(32))
    x = rng.uniform(-1.5, 2.5, COUNT) * (1 if normalized else size)
    step = 512 * (size if normalized else 1)
    x = np.where(rng.random(COUNT) < 0.3, np.round(x * step) / step, x).astype("f4")
    special = np.array([0, -0.0, 0.5, 1, 1.5, -1e-9, 0.5019531, 1e-40, 1e9, -3e38, np.inf, -np.inf, np.nan, 0.99999994], "f4")
    return np.where(edges & (rng.random(COUNT) < 0.1), rng.choice(special, COUNT), x).astype("f4")


def _integers(source: random.Random, low: int, high: int, step: int = 1) -> np.ndarray:
    return np.array([source.randint(low, high) * step for _ in range(COUNT)], "i4")


def _launch(form: Form, columns: list[np.ndarray], loads: list[str], text: str, results: list[tuple[str, str]], image: np.ndarray,
            seen: Image) -> Launch:
    """Make a kernel that loads columns of 4 bytes, executes a text that finds the handle in %rd1, and stores registers."""
    body = base("%rd30", "in", 4 * max(1, len(columns))) + base("%rd31", "out", 32) + "    ld.param.u64 %rd1, [seen];\n"
    body += "".join(f"    ld.global.b32 {name}, [%rd30+{4 * k}];\n" for k, name in enumerate(loads)) + f"    {text};\n"
    at = 0
    for type, name in results:
        body += f"    st.global.b{max(16, width(type))} [%rd31+{at}], {name};\n"
        at += 8 if width(type) == 64 else 4
    data = np.stack([c.view("u4") for c in columns], 1) if columns else np.zeros((COUNT, 1), "u4")
    return Launch(kernel(body, PARAMETERS), (np.ascontiguousarray(data), np.zeros((COUNT, 4), "u8"), image, Seen(2, seen)),
                  (BLOCKS,), (THREADS,))


def _coordinates(source: random.Random, geometry: str, seen: Image, shape: tuple[int, ...], type: str) -> tuple[list, list, str]:
    """Draw coordinates; give columns, the registers that they are loaded into, and the operand."""
    columns, loads, names = [], [], []
    layered = geometry[0] == "a"
    axes = shape[1:] if layered or "cube" in geometry else shape
    for letter in dict.fromkeys(WORDS[geometry]):
        size = shape[0] if letter == "l" else 2 if "cube" in geometry else axes[::-1]["xyz".index(letter)]
        if letter == "l":
            columns.append(_integers(source, -1, size // (6 if "cube" in geometry else 1) + 1))
        elif type == "f32":
            columns.append(_floats(source, size, seen.normalized, edges="cube" not in geometry))
        else:
            columns.append(_integers(source, -2, size + 1))
        names.append(register("b32" if letter == "l" or type != "f32" else "f32", len(names) + 1))
        loads.append(names[-1])
    padded = [*names, *names[-1:] * (len(WORDS[geometry]) - len(names))]
    return columns, loads, "{" + ", ".join(padded) + "}"


@template("texture", "texture_gather")
def texture(form: Form) -> Launch:
    """Fetches by coordinates in and around a texture, whose format, filter and address modes hang on the form."""
    source, geometry, (to, type) = random.Random(form.seed), form.bound["geometry"], form.types
    shape, gathers, cube = SHAPES[geometry], form.row.builder == "texture_gather", "cube" in geometry
    read = source.choice(["element", "normalized_float"]) if to == "f32" else "element"
    dtype = source.choice(["u1", "i1", "u2", "i2"]) if read != "element" else source.choice(["f2", "f4"]) if to == "f32" else (
        source.choice(["u1", "u2", "u4"]) if to == "u32" else source.choice(["i1", "i2", "i4"]))
    channels, filters = source.choice([1, 2, 4]), type == "f32" and to == "f32" and not gathers
    seen = Image(channels=channels, layered=geometry[0] == "a", cube=cube, read=read,
                 filter=source.choice(["point", "linear", "linear"]) if filters else "point",
                 normalized=cube or type == "f32" and source.random() < 0.5,
                 modes=tuple(source.choice(["clamp", "wrap", "mirror", "border"]) for _ in range(3)) if not cube else ("clamp",) * 3)
    columns, loads, operand = _coordinates(source, geometry, seen, shape, type)
    behind = {"level": ", %f10" if type == "f32" else ", %r10", "grad": ", {0}, {0}"}.get(form.bound.get("mip", ""), "")
    if "{0}" in behind:
        axes = {"1d": "%f10", "a1d": "%f10", "2d": "{%f10, %f10}", "a2d": "{%f10, %f10}"}.get(geometry, "{%f10, %f10, %f10, %f10}")
        behind = behind.replace("{0}", axes)
    kind = "f32" if to == "f32" else "b32"
    found = [register(kind, 11 + k) for k in range(4)]
    prepare = "mov.f32 %f10, 0f00000000; mov.b32 %r10, 0; " if behind else ""
    text = f"{prepare}{form.name} {{{', '.join(found)}}}, [%rd1, {operand}]{behind}"
    image = _texels(source, (*shape, channels) if channels > 1 else shape, dtype)
    return _launch(form, columns, loads, text, [(kind, name) for name in found], image, seen)


@template("texture_query")
def texture_query(form: Form) -> Launch:
    """Of an image with three axes, or with layers where they are asked for."""
    layered, surface = form.bound["query"] == "array_size", form.row.opcode == "suq"
    shape = SHAPES["a2d" if layered else "3d"]
    level = ", 0" if "level" in form.modifiers else ""
    seen = Image(surface=surface, layered=layered, channels=4, normalized=not surface)
    return _launch(form, [], [], f"{form.name} %r10, [%rd1]{level}", [("b32", "%r10")],
                   np.zeros((*shape, 4), "u1"), seen)


@template("kind_test")
def kind_test(form: Form) -> Launch:
    """Of a texture's or surface's handle, and of what is none."""
    seen = Image(surface=form.bound["kind"] == "surfref")
    text = f"{form.name} %p1, %rd1; {form.name} %p2, %rd30; selp.u32 %r10, 1, 0, %p1; selp.u32 %r11, 1, 0, %p2"
    return _launch(form, [], [], text, [("b32", "%r10"), ("b32", "%r11")], np.zeros((4, 4), "u4"), seen)


@template("surface_formatted", "surface_reduce")
def surface_texels(form: Form) -> Launch:
    """Each thread's own texel, of a format that the form picks; beyond the borders too where nothing comes of it."""
    source, geometry, type = random.Random(form.seed), form.bound["geometry"], form.types[0]
    stores, layered = form.row.opcode == "sust", geometry[0] == "a"
    count = int((form.bound.get("vec") or "v1")[1:])
    texels = stores or "p" in form.modifiers
    dtype = source.choice(["u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4"]) if stores else source.choice("ui") + str(min(4, width(type) // 8))
    channels = source.choice([1, 2, 4]) if stores else width(type) // 32
    shape = {"1d": (COUNT,), "2d": (COUNT // 6, 6), "3d": (COUNT // 24, 4, 6), "a1d": (COUNT // 6, 6), "a2d": (COUNT // 24, 4, 6)}[geometry]
    axes = [np.arange(COUNT, dtype="i4") // int(np.prod(shape[k + 1:])) % shape[k] for k in range(len(shape))]
    if form.bound["boundary"] == "zero":
        axes[-1] = np.where(np.arange(COUNT) % 7 == 3, -1 - axes[-1], axes[-1]).astype("i4")
    texel = np.dtype(dtype).itemsize * channels
    columns = [axes[-1] if texels else axes[-1] * np.int32(texel), *axes[-2::-1]]
    if layered:
        columns = [columns[-1], *columns[:-1]]
    names = [register("b32", k + 1) for k in range(len(columns))]
    padded = [*names, *names[-1:] * (len(WORDS[geometry]) - len(names))]
    wide = width(type) == 64
    data = values.rows(form.seed, ["f32" if dtype[0] == "f" else "b64" if wide else "b32"] * count, COUNT)
    for k in range(count):
        for half in range(2 if wide else 1):
            columns.append(np.array([row[k] >> 32 * half & 0xFFFFFFFF for row in data], "u4").view("i4"))
            names.append(register("b32", 6 + 2 * k + half))
    sources = [register(type, 20 + k) if wide else f"%r{16 + k}" for k in range(count)]
    fill = "; ".join(f"mov.b64 {s}, {{%r{6 + 2 * k}, %r{7 + 2 * k}}}" if wide else f"mov.b32 {s}, %r{6 + 2 * k}" for k, s in enumerate(sources))
    image = _texels(source, (*shape, channels) if channels > 1 else shape, dtype)
    listed = "{" + ", ".join(sources) + "}" if stores else sources[0]
    text = f"{fill}; {form.name} [%rd1, {{{', '.join(padded)}}}], {listed}"
    return _launch(form, columns, names, text, [], image, Image(surface=True, layered=layered, channels=channels))


@template("surface_load", "surface_store")
def surface(form: Form) -> Launch:
    """Each thread's own place, so that stores do not meet; beyond the borders too, but where that ends the kernel."""
    source, geometry, type = random.Random(form.seed), form.bound["geometry"], form.types[0]
    count, loads_it = int((form.bound["vec"] or "v1")[1:]), form.row.opcode == "suld"
    size, layered = width(type) // 8 * count, geometry[0] == "a"
    axes = {"1d": (COUNT,), "2d": (COUNT // 6, 6), "3d": (COUNT // 24, 4, 6), "a1d": (COUNT // 6, 6), "a2d": (COUNT // 24, 4, 6)}[geometry]
    image = np.frombuffer(source.randbytes(COUNT * size), "u1").reshape(*axes[:-1], axes[-1] * size).copy()
    out = 0 if form.bound["boundary"] == "trap" else 1
    step, row, slice = ([0] * COUNT for _ in range(3))
    for t in range(COUNT):
        place = t
        step[t], place = place % axes[-1], place // axes[-1]
        if len(axes) > 1:
            row[t], place = place % axes[-2], place // axes[-2]
        slice[t] = place
        if out and source.random() < 0.2 and (loads_it or form.bound["boundary"] == "zero"):
            step[t] += source.choice([-1, 1]) * axes[-1]
    if layered and len(axes) == 2:
        columns = [row, [x * size for x in step]]
    elif layered:
        columns = [slice, [x * size for x in step], row]
    else:
        columns = [[x * size for x in step], row, slice][:len(axes)]
    columns = [np.array(c, "i4") for c in columns]
    names = [register("b32", k + 1) for k in range(len(columns))]
    padded = [*names, *names[-1:] * (len(WORDS[geometry]) - len(names))]
    place = "[%rd1, {" + ", ".join(padded) + "}]"
    values = [register(type, 10 + k) for k in range(count)]
    operand = "{" + ", ".join(values) + "}"
    if loads_it:
        return _launch(form, columns, names, f"{form.name} {operand}, {place}", [(type, v) for v in values], image,
                       Image(surface=True, layered=layered))
    fill = "; ".join(f"mad.lo.s32 %r6, %r23, 1103515245, {12345 + k}; "
                     + (f"mov.b64 {v}, {{%r6, %r23}}" if width(type) == 64 else f"cvt.u16.u32 {v}, %r6" if width(type) < 32
                        else f"mov.b32 {v}, %r6") for k, v in enumerate(values))
    return _launch(form, columns, names, f"{fill}; {form.name} {place}, {operand}", [], image, Image(surface=True, layered=layered))
