"""Libraries by the runtime's functions (CUDA 12.6 and later): the driver's, whose kernels are launched like the program's own."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread, UInt, answers
from archdef.exec.cuda_driver import launches, libraries
from archdef.exec.cuda_driver.kernels import Library, LibraryKernel, on_device
from archdef.run.module import Kernel


def _launchable(thread: Thread, handle: int) -> None:
    """Let the handle of a kernel stand where the address of a stub would."""
    kernel, session = thread.session.thing(handle, LibraryKernel), thread.session

    def here() -> Kernel:
        return on_device(thread, kernel.library).module[kernel.name]
    session.library_kernels[handle] = here


@answers("cudaLibraryLoadData")
def load_data(thread: Thread, out: int, code: int, numbers: int, values: int, count: UInt, library_numbers: int, library_values: int,
              library_count: UInt) -> None:
    """Load PTX or a fat binary."""
    libraries.load_data(thread, out, code, numbers, values, count, library_numbers, library_values, library_count)


@answers("cudaLibraryLoadFromFile")
def load_file(thread: Thread, out: int, path: int, numbers: int, values: int, count: UInt, library_numbers: int, library_values: int,
              library_count: UInt) -> None:
    """Load a file."""
    libraries.load_file(thread, out, path, numbers, values, count)


@answers("cudaLibraryUnload")
def unload(thread: Thread, handle: int) -> None:
    """Forget a library, its modules and its kernels."""
    libraries.unload(thread, handle)


@answers("cudaLibraryGetKernel")
def get_kernel(thread: Thread, out: int, handle: int, name: int) -> None:
    """Give a kernel."""
    found = libraries.kernel_handle(thread, thread.session.thing(handle, Library), thread.memory.text(name))
    _launchable(thread, found)
    thread.memory.put_word(out, found)


@answers("cudaLibraryGetKernelCount")
def count_kernels(thread: Thread, out: int, handle: int) -> None:
    """Count its kernels."""
    libraries.count_kernels(thread, out, handle)


@answers("cudaLibraryEnumerateKernels")
def list_kernels(thread: Thread, outs: int, count: UInt, handle: int) -> None:
    """Give its kernels, as many as are wanted."""
    libraries.list_kernels(thread, outs, count, handle)
    for each in list(thread.session.thing(handle, Library).kernels.values()):
        _launchable(thread, each)


@answers("cudaLibraryGetGlobal")
def get_variable(thread: Thread, address_out: int, nbytes_out: int, handle: int, name: int) -> None:
    """Say where a variable lies on the current device."""
    libraries.get_variable(thread, address_out, nbytes_out, handle, name)


@answers("cudaKernelSetAttributeForDevice")
def set_attribute(thread: Thread, handle: int, attribute: Int, value: Int, device: Int) -> None:
    """Set an attribute of a kernel on a device."""
    libraries.set_attribute(thread, attribute, value, handle, device)


# ------------------------------------------------------------------------------------------------------------------ parameters
@answers("cudaFuncGetParamInfo")
def parameter(thread: Thread, stub: int, index: int, offset_out: int, nbytes_out: int) -> None:
    """Say where a parameter of a kernel lies."""
    launches.put_parameter(thread, thread.session.kernel(stub), index, offset_out, nbytes_out)


@answers("cudaFuncGetParamCount")
def count_parameters(thread: Thread, stub: int, out: int) -> None:
    """Count its parameters."""
    thread.memory.put_word(out, len(thread.session.kernel(stub).program.parameter_layout))
