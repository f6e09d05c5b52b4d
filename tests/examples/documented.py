"""The examples under ``docs/examples``, as modules."""
import functools
import importlib.util
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "examples"


@functools.cache
def example(name):
    """Load one."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
