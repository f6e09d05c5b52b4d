"""Do answers take the hops and links that a plugin's topology names, and is an answer that is none refused?"""
import numpy as np
import pytest
from test_brought import run, same, small

import archdef
from archdef import registry
from archdef.errors import PolicyError, SpecErrors
from archdef.spec import NocDistances, Topology, named
from archdef.spec.fields import integer

NAMES = registry.names()
machines = pytest.mark.parametrize("name", NAMES)


@named("test_hops")
class Hops(Topology):
    """As many hops for all as the number says; a link of its own for each hop of each multiprocessor, or one for all."""

    each: int = integer(at_least=0, default=3)
    shared: int = integer(at_least=0, default=0)

    def hops(self, view):
        for k in range(self.each):
            view.links[k] = 0 if self.shared else view.multiprocessor * self.each + k
        return self.each


def brought(method):
    return named("test_brought")(type("Brought", (Topology,), {"__slots__": (), "hops": lambda self, view: method(view)}))()


def on(name, topology, **fields):
    return small(name, interconnect__distances=NocDistances(topology=topology, hop_ns=fields.pop("hop_ns", 0.0), **fields))


@machines
def test_no_hops_change_nothing(name):
    assert same(run(on(name, Hops(each=0), hop_ns=100.0)), run(small(name, interconnect__distances=None)))


@machines
def test_an_answer_takes_longer_by_its_hops(name):
    """One thread waits for one load after another."""
    source = """.version 7.0
.target sm_30
.address_size 64
.visible .entry chase(.param .u64 words)
{
    .reg .b64 %d<3>; .reg .b32 %r<4>; .reg .pred %p<2>;
    ld.param.u64 %d1, [words]; mov.u32 %r1, 0;
AGAIN:
    ld.volatile.global.u64 %d1, [%d1]; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; @%p1 bra AGAIN;
    st.global.u64 [%d1], %d1; ret;
}"""
    def cycles(topology):
        device = archdef.Device(on(name, topology, hop_ns=200.0))
        words = device.zeros(4096, "u8")
        chain = np.zeros(4096, "u8")
        chain[:4000:100] = words.address + 8 * np.arange(100, 4100, 100)
        words.copy_from_host(chain)
        return device.compile(source).chase[1, 1](words).cycles
    near, far = cycles(Hops(each=1)), cycles(Hops(each=4))
    shader = registry.get(name).clocks.shader_mhz
    assert abs((far - near) / (20 * 3 * 0.2 * shader) - 1) < 0.1


@pytest.mark.parametrize("name", ["gf100", "h100"])
def test_a_link_that_all_answers_share_holds_them_up(name):
    (apart, left), (shared, right) = (run(on(name, Hops(each=1, shared=one), link_bytes_per_cycle=2)) for one in (0, 1))
    assert (left == right).all() and shared.cycles > 1.2 * apart.cycles


def test_each_pair_is_asked_for_once():
    seen = []

    def keep(view):
        seen.append((view.multiprocessor, view.partition))
        assert (view.multiprocessors, view.partitions, view.room, view.links) == (2, 6, 64, [-1] * 64)
        return 0
    archdef.Device(on("gf100", brought(keep)))
    run(on("gf100", brought(keep)))
    assert seen == [(sm, partition) for sm in range(2) for partition in range(6)]


@pytest.mark.parametrize("answer", [-1, 65, 1 << 40])
def test_hops_that_are_none_are_refused(answer):
    with pytest.raises(PolicyError, match=rf"interconnect\.distances\.topology: .* answered {answer} hops from partition 0 to multiprocessor 0, of 0 to 64"):
        run(on("gf100", brought(lambda view: answer)))


@pytest.mark.parametrize("link", [-2, 4096, 1 << 40])
def test_a_link_that_is_none_is_refused(link):
    def wrong(view):
        view.links[0] = link
        return 1
    with pytest.raises(PolicyError, match=rf"named link {link} on the way from partition 0 to multiprocessor 0, of 0 to 4095, or -1 for none"):
        run(on("gf100", brought(wrong)))


def test_hops_without_a_topology_are_refused_in_what_ifs():
    with pytest.raises(SpecErrors) as caught:
        registry.get("h100").evolve({"interconnect.distances.hop_ns": 3.0})
    assert "interconnect.distances.topology is given" in str(caught.value.exceptions[0])
