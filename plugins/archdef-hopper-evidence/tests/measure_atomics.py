"""Measure chains and rates of atomic operations: ``python tests/measure_atomics.py ATOMICS_CSV`` on an H100 (driver only, no toolkit).

A loop of one block repeats an operation; cycles of the multiprocessor's clock from the first warp's start to the last one's end, the slope
over the number of trips and of operations in one, median of three launches. `test_atomics.py` runs the same kernels on the model.
"""
import csv
import ctypes as c
import sys

HEAD = """.version 7.8
.target sm_90
.address_size 64
.shared .align 128 .b8 sh[32768];
.visible .entry k(.param .u64 out, .param .u64 lanes, .param .u64 memory, .param .u32 trips, .param .u32 active)
{ .reg .b64 %o, %l, %m, %s, %e, %q<4>; .reg .b32 %a, %t, %w, %n, %r<6>; .reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b16 %h<4>; .reg .pred %p, %c;
  ld.param.u64 %o, [out]; ld.param.u64 %l, [lanes]; ld.param.u64 %m, [memory]; ld.param.u32 %n, [trips]; ld.param.u32 %r5, [active];
  mov.u32 %t, %tid.x; mov.u32 %w, %laneid; setp.ge.u32 %p, %w, %r5; @%p bra END;
  mad.wide.u32 %l, %w, 4, %l; ld.global.u32 %a, [%l]; SPACE
  ld.global.u32 %r1, [%o]; ld.global.u64 %q1, [%o]; ld.global.f32 %f1, [%o]; ld.global.f64 %d1, [%o]; ld.global.b16 %h1, [%o];
  mov.u32 %r3, 0;
LOOP: setp.eq.u32 %c, %r3, 1; @%c mov.u64 %s, %clock64;
  BODY
  add.u32 %r3, %r3, 1; setp.lt.u32 %c, %r3, %n; @%c bra LOOP;
  mov.u64 %e, %clock64;
  cvt.u64.u16 %q2, %h1; add.u64 %q2, %q2, %q1; mov.b32 %r2, %f1; cvt.u64.u32 %q3, %r2; add.u64 %q2, %q2, %q3; mov.b64 %q3, %d1;
  add.u64 %q2, %q2, %q3; cvt.u64.u32 %q3, %r1; add.u64 %q2, %q2, %q3;
  mov.u32 %t, %tid.x; mad.wide.u32 %l, %t, 8, %o; st.global.u64 [%l+65536], %q2;
  and.b32 %r2, %t, 31; setp.ne.u32 %p, %r2, 0; @%p bra END;
  shr.u32 %t, %t, 5; mad.wide.u32 %o, %t, 16, %o; st.global.u64 [%o], %s; st.global.u64 [%o+8], %e;
END: ret; }
"""
SPACES = {"shared": "mov.u32 %r4, sh; add.u32 %a, %a, %r4;", "global": "cvt.u64.u32 %q0, %a; add.u64 %m, %m, %q0;"}
AT = {"shared": "%a", "global": "%m"}
CHAINS = {  # each needs the old value that the one before it gave
    "add.u32": "%r1, [{at}], %r1", "min.s32": "%r1, [{at}], %r1", "and.b32": "%r1, [{at}], %r1", "inc.u32": "%r1, [{at}], %r1",
    "exch.b32": "%r1, [{at}], %r1", "cas.b32": "%r1, [{at}], %r1, %r1", "add.u64": "%q1, [{at}], %q1", "min.s64": "%q1, [{at}], %q1",
    "exch.b64": "%q1, [{at}], %q1", "cas.b64": "%q1, [{at}], %q1, %q1", "add.f32": "%f1, [{at}], %f1", "add.f64": "%d1, [{at}], %d1",
    "add.noftz.f16x2": "%r1, [{at}], %r1", "add.noftz.f16": "%h1, [{at}], %h1", "cas.b16": "%h1, [{at}], %h1, %h1"}
REDUCTIONS = {  # whose old values nobody wants
    "red.add.u32": "[{at}], %w", "red.add one": "[{at}], 1", "red.add.f32": "[{at}], %f1", "red.add.u64": "[{at}], %q1", "red.add.f64": "[{at}], %d1",
    "red.min.s32": "[{at}], %w", "red.add.noftz.f16x2": "[{at}], %r1"}
PATTERNS = {    # lane → byte
    "words": lambda k: 4 * k, "distinct": lambda k: 8 * k, "same": lambda k: 0, "pairs": lambda k: k // 2 * 8, "fours": lambda k: k // 4 * 8,
    "eights": lambda k: k // 8 * 8, "stride 4": lambda k: 16 * k, "stride 8": lambda k: 32 * k, "one bank": lambda k: 128 * k,
    "two rows": lambda k: k % 2 * 128 + k // 2 * 8, "sixteen words": lambda k: k * 7 % 16 * 8}


def body(space: str, operation: str) -> str:
    """Give the PTX of one operation."""
    if operation.startswith("red."):
        name = "add.u32" if operation == "red.add one" else operation[4:]
        return f"red.{space}.{name} {REDUCTIONS[operation].format(at=AT[space])};"
    return f"atom.{space}.{operation} {CHAINS[operation].format(at=AT[space])};"


def timed(run, space: str, operation: str, pattern: str, *, warps: int = 1, active: int = 32, steps: int = 8, trips: tuple = (3, 11)) -> float:
    """Give the cycles from one operation to the next; ``run(text, words, warps, trips, active)`` gives those of a launch."""
    words = [PATTERNS[pattern](k) for k in range(32)]
    costs = []
    for n in (steps, 3 * steps):
        text = HEAD.replace("SPACE", SPACES[space]).replace("BODY", body(space, operation) * n)
        short, long = (run(text, words, warps, t, active) for t in trips)
        costs.append((long - short) / (trips[1] - trips[0]))
    return (costs[1] - costs[0]) / (2 * steps)


class Hardware:
    """The first GPU of this computer, by the driver."""

    def __init__(self):
        self.driver, device, context = c.CDLL("libcuda.so.1"), c.c_int(), c.c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", c.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", c.byref(context), device)
        self("cuCtxSetCurrent", context)
        self.out, self.lanes, self.memory = (self.room(n) for n in (1 << 20, 4096, 256 << 20))

    def __call__(self, name, *arguments):
        code = getattr(self.driver, name)(*arguments)
        if code:
            raise RuntimeError(f"{name} gave {code}")

    def room(self, size):
        """Take zeroed memory."""
        pointer = c.c_uint64()
        self("cuMemAlloc_v2", c.byref(pointer), c.c_size_t(size))
        self("cuMemsetD8_v2", pointer, c.c_ubyte(0), c.c_size_t(size))
        return pointer

    def run(self, text, words, warps, trips, active):
        """Give the cycles of a launch, the median of three."""
        module, kernel, found = c.c_void_p(), c.c_void_p(), []
        self("cuModuleLoadData", c.byref(module), text.encode())
        self("cuModuleGetFunction", c.byref(kernel), module, b"k")
        self("cuMemcpyHtoD_v2", self.lanes, (c.c_uint32 * 32)(*words), c.c_size_t(128))
        held = [self.out, self.lanes, self.memory, c.c_uint32(trips), c.c_uint32(active)]
        for _ in range(3):
            self("cuMemsetD8_v2", self.out, c.c_ubyte(0), c.c_size_t(1 << 17))
            self("cuMemsetD8_v2", self.memory, c.c_ubyte(0), c.c_size_t(1 << 20))
            self("cuLaunchKernel", kernel, 1, 1, 1, 32 * warps, 1, 1, 0, None, (c.c_void_p * 5)(*(c.cast(c.pointer(a), c.c_void_p) for a in held)), None)
            self("cuCtxSynchronize")
            times = (c.c_uint64 * (2 * warps))()
            self("cuMemcpyDtoH_v2", times, self.out, c.c_size_t(16 * warps))
            found.append(max(times[1::2]) - min(times[0::2]))
        self("cuModuleUnload", module)
        return sorted(found)[1]


def main(table: str) -> None:
    """Measure and write."""
    run = Hardware().run
    with open(table, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["quantity", "operation", "pattern", "lanes", "warps", "value", "unit"])
        for operation in CHAINS:
            for pattern in PATTERNS:
                if pattern != "words" or "64" not in operation:
                    rows.writerow(["shared latency", operation, pattern, 32, 1, round(timed(run, "shared", operation, pattern), 3), "cycles"])
                    if pattern in ("distinct", "same", "eights", "one bank"):
                        rows.writerow(["global latency", operation, pattern, 32, 1, round(timed(run, "global", operation, pattern), 3), "cycles"])
            for active in (1, 2, 4, 16):
                rows.writerow(["shared latency", operation, "same", active, 1, round(timed(run, "shared", operation, "same", active=active), 3), "cycles"])
        for operation in REDUCTIONS:
            for pattern in ("distinct", "same", "eights", "one bank"):
                for warps in (2, 8, 32):
                    found = timed(run, "shared", operation, pattern, warps=warps, steps=4, trips=(3, 7)) / warps
                    rows.writerow(["shared rate", operation, pattern, 32, warps, round(found, 3), "cycles of an access"])


if __name__ == "__main__":
    main(*sys.argv[1:])
