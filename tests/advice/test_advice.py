"""Does advice name the line and the remedy, does the remedy gain what was promised, and do good kernels get none?"""
import attrs
import numpy as np
import pytest

from archdef import registry
from archdef.advice import RULES, advise
from archdef.advice.rules.bank_conflicts import PaddedRows
from archdef.attribution.measure import Launches
from archdef.examples import Case, Input, Output, Workload, load
from archdef.lower import Options

MACHINES = [name for name in ("gt200", "gf100", "gtx680", "v100", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")


def cycles(workload, kernel, machine, size):
    (run,) = Launches(workload, kernel, size)(registry.get(machine))
    return run.cycles


def line_with(text, source):
    return next(number for number, line in enumerate(source.read_text().splitlines(), start=1) if text in line)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_store_along_columns_is_told_with_what_order_would_gain(machine):
    found = advise("transpose", machine, ["naive"], rules=["uncoalesced-access"])
    (advice,) = found
    source = load("transpose").source
    assert advice.line == line_with("out[x * height + y + row] = in", source) and advice.text.startswith("out[x * height + y + row]")
    assert advice.evidence["bytes_used_percent"] < 20 and "shared" in advice.remedy or "WSM" in advice.remedy
    # a transpose in order cannot be faster than the copy that moves the same bytes, and comes near it unless other things are wrong, too
    copy = cycles("transpose", "copy", machine, 512)
    assert advice.gain > 1.5 and advice.cycles_if > 0.85 * copy
    assert advice.cycles_if < (3 if machine == "gt200" else 1.4) * copy      # there partitions are camped on as well


@pytest.mark.parametrize("machine", MACHINES)
def test_the_padding_that_is_named_gains_what_was_promised(machine):
    found = advise("transpose", machine, ["tiled"], rules=["bank-conflicts"], least_gain=1.0)
    (advice,) = found
    assert advice.line == line_with("out[to + row * height] = tile", load("transpose").source)
    assert "from 32 to 33 words: none is left" in advice.remedy and advice.evidence["passes_per_access"] >= 16
    padded = cycles("transpose", "padded", machine, 512)        # the same kernel, so padded
    assert advice.cycles_if == pytest.approx(padded, rel=0.02)
    assert len(advise("transpose", machine, ["padded"], rules=["bank-conflicts"])) == 0


def test_camping_is_told_and_the_diagonal_takes_it_away():
    (advice,) = advise("transpose", "gt200", ["padded"], rules=["partition-camping"])
    assert advice.line == 0 and "diagonal" in advice.remedy and "2048 bytes" in advice.remedy
    diagonal = cycles("transpose", "diagonal", "gt200", 512)
    assert advice.cycles_if == pytest.approx(diagonal, rel=0.25) and len(advise("transpose", "gt200", ["diagonal"], rules=["partition-camping"])) == 0


def test_what_is_hashed_already_is_not_told_to_be():
    assert len(advise("transpose", "h100", rules=["partition-camping"])) == 0


DOUBLE = """
extern "C" __global__ void horner(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = 0.0f;
    for (int k = 0; k < n; ++k)
        y = y * 0.3SUFFIX + x;
    out[i] = y;
}"""


def horner(tmp_path, suffix):
    """A polynomial in single precision, but for a literal."""
    (tmp_path / f"horner{suffix}.cu").write_text(DOUBLE.replace("SUFFIX", suffix))

    def cases(size, random, architecture):
        x = random.random(size, dtype="f4") / 2
        y = np.zeros_like(x)
        for _ in range(64):
            y = (y * 0.3 + x).astype("f4")
        yield Case("horner", (size // 256,), (256,), (Output(y, tolerance=1e-5), Input(x), 64), 8 * size)
    return Workload("horner", "a polynomial", tmp_path / f"horner{suffix}.cu", cases, size=1 << 14, multiple=256)


@pytest.mark.parametrize("machine", [name for name in ("gf100", "gtx680") if name in MACHINES])
def test_a_literal_that_makes_an_expression_double_is_named(tmp_path, machine):
    pytest.importorskip("nvidia.cuda_nvrtc")
    (advice,) = advise(horner(tmp_path, ""), machine, rules=["double-precision"])
    assert advice.text == "y = y * 0.3 + x;" and "write the literal 0.3 as 0.3f" in advice.remedy
    better = cycles(horner(tmp_path, "f"), "horner", machine, 1 << 14)
    assert advice.gain > 1.2 and advice.cycles_if > 0.95 * better      # converting and the double sums themselves go as well
    assert len(advise(horner(tmp_path, "f"), machine, rules=["double-precision"])) == 0


GOOD = {"transpose": ("copy", "padded", "diagonal"), "vector_add": (), "divergence": ("by_warp", "selected"), "reduction": ("interleaved",)}


@pytest.mark.parametrize("workload", GOOD)
@pytest.mark.parametrize("machine", [name for name in MACHINES if name not in ("gt200", "gtx680")])
def test_good_kernels_get_no_advice(workload, machine):
    found = advise(workload, machine, GOOD[workload])
    assert [str(each) for each in found if each.rule != "tail-effect"] == []


def test_no_supposition_changes_a_result_or_makes_an_ordered_access_dearer():
    workload, machine = load("transpose"), registry.get("gf100")
    for kernel in ("copy", "padded"):
        (run,) = Launches(workload, kernel, 128)(machine)
        lines = frozenset((line.file, line.line) for line in run.lines)
        supposed = attrs.evolve(workload, options={**workload.options, "lowering": Options(together=lines)})
        (other,) = Launches(supposed, kernel, 128)(machine)      # raises if an output is wrong
        assert other.cycles == run.cycles and other.counters.global_store_transactions == run.counters.global_store_transactions


def test_padded_rows_are_banks_of_rows_that_are_a_word_longer():
    rows = PaddedRows(row_words=32)
    words = [32 * row + column for row in range(40) for column in (0, 5, 31)]
    assert rows.banks_of(words, 32) == [(33 * (word // 32) + word % 32) % 32 for word in words]


def test_rules_have_names_that_are_stable_words():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.name == rule.name.lower() and " " not in rule.name and rule.about.endswith(".") for rule in RULES)


def test_a_rule_that_is_none_is_named_with_the_nearest():
    with pytest.raises(Exception, match="no rule is called .bank-conflict. .did you mean bank-conflicts"):
        advise("vector_add", "gt200", rules=["bank-conflict"])


STRIDED = """
extern "C" __global__ void strided(float *x)
{
    x[(blockIdx.x * blockDim.x + threadIdx.x) * 32] += 1.0f;
}"""


def test_a_function_that_launches_is_advised_as_a_workload_is(tmp_path):
    pytest.importorskip("nvidia.cuda_nvrtc")
    import archdef
    (tmp_path / "strided.cu").write_text(STRIDED)

    def program(architecture, lowering):
        device = archdef.Device(architecture)
        x = device.zeros(1 << 16)
        run = device.compile(tmp_path / "strided.cu", lowering=lowering).strided[8, 256](x)
        assert x.to_host().sum() == 2048
        return run
    found = advise(program, "gf100")
    assert found.workload == "program" and found.kernels == ("strided",) and found.list[0].line == 4 and found.list[0].gain > 2
    with pytest.raises(archdef.ArchdefError, match="name no kernel and no size"):
        advise(program, "gf100", size=3)


def test_a_rule_of_ones_own_is_asked_as_the_shipped_ones_are():
    import archdef
    from archdef.advice import Finding, Rule, Supposed

    def find(run):
        faster = run.architecture.evolve({"clocks.shader_mhz": run.architecture.clocks.shader_mhz, "shared.pass_cycles": 1})
        yield Finding("any", Supposed("nothing were different", architecture=faster), {"cycles": run.cycles}, "it was run", "do nothing")
    rule = Rule("any", "Anything.", find)
    (advice,) = archdef.advise("vector_add", "gf100", rules=[rule], least_gain=0.5, size=1024)
    assert advice.rule == "any" and advice.gain == pytest.approx(1, abs=0.2) and advice.evidence == {"cycles": advice.cycles}
    assert len(advise("vector_add", "gf100", rules=[rule], least_gain=1.5, size=1024)) == 0
