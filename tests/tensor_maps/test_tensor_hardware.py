"""An H200's maps and copies: archdef's are the same, bit for bit."""
import hashlib
import json
import lzma
import struct
from pathlib import Path

import numpy as np
import pytest
from tensor_boxes import WINDOW, compiled, device, run, text

from archdef.errors import GuestFault, LaunchError, RuntimeApiError
from archdef.run import tensor_map
from archdef.run.tensor_map import DRIVER_TYPES, INTERLEAVES, PROMOTIONS, SWIZZLES, Layout, encode_pixels, encode_tiles
from archdef.runtime import cuda

DATA = Path(__file__).parents[1] / "hardware/data/tensor"
MAPS = json.load(lzma.open(DATA / "maps.json.xz"))
COPIES = json.load(lzma.open(DATA / "copies.json.xz"))["cases"]
TENSOR_BYTES, BEFORE = 1 << 18, 4096


def made(pixels, type, address, dims, strides, steps, interleave, swizzle, promotion, fill, last) -> str:
    """Make a map from the driver's arguments; nothing if it is refused."""
    try:
        kinds = (DRIVER_TYPES, INTERLEAVES, SWIZZLES, PROMOTIONS, (False, True))
        numbers = (type, interleave, swizzle, promotion, fill)
        if any(not 0 <= n < len(known) for n, known in zip(numbers, kinds)):
            return ""
        type, interleave, swizzle, promotion, fill = (known[n] for n, known in zip(numbers, kinds))
        layout = Layout(type, address, tuple(dims), tuple(strides), tuple(steps), interleave, swizzle, fill, promotion)
        return (encode_pixels(layout, *last) if pixels else encode_tiles(layout, *last)).hex()
    except LaunchError:
        return ""


def test_maps_are_the_drivers():
    """3,213 calls of the driver, many of which it refuses; interleaved pixels are left out."""
    known = [row for row in MAPS["maps"] if not (row[0] and row[6])]
    assert len(known) > 3200 and sum(bool(row[-1]) for row in known) > 1500
    wrong = [row for row in known if made(*row[:-1])[:152] != row[-1]]
    assert not wrong, wrong[:5]


def test_maps_of_interleaved_pixels_are_refused():
    row = next(row for row in MAPS["maps"] if row[0] and row[6] and row[-1])
    assert made(*row[:-1]) == ""


def test_the_drivers_calls_make_the_same():
    known = [row for row in MAPS["maps"] if not (row[0] and row[6])][::7]
    for pixels, type, address, dims, strides, steps, interleave, swizzle, promotion, fill, last, found in known:
        modes = (interleave, swizzle, promotion, fill)
        try:
            map = (cuda.cuTensorMapEncodeIm2col(type, len(dims), address, dims, strides, *last, steps, *modes) if pixels
                   else cuda.cuTensorMapEncodeTiled(type, len(dims), address, dims, strides, *last, steps, *modes))
        except RuntimeApiError as error:
            assert not found and error.number == 1
        else:
            assert bytes(map).hex()[:152] == found


# ---------------------------------------------------------------------------------------------------------------- changing maps
LISTED = ("box_dim", "global_dim", "global_stride", "element_stride")
WIDE = ("global_address", "global_stride")
CONSTANT = ("elemtype", "interleave_layout", "swizzle_mode", "fill_mode")


def changing(field: str, which, space: str) -> str:
    """Make a kernel that replaces a field of a map in memory."""
    value = str(which) if field in CONSTANT else "%rd3" if field in WIDE else "%r1"
    listed = f"{which}, " if field in LISTED else ""
    type = "b64" if field in WIDE else "b32"
    form = f"tensormap.replace.tile.{field}{space}.b1024.{type}"
    if space != ".shared::cta":
        body = f"{form} [%rd1], {listed}{value};"
    else:
        body = ("mov.u32 %r2, sh;" + "".join(f"ld.global.b64 %rd4, [%rd1+{8 * k}]; st.shared.b64 [%r2+{8 * k}], %rd4;" for k in range(16))
                + f"{form} [%r2], {listed}{value};"
                + "".join(f"ld.shared.b64 %rd4, [%r2+{8 * k}]; st.global.b64 [%rd1+{8 * k}], %rd4;" for k in range(16)))
    return (".version 8.3\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 sh[128];\n.visible .entry k(.param .u64 p, .param .u64 v) {\n"
            ".reg .b64 %rd<5>; .reg .b32 %r<3>;\nld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [v]; cvt.u32.u64 %r1, %rd3;\n" + body + "\nret; }\n")


@pytest.mark.parametrize("space", [".global", ".shared::cta", ""])
def test_a_kernel_changes_maps_as_hardware_does(space):
    wrong = []
    for field, which, base, value, found in MAPS["replaced"][::1 if space == ".global" else 7]:
        data = np.frombuffer(bytes.fromhex(MAPS["base"]) if base == "map" else bytes(128), "u1")
        array = device().to_device(data.copy())
        compiled(changing(field, which, space)).k[1, 1](array, value - (1 << 64) if value >> 63 else value)
        if array.to_host().tobytes().hex() != found:
            wrong.append((field, which, base, value))
        array.free()
    assert not wrong


# ----------------------------------------------------------------------------------------------------------------------- copies
def digest(data: np.ndarray) -> str:
    return hashlib.blake2b(data.tobytes(), digest_size=8).hexdigest()


def copied(case) -> dict:
    """Do on an H100 what an H200 did."""
    source = np.random.default_rng(case["seed"])
    tensor, window = source.integers(0, 256, TENSOR_BYTES, "u1"), source.integers(0, 256, WINDOW, "u1")
    array = device().to_device(tensor)
    try:
        layout = Layout(case["type"], array.address + BEFORE + case["gap"], tuple(case["dims"]), tuple(case["strides"]), tuple(case["estr"]),
                        case["interleave"], case["swizzle"], case["nan"], case["l2"])
        pixels = case["mode"] == "im2col"
        map = (encode_pixels(layout, case["lower"], case["upper"], case["channels"], case["pixels"]) if pixels
               else encode_tiles(layout, case["box"]))
        try:
            found = run(text(len(case["dims"]), pixels, case["action"], case["op"]), map, window, case["coords"], case["offsets"], case["start"],
                        moved(map))
        except GuestFault as fault:
            return {"fault": fault.kind}
        return {"shared": digest(found)} if case["action"] == "load" else {"tensor": digest(array.to_host())}
    finally:
        array.free()


def moved(map: bytes) -> int:
    """Count the bytes of a box, from its map."""
    words = struct.unpack("<32I", map)
    interleave, rank = words[2] >> 11 & 3, (words[2] >> 4 & 7) + 1
    size = 16 * interleave or dict(tensor_map.TYPES.values())[words[2] >> 7 & 15]
    steps = [(words[13] >> 3 * k & 7) + 1 for k in range(rank)]
    if words[2] & 1:
        return size * ((words[13] >> 24) + 1) * (words[15] + 1)
    counts = [(words[13] >> 24) + 1, *((words[14] >> 8 * k & 255) + 1 for k in range(rank - 1))]
    for k in range(rank):
        size *= 1 if interleave and k == rank - 2 else -(-counts[k] // steps[k]) if k or interleave else counts[k]
    return size


@pytest.mark.parametrize("mode, action", [("tile", "load"), ("im2col", "load"), ("tile", "store"), ("tile", "reduce")])
def test_copies_are_the_hardwares(mode, action):
    """221 copies with random maps and what they left, and 213 that an H200 refuses."""
    cases = [case for case in COPIES if (case["mode"], case["action"]) == (mode, action)]
    assert cases
    wrong = []
    for case in cases:
        found = copied(case)
        if found != ({"fault": "tensor_map"} if "fault" in case else {k: case[k] for k in ("shared", "tensor") if k in case}):
            wrong.append((found, case))
    assert not wrong, (len(wrong), wrong[:3])
