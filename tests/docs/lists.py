"""Write the lists that follow from the code into the pages under ``docs/``: ``python tests/docs/lists.py``.

The page of features and classes of operation is written as a whole; the quantities of microbenchmarks go behind a mark.
"""
import re
from pathlib import Path

from archdef.exec import server
from archdef.exec.calls import CALLS
from archdef.microbench.suite import own
from archdef.spec.isa import FEATURE_NEEDS, FEATURE_OF_CLASS, FEATURES, MEMORY_CLASSES, OPERATION_CLASSES

DOCS = Path(__file__).parents[2] / "docs"
FEATURES_PAGE = DOCS / "reference" / "features.md"
BENCHMARKS_PAGE = DOCS / "howto" / "microbenchmarks.md"
PROGRAMS_PAGE = DOCS / "howto" / "programs.md"
MARK = "<!-- quantities -->\n"
CALLS_MARK, CALLS_END = "<!-- calls -->\n", "<!-- end of calls -->\n"
LIBRARIES = {"cublas": "cuBLAS", "cublasLt": "cuBLASLt", "curand": "cuRAND", "cufft": "cuFFT", "cusparse": "cuSPARSE", "cusolver": "cuSOLVER", "cudnn": "cuDNN"}


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


def calls() -> str:
    """The functions of each library that are answered."""
    rows = ["| library | functions |", "|---|---|"]
    for prefix, name in LIBRARIES.items():
        answered = {each for each in CALLS if each in server.NAMES and prefix == max((p for p in LIBRARIES if each.startswith(p)), key=len, default=None)}
        newer = {each.removesuffix("_v2") for each in answered}
        old = sorted(_folded({each for each in answered if f"{each}_v2" in answered} | {each for each in answered if each in _BEFORE_CUDA_4}))
        rows.append(f"| {name} | {_listed(_folded(newer - _BEFORE_CUDA_4))} |")
        if old:
            rows.append(f"| {name} before CUDA 4 | {_listed(old)} |")
    return "\n".join(rows) + "\n"


_BEFORE_CUDA_4 = {"cublasInit", "cublasShutdown", "cublasGetError", "cublasAlloc", "cublasFree", "cublasSetKernelStream"}


def _folded(names: set[str]) -> set[str]:
    """Write functions that are there for single and for double precision once."""
    single = {each: re.sub(r"^(cublasI|cublas|cusparse|cusolverDn)([sS])(?=[a-z])", lambda found: found[1] + {"S": "[SD]", "s": "[sd]"}[found[2]], each) for each in names}
    both = {each for each, folded in single.items() if folded != each and folded.replace("[SD]", "D").replace("[sd]", "d") in names}
    gone = {single[each].replace("[SD]", "D").replace("[sd]", "d") for each in both}
    return {single[each] if each in both else each for each in names - gone}


def _listed(names: set[str] | list[str]) -> str:
    return ", ".join(f"`{each}`" for each in sorted(names))


def programs_page() -> str:
    """The page of programs with its list of functions."""
    text = PROGRAMS_PAGE.read_text(encoding="utf-8")
    return text[:text.index(CALLS_MARK) + len(CALLS_MARK)] + calls() + text[text.index(CALLS_END):]


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


PAGES = {FEATURES_PAGE: features_page, BENCHMARKS_PAGE: benchmarks_page, PROGRAMS_PAGE: programs_page}

if __name__ == "__main__":
    for page, made in PAGES.items():
        page.write_text(made(), encoding="utf-8")
