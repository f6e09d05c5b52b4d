"""Resident blocks are those of the runtime's occupancy call."""
from archdef.validate import validate
from archdef_hopper import H100


def test_occupancy_is_the_runtimes_at_every_measured_point():
    (report,) = validate([H100], only=["occupancy"])
    assert len(report.outcomes) == 2730
    assert [outcome.case.id for outcome in report.outcomes if outcome.status != "met"] == []
