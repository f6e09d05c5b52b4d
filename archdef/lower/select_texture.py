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
from archdef.lower.select import Selection, builds, lane_bytes
from archdef.lower.virtual import Const, Value
from archdef.ptx import ir
from archdef.ptx.table import Match, bits_of

_GEOMETRIES = {"1d": Geometry.G1D, "2d": Geometry.G2D, "3d": Geometry.G3D, "a1d": Geometry.A1D, "a2d": Geometry.A2D,
               "cube": Geometry.CUBE, "acube": Geometry.ACUBE}
_LAYERED = (Geometry.A1D, Geometry.A2D, Geometry.ACUBE)
_QUERIES = {"width": TextureQuery.WIDTH, "height": TextureQuery.HEIGHT, "depth": TextureQuery.DEPTH,
            "array_size": TextureQuery.ARRAY_SIZE, "channel_data_type": TextureQuery.CHANNEL_TYPE,
            "channel_order": TextureQuery.CHANNEL_ORDER, "normalized_coords": TextureQuery.NORMALIZED,
            "num_mipmap_levels": TextureQuery.MIP_LEVELS, "num_samples": TextureQuery.SAMPLES}


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
    """Emit a fetch of handle, perhaps a sampler, and coordinates; `trailing` operands behind change nothing."""
    sources = [handle(s, i.operands[1])]
    rest = list(i.operands[2:])
    sampler = None
    if not isinstance(rest[0], ir.Vector) and len(rest) > 1 and isinstance(rest[1], ir.Vector):
        sampler = handle(s, rest.pop(0))
    coordinates = _coordinates(s, rest.pop(0), geometry, m.bound["type2"])
    if len(rest) != trailing:
        raise s.unsupported("texel offsets and depth comparison")
    if sampler is not None and len(coordinates) == 4:
        raise s.unsupported("a layered cubemap with a sampler of its own")
    if geometry in _LAYERED:
        s.need("texture_layered")
    if geometry in (Geometry.CUBE, Geometry.ACUBE):
        s.need("texture_cubemap")
    destinations = _registers(s, i.operands[0], 4, m.bound["type"])
    s.emit(Kind.TEXTURE, int(geometry), destinations, [*sources, *coordinates, *([] if sampler is None else [sampler])],
           m.operation, flags=Flag.SIGNED if m.bound["type2"] == "s32" else 0, **fields)


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


def _surface(s: Selection, m: Match, place: ir.Operand, coordinates: ir.Operand):
    geometry = _GEOMETRIES[m.bound["geometry"]]
    if geometry in _LAYERED:
        s.need("texture_layered")
    type, count = m.bound["type"], int((m.bound["vec"] or "v1")[1:])
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
