"""The runtime under MXMACA's names: ``mcMalloc``, ``mcStreamCreate`` …; what they do is in `archdef.runtime.api.Runtime`.

>>> from archdef.runtime import maca                                        # doctest: +SKIP
>>> maca.use("my_machine"); maca.mcGetDeviceProperties(0).waveSize                 # doctest: +SKIP
"""
from archdef.runtime.names import vocabulary

_NAMES = vocabulary("mc", "mc", also={"waveSize": "warpSize"}, whole_shared=True)
globals().update(_NAMES)
__all__ = sorted(_NAMES)  # noqa: PLE0605  a list
