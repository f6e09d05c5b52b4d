"""Does a plugin's order decide which request of a DRAM partition goes next, as the engine's own does where it says the same, and is an answer that is none
refused?"""
import pytest
from test_brought import run, same, small

from archdef import registry
from archdef.errors import PluginError, PolicyError
from archdef.policies import VIEWS
from archdef.spec import DramScheduling, named
from archdef.spec.fields import choice, integer

NAMES = registry.names()
machines = pytest.mark.parametrize("name", NAMES)

FEW_ROWS = {"dram__partitions": 1, "dram__row_bytes": 512, "dram__banks": 2}
"""Rows so small, and so few banks, that requests of the kernel meet others for the same bank."""


@named("again_first_ready")
class FirstReadyAgain(DramScheduling):
    """The engine's own, as a plugin would write it."""

    window: int = integer(default=64)
    page_policy: str = choice("open", "close_adaptive", default="open")

    def next_request(self, view):
        turn = [i for i in range(view.count) if view.write[i] == view.writes_next]
        oldest, hits = {}, {}
        for i in turn:
            oldest.setdefault(view.bank[i], i)
            if view.row_hit[i]:
                hits.setdefault(view.bank[i], i)
        chosen = [hits.get(bank, oldest[bank]) for bank in sorted(oldest)]
        ready = [i for i in chosen if view.ready_fs[i] <= view.now_fs]
        opens = [i for i in ready if not view.row_hit[i]]
        return opens[0] if opens else min(ready) if ready else min(chosen, key=lambda i: view.ready_fs[i])


@named("test_first_come")
class FirstCome(DramScheduling):
    def next_request(self, view):
        return 0


def brought(cls):
    """A policy of a class, made here."""
    return named("test_" + cls.__name__.lower())(cls)()


@machines
def test_an_order_in_python_gives_the_cycles_of_the_engines(name):
    own = registry.get(name).dram.scheduling
    assert same(run(small(name, dram__scheduling=FirstReadyAgain(window=own.window, page_policy=own.page_policy))), run(small(name)))


@pytest.mark.parametrize("name", ["gf100", "gt200", "k20"])
def test_first_come_first_served_opens_more_rows(name):
    (served, left), (own, right) = (run(small(name, **FEW_ROWS, **more)) for more in ({"dram__scheduling": FirstCome()}, {}))
    assert (left == right).all()
    assert served.counters.partition["row_misses"].sum() > own.counters.partition["row_misses"].sum()
    assert served.cycles > own.cycles


@pytest.mark.parametrize("name", ["gf100", "h100"])
def test_the_view_says_what_is_in_the_window(name):
    seen = []

    class Watching(DramScheduling):
        window = 8

        def next_request(self, view):
            assert 0 < view.count <= 8 and list(view.arrival_fs) == sorted(view.arrival_fs) and view.arrival_fs[-1] <= view.now_fs
            for bank in set(view.bank):
                assert len({view.row[i] for i in range(view.count) if view.bank[i] == bank and view.row_hit[i]}) <= 1       # a bank has one row open
            assert all(-1 <= sm < 2 for sm in view.multiprocessor) and set(view.write) | set(view.row_hit) <= {0, 1}
            view.state[15] += 1
            seen.append((view.partition, view.state[15], view.count))
            return FirstReadyAgain().next_request(view)

    run(small(name, dram__scheduling=brought(Watching), dram__partitions=2))
    for partition in (0, 1):
        assert [asked for which, asked, _ in seen if which == partition] == list(range(1, 1 + sum(which == partition for which, *_ in seen)))
    assert max(count for *_, count in seen) > 2


def test_loads_are_known_by_who_asked_for_them():
    who = set()

    class Watching(DramScheduling):
        def next_request(self, view):
            who.update(sm for sm, write in zip(view.multiprocessor, view.write) if not write)
            return FirstReadyAgain().next_request(view)

    run(small("h100", dram__scheduling=brought(Watching)))
    assert {0, 1} <= who


@pytest.mark.parametrize("answer", [-1, 64, 1 << 40])
def test_a_request_that_is_not_there_is_no_answer(answer):
    class Wrong(DramScheduling):
        def next_request(self, view):
            return answer

    with pytest.raises(PolicyError, match=rf"dram\.scheduling: .* answered request {answer} of partition \d+, of 0 to \d+"):
        run(small("gf100", dram__scheduling=brought(Wrong)))


def test_what_it_raises_is_the_errors_cause():
    class Raising(DramScheduling):
        def next_request(self, view):
            raise KeyError("nothing")

    with pytest.raises(PolicyError, match="raised KeyError") as caught:
        run(small("gf100", dram__scheduling=brought(Raising)))
    assert isinstance(caught.value.__cause__, KeyError)


def test_whoever_opens_rows_for_ever_is_refused():
    class Opening(DramScheduling):
        def next_request(self, view):
            closed = [i for i in range(view.count) if not view.row_hit[i]]
            return closed[0] if closed else 0

    with pytest.raises(PolicyError, match=r"dram\.scheduling: .* opened rows of partition \d+ 1024 times in a row, the latest in bank \d+, and let no data go"):
        run(small("gf100", dram__scheduling=brought(Opening), **FEW_ROWS))


@pytest.mark.parametrize("window", [0, 1025, 1.5])
def test_a_window_that_the_engine_has_no_room_for_is_refused_by_path(window):
    wrong = named("test_wrong")(type("Wrong", (FirstCome,), {"window": window, "__slots__": ()}))
    with pytest.raises(PluginError, match=r"dram\.scheduling: window of Wrong must be 1 to 1024"):
        run(small("gf100", dram__scheduling=wrong()))


@pytest.mark.parametrize("kind, last", [("DRAM", "multiprocessor"), ("PLACEMENT", "pages"), ("TOPOLOGY", "links"), ("DISPATCH", "again")])
def test_the_views_have_their_last_fields_where_c_has_them(kind, last):
    from archdef.engine.policy import PolicyKind, sizes
    assert sizes()[PolicyKind[f"PK_{kind}"]] == (VIEWS[kind.lower()].itemsize, VIEWS[kind.lower()].fields[last][1])
