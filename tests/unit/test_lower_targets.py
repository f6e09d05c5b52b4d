"""Can a plugin bring an assembler of its own, described by fields of its own, without a change of archdef?"""
import re
from pathlib import Path

import attrs
import numpy as np
import pytest
from lowering import kernel, micro_ops
from run_ptx import run
from small_machine import gizmo

import archdef
from archdef.errors import PluginError, UnknownField
from archdef.files import load, save
from archdef.files.convert import from_plain, to_plain
from archdef.files.schema import schema
from archdef.lower import Options, lower
from archdef.lower.encoding import Kind
from archdef.lower.pipeline import Pass, after
from archdef.lower.target import PASSES, Target
from archdef.lower.virtual import Const
from archdef.ptx import parse
from archdef.spec import Assembler, named
from archdef.spec.fields import flag, integer


def shift_powers(code, longest):
    """Make shifts of products by powers of two, up to some bits."""
    for op in code.ops:
        factor = op.s[1].value if op.kind == Kind.ALU and op.fn == "mul_lo_b32" and isinstance(op.s[1], Const) else 0
        if factor.bit_count() == 1 and factor.bit_length() - 1 <= longest:
            op.fn, op.operation, op.s = "shl_b32", "int_shift", [op.s[0], op.s[1]._replace(value=factor.bit_length() - 1)]


SHIFTS = Pass(name="shift_powers", function=shift_powers, fields={"longest": "shift_bits"}, options="fuse", declared="shift_bits", requires="operands, unfused")


class ShiftingTarget(Target):
    """archdef's passes, and one more."""

    def passes(self, options):
        return super().passes(options) if options.debug else after(PASSES, "propagate", SHIFTS)


class Empty(Target):
    """No passes of archdef at all: as if another program did it all."""

    def lower(self, module, entry, options, trace=None):
        made = Target(self.architecture).lower(module, entry, attrs.evolve(options, debug=True), trace)
        return attrs.evolve(made, registers_from="another program")


@named("shifting")
class Shifting(Assembler):
    """An assembler that shifts."""

    shift_bits: int = integer(at_least=0, at_most=31, default=0)
    """Bits by which a product may be a shift."""
    wholly: bool = flag(default=False)
    """Nothing of archdef's passes."""

    def target(self, architecture):
        return (Empty if self.wholly else ShiftingTarget)(architecture)

    def idle(self, architecture):
        return {} if architecture.isa.fuse_multiply_add else {"shift_bits": "isa.fuse_multiply_add"}


BODY = "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; mul.lo.s32 %r2, %r1, 16; xor.b32 %r3, %r2, 5; st.global.u32 [%rd1], %r3;"


def shifting(**fields):
    return gizmo().evolve({"isa.assembler": Shifting(**fields)})


def listed(architecture, **options):
    return micro_ops(lower(parse(kernel(BODY, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", architecture, options=Options(**options)))


def test_a_pass_of_a_plugin_runs_between_those_of_archdef():
    ran = []
    lower(parse(kernel(BODY, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", shifting(shift_bits=4), trace=ran)
    names = [one.name for one in ran]
    assert names[names.index("propagate") + 1] == "shift_powers" and [one.changed for one in ran if one.name == "shift_powers"] == [1]


def test_its_field_says_how_far_it_goes_and_its_default_that_it_does_not():
    plain = listed(gizmo())
    assert sum("shl_b32" in op for op in listed(shifting(shift_bits=4))) == 1
    assert listed(shifting(shift_bits=3)) == listed(shifting()) == listed(shifting(shift_bits=4), fuse=False) == plain
    assert not any("shl_b32" in op for op in plain)


def test_the_results_are_the_same():
    data = np.array([3, 1 << 28, 7, 0xFFFFFFFF], np.uint32)
    text = kernel(BODY, ".param .u64 out, .param .u32 n")
    found = [run(text, data.copy(), scalars=bytes(4), block=1, arch=machine) for machine in (gizmo(), shifting(shift_bits=4))]
    assert np.ravel(found[0])[0] == (3 * 16 ^ 5) and np.array_equal(*found)


def test_a_target_may_make_programs_in_another_way_altogether():
    program = lower(parse(kernel(BODY, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", shifting(wholly=True))
    assert program.registers_from == "another program" and not any("shl_b32" in op for op in micro_ops(program))


def test_sweeps_choose_it_by_name_and_set_its_fields():
    made = gizmo().evolve({"isa.assembler": "shifting", "isa.assembler.shift_bits": "4"})
    assert made.isa.assembler == Shifting(shift_bits=4) and made.evolve({"shift_bits": 3}).isa.assembler.shift_bits == 3
    assert ("isa.assembler.shift_bits", 4, "bit") in list(made.leaves()) and not any(path == "isa.assembler" for path, _, _ in made.leaves())


def test_a_field_of_another_target_is_refused_with_what_to_set_first():
    with pytest.raises(UnknownField, match="has no field 'isa.assembler.shift_bits'; isa.assembler=shifting has it, set that first"):
        gizmo().evolve({"isa.assembler.shift_bits": 3})


def test_what_is_no_target_is_refused_with_all_that_are():
    with pytest.raises(ExceptionGroup) as refused:
        gizmo().evolve({"isa.assembler": "shiftin"})
    assert "must be an Assembler (Assembler() = 'plain'" in str(refused.value.exceptions[0]) and "'shifting'" in str(refused.value.exceptions[0])


def test_a_field_that_says_nothing_on_a_machine_is_refused_as_the_target_says():
    with pytest.raises(ExceptionGroup) as refused:
        gizmo().evolve({"isa.fuse_multiply_add": False, "isa.assembler": Shifting(shift_bits=4)})
    assert "isa.assembler.shift_bits must be 0 unless isa.fuse_multiply_add" in str(refused.value.exceptions[0])


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_files_keep_the_target_and_its_fields(tmp_path, suffix):
    made = shifting(shift_bits=4)
    save(made, tmp_path / f"made.{suffix}")
    assert "shifting" in (tmp_path / f"made.{suffix}").read_text() and load(tmp_path / f"made.{suffix}") == made
    save(gizmo(), tmp_path / f"plain.{suffix}")
    assert "plain" not in (tmp_path / f"plain.{suffix}").read_text().replace('"gizmo"', "") and load(tmp_path / f"plain.{suffix}") == gizmo()


def test_data_that_name_no_target_mean_the_one_that_has_their_fields():
    """So do files of before there were targets."""
    plain = to_plain(shifting(shift_bits=4))
    assert plain["isa"]["assembler"].pop("type") == "shifting"
    assert from_plain(plain, "a file").isa.assembler == Shifting(shift_bits=4)
    plain["isa"]["assembler"]["shift_bit"] = 3
    with pytest.raises(ExceptionGroup) as refused:
        from_plain(plain, "a file")
    assert "isa.assembler.shift_bit" in str(refused.value.exceptions)


def test_the_schema_takes_what_files_say():
    jsonschema = pytest.importorskip("jsonschema")
    checker = jsonschema.Draft202012Validator(schema())
    for machine in (gizmo(), shifting(shift_bits=4), *(archdef.architecture(name) for name in archdef.architectures() if name in ("h100", "v100", "gf100"))):
        assert not list(checker.iter_errors(to_plain(machine)))


def test_a_target_whose_passes_are_out_of_order_is_refused_when_it_is_used():
    class Wrong(Target):
        def passes(self, options):
            return after(PASSES, "fuse", attrs.evolve(SHIFTS, declared=()))

    with pytest.raises(PluginError, match="the pass shift_powers needs 'unfused'"):
        Wrong(shifting()).lower(parse(kernel(BODY, ".param .u64 out, .param .u32 n"), "k.ptx"), "k", Options())


def test_the_core_asks_an_assembler_for_nothing_that_only_a_plugin_declares():
    """Every field that archdef's passes name is one of its own assembler; so is what its modules read from one."""
    own = {a.name for a in attrs.fields(Assembler)}
    assert {field for one in PASSES for field in (*one.fields.values(), *one.declared, *[one.unless] * bool(one.unless))} <= own
    read = {name for path in Path(archdef.__file__).parent.rglob("*.py") for name in re.findall(r"assembler\.(\w+)", path.read_text(encoding="utf-8"))}
    methods = {"target", "idle"}
    assert {name for name in read if name in {a.name for cls in Assembler.by_name().values() for a in attrs.fields(cls)}} <= own and methods <= read


def test_of_several_targets_with_the_fields_of_a_file_none_is_chosen():
    """A file without a type: the usual target if that has the fields, else the only one that has them."""
    from archdef.files import convert
    known = {"plain": Assembler, "one": attrs.make_class("One", {"shift_bits": attrs.field(default=0)}),
             "other": attrs.make_class("Other", {"shift_bits": attrs.field(default=0), "more": attrs.field(default=0)})}
    assert convert._with_fields(known, {}, "plain") == "plain"
    assert convert._with_fields(known, {"more": 1}, "plain") == "other"
    with pytest.raises(convert._Unfit, match="needs a type, as several have these fields: one of one, other"):
        convert._with_fields(known, {"shift_bits": 1}, "plain")
