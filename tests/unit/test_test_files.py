"""Can all tests be collected together? Pytest imports them, and their helpers, by file name alone."""
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_two_files_have_one_name():
    files = [*ROOT.glob("tests/*/*.py"), *ROOT.glob("plugins/*/tests/*.py")]
    names = Counter(file.name for file in files)
    assert len(files) > 100 and {name for name, count in names.items() if count > 1} <= {"__init__.py", "conftest.py"}
