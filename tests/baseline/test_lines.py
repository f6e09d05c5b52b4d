"""Lines of two sources of a kernel are aligned: the same, changed, moved, added, removed."""
import pytest

from archdef.baseline.lines import aligned


def run(text, file="k.cu", cost=10, first=1):
    """A run whose lines cost ten times their place."""
    lines = [{"file": file, "line": place, "text": line.strip(), "warp_cycles": cost * k, "stalls": {"memory_dependency": cost * k}, "instructions": 1}
             for k, (place, line) in enumerate(((n, line) for n, line in enumerate(text.splitlines(), start=first) if line.strip()), start=1)]
    return {"lines": lines}


def kinds(before, after):
    """Give what became of each line: kind, number before, number after; 0 where it was not there."""
    return sorted((change.kind, (change.before or {}).get("line", 0), (change.after or {}).get("line", 0)) for change in aligned(before, after))


OLD = "int i = threadIdx.x;\nfloat a = in[i];\nfloat b = in[i + 1];\nout[i] = a + b;"


def test_equal_sources_have_the_same_lines():
    found = aligned(run(OLD), run(OLD))
    assert [change.kind for change in found] == ["same"] * 4 and not any(change.change for change in found)


def test_a_line_that_is_shifted_by_another_is_the_same():
    assert kinds(run(OLD), run("__syncthreads();\n" + OLD)) == [("added", 0, 1), *(("same", n, n + 1) for n in range(1, 5))]


def test_a_line_that_stands_elsewhere_has_moved():
    lines = OLD.splitlines()
    found = kinds(run(OLD), run("\n".join([lines[0], lines[3], lines[1], lines[2]])))
    assert found == [("moved", 4, 2), ("same", 1, 1), ("same", 2, 3), ("same", 3, 4)]


def test_a_line_with_most_of_its_words_was_changed():
    changed = next(change for change in aligned(run(OLD), run(OLD.replace("in[i + 1]", "in[i + 2]"))) if change.kind != "same")
    assert (changed.kind, changed.before["line"], changed.after["line"]) == ("changed", 3, 3)


def test_a_line_of_other_words_is_another_line():
    found = kinds(run(OLD), run(OLD.replace("float b = in[i + 1];", "__syncthreads();")))
    assert ("added", 0, 3) in found and ("removed", 3, 0) in found


def test_the_likeliest_pairs_are_made_and_none_crosses_another():
    old = "float left = i > 0 ? in[i - 1] : 0;\nfloat here = in[i];\nfloat right = i < n ? in[i + 1] : 0;"
    new = "tile[0] = i > 0 ? in[i - 1] : 0;\n__syncthreads();\ntile[9] = i < n ? in[i + 1] : 0;"
    pairs = {(change.before["line"], change.after["line"]) for change in aligned(run(old), run(new)) if change.kind == "changed"}
    assert pairs == {(1, 1), (3, 3)}


def test_white_space_does_not_count():
    assert all(change.kind == "same" for change in aligned(run("a  =\tb;"), run("a = b;")))


def test_lines_without_a_text_are_known_by_their_number():
    blank = {"lines": [{"file": "k", "line": n, "text": "", "warp_cycles": n, "stalls": {}} for n in (3, 5)]}
    other = {"lines": [{"file": "k", "line": n, "text": "", "warp_cycles": n, "stalls": {}} for n in (5, 7)]}
    assert kinds(blank, other) == [("added", 0, 7), ("removed", 3, 0), ("same", 5, 5)]


def test_files_of_one_name_belong_together_and_others_in_their_order():
    before = {"lines": run(OLD, "a.cu")["lines"] + run("x = 1;", "old.cu")["lines"]}
    after = {"lines": run("x = 1;", "new.cu")["lines"] + run(OLD, "a.cu")["lines"]}
    assert {change.kind for change in aligned(before, after)} == {"same"}
    assert {change.kind for change in aligned(run(OLD, "a.cu"), {"lines": run(OLD, "a.cu")["lines"] + run("x = 1;", "b.cu")["lines"]})} == {"same", "added"}


def test_the_greatest_change_comes_first_with_its_causes():
    found = aligned(run(OLD), run(OLD, cost=30))
    assert [change.change for change in found] == [80, 60, 40, 20] and found[0].causes == {"memory_dependency": 80} and found[0].cycles == (40, 120)


@pytest.mark.parametrize("before, after, change", [(OLD, "", -100), ("", OLD, 100)])
def test_cycles_of_lines_that_came_or_went_count_in_full(before, after, change):
    assert sum(one.change for one in aligned(run(before), run(after))) == change
