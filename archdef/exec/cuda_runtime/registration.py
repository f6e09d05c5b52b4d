"""What the code before ``main`` tells of a program's kernels and variables. Reference: crt/host_runtime.h of CUDA."""
from __future__ import annotations

from archdef.exec.calls import Thread, answers


@answers("__cudaRegisterFatBinary", status=False)
def register_binary(thread: Thread, wrapper: int) -> int:
    """Take a fat binary; its PTX is looked for when a kernel of it is launched."""
    return thread.session.register(wrapper)


@answers("__cudaRegisterFatBinaryEnd", status=False)
def end_registration(thread: Thread, handle: int) -> None:
    """Place managed variables, which the program may use from now on."""
    thread.session.place_managed(thread.connection, handle)


@answers("__cudaUnregisterFatBinary", status=False)
def unregister_binary(thread: Thread, handle: int) -> None:
    """Nothing is left to do: kernels stay known until the program ends."""


@answers("__cudaInitModule", status=False)
def init_module(thread: Thread, handle: int) -> int:
    """Say that it is."""
    thread.session.place_managed(thread.connection, handle)     # before CUDA 10.1 nothing says that all is registered
    return 1


@answers("__cudaRegisterFunction", status=False)
def register_kernel(thread: Thread, handle: int, stub: int, function: int, name: int) -> None:
    """Tie the host's stub to a kernel."""
    thread.session.register_kernel(handle, stub, thread.memory.text(name))


@answers("__cudaRegisterVar", status=False)
def register_variable(thread: Thread, handle: int, shadow: int, address: int, name: int) -> None:
    """Tie the host's shadow to a variable of the device."""
    thread.session.register_variable(handle, shadow, thread.memory.text(name))


@answers("__cudaRegisterManagedVar", status=False)
def register_managed(thread: Thread, handle: int, pointer: int, address: int, name: int) -> None:
    """Note where the program wants the address of a managed variable."""
    thread.session.register_managed(handle, pointer, thread.memory.text(name))


@answers("__cudaGetKernel")
def get_kernel(thread: Thread, out: int, stub: int) -> None:
    """Give the kernel of a stub: here the stub itself."""
    thread.memory.put_word(out, stub)


@answers("cudaGetKernel")
def get_known_kernel(thread: Thread, out: int, stub: int) -> None:
    """The same of a stub that is known. Raises Refusal."""
    thread.session.kernel(stub)
    thread.memory.put_word(out, stub)
