"""What a V100 was measured by: the cases of ``archdef validate v100``, and the experiment that they name."""
from archdef.hookspecs import hookimpl


@hookimpl
def archdef_experiments():
    from archdef_volta_evidence.tensor import tensor

    return [tensor]
