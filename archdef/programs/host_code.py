"""The host's half of a CUDA source: kernels become functions that launch, launches calls of them, and what only devices execute goes away."""
from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from archdef.errors import CompileError
from archdef.programs import references
from archdef.programs.relocatable import REGISTER
from archdef.programs.syntax import Edits, Item, Source, function_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tree_sitter import Node

    from archdef.programs.preprocess import Include

STUB: Final = "archdef_stub"
"""A static variable of every function that stands for a kernel: by its name in the assembler's text the function is found."""
_TYPES_OF: Final = {"<mma.h>": "#include <cuda_fp16.h>\n#include <cuda_bf16.h>"}
"""Headers for devices alone → those which they include that are the host's, too."""
_LEFT_OUT: Final = ("<cooperative_groups", "<cub/", "<thrust/", "<cuda_pipeline", "<cuda/", "<maca_cooperative_groups",
                    "<common/maca_cooperative_groups")
"""Headers that a compiler of the host has no use for, or cannot read."""
PROLOGUE: Final = """#line 1 "<archdef>"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <new>
#define __COMMON_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __NV_NO_HOST_COMPILER_CHECK 1
#define __CUDACC__ 1
#include <cuda_runtime.h>
#undef __CUDACC__
#undef __host__
#undef __device__
#undef __global__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __grid_constant__
#undef __launch_bounds__
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, struct CUstream_st * = nullptr);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
static void archdef_launch(const void *kernel, void **arguments)
{
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == cudaSuccess)
        (void)cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
[[noreturn]] static inline void archdef_no_host_code() { abort(); }
static void archdef_place_managed();
template <typename T> static inline T &archdef_managed(T *volatile *at) { archdef_place_managed(); return **at; }
namespace cooperative_groups {}
namespace nvcuda { namespace wmma {} }
"""
_SHAPE, _AT = "archdef_shape_", "archdef_at_"
"""What the names begin with that stand beside a managed variable: of one with its type, and of the pointer that the runtime sets."""
_NOINLINE: Final = "#define __noinline__ __attribute__((noinline))"
_FUNCTIONS: Final = {"rsqrt": "1.0 / sqrt(x)", "rcbrt": "1.0 / cbrt(x)", "normcdf": "0.5 * erfc(-x * M_SQRT1_2)"}
"""Functions that CUDA has for hosts, too, and C has not."""
_FUNCTION: Final = """static inline double NAME(double x) { return VALUE; }
static inline float NAME(float x) { return (float)NAME((double)x); }
static inline float NAMEf(float x) { return NAME(x); }
"""
_CHOICE: Final = """template <typename A, typename B, typename P = decltype(+A()), typename Q = decltype(+B())>
static inline typename std::enable_if<std::is_arithmetic<P>::value && std::is_arithmetic<Q>::value, typename std::common_type<P, Q>::type>::type NAME(A a, B b)
{
    typedef typename std::common_type<P, Q>::type T;
    return (T)a SIGN (T)b ? (T)a : (T)b;
}
"""
"""CUDA has them for numbers of two types as well, compared in the type that both convert to. Functions of the source for the same types come first."""
_EPILOGUE: Final = """
extern "C" {
struct archdef_kernel { const void *volatile *stub; const void *function; const char *name; };
extern __attribute__((visibility("hidden"))) const archdef_kernel archdef_kernels[];
struct archdef_instance { char *shadow; const char *name; size_t size; size_t constant; };
extern __attribute__((visibility("hidden"))) const char *const archdef_variables[];
extern __attribute__((visibility("hidden"))) const archdef_instance archdef_instances[];
extern __attribute__((visibility("hidden"))) const unsigned char archdef_image[];
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
void archdef_register_part(void (*)(void **), const void *);
}
static struct { int magic, version; const void *data; void *unused; } archdef_wrapper = {0x466243b1, 1, archdef_image, nullptr};
static void **archdef_handle;
static void archdef_end() { __cudaUnregisterFatBinary(archdef_handle); }
static inline void archdef_register(char *shadow, const char *name, size_t size, size_t constant)
{
    __cudaRegisterVar(archdef_handle, shadow, (char *)name, name, 0, size, (int)constant, 0);
}
static inline void archdef_register_managed(void **at, const char *name, size_t size)
{
    __cudaRegisterManagedVar(archdef_handle, at, (char *)name, name, 0, size, 0, 0);
}
static void archdef_place_managed()
{
    static bool placed;
    if (!placed)
        placed = __cudaInitModule(archdef_handle);
}
static void archdef_tell(void **handle)
{
    archdef_handle = handle;
    for (const archdef_kernel *each = archdef_kernels; each->stub; each++) {
        *each->stub = each->function;
        __cudaRegisterFunction(archdef_handle, (const char *)each->function, (char *)each->name, each->name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    }
VARIABLES    for (const archdef_instance *each = archdef_instances; each->shadow; each++)
        archdef_register(each->shadow, each->name, each->size, each->constant);
}
static void __attribute__((constructor(101))) archdef_begin()
{
BEGIN
}
"""
_ALONE: Final = """    archdef_tell(__cudaRegisterFatBinary(&archdef_wrapper));
    __cudaRegisterFatBinaryEnd(archdef_handle);
    atexit(archdef_end);"""
_AS_A_PART: Final = f"    {REGISTER}(archdef_tell, &archdef_wrapper);"


@attrs.frozen
class HostCode:
    """C++ that the host's compiler takes."""

    text: str
    variables: tuple[str, ...]
    """Variables of the device, as ``&name`` finds them, in the order of their registration."""
    managed: tuple[str, ...]
    """Managed variables, in the same way; they are registered behind those."""
    referring: tuple[str, ...]
    """References of textures and surfaces, which are registered last."""
    templates: dict[str, int]
    """Templates of variables of the device → whether they are constants; their instances stand in the assembler's text."""


def host_code(source: Source, relocatable: bool = False) -> HostCode:
    """Translate.

    relocatable : whether the device's code is one of several parts, which see each other's variables.
    """
    edits = Edits(source.data)
    items = list(source.all_items())
    kernels = [item for item in items if "global" in item.spaces and item.kind == "function"]
    for kernel in kernels:
        _make_stub(source, kernel, edits)
    for launch in source.every("kernel_call_syntax"):
        _make_call(source, launch, edits)
    gone = _empty_device_functions(source, items, edits)
    declared = {name for item in items if item.kind == "variable" and b"extern" in item.words for name in item.names}
    variables: list[tuple[str, int]] = []
    templates: dict[str, int] = {}
    managed: list[str] = []
    for item in items:
        if item.kind != "variable" or not item.on_device or item.in_class:
            continue
        if "shared" in item.spaces:
            edits.replace(item.node.start_byte, item.node.end_byte)
        elif "managed" in item.spaces:
            managed += _make_managed(source, item, edits, declared, relocatable)
        elif b"extern" not in item.words:
            found = _make_shadows(source, item, edits, declared, gone, relocatable)
            if item.node.type == "template_declaration":
                templates |= {name.removeprefix("::"): constant for name, constant in found}
            else:
                variables += found
    body = "".join(f"    archdef_register((char *)&{name}, archdef_variables[{k}], sizeof({name}), {constant});\n"
                   for k, (name, constant) in enumerate(variables))
    body += "".join(f"    archdef_register_managed((void **)&{_beside(name, _AT)}, archdef_variables[{k}], sizeof({name}));\n"
                    for k, name in enumerate(managed, len(variables)))
    referring = references.made_static(source, items, edits)
    body += "".join(f"    archdef_refer(archdef_handle, {name}, archdef_variables[{k}]);\n"
                    for k, name in enumerate(referring, len(variables) + len(managed)))
    epilogue = _EPILOGUE.replace("VARIABLES", body).replace("BEGIN", _AS_A_PART if relocatable else _ALONE)
    return HostCode(edits.apply() + '#line 1 "<archdef>"' + (references.REGISTER if referring else "") + epilogue,
                    tuple(name for name, _ in variables), tuple(managed), tuple(referring), templates)


def prologue(texts: frozenset[bytes]) -> str:
    """Give what stands before the host's code; a function that the source defines itself is left out, and a template where it defines one."""
    both = [_CHOICE.replace("NAME", name).replace("SIGN", sign) for name, sign in (("min", "<"), ("max", ">")) if f"{name}<>".encode() not in texts]
    functions = [_FUNCTION.replace("NAME", name).replace("VALUE", value) for name, value in _FUNCTIONS.items()
                 if not {name.encode(), f"{name}f".encode(), f"{name}<>".encode()} & texts]
    return (f"{PROLOGUE}#undef __noinline__\n{_NOINLINE}\n" + "".join(functions)
            + "#include <type_traits>\n" * bool(both) + "".join(both))


def include(header: Include, folders: Sequence[Path]) -> str:
    """Give the directives that include a header of the system. CUDA's own know the macro ``__noinline__``, which g++'s have as a word of theirs."""
    if types := _TYPES_OF.get(header.name.replace('"', "<", 1).replace('"', ">")):
        return types
    if any((folder / header.name[1:-1]).is_file() for folder in folders):
        return header.text()
    return f"#undef __noinline__\n{header.text()}\n{_NOINLINE}"


def left_out(header: str) -> bool:
    """Say whether a header of the system is none for the host."""
    return header.replace('"', "<").startswith(_LEFT_OUT)


# ------------------------------------------------------------------------------------------------------------ kernels
def _make_stub(source: Source, kernel: Item, edits: Edits) -> None:
    function, body = function_of(kernel.core.child_by_field_name("declarator")), kernel.core.child_by_field_name("body")
    parameters = function.child_by_field_name("parameters") if function is not None else None
    if parameters is None or body is None:
        raise CompileError(f"{source.where(kernel.node.start_byte)}: a kernel whose parameters cannot be told apart")
    names = []
    for number, parameter in enumerate(parameters.named_children):
        if parameter.type.endswith("parameter_declaration") and source.text(parameter) != b"void":
            names.append(_name_of(source, parameter, number, edits))
    listed = "".join(f"(void *)__builtin_addressof({name}){dots}, " for name, dots in names)
    edits.replace(body.start_byte, body.end_byte, (
        f"{{ static const void *volatile {STUB} __attribute__((used)); void *archdef_arguments[] = {{{listed}nullptr}}; "
        f"archdef_launch({STUB}, archdef_arguments); }}").encode())
    edits.insert(kernel.core.start_byte, b"__attribute__((noinline, used)) ")


def _name_of(source: Source, parameter: Node, number: int, edits: Edits) -> tuple[str, str]:
    """Give the name of a kernel's parameter, and ``...`` if it is a pack; one that has none gets one."""
    dots = "..." if parameter.type == "variadic_parameter_declaration" else ""
    declarator = parameter.child_by_field_name("declarator")
    found = next(source.every("identifier", declarator), None) if declarator is not None else None
    if found is not None:
        return source.text(found).decode(), dots
    name = f"archdef_{number}"
    equals = next((child for child in parameter.children if child.type == "="), None)
    edits.insert(parameter.end_byte if equals is None else equals.start_byte, f" {name} ".encode())
    return name, dots


def _make_call(source: Source, launch: Node, edits: Edits) -> None:
    call = launch.parent
    parts = launch.named_children
    if call is None or not parts:
        raise CompileError(f"{source.where(launch.start_byte)}: a launch whose parts cannot be told apart")
    how = source.data[parts[0].start_byte:parts[-1].end_byte]
    edits.insert(call.start_byte, b"(__cudaPushCallConfiguration(" + b" ".join(how.split()) + b") ? (void)0 : ")
    edits.replace(launch.start_byte, launch.end_byte)
    edits.insert(call.end_byte, b")")


# --------------------------------------------------------------------------------------- functions and variables of devices
def _empty_device_functions(source: Source, items: list[Item], edits: Edits) -> frozenset[bytes]:
    """Take functions away that only devices execute; of those that the host mentions, the body. Gives the names of those that are gone."""
    candidates = [item for item in items if item.device_only or _only_for_devices(item)]
    hidden = [(item.node.start_byte, item.node.end_byte) for item in candidates]
    hidden += [(body.start_byte, body.end_byte) for item in items if "global" in item.spaces and (body := item.core.child_by_field_name("body"))]
    variables = [item for item in items if item.kind == "variable" and item.on_device]
    hidden += [(item.core.start_byte, item.core.end_byte) for item in variables]
    said, at = set(), 0
    for start, end in sorted(hidden):
        said |= source.words(at, max(at, start))
        at = max(at, end)
    said |= source.words(at, len(source.data))
    said |= {word for item in variables if (type_ := item.core.child_by_field_name("type")) for word in source.words(type_.start_byte, type_.end_byte)}
    gone = list(candidates)
    while stays := [item for item in gone if item.names & said]:
        gone = [item for item in gone if item not in stays]
        for item in stays:      # what a class that stays, or the head of a function, mentions
            said |= source.words(item.core.start_byte, item.core.end_byte if item.kind == "type" else _body_of(item)[0])
    for item in candidates:
        if item in gone:
            edits.replace(item.node.start_byte, item.node.end_byte)
        elif item.kind == "function" and b"constexpr" not in item.words:
            edits.replace(*_body_of(item), b"{ archdef_no_host_code(); }")
    return frozenset(name for item in gone if item.kind != "type" for name in item.names)


def _body_of(item: Item) -> tuple[int, int]:
    """Give where the body of a function begins, with what initialises members, and where it ends."""
    body = item.core.child_by_field_name("body")
    if body is None:
        return item.core.end_byte, item.core.end_byte
    return next((child.start_byte for child in item.core.children if child.type == "field_initializer_list"), body.start_byte), body.end_byte


def _only_for_devices(item: Item) -> bool:
    """Whether it is a class of which all functions are for devices: what the host does not mention need not be complete there."""
    functions = [member for member in item.members if member.kind in ("function", "prototype")]
    return item.kind == "type" and bool(functions) and all(member.device_only for member in functions)


def _make_managed(source: Source, item: Item, edits: Edits, declared: set[bytes], relocatable: bool) -> list[str]:
    """Make a managed variable a reference to what the runtime places before ``main``; and list those that are defined here."""
    names = [name for declarator in item.core.children_by_field_name("declarator") for name in source.declared_by(declarator)]
    if b"extern" in item.words:
        for name in names:
            edits.replace(name.start_byte, name.end_byte, b"(&" + source.text(name) + b")")
        return []
    seen = relocatable and b"static" not in item.words
    if b"static" not in item.words:
        edits.insert(item.core.start_byte, b"static ")
    found, behind = [], ""
    for name in names:
        own = source.text(name).decode()
        edits.replace(name.start_byte, name.end_byte, f"{_SHAPE}{own}".encode())
        outside = seen or own.encode() in declared
        behind += (f" static decltype({_SHAPE}{own}) *volatile {_AT}{own}; {'' if outside else 'static '}decltype({_SHAPE}{own}) &{own} = "
                   f"archdef_managed(&{_AT}{own});")
        found.append("::".join(["", *item.scope, own]))
    edits.insert(item.core.end_byte, behind.encode())
    return found


def _beside(name: str, prefix: str) -> str:
    """Give what stands beside a variable under its name with a prefix."""
    scope, _, own = name.rpartition("::")
    return f"{scope}::{prefix}{own}"


def _make_shadows(source: Source, item: Item, edits: Edits, declared: set[bytes], gone: frozenset[bytes], relocatable: bool) -> list[tuple[str, int]]:
    """Make variables of the device static ones of the host, as CUDA does, unless other files see them; and list them."""
    if not relocatable and not item.words & {b"static", b"inline"} and not item.names & declared:
        edits.insert(item.core.start_byte, b"static ")
    for declarator in item.core.children_by_field_name("declarator"):
        value, name = declarator.child_by_field_name("value"), declarator.child_by_field_name("declarator")
        if value is not None and name is not None and source.words(value.start_byte, value.end_byte) & gone:
            edits.replace(name.end_byte, value.end_byte)
    constant = int("constant" in item.spaces)
    return [("::".join(["", *item.scope, name.decode()]), constant) for name in sorted(source.declared(item.core))]
