"""In a browser: what a slider shows is what the engine gives, by mouse or keyboard, in light and dark, on a phone, and without scripts."""
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from test_figures import DOCS, interactive, measurements

from archdef import occupancy, registry

sys.path.append(str(Path(__file__).parents[1] / "html"))
from browsing import chromium, pytestmark as needs_browser, webdriver  # noqa: F401  a fixture, and when to skip

pytestmark = [needs_browser, pytest.mark.skipif(not set(measurements.SHOWN) <= set(registry.names()), reason="needs the plugins of this repository")]
FURO = ("--color-background-primary:#fff;--color-background-border:#eee;--color-foreground-primary:#000;--color-foreground-secondary:#555;"
        "--color-foreground-border:#888")
"""The theme's variables that the figures use."""
CHOOSE = """const figure = document.getElementById('interactive-' + arguments[0]);
for (const [name, value] of Object.entries(arguments[1])) {
    const input = figure.querySelector(`[name=${name}]`);
    input.value = value;
    input.dispatchEvent(new Event('input', {bubbles: true}));
}
return figure.querySelector('.said').textContent"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A page with all of them, beside the script and the style, as a file."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS / "_static", folder / "_static")
    page = folder / "pages" / "all.html"
    page.parent.mkdir()
    page.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="stylesheet" href="../_static/figures.css">'
                    f'<script src="../_static/interactive.js"></script><body data-theme="auto" style="{FURO}">{"".join(map(interactive.html, interactive.INTERACTIVE))}</body></html>',
                    encoding="utf-8")
    return page.as_uri()


@pytest.fixture
def page(browser, address):
    """The page, freshly opened; what it logged is looked at afterwards."""
    wide(browser, 1280)
    browser.get("about:blank")
    browser.get(address)
    yield browser
    assert [entry["message"] for entry in browser.get_log("browser") if "favicon" not in entry["message"]] == []


def wide(browser, pixels):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False})


def cells(page, figure, kind):
    return page.execute_script(f"return document.querySelectorAll('#interactive-{figure} rect.{kind}').length")


@pytest.mark.parametrize("name", measurements.SHOWN)
def test_a_stride_shows_its_transactions(page, name):
    machine = registry.get(name)
    for stride, place in ((1, 0), (1, 1), (2, 0), (7, 3), (32, 4)):
        first = interactive.OFFSETS[place]
        addresses = [4 * (first + stride * lane) for lane in range(machine.warp.size)]
        found = machine.coalescing.load.transactions(addresses, 4)
        said = page.execute_script(CHOOSE, "strides", {"machine": name, "stride": stride, "offset": place})
        assert said.startswith(f"{len(found)} transaction") and f" {sum(t.bytes for t in found)} bytes moved for {4 * machine.warp.size} asked for" in said
        moved = {word for t in found for word in range(t.address // 4, (t.address + t.bytes) // 4)}
        assert cells(page, "strides", "asked") == machine.warp.size
        assert cells(page, "strides", "moved") == len(moved - {address // 4 for address in addresses})


@pytest.mark.parametrize("name", measurements.SHOWN)
def test_padding_shows_its_passes(page, name):
    shared, lanes = registry.get(name).shared, registry.get(name).warp.size
    for place, words in enumerate(interactive.ROW_WORDS):
        for pad in (0, 1, 2):
            addresses = np.arange(lanes) * 4 * (words + pad)
            said = page.execute_script(CHOOSE, "padding", {"machine": name, "row": place, "padding": pad})
            assert int(said.split()[0]) == shared.passes(addresses) and f", {shared.groups(addresses)} without conflicts" in said
            assert cells(page, "padding", "ground") == shared.banks
            assert (cells(page, "padding", "waits") == 0) == (shared.passes(addresses) == shared.groups(addresses))


@pytest.mark.parametrize("name", measurements.SHOWN)
def test_a_block_shows_its_occupancy(page, name):
    for threads, registers, size in ((64, 8, 0), (256, 16, 0), (192, 20, 4096), (256, 32, 8192)):
        found = occupancy(name, threads=threads, registers=registers, shared_bytes=size)
        places = {"threads": interactive.THREADS.index(threads), "registers": interactive.REGISTERS.index(registers), "shared": interactive.SHARED.index(size)}
        said = page.execute_script(CHOOSE, "resources", {"machine": name, **places})
        assert said.startswith(f"{found.active_blocks} block") and f" {found.active_warps} of {found.max_warps} warps" in said
        assert cells(page, "resources", "ground") == found.max_warps - found.active_warps


def test_a_block_that_cannot_run_is_said(page):
    said = page.execute_script(CHOOSE, "resources", {"machine": "g80", "threads": interactive.THREADS.index(1024)})
    assert said.startswith("not one block can run: warps")


def test_arrow_keys_move_a_slider(page):
    slider = page.find_element("css selector", "#interactive-padding input")
    before = page.execute_script("return document.querySelector('#interactive-padding .said').textContent")
    slider.send_keys(webdriver.Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuetext") == "1"
    assert page.execute_script("return document.querySelector('#interactive-padding .said').textContent") != before
    names = page.execute_script("return [...document.querySelectorAll('.interactive input, .interactive select')].map(one => one.labels[0].textContent.trim())")
    assert all(names)


@pytest.mark.parametrize("pixels", [400, 1280])
def test_nothing_is_wider_than_the_window(page, pixels):
    wide(page, pixels)
    assert page.execute_script("return document.documentElement.scrollWidth") <= pixels
    assert page.execute_script("return [...document.querySelectorAll('.interactive text')].every(text => text.getBoundingClientRect().height > 8 || innerWidth > 400)")


def test_dark_pages_have_other_colours(page):
    seen = "return getComputedStyle(document.querySelector('#interactive-strides .asked')).fill"
    light = page.execute_script(seen)
    page.execute_script("document.body.dataset.theme = 'dark'")
    assert page.execute_script(seen) != light


def test_without_scripts_a_picture_is_shown(browser, address):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(address)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    pictures = {picture for _, picture, _ in interactive.INTERACTIVE.values()}
    assert {element.get_attribute("src").rpartition("/")[2] for element in browser.find_elements("css selector", "noscript img")} == {f"{name}.svg" for name in pictures}
