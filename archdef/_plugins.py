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
