"""What Tesla's GPUs were measured by: the cases of ``archdef validate gt200`` and its neighbours, and the experiment that they name."""
from archdef.hookspecs import hookimpl


@hookimpl
def archdef_experiments():
    from archdef_tesla_evidence.experiments import scan     # only cases need it, and what it imports

    return [scan]
