"""A minimal PTX module for each row of the census: one statement of the form that the row counts.

Operands come from the PTX ISA, not from the instruction table, so that a form counts as covered only if real PTX of it lowers.
A pattern lists operands: ``t u v`` stand for a register of the first, second, third type, ``w`` for one of twice the width, ``p r rd``
for a predicate, a 32-bit and a 64-bit register, ``n*x`` for a vector of n; anything else is taken as it is.
"""
from __future__ import annotations

from types import SimpleNamespace

_SAME = {"t t": "abs neg not cnot brev rcp sqrt rsqrt sin cos lg2 ex2 tanh mov cvta",
         "t t t": "add addc sub subc mul div rem min max and or xor mul24 copysign bmsk",
         "t t t t": "mad madc mad24 fma sad fns prmt", "r t": "popc clz bfind", "t t r": "shl shr szext", "t t t r": "shf",
         "t t r r": "bfe", "t t t r r": "bfi", "t t t t 0x96": "lop3", "t t t p": "selp", "t u": "cvt", "t t t u": "slct",
         "t u v r": "vabsdiff4", "p t": "testp", "t u u": "set", "r": "nanosleep activemask", "[rd]": "prefetch prefetchu",
         "": "ret exit trap membar fence griddepcontrol", "t t -1": "redux", "r|p r 1 31 -1": "shfl", "rd": "",
         "L": "bra"}
_PATTERNS = {opcode: pattern for pattern, opcodes in _SAME.items() for opcode in opcodes.split()}
_REGISTERS = {"pred": "%p", "f32": "%f", "f64": "%fd", "8": "%h", "16": "%h", "32": "%r", "64": "%rd", "128": "%rq"}
_MODULE = """.version 8.5
.target sm_90
.address_size 64
{head}
.visible .entry k(.param .u64 p0, .param .align 16 .b8 p1[64])
{directive}{{
    .reg .pred %p<20>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .f32 %f<60>; .reg .b64 %rd<60>; .reg .f64 %fd<60>;
    {frame}
    {statement};
L:  ret;
}}
"""


def module(row) -> str:
    """Give PTX that holds what a census row counts; `row` has `kind`, `opcode`, `types` and `modifiers`."""
    text = {"head": "", "directive": "", "frame": "", "statement": "mov.u32 %r1, %tid.x"}
    if row.kind == "special_register":
        type = "u64" if row.opcode in ("%clock64", "%globaltimer") else "u32"
        text["statement"] = f"mov.{type} {register(type, 1)}, {row.opcode}"
    elif row.kind == "module_variable_space":
        text["head"] = f"{row.opcode} .align 4 .b8 buffer[64];"
        text["statement"] = f"mov.u64 %rd1, buffer; ld{row.opcode}.u32 %r1, [buffer+4]"
    elif row.kind == "entry_directive":
        text["directive"] = f"{row.opcode} {'128, 1, 1' if row.opcode == '.maxntid' else '2'}\n"
    elif row.kind == "external_call":
        _external(row.opcode, text)
    else:
        types, modifiers = row.types.split(".") if row.types else [], row.modifiers.split(".") if row.modifiers else []
        if row.opcode == "call":
            text["head"] = ".func (.param .b32 out) helper(.param .b32 x)\n{ st.param.b32 [out], 1; ret; }"
            text["frame"] = ".param .b32 a; .param .b32 r; st.param.b32 [a], 1;"
        elif row.opcode == "st" and "param" in modifiers:
            text["frame"] = ".param .align 16 .b8 a[64];"
        # the census counts types apart from modifiers; written, modifiers come first
        text["statement"] = f"{'.'.join([row.opcode, *modifiers, *types])} {_operands(row.opcode, types, modifiers)}"
    return _MODULE.format(**text)


def register(type: str, number: int) -> str:
    """Give a register that takes a value of a type."""
    bits = {"f16x2": "32", "bf16x2": "32", "tf32": "32"}.get(type) or type.lstrip("usbf")
    return (_REGISTERS.get(type) or _REGISTERS[bits]) + str(number)


def _operands(opcode: str, types: list[str], modifiers: list[str]) -> str:
    made, used = [], SimpleNamespace(count=0)
    for word in _pattern(opcode, types, set(modifiers)).split():
        count, star, one = word.partition("*")
        if star:
            made.append("{" + ", ".join(_operand(one, types, used) for _ in range(int(count))) + "}")
        else:
            made.append(_operand(word, types, used))
    return ", ".join(made)


def _operand(word: str, types: list[str], used) -> str:
    twice = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
    named = {"p": "pred", "r": "b32", "rd": "b64", "f": "f32", **dict(zip("tuv", types))}
    if types:
        named["w"] = twice.get(types[0])
    if word in named:
        used.count += 1
        return register(named[word], used.count)
    return {"r|p": "%r1|%p1"}.get(word, word.replace("[rd]", "[%rd50]").replace("[r]", "[%r50]"))


def _pattern(opcode: str, types: list[str], modifiers: set[str]) -> str:
    """Give the operands of a form."""
    vector = next((int(m[1:]) for m in modifiers if m in ("v2", "v4")), 0)
    value = f"{vector}*t" if vector else "t"
    if opcode == "ld":
        return f"{value} [{'p1' if 'param' in modifiers else 'rd'}]"
    if opcode == "st":
        return f"[{'a' if 'param' in modifiers else 'rd'}] {value}"
    if opcode == "mov" and types == ["pred"]:
        return "p p"
    if opcode in ("and", "or", "xor", "not") and types == ["pred"]:
        return "p p" if opcode == "not" else "p p p"
    if opcode in ("mul", "mad") and "wide" in modifiers:
        return "w t t" if opcode == "mul" else "w t t w"
    if opcode == "setp":
        return "p t t p" if modifiers & {"and", "or", "xor"} else "p t t"
    if opcode in {"atom", "red"}:
        operands = "[rd] t t" if "cas" in modifiers else f"[rd] {value}"
        return f"{value} {operands}" if opcode == "atom" else operands
    if opcode == "vote":
        return "r p -1" if "ballot" in modifiers else "p p -1"
    if opcode == "match":
        return "r t -1"
    if opcode in ("bar", "barrier"):
        return "-1" if "warp" in modifiers else "p 0 p" if "red" in modifiers else "0"
    if opcode == "call":
        return "(r) helper (a)".replace("(r)", "(r)")
    found = {"cp": _copy, "mbarrier": _mbarrier, "wmma": _wmma, "tex": _texture, "suld": _surface, "sust": _surface}.get(opcode)
    return found(opcode, types, modifiers) if found else _PATTERNS[opcode]


def _copy(opcode: str, types: list[str], modifiers: set[str]) -> str:
    if modifiers & {"commit_group", "wait_group"}:
        return "0" if "wait_group" in modifiers else ""
    if "mbarrier" in modifiers:
        return "[r]"
    return "[r] [rd] r [r]" if "bulk" in modifiers else "[r] [rd] 16"


def _mbarrier(opcode: str, types: list[str], modifiers: set[str]) -> str:
    if "arrive" in modifiers:
        return "rd [r]"
    if "try_wait" in modifiers:
        return "p [r] r" if "parity" in modifiers else "p [r] rd"
    return "[r]" if "inval" in modifiers else "[r] r"


_FRAGMENTS = {  # registers of a fragment, by shape: a, b, and the accumulator
    ("m16n16k16", "16"): (8, 8, 8), ("m8n32k16", "16"): (8, 8, 8), ("m32n8k16", "16"): (8, 8, 8),
    ("m16n16k16", "8"): (2, 2, 8), ("m8n32k16", "8"): (1, 4, 8), ("m32n8k16", "8"): (4, 1, 8),
    ("m16n16k16", "bf16"): (4, 4, 8), ("m16n16k8", "tf32"): (4, 4, 8), ("m8n8k4", "64"): (1, 1, 2)}


def _wmma(opcode: str, types: list[str], modifiers: set[str]) -> str:
    shape = next(m for m in modifiers if m[0] == "m" and m[1].isdigit())
    accumulator = {"f16": 4, "f64": 2}

    def multiplicands(type: str) -> tuple[int, int]:
        return _FRAGMENTS[shape, type if type in ("bf16", "tf32") else type.lstrip("usf")][:2]

    def fragment(count: int, type: str) -> str:
        return f"{count}*{ {'f32': 'f', 'f64': 't'}.get(type, 'r')}".replace("* ", "*")

    last = types[-1]
    if "mma" in modifiers:
        kinds = types if len(types) == 4 else [types[0], "f16", "f16", types[1]]
        a, b = multiplicands(kinds[1])
        c, d = accumulator.get(kinds[3], 8), accumulator.get(kinds[0], 8)
        return " ".join((fragment(d, kinds[0]), fragment(a, kinds[1]), fragment(b, kinds[2]), fragment(c, kinds[3])))
    if "a" in modifiers or "b" in modifiers:
        count = multiplicands(last)["b" in modifiers]
    else:
        count = accumulator.get(last, 8)
    registers = fragment(count, last)
    return f"[rd] {registers} r" if "store" in modifiers else f"{registers} [rd] r"


_COORDINATES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4}


def _texture(opcode: str, types: list[str], modifiers: set[str]) -> str:
    shape = next(m for m in modifiers if m in _COORDINATES)
    names = ["%f", "%r"][types[1] != "f32"]
    at = [f"{names}{k}" for k in range(_COORDINATES[shape])]
    if shape[0] == "a":
        at[0] = "%r0"
    place = "{" + ",".join(at) + "}"
    return f"4*t [%rd50,{place}]" + (" f" if "level" in modifiers else "")


def _surface(opcode: str, types: list[str], modifiers: set[str]) -> str:
    shape = next(m for m in modifiers if m in _COORDINATES)
    place = "[%rd50,{" + ",".join(f"%r{50 + k}" for k in range(_COORDINATES[shape])) + "}]"
    value = next((f"{m[1:]}*t" for m in modifiers if m in ("v2", "v4")), "t")
    return f"{value} {place}" if opcode == "suld" else f"{place} {value}"


_SIGNATURES = {"vprintf": ("b32", "b64 b64"), "malloc": ("b64", "b64"), "__assertfail": ("", "b64 b64 b32 b64 b64"),
               "__cudaCDP2Free": ("b32", "b64"), "__cudaCDP2GetLastError": ("b32", ""), "__cudaCDP2PeekAtLastError": ("b32", ""),
               "__cudaCDP2GetErrorString": ("b64", "b32"), "__cudaCDP2GetParameterBufferV2": ("b64", "b64 dim3 dim3 b32"),
               "__cudaCDP2LaunchDeviceV2": ("b32", "b64 b64"), "__cudaCDP2StreamCreateWithFlags": ("b32", "b64 b32"),
               "__cudaCDP2Malloc": ("b32", "b64 b64"), "__cudaCDP2MemcpyAsync": ("b32", "b64 b64 b64 b32 b64"),
               "_Znwm": ("b64", "b64"), "_ZL3nanPKc": ("f64", "b64")}


def _declared(type: str, name: str) -> str:
    return f".param .align 4 .b8 {name}[12]" if type == "dim3" else f".param .{type} {name}"


def _stored(type: str, k: int) -> str:
    if type == "dim3":
        return " ".join(f"st.param.b32 [x{k}+{at}], {register('b32', k)};" for at in (0, 4, 8))
    return f"st.param.{type} [x{k}], {register(type, k)};"


def _external(name: str, text: dict[str, str]) -> None:
    result, parameters = _SIGNATURES.get(name, ("b32", "b64"))
    listed = ", ".join(_declared(type, f"a{k}") for k, type in enumerate(parameters.split()))
    returned = f"(.param .{result} r) " if result else ""
    text["head"] = f".extern .func {returned}{name}({listed});"
    frame = [f"{_declared(type, f'x{k}')}; {_stored(type, k)}" for k, type in enumerate(parameters.split())]
    text["frame"] = " ".join(frame) + (f" .param .{result} result;" if result else "")
    given = ", ".join(f"x{k}" for k in range(len(parameters.split())))
    text["statement"] = f"call.uni {'(result), ' if result else ''}{name}{f', ({given})' if given else ''}"
