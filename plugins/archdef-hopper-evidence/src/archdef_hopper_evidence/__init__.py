"""What an H100 was measured by: the cases of ``archdef validate h100``, and the experiments that they name."""
from archdef.hookspecs import hookimpl


@hookimpl
def archdef_experiments():
    from archdef_hopper_evidence.calibration import calibration, profiled_kernel
    from archdef_hopper_evidence.nvrtc_2026_11_21a import nvrtc_2026_11_21a
    from archdef_hopper_evidence.nvrtc_2026_11_21b import nvrtc_2026_11_21b
    from archdef_hopper_evidence.nvrtc_2026_11_22a import nvrtc_2026_11_22a
    from archdef_hopper_evidence.nvrtc_2026_11_22b import nvrtc_2026_11_22b
    from archdef_hopper_evidence.triton_numba_2026_11_22 import triton_numba_2026_11_22
    from archdef_hopper_evidence.warpgroup import warpgroup

    return [calibration, profiled_kernel, nvrtc_2026_11_21a, nvrtc_2026_11_21b, nvrtc_2026_11_22a, nvrtc_2026_11_22b,
            triton_numba_2026_11_22, warpgroup]
