"""Modules: device code that is loaded in a context, its kernels and its variables."""
from __future__ import annotations

import struct
from typing import Final

from archdef.errors import ArchdefError
from archdef.exec import fatbin
from archdef.exec.calls import Thread, UInt
from archdef.exec.calls import answers as answers_of_runtime
from archdef.exec.cuda_driver import images
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_driver.jit import Options
from archdef.exec.cuda_driver.kernels import Function, Loaded, function, function_of_stub, loaded
from archdef.run.pointer import Pointer
from archdef.runtime.status import Refusal

_LAZY: Final = 2
_LOADED: Final = 1


def put_variable(thread: Thread, of: Loaded, name: str, address_out: int, nbytes_out: int) -> None:
    """Say where a variable lies. Raises Refusal if there is none of that name."""
    declared = of.module.ptx.variables.get(name)
    if declared is None or declared.space not in ("global", "const") or declared.opaque is not None:
        raise Refusal("SymbolNotFound", f"the module has no variable {name!r}")
    symbol = of.module.symbols[name]
    of.variables[symbol.address] = pointer = Pointer(symbol.address, symbol.memory, symbol.nbytes)
    thread.session.variable(pointer)
    for out, value in ((address_out, symbol.address), (nbytes_out, symbol.nbytes)):
        if out:
            thread.memory.put_word(out, value)


def _load(thread: Thread, out: int, image: images.Image) -> None:
    made = loaded(thread, image)
    thread.memory.put_word(out, made.handle)
    thread.session.contexts.needed(thread).modules.append(made)


@answers("cuModuleLoadData", "cuModuleLoadFatBinary")
def load_data(thread: Thread, out: int, image: int) -> None:
    """Load PTX or a fat binary."""
    _load(thread, out, images.image_at(thread.memory, image))


@answers("cuModuleLoadDataEx")
def load_data_with_options(thread: Thread, out: int, image: int, count: UInt, numbers: int, values: int) -> None:
    """Load PTX or a fat binary, and say what is wrong with it where the program wants to read that."""
    options = Options(thread, count, numbers, values)
    try:
        found = images.image_at(thread.memory, image)
        found.most_registers = options.most_registers or found.most_registers
        _load(thread, out, found)
    except ArchdefError as error:
        options.say(str(error))
        raise
    options.say()


@answers("cuModuleLoad")
def load_file(thread: Thread, out: int, path: int) -> None:
    """Load a file."""
    _load(thread, out, image_of_file(thread, path))


def image_of_file(thread: Thread, path: int) -> images.Image:
    """Read device code from a file that a program names. Raises Refusal."""
    name = thread.memory.text(path)
    try:
        file = thread.file(name)
        if not file.is_file() or file.stat().st_size > fatbin.MOST_BYTES:       # a device may never end
            raise FileNotFoundError("there is no such file of device code")
        return images.image_of(file.read_bytes())
    except (OSError, ValueError) as error:
        raise Refusal("FileNotFound", f"{name!r} cannot be read: {error}") from None


@answers("cuModuleUnload")
def unload(thread: Thread, handle: int) -> None:
    """Forget a module and its kernels."""
    thread.session.contexts.unload(thread.session.thing(handle, Loaded))


@answers("cuModuleGetFunction")
def get_function(thread: Thread, out: int, handle: int, name: int) -> None:
    """Give a kernel."""
    thread.memory.put_word(out, function(thread, thread.session.thing(handle, Loaded), thread.memory.text(name)))


@answers("cuModuleGetFunctionCount")
def count_functions(thread: Thread, out: int, handle: int) -> None:
    """Count its kernels."""
    thread.memory.put_word(out, len(thread.session.thing(handle, Loaded).module.kernels), 4)


@answers("cuModuleEnumerateFunctions")
def list_functions(thread: Thread, outs: int, count: UInt, handle: int) -> None:
    """Give its kernels, as many as are wanted."""
    of = thread.session.thing(handle, Loaded)
    names = of.module.kernels[:count]
    thread.memory.put(outs, struct.pack(f"<{len(names)}Q", *(function(thread, of, name) for name in names)))


@answers("cuModuleGetGlobal_v2")
def get_variable(thread: Thread, address_out: int, nbytes_out: int, handle: int, name: int) -> None:
    """Say where a variable lies."""
    put_variable(thread, thread.session.thing(handle, Loaded), thread.memory.text(name), address_out, nbytes_out)


@answers("cuModuleGetLoadingMode", context=False, initialised=False)
def loading_mode(thread: Thread, out: int) -> None:
    """Say that kernels are made ready when they are asked for."""
    thread.memory.put_word(out, _LAZY, 4)


@answers("cuFuncGetModule")
def module_of(thread: Thread, out: int, handle: int) -> None:
    """Give the module of a kernel."""
    found = thread.session.found(handle)
    if not isinstance(found, Function):
        raise Refusal("InvalidResourceHandle", f"{handle:#x} is no function of a module")
    if not found.module:
        raise Refusal("NotSupported", f"{found.kernel.name} is of the program's own device code, which has no handle as a module here")
    thread.memory.put_word(out, found.module)


@answers_of_runtime("cudaGetFuncBySymbol")
def function_by_symbol(thread: Thread, out: int, stub: int) -> None:
    """Give the driver's handle of a kernel of the program itself."""
    thread.memory.put_word(out, function_of_stub(thread, stub))


@answers("cuFuncIsLoaded")
def is_loaded(thread: Thread, out: int, handle: int) -> None:
    """Say that it is."""
    thread.session.thing(handle, Function)
    thread.memory.put_word(out, _LOADED, 4)


@answers("cuFuncLoad")
def load_function(thread: Thread, handle: int) -> None:
    """Check the handle: kernels are ready once they have one."""
    thread.session.thing(handle, Function)
