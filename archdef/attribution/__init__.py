"""Why one machine is faster than another: from the first to the second, one group of declared rules at a time.

`archdef.attribute` and ``archdef attribute`` measure a program on the machines between the two, and give each group a factor; the factors multiply
to the whole.
"""
from archdef.attribution.between import attribute
from archdef.attribution.groups import MEANINGS, RULES, AttributionError
from archdef.attribution.result import Attribution, Factor, Joined

__all__ = ["MEANINGS", "RULES", "Attribution", "AttributionError", "Factor", "Joined", "attribute"]
