"""Does Perfetto, whose page people open traces with, read the traces that are written?"""
import json

import pytest
from browsing import chromium, pytestmark  # noqa: F401  a fixture, and when to skip

for _package in ("perfetto", "google.protobuf"):
    pytest.importorskip(_package, reason="pip install archdef[perfetto]")
from perfetto_page import Processor, served, shows  # noqa: E402, F401
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from sessions import alone, session  # noqa: E402

from archdef import registry  # noqa: E402
from archdef.frontends import nvrtc  # noqa: E402

pytestmark = [pytestmark, pytest.mark.skipif(nvrtc.toolchain() is None or not registry.names(), reason="needs NVRTC's wheel and a plugin")]


@pytest.fixture(scope="module", params=[session, alone], ids=["session", "launch"])
def timeline(request):
    return request.param()


def events_of(timeline, tmp_path):
    timeline.save(tmp_path / "events.json")
    return json.loads((tmp_path / "events.json").read_text())["traceEvents"]


@pytest.mark.parametrize("ending", [".json", ".json.gz", ".perfetto-trace"])
def test_its_trace_processor_finds_every_span_and_value_and_no_error(browser, served, timeline, ending, tmp_path):  # noqa: F811
    path = tmp_path / f"x{ending}"
    timeline.save(path)
    events = events_of(timeline, tmp_path)
    processor = Processor(browser, served, path.read_bytes())
    spans, instants = (sum(event["ph"] == kind for event in events) for kind in "Xi")
    assert spans
    assert processor.number_of("select count(*) from slice") == spans + instants
    assert processor.number_of("select count(*) from counter") == sum(len(event["args"]) for event in events if event["ph"] == "C")
    assert processor.number_of("select count(*) from stats where severity = 'error' and value > 0") == 0
    longest = max(round((event["ts"] + event["dur"]) * 1000) for event in events if event["ph"] == "X")
    assert abs(processor.number_of("select max(ts + dur) - min(ts) from slice") - longest) <= 1 + round(
        min(event["ts"] for event in events if event["ph"] in "Xi") * 1000)


def test_its_trace_processor_refuses_what_is_no_trace(browser, served):  # noqa: F811
    with pytest.raises(AssertionError, match="Unknown trace type|[Nn]ot supported|Failed"):
        Processor(browser, served, b"this is no trace at all" * 100)


def test_its_page_opens_a_trace_and_shows_its_tracks(browser, served, timeline, tmp_path):  # noqa: F811
    path = tmp_path / "x.json.gz"
    timeline.save(path)
    shows(path.read_bytes())
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    browser.get(f"{served}/index.html")
    WebDriverWait(browser, 60).until(lambda driver: driver.execute_script("return document.querySelectorAll('.pf-track').length > 3"))
    shown = browser.execute_script("return document.body.innerText")
    assert "something went wrong" not in shown, shown
    names = {event["args"]["name"] for event in events_of(timeline, tmp_path) if event["name"] == "process_name"}
    assert any(name in shown for name in names), (names, shown[:2000])
