"""Libraries: device code that belongs to no context, and is loaded on each device where it is used."""
from __future__ import annotations

import struct

from archdef.errors import ArchdefError
from archdef.exec.calls import Int, Thread, UInt
from archdef.exec.cuda_driver import images, launches, modules
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_driver.jit import Options
from archdef.exec.cuda_driver.kernels import Library, LibraryKernel, function, on_device
from archdef.runtime.status import Refusal


def _load(thread: Thread, out: int, image: images.Image, options: Options) -> None:
    """Load a library. As the driver does with what it has to compile, errors are those of the device in use, if one is."""
    image.most_registers = options.most_registers or image.most_registers
    library = Library(image)
    if thread.session.contexts.current(thread) is not None:
        try:
            on_device(thread, library)
        except ArchdefError as error:
            options.say(str(error))
            raise
    options.say()
    library.handle = thread.session.handle(library)
    thread.memory.put_word(out, library.handle)


@answers("cuLibraryLoadData", context=False)
def load_data(thread: Thread, out: int, code: int, numbers: int, values: int, count: UInt, _: int, __: int, library_options: UInt) -> None:
    """Load PTX or a fat binary."""
    options = Options(thread, count, numbers, values)
    try:
        image = images.image_at(thread.memory, code)
    except ArchdefError as error:
        options.say(str(error))
        raise
    _load(thread, out, image, options)


@answers("cuLibraryLoadFromFile", context=False)
def load_file(thread: Thread, out: int, path: int, numbers: int, values: int, count: int) -> None:
    """Load a file."""
    _load(thread, out, modules.image_of_file(thread, path), Options(thread, count, numbers, values))


@answers("cuLibraryUnload", context=False)
def unload(thread: Thread, handle: int) -> None:
    """Forget a library, its modules and its kernels."""
    session = thread.session
    with session.lock:
        library = session.thing(handle, Library)
        session.forget(handle)
        loaded, kernels = list(library.loaded.values()), list(library.kernels.values())
    for module in loaded:
        module.forget(session)
    for each in kernels:
        session.forget(each)
        session.library_kernels.pop(each, None)


def kernel_handle(thread: Thread, library: Library, name: str) -> int:
    """Give the handle of a kernel. Raises Refusal if there is none of that name."""
    if name not in on_device(thread, library).module.kernels:
        raise Refusal("SymbolNotFound", f"the library has no kernel {name!r}")
    with thread.session.lock:
        if name not in library.kernels:
            library.kernels[name] = thread.session.handle(LibraryKernel(library, name))
        return library.kernels[name]


@answers("cuLibraryGetKernel", context=False)
def get_kernel(thread: Thread, out: int, handle: int, name: int) -> None:
    """Give a kernel."""
    thread.memory.put_word(out, kernel_handle(thread, thread.session.thing(handle, Library), thread.memory.text(name)))


@answers("cuLibraryGetKernelCount", context=False)
def count_kernels(thread: Thread, out: int, handle: int) -> None:
    """Count its kernels."""
    thread.memory.put_word(out, len(on_device(thread, thread.session.thing(handle, Library)).module.kernels), 4)


@answers("cuLibraryEnumerateKernels", context=False)
def list_kernels(thread: Thread, outs: int, count: UInt, handle: int) -> None:
    """Give its kernels, as many as are wanted."""
    library = thread.session.thing(handle, Library)
    names = on_device(thread, library).module.kernels[:count]
    thread.memory.put(outs, struct.pack(f"<{len(names)}Q", *(kernel_handle(thread, library, name) for name in names)))


@answers("cuLibraryGetModule")
def get_module(thread: Thread, out: int, handle: int) -> None:
    """Give its module on the current device."""
    thread.memory.put_word(out, on_device(thread, thread.session.thing(handle, Library)).handle)


@answers("cuLibraryGetGlobal")
def get_variable(thread: Thread, address_out: int, nbytes_out: int, handle: int, name: int) -> None:
    """Say where a variable lies on the current device."""
    of = on_device(thread, thread.session.thing(handle, Library))
    modules.put_variable(thread, of, thread.memory.text(name), address_out, nbytes_out)


@answers("cuKernelGetFunction")
def get_function(thread: Thread, out: int, handle: int) -> None:
    """Give a kernel as it is on the current device."""
    thread.memory.put_word(out, _function(thread, handle))


@answers("cuKernelGetLibrary", context=False)
def library_of(thread: Thread, out: int, handle: int) -> None:
    """Give the library of a kernel."""
    thread.memory.put_word(out, thread.session.thing(handle, LibraryKernel).library.handle)


@answers("cuKernelGetName", context=False)
def name(thread: Thread, out: int, handle: int) -> None:
    """Give its name. Raises Refusal."""
    if not handle:
        raise Refusal("InvalidValue", "no kernel")
    thread.memory.put_word(out, thread.string(thread.session.thing(handle, LibraryKernel).name))


@answers("cuKernelGetAttribute")
def get_attribute(thread: Thread, out: int, attribute: Int, handle: int, device: Int) -> None:
    """Say what a kernel takes on a device."""
    with thread.runtime.devices.using(device):
        launches.get_attribute(thread, out, attribute, _function(thread, handle))


@answers("cuKernelSetAttribute")
def set_attribute(thread: Thread, attribute: Int, value: Int, handle: int, device: Int) -> None:
    """Set an attribute of a kernel on a device."""
    with thread.runtime.devices.using(device):
        launches.set_attribute(thread, _function(thread, handle), attribute, value)


@answers("cuKernelSetCacheConfig")
def prefer(thread: Thread, handle: int, what: Int, device: Int) -> None:
    """Check the kernel: shares of L1 follow from what blocks take."""
    with thread.runtime.devices.using(device):
        _function(thread, handle)


@answers("cuKernelGetParamInfo", context=False)
def parameter(thread: Thread, handle: int, index: int, offset_out: int, nbytes_out: int) -> None:
    """Say where a parameter lies."""
    launches.parameter(thread, handle, index, offset_out, nbytes_out)


def _function(thread: Thread, handle: int) -> int:
    """Give the handle of a kernel's function on the current device."""
    of = thread.session.thing(handle, LibraryKernel)
    return function(thread, on_device(thread, of.library), of.name)
