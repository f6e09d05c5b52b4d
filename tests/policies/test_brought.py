"""Do policies that a plugin brings decide, in Python and compiled, as the engine's own do where they say the same?"""
import os
import subprocess
import sys
from pathlib import Path

import brought
import numpy as np
import pytest

import archdef
from archdef import policies, registry
from archdef.engine.policy import sizes
from archdef.errors import PluginError, PolicyError
from archdef.policies import ABI, VIEWS, Compiled
from archdef.spec import IpdomStack, LeastRecentlyUsed, Prefetcher, SchedulerPolicy, Transaction, named
from archdef.spec.check import MOST_WAYS_OF_POLICIES

NAMES = registry.names()
machines = pytest.mark.parametrize("name", NAMES)
KERNEL = """.version 7.0
.target sm_30
.address_size 64
.visible .entry kernel(.param .u64 words, .param .u32 count)
{
    .reg .b64 %d<6>; .reg .b32 %r<16>; .reg .pred %p<4>; .shared .align 8 .b8 sh[2048];
    ld.param.u64 %d1, [words]; cvta.to.global.u64 %d1, %d1; ld.param.u32 %r9, [count];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mov.u64 %d3, sh; shl.b32 %r5, %r1, 3; cvt.u64.u32 %d4, %r5; add.u64 %d3, %d3, %d4;
    mov.u32 %r10, 0; mov.u32 %r11, 0;
AGAIN:
    mul.lo.u32 %r6, %r4, 67; mad.lo.u32 %r6, %r10, 129, %r6; rem.u32 %r6, %r6, %r9;
    mul.wide.u32 %d2, %r6, 4; add.u64 %d2, %d1, %d2; ld.global.u32 %r7, [%d2];
    st.shared.u32 [%d3], %r7; bar.sync 0; ld.shared.u32 %r8, [%d3];
    and.b32 %r12, %r8, 1; setp.eq.u32 %p1, %r12, 0; @%p1 bra EVEN;
    mul.lo.u32 %r11, %r11, 3; add.u32 %r11, %r11, %r8; add.u32 %r11, %r11, 1; mul.lo.u32 %r11, %r11, 5; add.u32 %r11, %r11, 1;
    mul.lo.u32 %r11, %r11, 3; add.u32 %r11, %r11, %r8; add.u32 %r11, %r11, 1; mul.lo.u32 %r11, %r11, 5; add.u32 %r11, %r11, 1;
    bra JOIN;
EVEN:
    mul.lo.u32 %r11, %r11, 7; xor.b32 %r11, %r11, %r8; add.u32 %r11, %r11, 1; mul.lo.u32 %r11, %r11, 5; add.u32 %r11, %r11, 1;
    mul.lo.u32 %r11, %r11, 7; xor.b32 %r11, %r11, %r8; add.u32 %r11, %r11, 1; mul.lo.u32 %r11, %r11, 5; add.u32 %r11, %r11, 1;
JOIN:
    add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 6; @%p2 bra AGAIN;
    mul.wide.u32 %d2, %r4, 4; add.u64 %d2, %d1, %d2; mul.wide.u32 %d5, %r9, 4; add.u64 %d2, %d2, %d5; st.global.u32 [%d2], %r11;
    ret;
}"""
COUNT = 8192


def run(architecture, blocks=12, threads=128):
    """Launch the kernel: random reads, shared memory, a branch that parts lanes. Gives the run and what it left."""
    device = archdef.Device(architecture)
    words = device.to_device(np.concatenate([np.random.default_rng(5).integers(0, 1 << 30, COUNT).astype("u4"),
                                             np.zeros(blocks * threads, "u4")]))
    return device.compile(KERNEL).kernel[blocks, threads](words, COUNT), words.to_host()


def small(name, **changes):
    return registry.get(name).evolve({"chip.multiprocessors": 2, **{k.replace("__", "."): v for k, v in changes.items()}})


def same(one, other):
    (a, left), (b, right) = one, other
    return a.cycles == b.cycles and np.array_equal(left, right) and np.array_equal(a.counters.statements, b.counters.statements)


@machines
@pytest.mark.parametrize("mine, own", [(brought.RoundRobinAgain(), "lrr"), (brought.OldestAgain(), "oldest"), (brought.WeightedAgain(), "weighted")],
                         ids=["lrr", "oldest", "weighted"])
def test_a_scheduler_in_python_issues_what_the_engines_does(name, mine, own):
    assert same(run(small(name, schedulers__policy=mine)), run(small(name, schedulers__policy=own)))


@machines
def test_a_partition_map_in_python_gives_the_cycles_of_the_engines(name):
    assert same(run(small(name, dram__partition_map=brought.InterleavedAgain())), run(small(name, dram__partition_map="interleaved")))


@machines
def test_a_bank_map_in_python_gives_the_passes_of_the_engines(name):
    assert same(run(small(name, shared__bank_map=brought.LowOrderAgain())), run(small(name)))


@machines
def test_replacement_in_python_gives_the_hits_of_the_engines(name):
    levels = [f"caches__{level}__replacement" for level in ("l1", "l2", "constant") if getattr(registry.get(name).caches, level) is not None]
    l1 = registry.get(name).caches.l1
    ways = 0 if l1 is None else min(l1.ways, 16)
    tiny = {} if l1 is None else {"caches__l1__ways": ways, "caches__l1__size_bytes": 16 * l1.line_bytes * ways}
    assert same(run(small(name, **dict.fromkeys(levels, brought.LeastRecentlyUsedAgain()), **tiny)),
                run(small(name, **dict.fromkeys(levels, LeastRecentlyUsed()), **tiny)))


@machines
def test_block_dispatch_in_python_places_blocks_as_the_engines_does(name):
    assert same(run(small(name, chip__block_launch__dispatch=brought.FewestWarpsAgain())), run(small(name)))


@machines
def test_branches_go_as_the_engines_do_if_a_policy_says_so(name):
    independent = registry.get(name).warp.reconvergence.independent
    mine = brought.BarriersAgain() if independent else brought.StackAgain()
    assert same(run(small(name, warp__reconvergence=mine)), run(small(name)))


@machines
def test_the_other_side_first_gives_the_same_results_at_another_time(name):
    @named("taken_first")
    class TakenFirst(type(registry.get(name).warp.reconvergence)):
        def taken_first(self, view):
            assert view.taken and view.rest and not view.taken & view.rest
            return True

    (own, left), (turned, right) = run(small(name)), run(small(name, warp__reconvergence=TakenFirst()))
    assert np.array_equal(left, right)
    totals, others = own.counters.totals(), turned.counters.totals()
    assert totals["thread_instructions"] == others["thread_instructions"] and totals["branches"] == others["branches"]


@pytest.mark.parametrize("name", [n for n in NAMES if registry.get(n).caches.l2 is not None])
def test_a_coalescing_rule_in_python_moves_what_it_says(name):
    sector = registry.get(name).caches.l2.sector_bytes
    line = registry.get(name).caches.l2.line_bytes
    rule = brought.LinesAgain(line_bytes=line, sector_bytes=sector)
    changes = {f"coalescing__{kind}": rule for kind in ("load_uncached", "store")}
    off = {"caches__l1__enabled": False} if registry.get(name).caches.l1 is not None else {}
    (mine, left), (own, right) = run(small(name, **changes, **off, coalescing__load=rule)), run(small(name, **off))
    assert np.array_equal(left, right)
    stored = 12 * 128 * 4      # side by side, so every sector is full
    assert mine.counters.totals()["global_store_transactions"] == stored // sector and own.counters.totals()["global_store_transactions"]


# ------------------------------------------------------------------------------------------------------------ compiled
C = """
#include "archdef/engine/policy.h"
int64_t lrr(const ArchdefSchedulerView *v)
{
    uint64_t after = v->last < 63 ? v->candidates >> (v->last + 1) << (v->last + 1) : 0;
    return __builtin_ctzll(after ? after : v->candidates);
}
int64_t modulo(const ArchdefPartitionView *v) { return v->address / v->interleave_bytes % v->partitions; }
int64_t constant(const ArchdefPartitionView *v) { return v->parameters[0]; }
int64_t counts(const ArchdefSchedulerView *v)
{
    v->state[0] += 1;
    return v->abi == ARCHDEF_POLICY_ABI && v->parameter_count == 2 && v->parameters[1] == 7 ? __builtin_ctzll(v->candidates) : -5;
}
"""
CYTHON = """
# cython: language_level=3
from libc.stdint cimport int64_t, uint64_t
from archdef.engine.policy cimport SchedulerView

cdef extern from *:
    int __builtin_ctzll(uint64_t) nogil

cdef api int64_t lrr(const SchedulerView *v) noexcept nogil:
    cdef uint64_t after = v.candidates >> (v.last + 1) << (v.last + 1) if v.last < 63 else 0
    return __builtin_ctzll(after if after else v.candidates)
"""


def compiled(kind, function, parameters=(), abi=ABI):
    """A policy value of a kind with nothing but a compiled form."""
    return named("compiled")(type("Compiled", (kind,), {"__slots__": (), "partition": lambda *_: 0,
                                                       "compiled": lambda self: Compiled(function, parameters, abi)}))()


@machines
def test_a_scheduler_in_c_issues_what_the_engines_does(name, library):
    assert same(run(small(name, schedulers__policy=compiled(SchedulerPolicy, library.lrr))), run(small(name, schedulers__policy="lrr")))


def test_a_partition_map_in_c_gives_the_cycles_of_the_engines(library):
    mine = compiled(brought.PartitionMap, library.modulo)
    assert same(run(small("gf100", dram__partition_map=mine)), run(small("gf100", dram__partition_map="interleaved")))


def test_parameters_reach_the_function(library):
    assert run(small("gf100", schedulers__policy=compiled(SchedulerPolicy, library.counts, (1, 7))))[0].cycles > 0
    with pytest.raises(PolicyError, match="schedulers.policy: .* answered warp -5 at cycle"):
        run(small("gf100", schedulers__policy=compiled(SchedulerPolicy, library.counts, (1, 8))))


def test_a_cython_function_is_a_policy(tmp_path):
    pytest.importorskip("Cython")
    (tmp_path / "fast.pyx").write_text(CYTHON)
    (tmp_path / "setup.py").write_text(
        "from setuptools import Extension, setup\nfrom Cython.Build import cythonize\nfrom archdef.policies import include\n"
        "setup(ext_modules=cythonize([Extension('fast', ['fast.pyx'], include_dirs=[str(include())])], include_path=[str(include())]))\n")
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *map(os.path.abspath, filter(None, sys.path))])}
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = subprocess.run([sys.executable, "-c", "import fast, test_brought as t\n"
                            "mine = t.compiled(t.SchedulerPolicy, fast.__pyx_capi__['lrr'])\n"
                            "print(t.same(t.run(t.small('gf100', schedulers__policy=mine)), t.run(t.small('gf100', schedulers__policy='lrr'))))"],
                           cwd=tmp_path, env=env, capture_output=True, text=True)
    assert found.stdout.strip() == "True", found.stderr


def test_a_numba_function_is_a_policy():
    pytest.importorskip("numba")
    from archdef.policies.jit import cfunc, int64s, lowest_bit

    @cfunc("scheduler")
    def oldest(view):
        launched, left, best = int64s(view.launched, 64), view.candidates, -1
        while left:
            slot = lowest_bit(left)
            left &= left - np.uint64(1)
            if best < 0 or launched[slot] < launched[best]:
                best = slot
        return best

    assert same(run(small("gf100", schedulers__policy=compiled(SchedulerPolicy, oldest))), run(small("gf100", schedulers__policy="oldest")))


def test_a_compiled_replacement_sees_all_ways_of_a_wide_set():
    pytest.importorskip("numba")
    from archdef.policies.jit import cfunc, int64s, uint64s

    @cfunc("replacement")
    def oldest(view):
        busy, used, best = uint64s(view.busy_ways, (view.ways + 63) // 64), int64s(view.used, view.ways), -1
        for way in range(view.ways):
            if not busy[way >> 6] >> np.uint64(way & 63) & np.uint64(1) and (best < 0 or used[way] < used[best]):
                best = way
        return best

    wide = {"caches__l1__ways": 130, "caches__l1__size_bytes": 130 * 128, "caches__l1_gives_carveout": False, "caches__carveout_takes": "sets"}
    given = compiled(LeastRecentlyUsed.__bases__[0], oldest)
    assert same(run(small("v100", caches__l1__replacement=given, **wide)), run(small("v100", **wide)))


def test_views_are_laid_out_alike_in_every_language():
    for (kind, view), (size, last) in zip(VIEWS.items(), sizes().values()):
        assert (view.itemsize, max(offset for _, offset in view.fields.values())) == (size, last), kind
    header = (policies.include() / "archdef" / "engine" / "policy.h").read_text()
    assert f"#define ARCHDEF_POLICY_ABI {ABI}\n" in header and f"#define ARCHDEF_POLICY_WAYS {MOST_WAYS_OF_POLICIES} " in header
    assert all(f" {name};" in header or f"*{name};" in header for view in VIEWS.values() for name in view.names)


# --------------------------------------------------------------------------------------------------------- wrong answers
def raising(kind, method, answer):
    def ask(self, *_):
        if isinstance(answer, Exception):
            raise answer
        return answer
    return named("wrong")(type("Wrong", (kind,), {"__slots__": (), "largest_bytes": 128, method: ask}))()


WRONG = {
    "schedulers.policy": (SchedulerPolicy, "choose", 70, "answered warp 70 at cycle .* which cannot issue then"),
    "dram.partition_map": (brought.PartitionMap, "partition", 4096, "answered partition 4096 for address 0x"),
    "shared.bank_map": (brought.BankMap, "banks_of", [-1] * 64, "gave word .* the bank -1, of 0 to"),
    "coalescing.store": (brought.CoalescingRule, "transactions", [Transaction(0, 32, ())], "left out lane 0: no transaction holds its 4 bytes"),
    "chip.block_launch.dispatch": (brought.BlockDispatch, "multiprocessor", 99, "sent block 0 to multiprocessor 99"),
    "warp.reconvergence": (IpdomStack, "taken_first", 2, "answered 2 for the branch at"),
    "caches.l2.replacement": (brought.Replacement, "victim", 1000, "answered way 1000, of 0 to"),
}


@pytest.mark.parametrize("path", WRONG)
def test_an_answer_that_is_none_is_an_error_that_names_the_policy(path):
    kind, method, answer, text = WRONG[path]
    if path == "shared.bank_map":
        method, kind = "banks_of", named("wrong")(type("Wrong", (brought.BankMap,), {"__slots__": (), "banks_of": lambda self, w, n: [-1] * len(w)}))
        policy = kind()
    else:
        policy = raising(kind, method, answer)
    machine = registry.get("gf100").evolve({"chip.multiprocessors": 2, "caches.l2.size_bytes": 16 * 128, path: policy})
    device = archdef.Device(machine)
    words = device.zeros(COUNT + 4096, "u4")
    kernel = device.compile(KERNEL).kernel
    words.copy_from_host(np.arange(COUNT + 4096, dtype="u4"))
    with pytest.raises(PolicyError, match=rf"{path}: Wrong\(\) {text}") as caught:
        kernel[12, 128](words, COUNT)
    assert caught.value.path == path and caught.value.policy == policy
    assert words.to_host()[:4].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("answer", ["yes", 0.5, None], ids=str)
@pytest.mark.parametrize("path", [path for path in WRONG if path not in ("shared.bank_map", "coalescing.store")])
def test_an_answer_that_is_no_whole_number_is_refused_by_value(path, answer):
    if path == "chip.block_launch.dispatch" and answer is None:
        pytest.skip("None lets a block wait")
    kind, method, _, _ = WRONG[path]
    machine = registry.get("gf100").evolve({"chip.multiprocessors": 2, "caches.l2.size_bytes": 16 * 128, path: raising(kind, method, answer)})
    with pytest.raises(PolicyError, match=rf"{path}: Wrong\(\) raised TypeError\(.*an answer must be a whole number, got {answer!r}"):
        run(machine)


@pytest.mark.parametrize("line, text", [(-5, "a line to fetch must be at least 0, got -5"), (0.5, "a line to fetch must be a whole number, got 0.5")])
def test_a_line_to_fetch_that_is_none_is_refused_by_value(line, text):
    policy = named("wrong")(type("Wrong", (Prefetcher,), {"__slots__": (), "fetch": lambda self, view: [line]}))()
    with pytest.raises(PolicyError, match=text):
        run(registry.get("gf100").evolve({"chip.multiprocessors": 2, "caches.l1_prefetch": policy}))


@pytest.mark.parametrize("path", WRONG)
def test_what_a_policy_in_python_raises_is_the_errors_cause(path):
    kind, method, _, _ = WRONG[path]
    machine = registry.get("gf100").evolve({"chip.multiprocessors": 2, "caches.l2.size_bytes": 16 * 128,
                                            path: raising(kind, method, ZeroDivisionError("mine"))})
    with pytest.raises(PolicyError, match=rf"{path}: Wrong\(\) raised ZeroDivisionError\('mine'\)") as caught:
        run(machine)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_function_made_for_other_views_is_refused(library):
    with pytest.raises(PluginError, match=f"schedulers.policy: the compiled policy was made for version 9 .* this archdef has {ABI}"):
        run(small("gf100", schedulers__policy=compiled(SchedulerPolicy, library.lrr, abi=9)))
    with pytest.raises(PluginError, match="schedulers.policy: expected a Numba cfunc, a ctypes function or a capsule"):
        run(small("gf100", schedulers__policy=compiled(SchedulerPolicy, "lrr")))
    with pytest.raises(PluginError, match="takes at most 16 parameters, got 17"):
        run(small("gf100", schedulers__policy=compiled(SchedulerPolicy, library.lrr, range(17))))


def test_a_prototype_is_marked_in_the_result():
    found, _ = run(small("gf100", schedulers__policy=brought.OldestAgain(), shared__bank_map=brought.LowOrderAgain()))
    assert found.prototypes == ("schedulers.policy", "shared.bank_map")
    assert any("schedulers.policy is a prototype" in text for text in found.warnings) and "prototype" in str(found)
    assert run(small("gf100"))[0].prototypes == ()


def test_an_installed_policy_is_chosen_by_its_short_name(monkeypatch, tmp_path):
    from importlib.metadata import EntryPoint

    from archdef.spec import policy
    (tmp_path / "stops_at_import.py").write_text("raise SystemExit(3)")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(policy, "installed", lambda group: [EntryPoint("mine", "brought", group), EntryPoint("bad", "no_such_module", group),
                                                            EntryPoint("worse", "stops_at_import", group)])
    policy._load_plugins.cache_clear()
    with pytest.warns(UserWarning, match=r"plugin 'bad' \(no_such_module\) of policies cannot be loaded"), pytest.warns(UserWarning, match="plugin 'worse' .* SystemExit"):
        machine = registry.get("gf100").evolve({"schedulers.policy": "again_oldest"})
    assert machine.schedulers.policy == brought.OldestAgain()


# --------------------------------------------------------------------------------------------------------------- state
def test_a_python_scheduler_keeps_its_state_for_each_scheduler_alone():
    asked = {}

    @named("counting")
    class Counting(SchedulerPolicy):
        def choose(self, view):
            key = view.multiprocessor, view.scheduler
            assert len(view.state) == 16 and view.state[0] == asked.get(key, 0) and view.state[15] == -asked.get(key, 0)
            asked[key] = asked.get(key, 0) + 1
            view.state[0] += 1
            view.state[15] -= 1
            return (view.candidates & -view.candidates).bit_length() - 1

    run(small("gf100", schedulers__policy=Counting()))
    assert len(asked) > 1 and min(asked.values()) > 1


@pytest.mark.parametrize("spoil", [lambda state: state.append(1), lambda state: state.__setitem__(0, 1 << 70), lambda state: state.__setitem__(3, "a")],
                         ids=["longer", "wider", "text"])
def test_a_state_that_is_none_ends_the_launch(spoil):
    @named("spoiling")
    class Spoiling(SchedulerPolicy):
        def choose(self, view):
            spoil(view.state)
            return (view.candidates & -view.candidates).bit_length() - 1

    with pytest.raises(PolicyError, match="raised"):
        run(small("gf100", schedulers__policy=Spoiling()))


def test_replacement_dispatch_and_branches_have_a_state_too():
    seen = set()

    @named("victims")
    class Victims(LeastRecentlyUsed.__bases__[0]):
        def victim(self, view):
            view.state[1] += 1
            seen.add(("victim", min(view.state[1], 2)))
            return next(way for way in range(view.ways) if not view.busy >> way & 1)

    @named("places")
    class Places(brought.FewestWarpsAgain.__bases__[0]):
        def multiprocessor(self, view):
            view.state[1] += 1
            seen.add(("dispatch", min(view.state[1], 2)))
            return view.room.index(1)

    @named("sides")
    class Sides(IpdomStack):
        def taken_first(self, view):
            view.state[1] += 1
            seen.add(("branch", min(view.state[1], 2)))
            return False

    run(small("gf100", caches__l1__replacement=Victims(), caches__l1__size_bytes=16384, chip__block_launch__dispatch=Places(), warp__reconvergence=Sides()))
    assert seen == {(kind, n) for kind in ("victim", "dispatch", "branch") for n in (1, 2)}


# ------------------------------------------------------------------------------------------------- kinds that are not brought
@pytest.mark.parametrize("name, path", [("h100", f"isa.matrix.{field}") for field in ("f16", "bf16", "tf32", "fp8", "groups", "groups_f16")]
                         + [("h100", "chip.block_launch.dispatch")]
                         + [("gf100", path) for path in ("shared.broadcast", "shared.wide_access", "dram.scheduling", "warp.reconvergence")])
def test_a_policy_that_says_nothing_of_what_it_does_is_refused_by_path(name, path):
    kind = next(cls for cls in type(registry.get(name)[path]).__mro__ if archdef.spec.PolicyValue in cls.__bases__)

    @named("of_nobody")
    class OfNobody(kind):
        def passes(self, words, banks):
            return 1

    with pytest.raises((archdef.ArchdefError, ExceptionGroup)) as caught:
        run(small(name, **{path.replace(".", "__"): OfNobody()}))
    assert path in "".join(map(str, getattr(caught.value, "exceptions", [caught.value])))


# ------------------------------------------------------------------------------------------------------- masks in Numba
@pytest.mark.parametrize("body, message", [
    ("mask = view.memory if view.last < 0 else 0\n    return lowest_bit(mask)", r"lowest_bit takes a mask, got float64.*np\.uint64\(0\)"),
    ("mask = max(0, view.candidates)\n    return mask", r"answer with a whole number, this one gives float64.*np\.uint64\(0\)"),
    ("return nothing_of_this_name", "cannot compile this policy"), ("return 'a'", "must answer with a whole number")])
def test_a_mask_that_became_a_float_is_refused_where_it_happens(body, message):
    jit = pytest.importorskip("archdef.policies.jit")
    names = {"lowest_bit": jit.lowest_bit}
    exec(f"def wrong(view):\n    {body}", names)
    with pytest.raises(PluginError, match=f"(?s){message}"):
        jit.cfunc("scheduler")(names["wrong"])
