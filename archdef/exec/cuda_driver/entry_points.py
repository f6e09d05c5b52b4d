"""Addresses of the driver's functions, by name and version, as programs ask for them that do not link with it."""
from __future__ import annotations

from pathlib import Path
from typing import Final

from archdef.exec.calls import NAMES, SUCCESS, Int, Thread, UInt, signed
from archdef.exec.calls import answers as runtime_answers
from archdef.exec.cuda_driver.calls import NOT_FOUND, answers
from archdef.runtime.status import Refusal

_NUMBERS: Final = {name: number for number, name in enumerate(NAMES)}
_SINCE: Final = {name: tuple(map(int, versions)) for name, *versions in
                 map(str.split, (Path(__file__).parent / "versions.txt").read_text(encoding="ascii").splitlines())}
"""Function → the versions of CUDA that changed its parameters. The first has the plain name, the others ``_v2``, ``_v3`` …: cudaTypedefs.h of CUDA."""
_TABLE_OF_COMPILER: Final = bytes.fromhex("da9151d33ae6cc41a5c04f26d533e328")
"""NVRTC asks for it and does without it."""
_RUNTIMES: Final = [version for line in (Path(__file__).parents[1] / "static_runtimes.txt").read_text(encoding="ascii").splitlines()
                    if line.startswith("runtime ") for version in line.split()[1].split(",")]
"""Versions of the CUDA runtime that are led to archdef by their code, where their symbols were stripped."""
_LEGACY, _PER_THREAD = 1, 2
_FOUND, _ABSENT, _TOO_OLD = range(3)


def exported(symbol: str, version: int, per_thread: bool) -> tuple[str | None, int]:
    """Give the exported name of what a symbol is in a version of CUDA, and whether it was found, is not there, or came later."""
    since = _SINCE.get(symbol)
    if since is None:
        return (symbol, _FOUND) if symbol in _NUMBERS and symbol.startswith("cu") else (None, _ABSENT)
    generation = sum(first <= version for first in since)
    if not generation:
        return None, _TOO_OLD
    name = symbol + (f"_v{generation}" if generation > 1 else "")
    if per_thread:
        name = next((name + suffix for suffix in ("_ptsz", "_ptds") if name + suffix in _NUMBERS), name)
    return name, _FOUND


def _look_up(thread: Thread, text: int, out: int, version: int, flags: int) -> int:
    if flags & ~(_LEGACY | _PER_THREAD) or flags == _LEGACY | _PER_THREAD:
        raise Refusal("InvalidValue", f"there are no flags {flags:#x}")
    name, state = exported(thread.memory.text(text), signed(version), bool(flags & _PER_THREAD))
    thread.memory.put_word(out, 0 if name is None else thread.connection.address(_NUMBERS[name]))
    return state


def _found(state: int) -> int:
    """Give the status of a search. Programs ask for what they can do without, so that none is no failure to tell of."""
    return SUCCESS if state == _FOUND else NOT_FOUND


@answers("cuGetProcAddress", context=False, initialised=False)
def address(thread: Thread, symbol: int, out: int, version: Int, flags: int) -> int:
    """Give the address of a function."""
    return _found(_look_up(thread, symbol, out, version, flags))


@answers("cuGetProcAddress_v2", context=False, initialised=False)
def address_or_state(thread: Thread, symbol: int, out: int, version: Int, flags: int, state_out: int) -> int:
    """Give the address of a function, and say whether there is one."""
    state = _look_up(thread, symbol, out, version, flags)
    if not state_out:
        return _found(state)
    thread.memory.put_word(state_out, state, 4)
    return SUCCESS


@answers("cuGetExportTable", context=False, initialised=False)
def table(thread: Thread, out: int, identity: int) -> int:
    """Say that there is no such table of functions that are documented nowhere. Raises Refusal where one is asked for that is needed."""
    if thread.memory.get(identity, len(_TABLE_OF_COMPILER)) == _TABLE_OF_COMPILER:
        return NOT_FOUND
    raise Refusal("SymbolNotFound", "a CUDA runtime in the program asks the driver for functions that are documented nowhere: it is not led to archdef, as its "
                                    f"symbols were stripped and its code is none that archdef knows ({', '.join(_RUNTIMES)}); "
                                    "link it with --cudart shared, or do not strip it")


@runtime_answers("cudaGetDriverEntryPoint", "cudaGetDriverEntryPoint_ptsz")
def entry_point(thread: Thread, symbol: int, out: int, flags: int, state_out: int) -> None:
    """Give the address of a function of the driver, as the CUDA has it that compiled the program."""
    entry_point_by_version(thread, symbol, out, 1000 * thread.session.cuda + 999, flags, state_out)


@runtime_answers("cudaGetDriverEntryPointByVersion", "cudaGetDriverEntryPointByVersion_ptsz")
def entry_point_by_version(thread: Thread, symbol: int, out: int, version: UInt, flags: int, state_out: int) -> None:
    """Give the address of a function of the driver, as a version of CUDA has it."""
    flags = flags or (_PER_THREAD if thread.per_thread else 0)
    state = _look_up(thread, symbol, out, version, flags)
    if state_out:
        thread.memory.put_word(state_out, state, 4)
    elif state != _FOUND:
        raise Refusal("SymbolNotFound", f"there is no {thread.memory.text(symbol)!r} in version {signed(version)}")
