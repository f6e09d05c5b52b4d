"""The page of the runtime's functions says what the code answers."""
import csv

import pytest
from calls_page import DATA, PAGE, page, state

from archdef.exec.calls import CALLS
from archdef.exec.calls import NAMES


def test_the_page_is_what_the_code_answers():
    assert PAGE.read_text(encoding="utf-8") == page(), "refresh it with: python tests/docs/calls_page.py"


def test_every_function_that_is_answered_or_counted_is_one_that_the_stand_in_has():
    with DATA.open(encoding="ascii", newline="") as file:
        counted = [row[0] for row in list(csv.reader(file))[3:]]
    assert len(counted) > 100 and set(counted) <= set(NAMES) and set(CALLS) <= set(NAMES)


@pytest.mark.parametrize("name, expected", [("cudaMalloc", "answered"), ("cudaIpcGetMemHandle", "refused"), ("cudaLogsCurrent", "missing")])
def test_each_state_is_told(name, expected):
    assert state(name) == expected
