"""What becomes of a field that is given another value: it shows in a probe, or it is refused, or nobody notices."""
from __future__ import annotations

import functools
from fnmatch import fnmatchcase

import attrs
from assembled import DOES_MUCH
from probes import PAGE_WALKS, PROBE_KINDS, _device, _launched, crowd, names, step_on, steps_of, taken, used_by
from variants import Variant, variants

from archdef import registry
from archdef.errors import ArchdefError
from archdef.pack import machine_tables
from archdef.testing.checks.features import forms_that_need

CARVED = tuple(f"{lines} lines each beside {kib} KiB" for lines in (3, 4, 5) for kib in (2, 8, 30, 72))
PAGES = tuple(f"pages by {name}" for name in PAGE_WALKS)
FIRST = {  # beginning of a path → probes that are most likely to notice
    "host_link.mapped": ("accesses over links", "properties"), "host_link.peer.": ("accesses over links",),
    "limits.carveout_headroom": CARVED, "caches.unified_l1_shared": CARVED, "caches.carveout_takes": CARVED, "limits.": ("limits", "properties",
                                                                                                                             "private memory",
                                                                                                                             "most shared memory", "residency",
                                                                                                                             "banks in many blocks"),
                                                                                                                             "host_link.": ("host",
                                                                                                                                            "properties"),
    "chip.block_launch.dispatch": ("places of blocks",), "chip.": ("chains in many blocks", "in turn", "sample stream", "launches", "properties"),
    "clocks.": ("sample stream", "properties"), "schedulers.": ("chains in many blocks", "reduction"), "units.": ("chains in many blocks", "matmul", "doubles beside all", "textures beside all", "textures beside all in many blocks", "doubles beside all in many blocks",
                                                     "products in many warps", "large products in many warps", "one warp of doubles", "one warp of textures", "doubles and textures", "doubles and textures in many blocks"),
    "shared.": ("banks", "banks in many blocks", "sample shared", "matmul"), "coalescing.": ("copy from a middle", "gather", "gather and store bytes", "transpose"),
    "caches.tlb": PAGES, "caches.l1": ("gather by L1", "loads by 192 bytes of 48 KiB", "loads by 192 bytes of 96 KiB", "lines of one set", "lines again", "gather", "store and read back", "loads near", "loads spread near", "gather beside shared memory"), "caches.l2": ("gather", "store and read back", "loads far", "loads spread"),
    "caches.constant_uniform": ("constants of warps, 320 bytes", "constants of warps, 512 bytes", "constants of warps, 4096 bytes"), "caches.constant_": ("constants of warps, 4096 bytes",),
    "caches.constant": ("lanes of constants", "lanes of constants by one warp", "all constants", "constants just beyond 32 KiB", "constants", "one warp of constants", "sample constants", "constants near", "constants far"), "caches.texture_tile": ("fetches from a plane",), "caches.texture": ("textures", "textures in 7 KiB", "textures in 20 KiB", "textures far", "one warp of textures"),
    "caches.instruction": ("straight code", "code of many", "code", "code far", "sample floats"), "caches.": ("straight code", "sample stream"),
    "load_store.bulk_": ("bulk copies",), "units.tma": ("bulk copies", "bulk copies beside all"),
    "load_store.replay": ("lines of one set of four", "lines of one set of four beside 72 KiB", *CARVED), "load_store.": ("stores in a row",
                                                                                                                                              "gather",
                                                                                                                                              "store and read back", "add to words", "copy"), "interconnect.": ("gather", "add to words", "store and read back", "copy"),
    "dram.": ("gather", "copy", "store and read back"), "device_launches": ("feature dynamic_parallelism", "launched by kernels"), "block_clusters": ("clusters",),
    "texture": ("feature texture", "textures"), **{f"isa.matrix.{kind}": (f"products of {type}",) for kind, type in (("bf16", "bf16"), ("tf32", "tf32"), ("fp8", "e4m3"), ("f16", "f16"))}, "isa.matrix": ("matrix numbers", *(name for name in PROBE_KINDS if name.startswith("feature matrix"))),
    "texture.": ("filtered",), "isa.assembler.": ("assembled", "assembled for debugging"), "isa.serial_match": ("matches",), "isa.warpgroup": ("products of f16", "feature matrix_warpgroup", "feature matrix_fp8"), "warp.": ("sample divergent", "limits"),
    "isa.float_mad": ("form mad.f32", "form mad.rn.f32", "form mad.ftz.f32"),
    "isa.": ("sample floats", "sample stream", "matmul", "reduction", "transpose")}


SLOW = {**dict.fromkeys(PAGES, ("caches.tlb",)), **dict.fromkeys(CARVED, ("caches.", "limits.", "load_store.")), **{f"products of {type}": ("isa.", "units.", "shared.") for type in ("tf32", "bf16", "e4m3", "f16")}, "code far": ("caches.", "isa."), "code": ("caches.", "isa."), "straight code": ("caches.", "isa.", "schedulers."), "code of many": ("caches.", "isa.", "schedulers.")}
"""Probe that takes long → beginnings of the paths of which it can tell anything."""
OUTSIDE = ("limits", "properties", "most shared", "host", "accesses over links", "clusters", "in turn", "private", "launched by", "surfaces", "matrix numbers", "many print", "residency", "sample", "issued", "assembled", "feature", "matmul", "reduction",
           "filtered", "launches", "form", "products", "large products")
"""Beginnings of probes that show what is decided outside the engine: these alone can tell machines apart that give the engine the same numbers."""


OF_CLASS = {"load_global": ("pairs", "pairs of all"), "atomic_global": ("atomics of lanes", "floats to one word"), "load_local": ("arrays of threads", "sample local", "private memory"), "store_local": ("sample local", "private memory"),
           "load_surface": ("surfaces",), "store_surface": ("surfaces",),
           "load_texture": ("feature texture", "fetches from a plane", "textures beside all"), "system_call": ("many print", "feature device_print", "feature device_heap")}
"""Class of operation that small kernels of one instruction may not show → probes that use it."""


@attrs.frozen
class Verdict:
    """What one path's variants came to."""

    path: str
    changed: int
    """Variants that a probe noticed."""
    refused: int
    unseen: tuple[Variant, ...]
    """Variants that count, and that nobody noticed or refused."""


@functools.cache
def base(name: str, probe: str):
    """What a probe sees of the machine as it is declared."""
    return PROBE_KINDS[probe](registry.get(name))


@functools.cache
def _of_class(name: str, operation: str, form: str, which: int):
    return _launched(registry.get(name), used_by(registry.get(name))[operation, form][which])


_noticed: dict[str, str] = {}
"""Last part of a path → the probe that noticed it last, on whatever machine: it is asked first."""


def sees(name: str, changed, path: str, thorough: bool = True) -> str | None:
    """Name the first probe that sees the change, out of those that are likely to unless it is to be `thorough`; None: none does."""
    segments = path.split(".")
    if _is_cost(segments):
        return _sees_cost(name, changed, segments)
    key = ".".join(segments[:2]) if segments[0] != "units" else segments[-1]
    likely = [_noticed[key]] if key in _noticed else []
    likely += [probe for start, probes in sorted(FIRST.items(), key=lambda item: -len(item[0])) if path.startswith(start) for probe in probes]
    rest = [probe for probe in PROBE_KINDS if thorough and path.startswith(SLOW.get(probe, ""))]
    if thorough and machine_tables(registry.get(name)) == machine_tables(changed):
        likely = rest = [probe for probe in rest if probe.startswith(OUTSIDE)]
    for probe in dict.fromkeys([*likely, *rest]):
        if PROBE_KINDS[probe](changed) != base(name, probe):
            _noticed[key] = probe
            return probe
    return None


def _sees_cost(name, changed, segments):
    """As `sees`, for what an operation costs: of the kernels that use it, those are launched that the machine now issues something else for."""
    declared = registry.get(name)
    operation, form = (segments[2], "") if segments[1] == "operations" else (declared.isa.forms[segments[2]].operation, segments[2])
    launches = used_by(declared).get((operation, form), [])
    launched = 0
    for which, launch in enumerate(launches[:24]):
        if launched < 4 and _issued_alone(changed, launch) != _issued_of(name, operation, form, which):
            launched += 1
            if _launched(changed, launch) != _of_class(name, operation, form, which):
                return f"{operation} {form} kernel {which}"
    for steps in _crowds(declared, changed, operation, form):
        if crowd(*steps)(changed) != _of_crowd(name, steps):
            return f"{' beside '.join(steps)} in many warps"
    for probe in (*OF_CLASS.get(operation, ()), "chains in many blocks", "banks in many blocks", "add to words", "sample floats", "constants", "matmul"):
        if PROBE_KINDS[probe](changed) != base(name, probe):
            return probe
    return None


def _crowds(declared, changed, operation, form):
    """Steps that hold a class of operation, alone and beside others that take the unit that it had, or that it has now."""
    costs = [arch.isa.forms.get(form) if form else arch.isa.operations.get(operation) for arch in (declared, changed)]
    units = dict.fromkeys(cost.unit for cost in costs if cost is not None)
    beside = [step for step in (step_on(declared, unit) for unit in units) if step is not None]
    return [(step, *others) for step in steps_of(declared, operation, form) for others in ((), *((other,) for other in beside))]


@functools.cache
def _of_crowd(name: str, steps: tuple[str, ...]):
    return crowd(*steps)(registry.get(name))


def _issued_alone(arch, launch):
    """What a machine issues for a launch. Two that issue the same, and differ in costs alone, run it alike."""
    try:
        program = _device(arch).compile(launch.ptx)[launch.entry].program
    except ArchdefError as error:
        return str(error)
    return program.registers, program.code_bytes, program.ops.tobytes(), program.constants.tobytes()


@functools.cache
def _issued_of(name: str, operation: str, form: str, which: int):
    return _issued_alone(registry.get(name), used_by(registry.get(name))[operation, form][which])


_ALIKE = ("number", "reference")
"""Kinds of variants of which one that is seen is enough."""


def judge(name: str, path: str, tried: list[Variant]) -> Verdict:
    """Give a path's variants a try. Of the ups and downs of a number one that is seen is enough, and two of them are tried thoroughly."""
    declared, changed, refused, left = registry.get(name), 0, 0, []
    enough = False
    for variant in tried:
        if variant.kind in _ALIKE and enough:
            continue
        try:
            other = declared.evolve({path: variant.value})
        except ArchdefError:
            refused += 1
            continue
        if variant.kind.startswith("word ") and _sees_feature(name, other, variant) or _noticed_at_once(name, declared, other, path, variant):
            changed += 1
            enough |= variant.kind in _ALIKE
        else:
            left.append((variant, other))
    unseen, thorough = [], 2
    for variant, other in left:
        if variant.kind in _ALIKE and (enough or thorough == 0):
            continue
        thorough -= variant.kind in _ALIKE
        if _noticed_thoroughly(name, other, path, variant):
            changed += 1
            enough |= variant.kind in _ALIKE
        else:
            unseen.append(variant)
    return Verdict(path, changed, refused, tuple(v for v in unseen if v.kind not in _ALIKE or not enough))


def _noticed_thoroughly(name: str, other, path: str, variant: Variant) -> bool:
    if path.startswith("isa.assembler."):
        return _of_much(name, path, variant)
    if variant.kind == "text" or _is_cost(path.split(".")):
        return False
    return _beside(name, path, variant) or path.startswith("units.") and _on_unit(name, other, path) or sees(name, other, path) is not None


def _is_cost(segments: list[str]) -> bool:
    """Tell whether a path is of what an operation costs: all that can see it has been asked at once."""
    return segments[:2] in (["isa", "operations"], ["isa", "forms"]) and len(segments) > 3


@functools.cache
def _much(name: str, probe: str):
    return PROBE_KINDS[probe](_does_much(name))


BESIDE = {      # beginnings of paths → what a machine is that has the part in use that it only declares, and by which probes it shows
    ("caches.l1", "caches.carveout", "coalescing.load", "load_store.replay"): (
        {"caches.l1.enabled": True, "caches.l1_global_loads": True},
        ("gather by L1", "lines of one set", "lines of one set by one warp", "gather", "store and read back", "gather beside shared memory", "loads near", "loads by 192 bytes of 48 KiB", "loads by 192 bytes of 96 KiB", "L1"))}


def _beside(name: str, path: str, variant: Variant) -> bool:
    """Tell whether the value shows where a part is in use that programs must ask for: a launch may, and a what-if does."""
    for begins, (changes, probes) in BESIDE.items():
        if not path.startswith(begins) or registry.get(name).caches.l1 is None:
            continue
        try:
            other = registry.get(name).evolve({**changes, path: variant.value})
        except ArchdefError:
            return True         # it is refused there, by name
        if any(PROBE_KINDS[probe](other) != _with(name, tuple(changes.items()), probe) for probe in probes):
            return True
    return False


@functools.cache
def _with(name: str, changes: tuple, probe: str):
    return PROBE_KINDS[probe](registry.get(name).evolve(dict(changes)))


def _on_unit(name: str, other, path: str) -> bool:
    """Tell whether a field of a unit shows in many warps, of which each does what takes the unit, alone and beside what takes another."""
    declared = registry.get(name)
    step = step_on(declared, path.split(".")[1])
    beside = [one for unit in declared.units if (one := step_on(declared, unit.name)) is not None and one != step]
    return step is not None and any(crowd(*steps)(other) != _of_crowd(name, steps) for steps in ((step,), *((step, one) for one in beside)))


def _does_much(name: str):
    """The machine with an assembler that does much, and wide pointers and predicated instructions, which some of it is about."""
    return registry.get(name).evolve({"isa.assembler": DOES_MUCH, "isa.pointer_bits": 64, "isa.predication_max_instructions": 7})


def _of_much(name: str, path: str, variant: Variant) -> bool:
    """Tell whether the value shows beside an assembler that does what the field is a number of."""
    try:
        other = _does_much(name).evolve({path: variant.value})
    except ArchdefError:
        return False
    return any(PROBE_KINDS[probe](other) != _much(name, probe) for probe in ("assembled", "assembled for debugging"))


def _sees_feature(name: str, changed, variant: Variant) -> bool:
    """Tell whether kernels that need a feature are taken by one of the machines, and refused by the other."""
    feature = variant.kind.removeprefix("word ")
    probe = f"feature {feature}"
    if probe in PROBE_KINDS and PROBE_KINDS[probe](changed) != base(name, probe):
        return True
    return any(taken(changed, form) != _taken_by(name, feature, which) for which, form in enumerate(_needing(feature)))


@functools.cache
def _needing(feature: str) -> list:
    return list(forms_that_need(feature))[:8]


@functools.cache
def _taken_by(name: str, feature: str, which: int):
    return taken(registry.get(name), _needing(feature)[which])


def _noticed_at_once(name, declared, other, path, variant) -> bool:
    if variant.kind == "text":
        return names(other) != names(declared)
    return sees(name, other, path, thorough=False) is not None


def paths(name: str) -> dict[str, list[Variant]]:
    """The variants of a machine by path."""
    found: dict[str, list[Variant]] = {}
    for variant in variants(registry.get(name)):
        found.setdefault(variant.path, []).append(variant)
    return found


def excepted(exceptions: dict[str, str], name: str, variant: Variant) -> str | None:
    """Give the pattern that excuses a variant: ``machine :: path = kind or value``, all three globs, but for the path optional."""
    for pattern in exceptions:
        machine, _, rest = pattern.rpartition(" :: ")
        path, _, value = rest.partition(" = ")
        if fnmatchcase(name, machine or "*") and fnmatchcase(variant.path, path) and (
                not value or fnmatchcase(str(variant.value), value) or fnmatchcase(variant.kind, value)):
            return pattern
    return None
