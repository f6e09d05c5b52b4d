"""Do passes that move and turn blocks keep what is executed, whatever the ways among them?"""
import hashlib
import random

import pytest

from archdef.lower.encoding import Kind
from archdef.lower.graph import Block, Graph
from archdef.lower.passes.branches import exit_early, invert_branches
from archdef.lower.passes.dead import drop_labels, drop_unreachable
from archdef.lower.virtual import Code, Op
from archdef_sass.passes.blocks import begin_within, else_first


def work(name):
    return Op(Kind.ALU, name, [5], [5])


def branch(target, guard=None):
    return Op(Kind.BRANCH, 0, target=target, guard=guard, operation="branch")


def code_of(text):
    graph = Graph()
    graph.write(text)
    code = Code(None, graph)
    drop_unreachable(code)
    drop_labels(code)
    return code


def any_ways(draw, most=7):
    """A few blocks, each of which may end in a guarded branch to any, or in one for good."""
    blocks, text, names = [Block(f"L{k}") for k in range(draw.randint(2, most))], [], iter(range(10_000))
    for block in blocks:
        text += [work(f"work{next(names)}") for _ in range(draw.randint(0, 2))]
        if draw.random() < 0.5:
            predicate = 10 + next(names)
            text += [work(f"test{predicate}"), branch(draw.choice(blocks), predicate if draw.random() < 0.5 else ~predicate)]
        if draw.random() < 0.3:
            text.append(work(f"work{next(names)}"))
        if draw.random() < 0.6:
            text.append(branch(draw.choice(blocks)) if draw.random() < 0.8 else Op(Kind.EXIT))
        text.append(block)
    return [*text, work("last"), Op(Kind.EXIT)]


def entered_in_their_middle(draw):
    """One to three loops, each begun in its middle, with bodies of one or several blocks."""
    text = []
    for k in range(draw.randint(1, 3)):
        body, middle, out, over = (Block(f"{name}{k}") for name in ("body", "middle", "out", "over"))
        text += [work(f"before{k}"), branch(middle), body, work(f"body{k}")]
        if draw.random() < 0.7:
            text += [work(f"test{100 + k}"), branch(over, 100 + k), work(f"some{k}"), over, work(f"rest{k}")]
        text += [middle, work(f"test{200 + k}"), branch(out, 200 + k), work(f"more{k}"), branch(body), out]
    return [*text, work("last"), Op(Kind.EXIT)]


def executed(code, seed):
    """What is executed, where each test comes out as its name, its turn and the seed say."""
    blocks, places, turns, found, n, k = code.graph.blocks, {b: n for n, b in enumerate(code.graph.blocks)}, {}, [], 0, 0
    for _ in range(500):
        if len(found) == 60 or n == len(blocks):
            break
        if k >= len(blocks[n].ops):
            n, k = n + 1, 0
            continue
        op, k = blocks[n].ops[k], k + 1
        if op.guard is not None:
            predicate = op.guard if op.guard >= 0 else ~op.guard
            holds = hashlib.md5(f"{seed},{predicate},{turns.get(predicate, 0)}".encode()).digest()[0] & 1
            if bool(holds) != (op.guard >= 0):
                continue
        if op.kind == Kind.ALU:
            found.append(op.fn)
            if op.fn.startswith("test"):
                turns[int(op.fn[4:])] = turns.get(int(op.fn[4:]), 0) + 1
        elif op.kind == Kind.EXIT:
            return [*found, "end"]
        else:
            n, k = places[op.target], 0
    return found


@pytest.mark.parametrize("shape", [any_ways, entered_in_their_middle])
@pytest.mark.parametrize("passes", [(else_first,), (begin_within,), (invert_branches,), (exit_early, drop_unreachable, drop_labels),
                                    (else_first, begin_within, drop_labels)], ids=lambda passes: "-".join(one.__name__ for one in passes))
def test_the_same_is_executed_after_blocks_were_moved(shape, passes):
    for seed in range(400):
        before, after = (code_of(shape(random.Random(seed))) for _ in range(2))
        for one in passes:
            one(after)
        for outcomes in range(3):
            assert executed(after, outcomes) == executed(before, outcomes), f"seed {seed}"


@pytest.mark.parametrize("seed", [44742, 51543, 99805, 163278])
def test_loops_are_moved_where_earlier_ones_have_taken_the_room(seed):
    before, after = (code_of(any_ways(random.Random(seed), most=14)) for _ in range(2))
    begin_within(after)
    for outcomes in range(40):
        assert executed(after, outcomes) == executed(before, outcomes)
