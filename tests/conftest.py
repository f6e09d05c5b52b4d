"""Which tests are in the fast tier (``pytest -m fast tests``), for every edit: those of `tests` but for the files below.

Most files below take more than six seconds of processor time each. The plugins' own tests, which ask every question of every
machine, and studies marked long are not in it.
"""
import os
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

SLOW = {
    "advice": "advice advice_defects contended_atomics",
    "bounds": "causes matrix_roofline within_bounds within_bounds_full",
    "children": "launches_by_kernels",
    "docs": "commands_of_pages figures interactive pages pages_run site testing_pages",
    "exec": "cublas cufft curand cusparse cusparse_made library_kernels",
    "example_plugins": "example_plugins",
    "engine": "recalled_accesses translation",
    "fields": "every_field optional_components",
    "examples": "answers effects hardware",
    "groups": "barriers ends_of_threads multi_grid",
    "hardware": "calibration conformance launches matrix_conformance reference textures",
    "host": "programs",
    "hostile": "addresses collected mutations wild_forms",
    "maca": "maca_examples",
    "microbench": "instruction_fetch microbench_declared microbench_suite",
    "oracle": "flow forms kernels shipped_examples spilling",
    "policies": "block_throttling brought cache_policies dram_order l1_policies page_placement policy_plugin throttle",
    "programs": "built_programs",
    "pytest_plugin": "architecture_matrix",
    "report": "widths",
    "html": "report_browser report_page",
    "run": "debug_builds footprint interruption lane_states metric_ranges module_symbols template_instances warp_sizes",
    "style": "tools user_script",
    "tensor_maps": "tensor_hardware tensor_hostile",
    "texture": "hostile surfaces",
    "unit": "curves_of_ladders description_files diff hostile_runtime hostile_values lower_assembler lower_equivalence lower_warp lowering_grows "
        "matrix new_plugin old_names pages_of_architectures ptx_hostile spec_evidence spec_evolve system_calls video",
    "validate": "command installed_cases",
}
"""Folder → files that take long, without ``test_``."""

_SLOW = {TESTS / folder / f"test_{name}.py" for folder, names in SLOW.items() for name in names.split()}


def pytest_configure():
    os.environ.pop("COLUMNS", None)     # pytest-xdist sets it for its workers; what commands print there is for a pipe as without it
    if missing := sorted(str(path) for path in _SLOW if not path.is_file()):
        raise pytest.UsageError(f"tests/conftest.py lists tests as slow that are not there: {', '.join(missing)}")


def pytest_collection_modifyitems(items):
    for item in items:
        if TESTS in item.path.parents and item.path not in _SLOW and item.get_closest_marker("long") is None:
            item.add_marker(pytest.mark.fast)
