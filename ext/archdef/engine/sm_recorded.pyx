"""The same multiprocessor as that of `sm.pyx`, which records the issues of warps of which a timeline is wanted."""
from archdef.engine.timeline cimport note_issue

include "sm.pxi"
