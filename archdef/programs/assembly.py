"""What is added to the assembler's text of a host's object: the device's code, and tables of its kernels and variables."""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import attrs

from archdef.frontends.signatures import demangled
from archdef.programs.host_code import STUB
from archdef.programs.syntax import Unsupported

_TAG: Final = re.compile(rf"\b_ZZ(\w+?)E{len(STUB)}{STUB}\b")
_ENTRY: Final = re.compile(r"^\s*(?:\.visible\s+|\.weak\s+)*\.entry\s+([\w$]+)", re.MULTILINE)
_EXTERN: Final = re.compile(r"^\s*\.extern\s+(?:\.func\s+(?:\([^)]*\)\s*)?|\.(?:global|const)\s[^;]*?)([\w$]+)(?:\[\d*\])?\s*(?:\(|;|$)", re.MULTILINE)
_NAMELESS: Final = re.compile(r"\{lambda|\{unnamed|'lambda|\)(?: const)?::|\bmain::")
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


def instantiations(found: Sequence[Stub], where: str) -> str:
    """Give the directives by which the device's compiler makes the same instances. Raises Unsupported for types that have no name."""
    lines = []
    for stub in found:
        if not stub.is_instance:
            continue
        if _NAMELESS.search(stub.name):
            raise Unsupported(f"{where}: the kernel {stub.name} is made for a type that only a function knows, such as a lambda's; that needs CUDA's own "
                              "compiler (--compiler nvcc)")
        lines.append(f"template __global__ {stub.name.replace('(anonymous namespace)::', '')};\n")
    return "".join(lines)


def kernels_of(ptx: str) -> dict[str, str]:
    """Map what people write to the kernel's name in PTX."""
    return {demangled(entry) or entry: entry for entry in _ENTRY.findall(ptx)}


def foreign(ptx: str) -> list[str]:
    """List what PTX expects of other files."""
    return [demangled(name) or name for name in _EXTERN.findall(ptx) if not _OF_THE_SYSTEM.fullmatch(name)]


def tables(found: Sequence[Stub], kernels: dict[str, str], variables: Sequence[str], image: bytes) -> str:
    """Give the text: three tables that the host's code names, and the strings behind them."""
    known = [(stub, kernels[stub.name]) for stub in found]
    rows = "".join(f"\t.quad {stub.tag}\n\t.quad {stub.symbol}\n\t.quad .Larchdef_k{k}\n" for k, (stub, _) in enumerate(known))
    strings = "".join(f".Larchdef_k{k}:\n\t.string \"{name}\"\n" for k, (_, name) in enumerate(known))
    strings += "".join(f".Larchdef_v{k}:\n\t.string \"{name}\"\n" for k, name in enumerate(variables))
    data = "".join("\t.byte " + ",".join(map(str, image[at:at + 64])) + "\n" for at in range(0, len(image), 64))
    return (f'\t.section .rodata\n{strings}\t.balign 16\narchdef_image:\n{data}'
            f'\t.section .data.rel.ro.local,"aw"\n\t.balign 8\narchdef_kernels:\n{rows}\t.quad 0,0,0\n'
            f"archdef_variables:\n" + "".join(f"\t.quad .Larchdef_v{k}\n" for k in range(len(variables))) + "\t.quad 0\n")
