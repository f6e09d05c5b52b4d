"""Reference cases that plugins ship: hardware's figures beside the model's, and the gaps between them that are known.

``archdef validate`` is the command; `validate` the same from Python.
"""
from archdef._lazy import submodules
from archdef.validate.builtin import launched, of_run
from archdef.validate.case import EXACT, Case, Gap, Group, References, Source
from archdef.validate.document import document, schema
from archdef.validate.experiments import experiment
from archdef.validate.finding import find
from archdef.validate.load import read, references
from archdef.validate.run import Outcome, Report, judge, validate
from archdef.validate.statistics import Accuracy, Ladder, Slope, Summary, accuracy, ladders, slopes, spearman, summary

__all__ = ["EXACT", "Accuracy", "Case", "Gap", "Group", "Ladder", "Outcome", "References", "Report", "Slope", "Source", "Summary", "accuracy", "document",
           "experiment", "find", "judge", "ladders", "launched", "of_run", "read", "references", "schema", "slopes", "spearman", "summary", "validate"]
__getattr__ = submodules(__name__, "draft")
