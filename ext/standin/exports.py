"""Write exports.h: an exported function for every name of functions.txt, each of which notes its number and jumps to one common entry."""
from __future__ import annotations

import sys
from pathlib import Path

COMMON = """
.hidden standin_enter
standin_enter:
    push %rbp
    mov %rsp, %rbp
    sub $96, %rsp
    mov %rdi, 0(%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    movsd %xmm0, 48(%rsp)
    movsd %xmm1, 56(%rsp)
    movsd %xmm2, 64(%rsp)
    movsd %xmm3, 72(%rsp)
    mov %eax, %edi
    mov %rsp, %rsi
    lea 48(%rsp), %rdx
    lea 16(%rbp), %rcx
    call standin_call
    movq %rax, %xmm0        # where a function that gives a float or a double has it
    leave
    ret
"""


def header(names: list[str]) -> str:
    """Give the text of the header. Names are in the order of their bytes, so that C can search them."""
    code = "".join(f".globl {name}\n.type {name}, @function\n.p2align 4\n{name}:\n    endbr64\n    mov ${number}, %eax\n    jmp standin_enter\n"
                   for number, name in enumerate(names))
    quoted = "\n".join(f'    "{line}\\n"' for line in (COMMON + code).strip().splitlines())
    externs = "\n".join(f"extern void {name}(void);" for name in names)
    numbers = ", ".join(f"NUMBER_{name}" for name in names)
    return (f"#define FUNCTIONS {len(names)}\nenum {{ {numbers} }};\n#include <stdint.h>\n#include <pthread.h>\n"
            f"__attribute__((visibility(\"hidden\"))) uint64_t standin_call(uint32_t, const uint64_t *, const double *, const uint64_t *);\n"
            f"{externs}\n"
            "static const char *const standin_names[FUNCTIONS] = {\n" + "".join(f'    "{name}",\n' for name in names) + "};\n"
            "static void *const standin_functions[FUNCTIONS] = {\n" + "".join(f"    {name},\n" for name in names) + "};\n"
            f"__asm__(\n    \".text\\n\"\n{quoted}\n);\n")


def versions(libraries: list[str]) -> str:
    """Give a script for the linker that names a version for each library: programs ask for symbols of the version ``libcublas.so.12``.

    The symbols have none themselves, so that they are taken for every one of these.
    """
    return "".join(f"{name} {{ }};\n" for name in libraries)


def main() -> None:
    """Write it: python exports.py functions.txt exports.h."""
    names = sorted(Path(sys.argv[1]).read_text(encoding="ascii").split())
    Path(sys.argv[2]).write_text(header(names), encoding="ascii")


if __name__ == "__main__":
    main()
