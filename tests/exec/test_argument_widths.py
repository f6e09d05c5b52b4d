"""Do answers read 32 bits of the parameters that have no more? What else is in their registers, or on the stack, is what the compiler left there."""
import inspect
import re
from collections import defaultdict

import pytest
from guest_kernels import CODE

from archdef import exec as programs
from archdef import registry
from archdef.exec.calls import CALLS, NAMES, is_drivers
from archdef.frontends import nvrtc

MACHINE = next((name for name in ("v100", "c500") if name in registry.names()), None)
ENUMERATION = re.compile(
    r"^\s*typedef enum \w+\s*\{[^}]*\}\s*(\w+);|^\s*enum\s+__device_builtin__\s+(\w+)|^typedef\s+(?:__device_builtin__\s+)?enum \w+ (\w+);"
    r"|^typedef __device_builtin__ enum (\w+)\s*\{", re.MULTILINE)
ALIAS = re.compile(r"^\s*typedef (\w+) (\w+);|^#define (\w+)\s+(\w+)\s*$", re.MULTILINE)
"""A type by another name."""
NARROW = {"int": "Int", "unsigned int": "UInt", "unsigned": "UInt", "unsigned char": "UInt", "unsigned short": "UInt", "CUdevice": "Int"}


@pytest.mark.skipif(MACHINE is None, reason="needs the plugins of this repository")
def test_the_upper_half_of_a_narrow_argument_means_nothing(build, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run([build("wide_arguments", "driver", CODE)], MACHINE, 1, output)
        output.seek(0)
        assert (found.exit_code, output.read(), found.failures) == (0, "PASSED\n", ())


def headers():
    """CUDA's headers, without comments and default values."""
    chain = nvrtc.toolchain()
    folder = next((each for each in (chain.include if chain else ()) if (each / "cuda.h").is_file()), None)
    if folder is None:
        pytest.skip("CUDA's headers are not installed")
    return [re.sub(r"__dv\([^()]*\)|/\*.*?\*/", "", (folder / name).read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
            for name in ("cuda_runtime_api.h", "driver_types.h", "cuda.h")]


def declared():
    """What the headers declare: name → for each prototype the annotations of its parameters that are integers or addresses."""
    found, texts = defaultdict(list), headers()
    enumerations = {name for text in texts for names in ENUMERATION.findall(text) for name in names if name}
    aliases = [(one or other[1], named or other[0]) for text in texts for one, named, *other in ALIAS.findall(text)]
    enumerations |= {named for one, named in aliases if one in enumerations}
    for text in texts:
        for name, parameters in re.findall(r"^[^#\n]*?\b(cu\w+)\(([^(){};]*)\);", text, re.MULTILINE):
            found[name].append([annotation(each, enumerations) for each in parameters.split(",") if each.strip() != "void"])
    return found


def annotation(parameter, enumerations):
    words = re.sub(r"\b(const|enum)\b", "", parameter).split()
    kind = " ".join(words[:-1])
    if "*" in parameter or "[" in parameter:
        return "int"
    return "Int" if kind in enumerations else NARROW.get(kind, "float" if kind in ("float", "double") else "int")


def test_answers_are_annotated_as_the_headers_declare():
    prototypes, compared, wrong = declared(), 0, {}
    for name, call in CALLS.items():
        plain = re.sub(r"(_v\d)?(_pt[ds][sz])?$", "", name)
        known = [[each for each in one if each != "float"] for one in prototypes.get(plain, [])]
        differ = inspect.unwrap(CALLS.get(plain, call).answer) is not inspect.unwrap(call.answer)       # what its versions take
        if call.refused or differ or not known or any(len(one) != call.parameters for one in known):
            continue
        compared += 1
        for number, (parameter, *kinds) in enumerate(zip(call.annotations, *known, strict=True)):
            if len(set(kinds)) == 1 and (kinds[0] == "int") != (parameter == "int"):
                wrong[name, number] = f"{parameter} for {kinds[0]}"
    assert wrong == {} and compared > 300


def test_every_function_of_the_headers_is_there():
    """A program does not start if the library has not all that it was linked with."""
    missing = {name for name in declared() if (name.startswith("cuda") or is_drivers(name))} - set(NAMES)
    assert missing == set()


def test_whoever_answers_a_function_answers_its_later_forms():
    """Headers rename functions: a program that calls ``cudaMemPrefetchAsync`` may have been compiled to call ``cudaMemPrefetchAsync_v2``."""
    form, forms = re.compile(r"(\w+?)(_v\d)?(_pt[ds][sz])?"), defaultdict(set)
    for name in NAMES:
        forms[form.fullmatch(name)[1]].add(name)
    wrong = {name: missing for name, every in forms.items() if name in CALLS and not CALLS[name].refused and (missing := every - CALLS.keys())}
    assert wrong == {}
