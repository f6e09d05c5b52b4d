"""Launches as one HTML file to look at: source, PTX and micro-ops with what each line cost, and charts. Each module is imported at its first use."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef._lazy import submodules

if TYPE_CHECKING:
    from archdef.html import charts as charts
    from archdef.html import document as document
    from archdef.html import model as model

__getattr__ = submodules(__name__, "charts", "document", "model")
