"""Programs that want all there is, run by themselves: ``python greedy.py MACHINE`` prints what came of each, and the memory that the process has taken, in MiB."""
import json
import re
import sys
from pathlib import Path

import numpy as np

import archdef
from archdef.errors import ArchdefError, GuestFault

BUDGET = 100_000
"""Warp instructions that a launch may execute."""
_HEAD = ".version 8.5\n.target sm_90a\n.address_size 64\n"
_CALLS = """.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b); .extern .func (.param .b64 r) malloc (.param .b64 a);
.extern .func (.param .b64 r) cudaGetParameterBufferV2 (.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 b); .extern .func (.param .b32 r) cudaEventRecord (.param .b64 e, .param .b64 s);
.extern .func (.param .b32 r) cudaStreamCreateWithFlags (.param .b64 s, .param .b32 f); .extern .func (.param .b32 r) cudaEventCreateWithFlags (.param .b64 e, .param .b32 f);
.extern .func (.param .b32 r) cudaMemsetAsync (.param .b64 a, .param .b32 b, .param .b64 c, .param .b64 d);
.global .align 8 .b8 text[32] = {37, 50, 48, 48, 48, 48, 48, 48, 48, 48, 48, 100, 10, 0};
.visible .entry child() { ret; }
.visible .entry hungry() { .local .b8 x[1099511627776]; .reg .b32 %r<2>; mov.u32 %r1, 1; st.local.volatile.u32 [x], %r1; ret; }
"""
_LAUNCH = """{{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r; .param .b64 t; .param .b32 q; mov.u64 %rd4, {0}; st.param.b64 [f], %rd4;
  st.param.b32 [g], {1}; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; st.param.b32 [b], 32; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], {2};
  call (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd5, [r]; st.param.b64 [r], %rd5; st.param.b64 [t], %rd6; call (q), cudaLaunchDeviceV2, (r, t); }}"""
_CREATE = "{{ .param .b64 a; .param .b32 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b32 [b], 1; call (r), {}, (a, b); }}"


def _most_mib() -> int:
    """Give the most memory that this process has held; what getrusage says counts its parent's too."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024


def _again(what: str) -> str:
    return f"AGAIN: {what} bra AGAIN;"


def _kernel(body: str, head: str = "", more: str = "") -> str:
    return (f"{_HEAD}{head}\n.visible .entry k(.param .u64 out)\n{{ .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; {more}\n"
            f"ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u64 %rd6, 0; {body}\nret; }}\n")


def _frame(function: str) -> str:
    return f".func (.reg .u32 r) f (.reg .u32 x) {{ .reg .b32 %a<4>; {function} }}"


PROGRAMS = {
    "a loop without an end": _kernel(_again("add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;")),
    "an empty loop": _kernel(_again("")),
    "loops in loops": _kernel("mov.u32 %r2, 0; A: mov.u32 %r3, 0; B: mov.u32 %r4, 0; C: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 0xffffffff; @%p1 bra C; "
                              "add.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, %r1; @%p2 bra B; add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 0xfffffffe; @%p3 bra A;"),
    "lanes that part at every step": _kernel(_again("add.u32 %r2, %r2, 1; and.b32 %r3, %r2, %r1; setp.eq.u32 %p1, %r3, 0; @%p1 bra AGAIN; st.global.u32 [%rd1], %r2;"), more=""),
    "nanosleep": _kernel(_again("nanosleep.u32 0xffffffff;")),
    "a barrier of 4294967264 threads": _kernel("bar.sync 3, 0xffffffe0;"),
    "a barrier of any number": _kernel("mul.lo.u32 %r2, %r1, 0x12345678; bar.sync %r2, %r2;"),
    **{f"a thread's array of {size} bytes": _kernel("st.local.volatile.u32 [x], %r1;", more=f".local .b8 x[{size}];") for size in (600_000, 1 << 31, 1 << 40, (1 << 62) - 8)},
    **{f"shared memory of {size} bytes": _kernel("st.shared.volatile.u32 [x], %r1;", more=f".shared .align 4 .b8 x[{size}];") for size in (300_000, 1 << 31, 1 << 40, (1 << 62) - 8)},
    "two arrays of 2 ^ 62 bytes": _kernel("st.local.volatile.u32 [x], %r1; st.local.volatile.u32 [y], %r1;", more=f".local .b8 x[{1 << 62}]; .local .b8 y[{1 << 62}];"),
    "endless recursion": _kernel("call (%r2), f, (%r1); st.global.u32 [%rd1], %r2;", _frame("call (r), f, (x); add.u32 r, r, 1; ret;")),
    "endless recursion with large frames": _kernel("call (%r2), f, (%r1); st.global.u32 [%rd1], %r2;",
                                                   _frame(".local .align 8 .b8 m[65536]; st.local.volatile.u32 [m], x; call (r), f, (x); ld.local.u32 %a1, [m]; add.u32 r, r, %a1; ret;")),
    "frames of 2 ^ 40 bytes": _kernel("call (%r2), f, (%r1); st.global.u32 [%rd1], %r2;",
                                      _frame(f".local .align 8 .b8 m[{1 << 40}]; st.local.volatile.u32 [m], x; call (r), f, (x); ld.local.u32 %a1, [m]; add.u32 r, r, %a1; ret;")),
    "alloca without an end": _kernel("mov.u64 %rd2, 64;" + _again("alloca.u64 %rd3, %rd2; st.local.u32 [%rd3], %r1;")),
    **{f"alloca of {size}": _kernel(f"mov.u64 %rd2, {size}; alloca.u64 %rd3, %rd2; st.local.u32 [%rd3], %r1;") for size in (-16, 1 << 31, 1 << 32, 1 << 63, (1 << 32) - 16)},
    "malloc without an end": _kernel(_again("{ .param .b64 a; .param .b64 r; st.param.b64 [a], 8; call (r), malloc, (a); ld.param.b64 %rd2, [r]; st.global.u64 [%rd1], %rd2; }"), _CALLS),
    "malloc of everything": _kernel("{ .param .b64 a; .param .b64 r; mov.u64 %rd2, -1; st.param.b64 [a], %rd2; call (r), malloc, (a); ld.param.b64 %rd2, [r]; st.global.u64 [%rd1], %rd2; }", _CALLS),
    "printf without an end, of wide numbers": _kernel(_again("{ .param .b64 a; .param .b64 b; .param .b32 r; mov.u64 %rd2, text; st.param.b64 [a], %rd2; st.param.b64 [b], %rd1; "
                                                             "call (r), vprintf, (a, b); }"), _CALLS),
    "launches without an end": _kernel(_again(_LAUNCH.format("child", 1, 0)), _CALLS),
    "launches of all blocks there can be": _kernel(_LAUNCH.format("child", 0x7fffffff, 0), _CALLS),
    "launches with all shared memory there is": _kernel(_LAUNCH.format("child", 1, 0xfffffff0), _CALLS),
    "launches of a kernel with an array of 2 ^ 40 bytes": _kernel(_LAUNCH.format("hungry", 1, 0), _CALLS),
    "streams without an end": _kernel(_again(_CREATE.format("cudaStreamCreateWithFlags")), _CALLS),
    "copies behind a launch without an end": _kernel(
        _CREATE.format("cudaStreamCreateWithFlags") + "ld.global.u64 %rd6, [%rd1];" + _LAUNCH.format("child", 0x7fffffff, 0) +
        _again("{ .param .b64 a; .param .b32 b; .param .b64 c; .param .b64 d; .param .b32 r; st.param.b64 [a], %rd1; st.param.b32 [b], 0; st.param.b64 [c], 4; st.param.b64 [d], %rd6; "
               "call (r), cudaMemsetAsync, (a, b, c, d); }"), _CALLS),
    "events behind a launch without an end": _kernel(
        _CREATE.format("cudaStreamCreateWithFlags") + "ld.global.u64 %rd6, [%rd1];" + _LAUNCH.format("child", 0x7fffffff, 0) + _CREATE.format("cudaEventCreateWithFlags") +
        "ld.global.u64 %rd7, [%rd1];" + _again("{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd7; st.param.b64 [b], %rd6; call (r), cudaEventRecord, (a, b); }"), _CALLS),
}
SHAPES = {"all the blocks there can be": ((0x7fffffff, 65535, 65535), 32, 0), "more dynamic shared memory than there can be": (1, 32, 1 << 62), "more threads than there can be": (1, 1 << 40, 0)}


def outcome(machine: str, text: str, grid=1, block=32, shared=0) -> str:
    device = archdef.Device(machine, max_instructions=BUDGET)
    kept = device.to_device(np.full(4096, 7, "u1"))
    out = device.to_device(np.zeros(1 << 16, "u1"))
    try:
        device.compile(text).k[grid, block, shared](out)
    except GuestFault as fault:
        return fault.data["kind"] or "fault"
    except ArchdefError as error:
        return type(error).__name__
    finally:
        assert (kept.to_host() == 7).all()
    return "ran"


def main(machine: str) -> None:
    tries = {name: (text,) for name, text in PROGRAMS.items()} | {name: (_kernel("st.global.u32 [%rd1], %r1;"), *shape) for name, shape in SHAPES.items()}
    for name, given in tries.items():
        print(json.dumps({"program": name}), end="", flush=True)
        print("\t" + outcome(machine, *given), _most_mib(), sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
