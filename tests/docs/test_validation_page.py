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
