"""Does ``archdef roofline`` draw, and refuse what it cannot?"""
import json

import pytest
from click.testing import CliRunner

from archdef import registry
from archdef.cli import main

NAME = next(iter(registry.names()), None)
pytestmark = pytest.mark.skipif(NAME is None, reason="no architecture plugin is installed")


def test_tables_and_plain_data_say_the_same():
    (one,) = json.loads(CliRunner().invoke(main, ["roofline", "-a", NAME, "--json"]).output)
    printed = CliRunner().invoke(main, ["roofline", "-a", NAME]).output
    assert one["ceilings"] and one["needed"]
    assert all(each["name"] in printed for each in (*one["ceilings"], *one["needed"]))


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_picture_is_there_as_a_whole_and_the_same_again(tmp_path, suffix):
    pytest.importorskip("matplotlib", reason="plots need the extra docs")
    files = [tmp_path / f"{k}{suffix}" for k in range(2)]
    for file in files:
        assert CliRunner().invoke(main, ["roofline", "-a", NAME, "--plot", str(file)]).exit_code == 0
    assert sorted(tmp_path.iterdir()) == files and all(file.stat().st_size for file in files)
    if suffix == ".png":
        assert files[0].read_bytes() == files[1].read_bytes()


def test_another_kind_of_file_is_refused(tmp_path):
    result = CliRunner().invoke(main, ["roofline", "-a", NAME, "--plot", str(tmp_path / "roof.gif")])
    assert result.exit_code == 2 and "plots are .svg, .png or .pdf files" in result.output
