"""The runtime under MXMACA's names: ``mcMalloc``, ``mcStreamCreate`` …; what they do is in `archdef.runtime.api.Runtime`.

>>> from archdef.runtime import maca                                        # doctest: +SKIP
>>> maca.use("my_machine"); maca.mcGetDeviceProperties(0).waveSize                 # doctest: +SKIP
"""
from archdef.run.properties import ATTRIBUTES
from archdef.runtime import maca_names
from archdef.runtime.names import vocabulary

_NAMES = vocabulary("mc", "mc", maca_names.ERRORS, also={"waveSize": "warpSize"}, whole_shared=True)
_NAMES |= {f"mcDeviceAttribute{mine}": ATTRIBUTES[other][0] for mine, other in maca_names.ATTRIBUTES.items() if other in ATTRIBUTES}
_NAMES |= {mine: _NAMES[f"mc{other.removeprefix('cuda')}"] for mine, other in maca_names.OTHERS.items() if f"mc{other.removeprefix('cuda')}" in _NAMES}
globals().update(_NAMES)
__all__ = sorted(_NAMES)  # noqa: PLE0605  a list
