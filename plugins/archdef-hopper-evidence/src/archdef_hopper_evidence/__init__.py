"""What an H100 was measured by: the cases of ``archdef validate h100``, and the experiments that they name."""
from archdef.hookspecs import hookimpl


@hookimpl
def archdef_experiments():
    from archdef_hopper_evidence.calibration import calibration, profiled_kernel
    from archdef_hopper_evidence.fifth import fifth
    from archdef_hopper_evidence.fourth import fourth
    from archdef_hopper_evidence.fresh import fresh
    from archdef_hopper_evidence.second import second
    from archdef_hopper_evidence.third import third
    from archdef_hopper_evidence.warpgroup import warpgroup

    return [calibration, profiled_kernel, fresh, second, third, fourth, fifth, warpgroup]
