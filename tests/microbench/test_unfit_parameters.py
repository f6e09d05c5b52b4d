"""A parameter that no machine can take is refused by name, before anything is launched or made."""
import pytest
from click.testing import CliRunner

from archdef import registry
from archdef.cli import main
from archdef.microbench import measure
from archdef.microbench.suite import UnfitParameter, own

pytestmark = pytest.mark.skipif("gf100" not in registry.names(), reason="needs the plugins of this repository")
WRONG = [("throughput", "chains", 0), ("throughput", "chains", 2**31 - 1), ("coalescing", "offset_words", -9), ("l1_throughput", "warps", -1), ("code", "instructions", 10**11),
         ("barrier", "warps", 0), ("barrier", "warps", 10**9), ("barrier", "warps", "x"), ("launch", "blocks", 0), ("launch", "blocks", 10**25), ("residency", "threads", 0),
         ("launch_series", "blocks", 0), ("small_kernels", "elements", 0), ("small_kernels", "elements", 10**12),
         ("residency", "shared_bytes", -1), ("global_atomic_latency", "lanes", 0), ("global_latency", "stride_bytes", 0), ("global_latency", "warm", 3),
         ("global_latency", "order", 3), ("global_latency", "footprint_bytes", 10**40), ("global_latency", "footprint_bytes", 1.5)]


@pytest.mark.parametrize("name, parameter, value", WRONG)
def test_a_value_that_is_none_is_refused_by_name(name, parameter, value):
    with pytest.raises(UnfitParameter, match=f"{parameter} of {name} must be"):
        measure(name, "gf100", **{parameter: value})


ENUMERATED = [(one, name, choices) for one in own().values() for name, choices in one.choices.items()]


def test_every_parameter_that_is_a_word_says_what_it_can_be():
    words = {(one.name, name) for one in own().values() for name, default in one.parameters.items() if isinstance(default, str)}
    assert words and words <= {(one.name, name) for one, name, _ in ENUMERATED}
    assert all(one.parameters[name] in choices for one, name, choices in ENUMERATED)


@pytest.mark.parametrize("one, name, choices", ENUMERATED, ids=lambda value: getattr(value, "name", value if isinstance(value, str) else ""))
def test_what_it_cannot_be_is_refused_with_all_that_it_can(one, name, choices):
    wrong = f"{choices[-1]}x" if isinstance(choices[0], str) else 3 if name == "word_bytes" else 99
    hint = " (did you mean " if isinstance(choices[0], str) else ""
    with pytest.raises(UnfitParameter) as refused:
        measure(one.name, "gf100", **{name: wrong})
    assert str(refused.value).startswith(f"{name} of {one.name} must be one of {', '.join(map(str, choices))}, got {wrong!r}{hint}")


@pytest.mark.parametrize("one", own().values(), ids=lambda one: one.name)
def test_the_command_line_says_it_in_one_message(one):
    for name, default in one.parameters.items():
        done = CliRunner().invoke(main, ["microbench", "gf100", one.name, "-p", f"{name}=nonsense"])
        expected = f"{name} of {one.name} must be one of" if isinstance(default, str) else f"{name} must be yes or no" if isinstance(default, bool) else f"{name} must be a whole number"
        assert done.exit_code == 2 and expected in done.output and "Traceback" not in done.output
        misspelt = CliRunner().invoke(main, ["microbench", "gf100", one.name, "-p", f"{name}x=1"])
        assert misspelt.exit_code == 2 and f"{one.name} has no parameter '{name}x' (did you mean {name}?)" in " ".join(misspelt.output.split())
