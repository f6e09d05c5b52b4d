"""Faults kept in reference cycles, with everything that they hold, until the garbage collector comes: ``python collected.py MACHINE`` counts them."""
import gc
import sys
import traceback

import numpy as np

import archdef
from archdef.errors import GuestFault

HEAD = ".version 8.5\n.target sm_90a\n.address_size 64\n"
CALLS = ".func (.reg .u32 r) f (.reg .u32 x) { .reg .pred %q; setp.eq.u32 %q, x, 0; @%q bra END; sub.u32 x, x, 1; call (r), f, (x); END: mov.u32 r, x; ret; }\n"
KERNEL = """.visible .entry k(.param .u64 out)
{{ .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; {body} ret; }}
"""
PROGRAMS = {
    "stray store": KERNEL.format(body="setp.eq.u32 %p1, %r1, 3; @%p1 st.global.u32 [%rd1+1073741824], %r1; WAIT: bra WAIT;"),
    "trap": KERNEL.format(body="setp.ne.u32 %p1, %r1, 5; @%p1 bra WAIT; trap; WAIT: bar.sync 0; bra WAIT;"),
    "budget": KERNEL.format(body="WAIT: bra WAIT;"),
    "deep calls": CALLS + KERNEL.format(body="mov.u32 %r2, 100000; call (%r3), f, (%r2); st.global.u32 [%rd1], %r3;"),
}
TIMES = 12


class Keeper:
    """What holds a fault and is held by it."""

    def __init__(self, fault, device):
        self.fault, self.device, self.myself = fault, device, self
        fault.keeper = self
        self.held = [frame.f_locals["session"] for frame, _ in traceback.walk_tb(fault.__traceback__) if "session" in frame.f_locals]
        self.held.append(self.held)     # so the session is the last to go


def keep(device, kernel, out):
    try:
        kernel[16, 96](out)
    except GuestFault as fault:
        Keeper(fault, device)       # its traceback holds this frame, and the frames that hold the session
        return
    raise AssertionError("no fault")


def main(machine: str) -> int:
    count = 0
    for text in PROGRAMS.values():
        for _ in range(TIMES):
            device = archdef.Device(machine, max_instructions=20_000)
            keep(device, device.compile(HEAD + text).k, device.to_device(np.zeros(64, "u4")))
            count += 1
            del device
            if count % 3 == 0:
                gc.collect()
    gc.collect()
    return count


if __name__ == "__main__":
    gc.disable()
    print(main(sys.argv[1]))
