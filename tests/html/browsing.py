"""Chromium without a window, for tests of pages."""
import shutil

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="no selenium: pip install archdef[test]")
BROWSER, DRIVER = (next(filter(None, map(shutil.which, names)), None) for names in (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",)))
pytestmark = pytest.mark.skipif(BROWSER is None or DRIVER is None, reason="no chromium with its chromedriver")
SWITCHES = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--hide-scrollbars")


@pytest.fixture(name="browser", scope="module")
def chromium(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for switch in (*SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()
