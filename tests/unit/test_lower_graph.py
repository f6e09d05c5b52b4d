"""Is the control-flow graph what the text says, and does it stay so while passes change it?"""
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lowering import kernel, machine

from archdef import registry
from archdef.errors import PluginError
from archdef.lower import Options, lower
from archdef.lower.encoding import Kind
from archdef.lower.graph import Block, Graph, Loop
from archdef.lower.pipeline import FLOW, Pass
from archdef.lower.places import Insertions, Passed, earliest_ends, holding_loops, innermost, outermost, within
from archdef.lower.target import PASSES, Target, target_of
from archdef.lower.virtual import TRUE, Code, Op, successors
from archdef.ptx import parse

NEVER = ~TRUE
BODY = "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, 0; setp.ge.u32 %p1, %r2, %r1; @%p1 bra END; " \
       "L: add.s32 %r3, %r3, 1; mul.lo.s32 %r4, %r3, %r2; and.b32 %r5, %r4, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra ELSE; " \
       "st.global.u32 [%rd1], %r4; bra JOIN; ELSE: st.global.u32 [%rd1+4], %r4; div.u32 %r6, %r4, %r1; st.global.u32 [%rd1+8], %r6; " \
       "JOIN: setp.lt.s32 %p3, %r3, %r1; @%p3 bra L; bar.sync 0; END: ret;"


def work(*, reads=(), writes=(5,)) -> Op:
    return Op(Kind.ALU, "add_b32", list(writes), list(reads), "int_add")


def branch(target: Block, guard: int | None = None) -> Op:
    return Op(Kind.BRANCH, 0, operation="branch", target=target, guard=guard)


def end() -> Op:
    return Op(Kind.EXIT, operation="exit")


def graph(*text: Op | Block) -> Graph:
    made = Graph()
    made.write(text)
    return made


def shape(made: Graph) -> list[tuple[str | None, int]]:
    return [(block.name, len(block.ops)) for block in made.blocks]


def diamond() -> Graph:
    other, meeting = Block("other"), Block("meeting")
    return graph(work(), branch(other, NEVER), work(), branch(meeting), other, work(), meeting, end())


# ------------------------------------------------------------------------------------------------------------------------ text
def test_blocks_begin_at_names_and_behind_branches_and_ends_without_guard():
    made = diamond()
    assert shape(made) == [(None, 2), (None, 2), ("other", 1), ("meeting", 1)]
    assert made.successors == [(2, 1), (3,), (3,), ()] and made.predecessors == [[], [0], [0], [1, 2]]
    guarded = end()
    guarded.guard = NEVER
    assert shape(graph(work(), guarded, work(), end(), work())) == [(None, 4), (None, 1)]


@st.composite
def texts(draw):
    """Texts of a few blocks, some of them empty, with branches anywhere."""
    blocks = [Block(f"L{n}") for n in range(draw(st.integers(1, 6)))]
    target, guard = st.sampled_from(blocks), st.sampled_from((None, NEVER))
    ops = st.one_of(st.builds(work), st.builds(branch, target, guard), st.builds(end))
    text = draw(st.lists(ops, max_size=4))
    for block in blocks:
        text += [block, *draw(st.lists(ops, max_size=4))]
    return [*text, end()]


def by_scanning(text) -> list[set[int]]:
    """Where control can go behind each operation, found by looking for the names in the text."""
    ops, at = [], {}
    for one in text:
        if isinstance(one, Block):
            at[one] = len(ops)
        else:
            ops.append(one)
    found = []
    for k, op in enumerate(ops):
        ahead = {at[op.target]} if op.kind == Kind.BRANCH else set()
        if op.guard is not None or op.kind not in (Kind.BRANCH, Kind.EXIT):
            ahead |= {k + 1}
        found.append(ahead)
    return found


@given(texts())
def test_ways_among_operations_are_those_of_the_text(text):
    code = Code(function=None, graph=graph(*text))
    assert code.ops == [one for one in text if not isinstance(one, Block)]
    assert [set(ahead) for ahead in successors(code)] == by_scanning(text)
    with_arrivals = successors(code, arrivals=True)
    assert len(with_arrivals) == len(text)


@given(texts())
def test_writing_a_text_again_and_joining_its_blocks_change_nothing(text):
    made = graph(*text)
    before = [(block.name, list(block.ops)) for block in made.blocks]
    made.join()
    assert [(block.name, block.ops) for block in made.blocks] == before
    made.write([one for block in made.blocks for one in (*((block,) if block.name else ()), *block.ops)])
    assert [(block.name, block.ops) for block in made.blocks] == before


@given(texts())
def test_loops_are_the_branches_back_and_dominators_cut_off_what_they_dominate(text):
    made = graph(*text)
    numbers = {block: n for n, block in enumerate(made.blocks)}
    back = [(numbers[block.ops[-1].target], n) for n, block in enumerate(made.blocks)
            if block.ops and block.ops[-1].kind == Kind.BRANCH and numbers[block.ops[-1].target] <= n]
    assert made.loops == back
    for cut in range(1, len(made.blocks)):
        seen, waiting = {0}, [0]
        while waiting:
            for ahead in made.successors[waiting.pop()]:
                if ahead != cut and ahead not in seen:
                    seen.add(ahead)
                    waiting.append(ahead)
        for n in range(len(made.blocks)):
            at, above = n, False
            while made.reached[n] and at and not above:
                at = made.dominators[at] if at != cut else cut
                above = at == cut
            assert not made.reached[n] or above == (n not in seen)


def test_a_branch_that_nothing_is_issued_for_is_no_loop():
    start = Block("start")
    again = branch(start, NEVER)
    again.operation = "absorbed"
    assert graph(start, work(), again, end()).loops == []


def test_blocks_that_begin_at_one_place_are_told_apart_and_lead_to_each_other():
    first, second, last = Block("first"), Block("second"), Block("last")
    made = graph(work(), first, second, work(), last, branch(first), end())
    assert [made.leads_to(1, block) for block in (first, second, last)] == [True, True, False]
    assert made.behind(1) == 2 and not made.leads_to(2, first) and made.loops == [Loop(1, 3)]


# --------------------------------------------------------------------------------------------------------------------- changes
def test_what_is_found_out_is_kept_until_the_ways_change():
    made, asked = diamond(), []
    for _ in range(2):
        made.known("mine", lambda graph: asked.append(graph) or len(asked))
    assert len(asked) == 1 and made.successors is made.successors
    made.changed()
    made.known("mine", lambda graph: asked.append(graph) or len(asked))
    assert len(asked) == 2


def test_a_block_without_a_name_is_joined_to_the_one_before_once_that_has_no_branch():
    made = diamond()
    made.blocks[0].ops = made.blocks[0].ops[:-1]
    made.join()
    assert shape(made) == [(None, 3), ("other", 1), ("meeting", 1)] and made.successors == [(2,), (2,), ()]


def test_what_is_put_before_a_block_stands_where_control_falls_through_to_it():
    start = Block("start")
    code = Code(function=None, graph=graph(work(), start, work(), branch(start, NEVER), end()))
    insertions, brought = Insertions(), work()
    insertions.put(start, brought)
    insertions.apply(code)
    assert code.blocks[0].ops[-1] is brought and code.graph.loops == [Loop(1, 1)]
    insertions.put(code.blocks[0].ops[0], work())
    insertions.put_behind(code.blocks[1].ops[0], work())
    version = code.graph.version
    insertions.apply(code)
    assert shape(code.graph) == [(None, 3), ("start", 3), (None, 1)] and code.graph.version == version


def test_before_a_block_behind_a_branch_a_new_one_holds_what_is_put_there():
    start = Block("start")
    code = Code(function=None, graph=graph(work(), branch(start, NEVER), start, end()))
    insertions = Insertions()
    insertions.put(start, work())
    insertions.apply(code)
    assert shape(code.graph) == [(None, 2), (None, 1), ("start", 1)] and code.graph.successors == [(2, 1), (2,), ()]


def test_loops_around_blocks_by_the_order_of_the_text():
    outer, inner = Block("outer"), Block("inner")
    made = graph(work(), outer, work(), inner, work(), branch(inner, NEVER), work(), branch(outer, NEVER), end())
    assert made.loops == [Loop(2, 2), Loop(1, 3)] and holding_loops(made.loops) == {Loop(1, 3)}
    assert innermost(len(made.blocks), made.loops) == {1: (1, 3), 2: (2, 2), 3: (1, 3)}
    assert earliest_ends(len(made.blocks), made.loops) == {1: 3, 2: 3}
    assert within(len(made.blocks), made.loops) == [False, True, True, False, False]
    assert {id(op): outer for block in made.blocks[1:4] for op in block.ops} == outermost(made)


def test_marks_cover_what_control_gets_to_through_them_alone():
    made = diamond()
    for marked, covered in ((0, {0, 1, 2, 3}), (1, {1}), (3, {3})):
        marks = Passed(made).none()
        marks.add(marked)
        assert {n for n in range(4) if n in marks} == covered


# ---------------------------------------------------------------------------------------------------------------------- passes
def ways(code: Code) -> list[tuple[int, tuple[int, ...]]]:
    """The blocks and the ways among them as they are, whatever is kept."""
    fresh = Graph(code.blocks)
    return list(zip(map(id, fresh.blocks), fresh.successors, strict=True))


@pytest.mark.parametrize("options", [Options(), Options(debug=True)], ids=("optimised", "as written"))
@pytest.mark.parametrize("name", registry.names())
def test_passes_change_only_the_ways_that_they_invalidate_and_what_is_kept_is_so(name, options, monkeypatch):
    run, ran = Pass.__call__, set()

    def watched(self, context):
        before = ways(context.code)
        run(self, context)
        if FLOW not in self.invalidates:
            assert ways(context.code) == before, self.name
        graph, fresh = context.code.graph, Graph(context.code.blocks)
        for kept in ("numbers", "successors", "predecessors", "reached", "dominators", "loops", "references"):
            assert getattr(graph, kept) == getattr(fresh, kept), (self.name, kept)
        ran.add(self.name)

    monkeypatch.setattr(Pass, "__call__", watched)
    lower(parse(kernel(BODY, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", registry.get(name), options=options)
    assert {one.name for one in target_of(registry.get(name)).passes(options) if not (one.options or one.declared or one.unless or one.pointer_bits)} <= ran


def test_a_pass_that_changes_ways_and_does_not_say_so_is_refused():
    def cut(code):
        """Cut blocks anew."""
        code.graph.join()

    class Brought(Target):
        def passes(self, options):
            return *PASSES, Pass(name="cut", function=cut, invalidates=said)

    module = parse(kernel(BODY, ".param .u64 out, .param .u32 n"), "k.ptx")
    said = ""
    with pytest.raises(PluginError, match="the pass cut changes the ways among blocks, and does not say that it invalidates 'flow'"):
        Brought(machine()).lower(module, "k", Options())
    said = FLOW
    Brought(machine()).lower(module, "k", Options())
