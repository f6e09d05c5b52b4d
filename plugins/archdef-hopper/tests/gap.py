"""Print how far the modelled H100 is from the measured one: latency and rate of single operations, cycles of the calibration kernels.

``python tests/gap.py [most warp instructions of a kernel]`` from the plugin's folder; kernels above the limit (default 1 500 000) are left out.
"""
import sys
from pathlib import Path
from statistics import geometric_mean, median

import archdef
from archdef_hopper import H100

LAUNCH = 5000
"""Cycles that the profiler counts with every launch on the hardware."""
# operation: (instruction on %0 with constants %1 %2, registers, latency in cycles, thread operations per cycle and multiprocessor)
OPERATIONS = {
    "add.f32": ("add.f32 %0, %0, %1;", "f32", 4.016, 120.15), "fma.rn.f32": ("fma.rn.f32 %0, %0, %1, %2;", "f32", 4.016, 119.87),
    "mul.lo.s32": ("mul.lo.s32 %0, %0, %1;", "b32", 4.016, 63.04), "mul.hi.s32": ("mul.hi.s32 %0, %0, %1;", "b32", 9.062, 31.75),
    "shl.b32": ("shl.b32 %0, %0, %1;", "b32", 4.0, 62.5), "popc.b32": ("popc.b32 %0, %0;", "b32", 16.938, 15.95),
    "div.s32": ("div.s32 %0, %0, %1;", "b32", 61.836, 8.49), "div.rn.f32": ("div.rn.f32 %0, %0, %1;", "f32", 57.086, 7.43),
    "sin.approx.f32": ("sin.approx.f32 %0, %0;", "f32", 23.133, 15.95), "sqrt.rn.f32": ("sqrt.rn.f32 %0, %0;", "f32", 55.25, 10.52),
    "fma.rn.f64": ("fma.rn.f64 %0, %0, %1, %2;", "f64", 8.047, 57.92), "div.rn.f64": ("div.rn.f64 %0, %0, %1;", "f64", 123.875, 4.9),
    "mad.lo.s64": ("mad.lo.s64 %0, %0, %1, %2;", "b64", 16.016, 15.15), "shfl.bfly": ("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", "b32", 24.047, 31.74)}


def cycles(device, step: str, type: str, steps: int, chains: int, warps: int) -> int:
    """Run `chains` dependent chains of `steps` in one block."""
    names = [[f"%c{k}", "%a", "%b"] for k in range(chains)]
    lines = []
    for _ in range(steps):
        for c, a, b in names:
            lines.append(step.replace("%0", c).replace("%1", a).replace("%2", b))
    size, load = int(type[1:]) // 8, f"ld.global.{type}"
    text = f""".version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p) {{
.reg .{type} %c<{chains}>, %a, %b; .reg .b64 %p;
ld.param.u64 %p, [p];
{load} %a, [%p]; {load} %b, [%p+{size}];
{' '.join(f'{load} {c[0]}, [%p+{size * (k + 2)}];' for k, c in enumerate(names))}
{chr(10).join(lines)}
{' '.join(f'st.global.{type} [%p+{size * (k + 2)}], {c[0]};' for k, c in enumerate(names))}
ret;
}}"""
    return device.compile(text).k[(1,), (32 * warps,)](device.zeros((64,), "u8")).cycles


def main(limit: int) -> None:
    """Print the tables."""
    device = archdef.Device(H100)
    print(f"{'operation':16} latency: here, measured   operations per cycle: here, measured")
    for name, (step, type, latency, rate) in OPERATIONS.items():
        here = (cycles(device, step, type, 160, 1, 1) - cycles(device, step, type, 32, 1, 1)) / 128
        span = cycles(device, step, type, 96, 4, 32) - cycles(device, step, type, 32, 4, 32)
        print(f"{name:16} {here:13.1f} {latency:9.1f} {64 * 4 * 32 * 32 / span:27.1f} {rate:9.1f}")
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "hardware"))
    from calibration import cases, run
    ratios = []
    print(f"\n{'kernel':40} cycles: here + {LAUNCH}, measured   ratio")
    for case in cases():
        if case.instructions <= limit:
            _, result = run(case, "ptx90", device)
            ratios.append((result.cycles + LAUNCH) / case.cycles)
            print(f"{case.name:40} {result.cycles + LAUNCH:12} {case.cycles:9} {ratios[-1]:11.2f}")
    print(f"{len(ratios)} kernels: median {median(ratios):.2f}, geometric mean {geometric_mean(ratios):.2f}, "
          f"from {min(ratios):.2f} to {max(ratios):.2f}; within 25 %: {sum(0.8 <= r <= 1.25 for r in ratios)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_500_000)
