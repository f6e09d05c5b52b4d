"""What is added to the assembler's text of a host's object: the device's code, and tables of its kernels and variables."""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from archdef.errors import CompileError
from archdef.frontends.demangling import demangled
from archdef.programs.host_code import STUB
from archdef.programs.syntax import Unsupported

_TAG: Final = re.compile(rf"\b_ZZ(\w+?)E{len(STUB)}{STUB}\b")
_ENTRY: Final = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)", re.MULTILINE)
_EXTERN: Final = re.compile(
    r"^\s*\.extern\s+(?:\.entry\s+|\.func\s+(?:\([^)]*\)\s*)?|\.(?:global|const)\s[^;]*?)([\w$]+)(?:\[\d*\])?\s*(?:\(|;|$)", re.MULTILINE)
_SIZED: Final = re.compile(r"^\s*\.size\s+(_Z\w+), (\d+)$|^\s*\.comm\s+(_Z\w+),(\d+)", re.MULTILINE)
_NAMELESS: Final = re.compile(r"\{lambda|\{unnamed|'lambda|\)(?: const)?::|\bmain::")
_MANAGED: Final = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)?\.global\s[^;=]*?\.attribute\(\.managed\)[^;=]*?([\w$]+)(?:\[\d*\])?\s*(?:=|;|$)", re.MULTILINE)
_OF_THE_SYSTEM: Final = re.compile(r"vprintf|malloc|free|__assertfail|cuda[A-Z]\w*|__cuda\w*")


@attrs.frozen
class Stub:
    """A function of the host that stands for a kernel."""

    tag: str
    """The symbol of its static variable."""
    symbol: str
    name: str
    """As people write it: ``void scale<float>(float*, int)``."""

    @property
    def is_instance(self) -> bool:
        """Whether it is an instance of a template."""
        return "<" in self.name.partition("(")[0].replace("(anonymous namespace)", "")


def stubs(assembly: str) -> list[Stub]:
    """Find the kernels' stand-ins in what the host's compiler made, instances of templates among them."""
    found = []
    for inner in sorted(set(_TAG.findall(assembly))):
        symbol = f"_Z{inner}"
        name = demangled(symbol) or symbol
        if not re.search(rf"^{re.escape(symbol)}:", assembly, re.MULTILINE):
            symbol = name       # extern "C"
        found.append(Stub(f"_ZZ{inner}E{len(STUB)}{STUB}", symbol, name))
    return found


@attrs.frozen
class Instance:
    """A variable of the device that is an instance of a template."""

    symbol: str
    """Of its shadow."""
    name: str
    size: int
    constant: int


def instances(assembly: str, templates: Mapping[str, int]) -> list[Instance]:
    """Find the instances of templates of variables that the host uses."""
    found = {}
    for match in _SIZED.finditer(assembly) if templates else ():
        symbol, size = match[1] or match[3], int(match[2] or match[4])
        name = (demangled(symbol) or "").replace("(anonymous namespace)::", "")
        if name.partition("<")[0] in templates and name.endswith(">"):
            found[symbol] = Instance(symbol, name, size, templates[name.partition("<")[0]])
    return [found[symbol] for symbol in sorted(found)]


def instantiations(found: Sequence[Stub], where: str) -> str:
    """Give the directives by which the device's compiler makes the same instances. Raises Unsupported for types that have no name."""
    lines = []
    for stub in found:
        if not stub.is_instance:
            continue
        if _NAMELESS.search(stub.name):
            raise Unsupported(f"{where}: the kernel {stub.name} is made for a type that only a function knows, such as a lambda's; that needs a "
                              "compiler that knows CUDA (--compiler nvcc or clang)")
        lines.append(f"template __global__ {stub.name.replace('(anonymous namespace)::', '')};\n")
    return "".join(lines)


def kernels_of(ptx: str) -> dict[str, str]:
    """Map what people write to the kernel's name in PTX."""
    return {demangled(entry) or entry: entry for entry in _ENTRY.findall(ptx)}


def managed(path: Path, ptx: str, names: Sequence[str]) -> list[str]:
    """Give what managed variables are called in PTX; NVRTC does not tell. Raises CompileError."""
    known = {}
    for symbol in _MANAGED.findall(ptx):
        parts = [part for part in (demangled(symbol) or symbol).split("::") if part != "(anonymous namespace)" and not part.startswith("_INTERNAL_")]
        known["::".join(["", *parts])] = symbol
    if lost := [name for name in names if name not in known]:
        raise CompileError(f"{path}: NVRTC made no managed variable {', '.join(lost)}; it made {', '.join(known) or 'none'}")
    return [known[name] for name in names]


def check_alone(path: Path, ptx: str, relocatable: bool) -> None:
    """Refuse what PTX expects of other files, unless it will be linked. Raises Unsupported."""
    outside = [demangled(name) or name for name in _EXTERN.findall(ptx) if not _OF_THE_SYSTEM.fullmatch(name)]
    if outside and not relocatable:
        raise Unsupported(f"{path}: the device's code uses {', '.join(outside)} of another file; -rdc=true links device code")


def tables(found: Sequence[Stub], kernels: dict[str, str], variables: Sequence[str], instances: Sequence[tuple[Instance, str]], image: bytes) -> str:
    """Give the text: tables that the host's code names, and the strings behind them; variables and instances by their names in PTX."""
    known = [(stub, kernels[stub.name]) for stub in found]
    rows = "".join(f"\t.quad {stub.tag}\n\t.quad {stub.symbol}\n\t.quad .Larchdef_k{k}\n" for k, (stub, _) in enumerate(known))
    strings = "".join(f".Larchdef_k{k}:\n\t.string \"{name}\"\n" for k, (_, name) in enumerate(known))
    strings += "".join(f".Larchdef_v{k}:\n\t.string \"{name}\"\n" for k, name in enumerate(variables))
    strings += "".join(f".Larchdef_i{k}:\n\t.string \"{name}\"\n" for k, (_, name) in enumerate(instances))
    made = "".join(f"\t.quad {each.symbol}\n\t.quad .Larchdef_i{k}\n\t.quad {each.size}\n\t.quad {each.constant}\n" for k, (each, _) in enumerate(instances))
    data = "".join("\t.byte " + ",".join(map(str, image[at:at + 64])) + "\n" for at in range(0, len(image), 64))
    return (f'\t.section .rodata\n{strings}\t.balign 16\narchdef_image:\n{data}'
            f'\t.section .data.rel.ro.local,"aw"\n\t.balign 8\narchdef_kernels:\n{rows}\t.quad 0,0,0\n'
            f"archdef_variables:\n" + "".join(f"\t.quad .Larchdef_v{k}\n" for k in range(len(variables))) + "\t.quad 0\n"
            f"archdef_instances:\n{made}\t.quad 0,0,0,0\n")
