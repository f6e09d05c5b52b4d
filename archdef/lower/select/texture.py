"""Builders for texture and surface instructions."""
from __future__ import annotations

from archdef.lower.encoding import (
    COORDINATES,
    Boundary,
    ConstantKind,
    Flag,
    Geometry,
    Kind,
    SurfaceOp,
    TextureOp,
    TextureQuery,
)
from archdef.lower.select.arithmetic import predicate_pair
from archdef.lower.select.selection import Selection, builds, lane_bytes
from archdef.lower.virtual import Const, Value, immediate
from archdef.ptx import ir
from archdef.ptx.table import Match, bits_of

_GEOMETRIES = {"1d": Geometry.G1D, "2d": Geometry.G2D, "3d": Geometry.G3D, "a1d": Geometry.A1D, "a2d": Geometry.A2D,
               "cube": Geometry.CUBE, "acube": Geometry.ACUBE}
_LAYERED = (Geometry.A1D, Geometry.A2D, Geometry.ACUBE)
_QUERIES = {"width": TextureQuery.WIDTH, "height": TextureQuery.HEIGHT, "depth": TextureQuery.DEPTH,
            "array_size": TextureQuery.ARRAY_SIZE, "channel_data_type": TextureQuery.CHANNEL_TYPE,
            "channel_order": TextureQuery.CHANNEL_ORDER, "normalized_coords": TextureQuery.NORMALIZED,
            "num_mipmap_levels": TextureQuery.MIP_LEVELS, "num_samples": TextureQuery.SAMPLES, "memory_layout": TextureQuery.LAYOUT,
            "filter_mode": TextureQuery.FILTER, "addr_mode_0": TextureQuery.ADDRESS_0, "addr_mode_1": TextureQuery.ADDRESS_1,
            "addr_mode_2": TextureQuery.ADDRESS_2, "force_unnormalized_coords": TextureQuery.UNNORMALIZED}
_FARTHEST = range(-8, 8)
"""Texels by which an offset moves a coordinate at most."""


def handle(s: Selection, operand: ir.Operand) -> Value:
    """Give the handle of a texture, sampler or surface: a register's value, or what stands for the reference of that name.

    A reference that a module declares is named by the address of its 64-bit cell; a kernel's parameter holds a handle.
    """
    base = operand.base if isinstance(operand, ir.Address) else operand
    if isinstance(operand, ir.Address) and operand.offset or not isinstance(base, (ir.Register, ir.Symbol)):
        raise s.fault("expected a texture, sampler or surface: a reference's name or a register with a handle")
    if isinstance(base, ir.Register):
        s.need("texture_objects")
        if s.unit.widths[v := s.register(base.name, base.type)] != 8:
            raise s.fault(f"a handle is a 64-bit register, `{base.name}` is a .{base.type}")
        return v
    place = s.layout.find(s.function.name, base.name)
    if place is not None and place[0] == "param":
        s.need("texture_objects")
        return Const(ConstantKind.PARAMETER, 8, place[1])
    if place is None or place[0] != "global":
        raise s.fault(f"`{base.name}` is no texture, sampler or surface reference")
    return s.layout.address(s.function.name, ir.Symbol(base.name), 8)


def _coordinates(s: Selection, operand: ir.Operand, geometry: Geometry, type: str) -> list[Value]:
    elements = list(operand.elements) if isinstance(operand, ir.Vector) else [operand]
    count = COORDINATES[geometry]
    # PTX pads vectors of three to four
    if len(elements) < count or any(e is None for e in elements[:count]):
        raise s.fault(f"this geometry takes {count} coordinates, got {len(elements)}")
    return [s.value(e, "s32" if k == 0 and geometry in _LAYERED else type) for k, e in enumerate(elements[:count])]


def _registers(s: Selection, operand: ir.Operand, count: int, type: str) -> list[int | None]:
    elements = list(operand.elements) if isinstance(operand, ir.Vector) else [operand]
    if len(elements) != count:
        raise s.fault(f"this takes {count} registers, got {len(elements)}")
    found: list[int | None] = []
    for e in elements:
        if e is not None and not isinstance(e, ir.Register):
            raise s.fault("expected a register")
        found.append(None if e is None else s.register(e.name, e.type))
        if e is not None and s.unit.widths[found[-1]] != lane_bytes(type):
            raise s.fault(f"`{e.name}` is a .{e.type}, which does not take a .{type}")
    return found


def _fetch(s: Selection, m: Match, i: ir.Instruction, geometry: Geometry, trailing: int, **fields) -> None:
    """Emit a fetch of handle, perhaps a sampler, coordinates and offsets; `trailing` operands between change nothing."""
    sources = [handle(s, i.operands[1])]
    rest = list(i.operands[2:])
    sampler = None
    if not isinstance(rest[0], ir.Vector) and len(rest) > 1 and isinstance(rest[1], ir.Vector):
        sampler = handle(s, rest.pop(0))
    coordinates = _coordinates(s, rest.pop(0), geometry, m.bound["type2"])
    if len(rest) < trailing:
        raise s.fault(f"`{i.opcode}` lacks its level or gradients")
    offset = _texel_offset(s, rest[trailing:], geometry)
    if sampler is not None and len(coordinates) == 4:
        raise s.unsupported("a layered cubemap with a sampler of its own")
    if geometry in _LAYERED:
        s.need("texture_layered")
    if geometry in (Geometry.CUBE, Geometry.ACUBE):
        s.need("texture_cubemap")
    destinations = _registers(s, i.operands[0], 4, m.bound["type"])
    s.emit(Kind.TEXTURE, int(geometry), destinations, [*sources, *coordinates, *([] if sampler is None else [sampler])],
           m.operation, flags=Flag.SIGNED if m.bound["type2"] == "s32" else 0, offset=offset, **fields)


def _texel_offset(s: Selection, operands: list[ir.Operand], geometry: Geometry) -> int:
    """Give the offsets of x, y, z, a signed byte each, from what stands behind the coordinates."""
    if operands and isinstance(operands[-1], ir.Register) and operands[-1].type == "f32":
        raise s.unsupported("depth comparison: no interface of CUDA sets a sampler's comparison")
    if not operands:
        return 0
    elements = list(operands[0].elements) if isinstance(operands[0], ir.Vector) else [operands[0]]
    count = COORDINATES[geometry] - (geometry in _LAYERED)
    if len(operands) > 1 or len(elements) < count or geometry in (Geometry.CUBE, Geometry.ACUBE):
        raise s.fault(f"{geometry.name.lower().removeprefix('g')} takes {count} texel offsets at most, and no other operand behind it")
    offset = 0
    for k, element in enumerate(elements[:count]):
        known = s.known(element)
        if not isinstance(known, ir.Immediate):
            raise s.unsupported("texel offsets that are not constants")
        value = known.value - (1 << 32) if known.value >> 31 == 1 else known.value
        if value not in _FARTHEST:
            raise s.fault(f"a texel offset must be {_FARTHEST[0]} to {_FARTHEST[-1]}, got {value}")
        offset |= (value & 255) << 8 * k
    return offset


@builds("texture")
def texture(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``tex``. There is one level of detail: a level or gradients change nothing."""
    trailing = {"": 0, "base": 0, "level": 1, "grad": 2}[m.bound["mip"]]
    _fetch(s, m, i, _GEOMETRIES[m.bound["geometry"]], trailing, combine=int(TextureOp.SAMPLE))


@builds("texture_gather")
def gather(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``tld4``."""
    _fetch(s, m, i, _GEOMETRIES[m.bound["geometry"]], 0, combine=int(TextureOp.GATHER),
           element="rgba".index(m.bound["component"]))


@builds("texture_query")
def query(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``txq``, ``suq``."""
    level = [s.value(i.operands[2], "u32")] if len(i.operands) > 2 else []      # there is one level: others have no extent
    s.emit(Kind.TEXTURE, 0, _registers(s, i.operands[0], 1, "b32"), [handle(s, i.operands[1]), *level], m.operation,
           combine=int(TextureOp.QUERY), element=int(_QUERIES[m.bound["query"]]), vec=int(m.fn == "surface"))


@builds("kind_test")
def kind_test(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``istypep``: whether a reference or a handle is of a kind."""
    kind = {"texref": 1, "surfref": 2, "samplerref": 3}[m.bound["kind"]]
    base = i.operands[1].base if isinstance(i.operands[1], ir.Address) else i.operands[1]
    declared = s.module.variables.get(base.name) if isinstance(base, ir.Symbol) else None
    found = s.fresh(4)
    if declared is not None:  # a reference has its kind whatever it is bound to
        is_kind = declared.opaque == m.bound["kind"]
        s.emit(Kind.ALU, "mov_b32", [found], [immediate(kind if is_kind else 0)], "move")
    else:
        s.emit(Kind.TEXTURE, 0, [found], [handle(s, i.operands[1])], m.operation, combine=int(TextureOp.QUERY),
               element=int(TextureQuery.KIND))
    s.emit(Kind.SETP, "eq_u32", [*predicate_pair(s, i.operands[0])], [found, immediate(kind)], "int_compare")


def _surface(s: Selection, m: Match, place: ir.Operand, coordinates: ir.Operand):
    geometry = _GEOMETRIES[m.bound["geometry"]]
    if geometry in _LAYERED:
        s.need("texture_layered")
    type, count = m.bound["type"], int((m.bound.get("vec") or "v1")[1:])
    if bits_of(type) * count > 128:
        raise s.fault(f"at most 16 bytes a thread, got {count} x {bits_of(type) // 8}")
    sources = [handle(s, place), *_coordinates(s, coordinates, geometry, "s32")]
    fields = dict(width=lane_bytes(type), element=bits_of(type) // 8, vec=count,
                  offset=int(Boundary[m.bound["boundary"].upper()]))
    return geometry, type, count, sources, fields


@builds("surface_load")
def surface_load(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``suld.b``."""
    geometry, type, count, sources, fields = _surface(s, m, i.operands[1], i.operands[2])
    s.emit(Kind.SURFACE, int(geometry), _registers(s, i.operands[0], count, type), sources, m.operation,
           combine=int(SurfaceOp.LOAD), **fields)


@builds("surface_store")
def surface_store(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``sust.b``."""
    geometry, type, count, sources, fields = _surface(s, m, i.operands[0], i.operands[1])
    values = i.operands[2].elements if isinstance(i.operands[2], ir.Vector) else (i.operands[2],)
    if len(values) != count or any(v is None for v in values):
        raise s.fault(f"this store takes {count} values, got {len(values)}")
    s.emit(Kind.SURFACE, int(geometry), [], [*sources, *(s.value(v, type) for v in values)], m.operation,
           combine=int(SurfaceOp.STORE), **fields)


@builds("surface_formatted")
def surface_formatted(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``sust.p``: registers of 32 bits become texels of the surface's format."""
    geometry, _, count, sources, fields = _surface(s, m, i.operands[0], i.operands[1])
    values = i.operands[2].elements if isinstance(i.operands[2], ir.Vector) else (i.operands[2],)
    if len(values) != count or any(v is None for v in values):
        raise s.fault(f"this store takes {count} values, got {len(values)}")
    s.emit(Kind.SURFACE, int(geometry), [], [*sources, *(s.value(v, "b32") for v in values)], m.operation,
           combine=int(SurfaceOp.STORE_FORMATTED), **fields)


@builds("surface_reduce")
def surface_reduce(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``sured``: of bytes, or of whole texels, whose format says in what order they are."""
    s.need("atomics_global_64" if bits_of(m.bound["type"]) == 64 else "atomics_global")
    geometry, type, _, sources, fields = _surface(s, m, i.operands[0], i.operands[1])
    value = i.operands[2].elements[0] if isinstance(i.operands[2], ir.Vector) else i.operands[2]
    by_format = bool(m.bound.get("extreme"))
    s.emit(Kind.SURFACE, int(geometry), [], [*sources, s.value(value, type)], m.operation, target=m.fn,
           combine=int(SurfaceOp.REDUCE if m.bound["raw"] == "b" else SurfaceOp.REDUCE_FORMATTED),
           flags=Flag.SIGNED if by_format else 0, **fields)
