"""Does the page of validation have every machine that ships, and every group of its cases?"""
import re

import validation_page

from archdef import registry
from archdef.validate import references


def test_every_machine_and_every_group_is_on_the_page():
    shown = validation_page.PAGE.read_text(encoding="utf-8")
    for name in registry.names():
        part = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", shown, re.DOTALL | re.MULTILINE)
        assert part, name
        missing = {case.group for case in references(name).cases} - set(re.findall(r"^\| ([^|]+?) \|", part[1], re.MULTILINE))
        assert not missing, (name, missing)


def test_the_readme_quotes_what_unfitted_cases_give():
    quoted = re.compile(r"([\d,]+) unfitted cases of (\d+) machines are off by ([\d.]+ %) on average, ([\d.]+ %) in the\s+median")
    readme = (validation_page.PAGE.parents[2] / "README.md").read_text(encoding="utf-8")
    assert quoted.search(readme)[0].split() == quoted.search(validation_page.PAGE.read_text(encoding="utf-8"))[0].split()


def test_fitted_and_unfitted_cases_are_counted_apart_over_all_machines():
    def case(error, **more):
        return {"fitted": False, "usable": True, "tolerance": 0.1, "model": 1.0, "ladder": "", "error": error, **more}

    cases = [case(0.1), case(-0.3), case(0.5, ladder="g/one"), case(-0.1, ladder="g/one"), case(9, fitted=True), case(9, usable=False),
             case(9, tolerance="exact"), case(None, model=None)]
    said = validation_page.expected({"a": {"cases": cases, "unfitted": {"cases": 3}}, "b": {"cases": [case(9, fitted=True)], "unfitted": {"cases": 0}}})
    assert said == "The 3 unfitted cases of 1 machines are off by 23.3 % on average, 30.0 % in the median. Of 1 machines there is no unfitted case."
