"""An architecture as a page: a block diagram drawn from the declaration, every field with its meaning and evidence."""
from archdef._lazy import submodules
from archdef.page.curves import Curves, curves
from archdef.page.diagram import diagram
from archdef.page.page import html, markdown, save_page

__all__ = ["Curves", "curves", "diagram", "html", "markdown", "save_page"]
__getattr__ = submodules(__name__, "validated")
