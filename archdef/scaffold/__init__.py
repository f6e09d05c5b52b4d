"""A new plugin: a complete distribution, written from templates, that installs and passes its tests as it is."""
from archdef.scaffold.scaffold import new_plugin

__all__ = ["new_plugin"]
