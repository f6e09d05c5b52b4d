"""The table of values by their evidence is what the declarations say."""
import json

from evidence_table import PAGE, THEN, page

from archdef import registry


def test_the_table_of_evidence_is_what_the_declarations_say():
    assert PAGE.read_text(encoding="utf-8") == page(), "refresh it with: python tests/docs/evidence_table.py"


def test_what_was_counted_then_is_of_machines_that_there_are():
    assert set(json.loads(THEN.read_text(encoding="utf-8"))) <= set(registry.names())
