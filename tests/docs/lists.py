"""Write the lists that follow from the code into the pages under ``docs/``: ``python tests/docs/lists.py``.

The page of features and classes of operation is written as a whole; the quantities of microbenchmarks go behind a mark.
"""
from pathlib import Path

from archdef.microbench.suite import own
from archdef.spec.isa import FEATURE_NEEDS, FEATURE_OF_CLASS, FEATURES, MEMORY_CLASSES, OPERATION_CLASSES

DOCS = Path(__file__).parents[2] / "docs"
FEATURES_PAGE = DOCS / "reference" / "features.md"
BENCHMARKS_PAGE = DOCS / "howto" / "microbenchmarks.md"
MARK = "<!-- quantities -->\n"


def features_page() -> str:
    """Every feature and every class of operation, as descriptions name them."""
    rows = ["# Features and classes of operation", "", "<!-- written by tests/docs/lists.py -->", "",
            "What `isa.features` and `isa.operations` of a description may name. "
            "`archdef.spec.FEATURES` and `archdef.spec.OPERATION_CLASSES` hold the same.", "",
            "## Features", "", "In brackets the compute capability that brought the instruction. A kernel that needs a feature that the machine does not "
            "declare is refused by its name.", "", "| feature | what it allows | needs |", "|---|---|---|"]
    rows += [f"| `{name}` | {_cell(about)} | {f'`{FEATURE_NEEDS[name]}`' if name in FEATURE_NEEDS else ''} |" for name, about in FEATURES.items()]
    rows += ["", "## Classes of operation", "", "A description gives each class a unit, a latency and a number of issues; those with a feature may be left "
             "out where it is not declared. The latency of classes marked m is added to that of the memory that they access.", "",
             "| class | what it holds | feature | |", "|---|---|---|---|"]
    rows += [f"| `{name}` | {_cell(about)} | {', '.join(f'`{word}`' for word in FEATURE_OF_CLASS.get(name, '').split())} | {'m' * (name in MEMORY_CLASSES)} |"
             for name, about in OPERATION_CLASSES.items()]
    return "\n".join(rows) + "\n"


def quantities() -> str:
    """The quantities of every microbenchmark, with their units."""
    rows = ["| benchmark | quantities | parameters |", "|---|---|---|"]
    for name, benchmark in own().items():
        given = ", ".join(f"`{quantity}` ({unit})" for quantity, unit in benchmark.units.items())
        rows.append(f"| `{name}` | {given} | {', '.join(f'`{parameter}`' for parameter in benchmark.parameters)} |")
    return "\n".join(rows) + "\n"


def benchmarks_page() -> str:
    """The page of microbenchmarks with its list."""
    text = BENCHMARKS_PAGE.read_text(encoding="utf-8")
    return text[:text.index(MARK) + len(MARK)] + quantities()


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


PAGES = {FEATURES_PAGE: features_page, BENCHMARKS_PAGE: benchmarks_page}

if __name__ == "__main__":
    for page, made in PAGES.items():
        page.write_text(made(), encoding="utf-8")
