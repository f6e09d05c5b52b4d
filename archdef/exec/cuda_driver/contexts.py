"""Contexts, and the stack of them that each thread has."""
from __future__ import annotations

from archdef.exec.calls import Int, Thread, UInt
from archdef.exec.contexts import Context
from archdef.exec.cuda_driver.calls import answers
from archdef.runtime.status import Refusal

_API_VERSION = 3020


@answers("cuInit", context=False, initialised=False)
def initialise(thread: Thread, flags: UInt) -> None:
    """Begin."""
    thread.session.contexts.initialised = True


@answers("cuCtxCreate", "cuCtxCreate_v2", context=False)
def create(thread: Thread, out: int, flags: UInt, device: Int) -> None:
    """Make one and make it current."""
    thread.memory.put_word(out, thread.session.contexts.create(thread, device, flags).handle)


@answers("cuCtxCreate_v3", context=False)
def create_with_affinity(thread: Thread, out: int, affinities: int, count: Int, flags: UInt, device: Int) -> None:
    """Make one and make it current. Raises Refusal where it shall have some of the multiprocessors only."""
    if count:
        raise Refusal("NotSupported", "contexts that have some of the multiprocessors only")
    create(thread, out, flags, device)


@answers("cuCtxCreate_v4", context=False)
def create_with_parameters(thread: Thread, out: int, parameters: int, flags: UInt, device: Int) -> None:
    """Make one and make it current. Raises Refusal where it shall have some of the multiprocessors only, or belong to graphics."""
    if parameters and any(thread.memory.get(parameters, 24)):
        raise Refusal("NotSupported", "contexts that have some of the multiprocessors only, or share with graphics")
    create(thread, out, flags, device)


@answers("cuCtxDestroy", "cuCtxDestroy_v2", context=False)
def destroy(thread: Thread, handle: int) -> None:
    """Free what was made in one."""
    contexts = thread.session.contexts
    contexts.destroy(thread, contexts.known(handle))


@answers("cuCtxAttach")
def attach(thread: Thread, out: int, flags: UInt) -> None:
    """Let one more hold the current one. Raises Refusal for a primary one, which is retained."""
    found = thread.session.contexts.needed(thread)
    if found.primary:
        raise Refusal("InvalidContext", "cuCtxAttach takes no primary context")
    found.holders += 1
    thread.memory.put_word(out, found.handle)


@answers("cuCtxDetach", context=False)
def detach(thread: Thread, handle: int) -> None:
    """Let one less hold one."""
    contexts = thread.session.contexts
    contexts.detach(thread, contexts.known(handle))


@answers("cuCtxPushCurrent", "cuCtxPushCurrent_v2", context=False)
def push(thread: Thread, handle: int) -> None:
    """Make one current, above the one that is."""
    contexts = thread.session.contexts
    contexts.push(thread, contexts.known(handle))


@answers("cuCtxPopCurrent", "cuCtxPopCurrent_v2", context=False)
def pop(thread: Thread, popped_out: int) -> None:
    """Make the one below current."""
    popped = thread.session.contexts.pop(thread)
    if popped_out:
        thread.memory.put_word(popped_out, popped.handle)


@answers("cuCtxSetCurrent", context=False)
def put(thread: Thread, handle: int) -> None:
    """Make one current in place of the one that is."""
    contexts = thread.session.contexts
    contexts.put(thread, contexts.known(handle) if handle else None)


@answers("cuCtxGetCurrent", context=False)
def current(thread: Thread, out: int) -> None:
    """Give the current one; 0 if there is none."""
    found = thread.session.contexts.current(thread)
    thread.memory.put_word(out, found.handle if found is not None else 0)


@answers("cuCtxGetDevice")
def device(thread: Thread, out: int) -> None:
    """Give its device."""
    thread.memory.put_word(out, thread.session.contexts.needed(thread).device, 4)


@answers("cuCtxGetDevice_v2", context=False)
def device_of(thread: Thread, out: int, handle: int) -> None:
    """Give the device of one, or of the current one."""
    thread.memory.put_word(out, _meant(thread, handle).device, 4)


@answers("cuCtxGetFlags")
def flags(thread: Thread, out: int) -> None:
    """Give its flags."""
    thread.memory.put_word(out, thread.session.contexts.needed(thread).flags, 4)


@answers("cuCtxSetFlags")
def set_flags(thread: Thread, value: UInt) -> None:
    """Set its flags."""
    thread.session.contexts.needed(thread).flags = value


@answers("cuCtxGetId", context=False)
def identity(thread: Thread, handle: int, out: int) -> None:
    """Give a number that no other context of the process has."""
    thread.memory.put_word(out, _meant(thread, handle).handle)


@answers("cuCtxGetApiVersion", context=False)
def api_version(thread: Thread, handle: int, out: int) -> None:
    """Say of which version contexts are: there is one only."""
    _meant(thread, handle)
    thread.memory.put_word(out, _API_VERSION, 4)


@answers("cuCtxSynchronize_v2", context=False)
def synchronize(thread: Thread, handle: int) -> None:
    """Wait for the device of one."""
    thread.runtime.device(_meant(thread, handle).device).context.synchronize()


@answers("cuCtxEnablePeerAccess")
def enable_peer(thread: Thread, handle: int, peer_flags: UInt) -> None:
    """Let the device reach the memory of another context's."""
    thread.runtime.DeviceEnablePeerAccess(thread.session.contexts.known(handle).device, peer_flags)


@answers("cuCtxDisablePeerAccess")
def disable_peer(thread: Thread, handle: int) -> None:
    """Take that back."""
    thread.runtime.DeviceDisablePeerAccess(thread.session.contexts.known(handle).device)


# ------------------------------------------------------------------------------------------------------------ primary contexts
@answers("cuDevicePrimaryCtxRetain", context=False)
def retain(thread: Thread, out: int, number: Int) -> None:
    """Hold the primary context of a device."""
    primary = thread.session.contexts.primary(number)
    thread.memory.put_word(out, primary.handle)
    primary.holders += 1


@answers("cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2", context=False)
def release(thread: Thread, number: Int) -> None:
    """Hold it no longer."""
    thread.session.contexts.release(thread, number)


@answers("cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxReset_v2", context=False)
def reset(thread: Thread, number: Int) -> None:
    """Free what was made in it."""
    thread.session.contexts.reset(thread, number)


@answers("cuDevicePrimaryCtxGetState", context=False)
def primary_state(thread: Thread, number: Int, flags_out: int, active_out: int) -> None:
    """Say whether somebody uses it."""
    primary = thread.session.contexts.primary(number)
    for out, value in ((flags_out, primary.flags), (active_out, int(primary.active))):
        if out:
            thread.memory.put_word(out, value, 4)


@answers("cuDevicePrimaryCtxSetFlags", "cuDevicePrimaryCtxSetFlags_v2", context=False)
def set_primary_flags(thread: Thread, number: Int, value: UInt) -> None:
    """Set its flags: how the host waits changes nothing here."""
    thread.session.contexts.primary(number).flags = value


def _meant(thread: Thread, handle: int) -> Context:
    contexts = thread.session.contexts
    return contexts.known(handle) if handle else contexts.needed(thread)
