"""Is the PTX that stands for kernels of NVIDIA's libraries made of the sources beside it, and does every machine take what it has the features for?"""
import pytest

import archdef
from archdef import registry
from archdef.exec.libraries.kernels import FOLDER, SOURCES
from archdef.frontends import nvrtc


@pytest.mark.parametrize("name", SOURCES)
def test_shipped_ptx_is_of_its_source(name):
    for path, _ in SOURCES[name].texts():
        assert path.read_text().startswith(f"{SOURCES[name].header()}\n"), "run python -m archdef.exec.libraries.ship"


def test_nothing_is_shipped_that_no_source_makes():
    made = {path for source in SOURCES.values() for path, _ in source.texts()}
    assert set(FOLDER.glob("*.ptx")) == made and {path.name for path in FOLDER.glob("*.cu")} == {source.file for source in SOURCES.values()}


@pytest.mark.skipif(str(nvrtc.toolchain()) != "NVRTC 11.8", reason="the PTX was made by NVRTC 11.8")
@pytest.mark.parametrize("name", SOURCES)
def test_the_compiler_makes_the_same_ptx_again(name):
    source = SOURCES[name]
    for path, fused in source.texts():
        made = nvrtc.compile(source.text(), source.file, FOLDER, source.options(fused))
        assert path.read_text().split("\n", 1)[1] == made.ptx


def poorest():
    """Machines that have the features for some of the kernels, and least beside these: what they take, all others take that have these features."""
    features = {name: registry.get(name).isa.features for name in registry.names()}
    needs = {feature for source in SOURCES.values() for feature in (*source.needs, "fp32_fma")}
    for name, own in features.items():
        alike = [other for other in features if features[other] & needs == own & needs]
        if not any(features[other] < own or (features[other] == own and other < name) for other in alike):
            yield name


@pytest.mark.parametrize("machine", list(poorest()))
def test_every_machine_takes_what_it_has_the_features_for(machine):
    device = archdef.Device(machine)
    features = device.architecture.isa.features
    for source in SOURCES.values():
        if features.issuperset(source.needs):
            fused = "fp32_fma" in features or not source.fused
            module = device.compile(next(path for path, is_fused in source.texts() if is_fused == fused).read_text())
            assert all(module[name].program for name in module.kernels)
