"""The examples under ``docs/examples``, as modules."""
import functools
import importlib.util
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py") if "archdef.examples.command" in path.read_text(encoding="utf-8"))
"""Those that print tables of launches."""


@functools.cache
def example(name):
    """Load one."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
