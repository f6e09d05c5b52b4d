"""What a plugin does wrong, as the one error that it may cause."""
from __future__ import annotations

from archdef import values
from archdef.errors import PluginError


def refusal(what: str, error: BaseException) -> PluginError:
    """Give the PluginError for what a plugin raised, whatever that is; the user's own Ctrl-C goes on."""
    if type(error) is KeyboardInterrupt:
        raise error
    try:
        said = str(error)
    except Exception:
        said = "an error that cannot be printed"
    return PluginError(values.printable(f"{what} cannot be loaded: {type(error).__name__}: {said}"))


def check_keepable(plugin: object, called: str) -> None:
    """Refuse what pluggy could keep but never find again, which would break every later question to the others.

    It keeps plugins in sets, and finds them by comparing them. Raises PluginError.
    """
    try:
        same = hash(plugin) == hash(plugin) and bool(plugin == plugin)
    except Exception:
        same = False
    if plugin is None or not same:
        raise PluginError(f"plugin {called}: it must be hashable and equal to itself, as modules and plain objects are, got {values.shown(plugin)}")
