"""Advice on a kernel: what to change, at which line, and what that is worth, measured by running the launch again without the cause.

A `Rule` looks at a finished launch and gives findings: the evidence, the remedy, and what is to be supposed, a machine without the rule that costs the time, or
accesses of a line that are in order. `advise` runs the launch again under each supposition. What gains too little is not advised.
"""
from archdef.advice.advise import LEAST_GAIN, advise
from archdef.advice.plugins import Known, known_rules
from archdef.advice.table import listing
from archdef.advice.finding import Advice, Advices, Finding, Rule, Supposed
from archdef.advice.rules import RULES

__all__ = ["LEAST_GAIN", "RULES", "Advice", "Advices", "Finding", "Known", "Rule", "Supposed", "advise", "known_rules", "listing"]
