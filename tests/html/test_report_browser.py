"""In a browser: lines are linked, tables sort, the search finds, light turns dark, nothing is wider than the window, no error is logged."""
import pytest
from browsing import chromium, pytestmark  # noqa: F401  a fixture, and when to skip
from reported import divergent, products, transposes

for _package in ("jinja2", "pygments", "vl_convert"):
    pytest.importorskip(_package, reason="reports need archdef[report]")
DRAWN = "return [...document.querySelectorAll('.chart')].filter(c => c.querySelector('.draw').clientWidth && !c.querySelector('svg, canvas')).length === 0"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    first, *others = (row.run for row in (*transposes().rows, *products().rows) if row.run)
    return first.report(tmp_path_factory.mktemp("report") / "all.html", *others, divergent()).as_uri()


@pytest.fixture
def page(browser, address):
    """The report, freshly opened; what it logged is looked at afterwards."""
    wide(browser, 1280)
    browser.get("about:blank")
    browser.get(address)
    wait(browser, DRAWN)
    yield browser
    assert [entry["message"] for entry in browser.get_log("browser") if "favicon" not in entry["message"]] == []


def wide(browser, pixels):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False})


def wait(browser, script):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 60).until(lambda driver: driver.execute_script(script))


def key(browser, name):
    browser.execute_script(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", name)


def test_the_costliest_line_is_seen_first(page):
    for run in ("r0", "r1"):
        page.execute_script("location.hash = '#' + arguments[0]", run)
        wait(page, f"return !document.getElementById('{run}').hidden")
        cost = max((line for line in transposes().rows[int(run[1:])].run.lines if line.line), key=lambda line: line.warp_cycles)
        near, text = page.execute_script("const a = document.getElementById(arguments[0]); return [[...a.querySelectorAll('.pane:first-child tr.near')].map(r => r.id), "
                                         "a.querySelector('.detail').textContent]", run)
        assert near == [f"{run}-0:{cost.line}"] and cost.text in text


def test_a_click_on_a_source_line_marks_what_it_became(page):
    row = next(row for row in page.find_elements("css selector", "#r0 .pane:first-child tr[data-s]") if row.find_element("css selector", ".h").text)
    page.execute_script("arguments[0].querySelector('.k').click()", row)
    marked = page.execute_script("return [...document.querySelectorAll('#r0 tr.marked')].map(r => [r.closest('.pane').ariaLabel, r.dataset.s])")
    assert {pane for pane, _ in marked} == {"source", "PTX", "micro-ops"} and {source for _, source in marked} == {row.get_attribute("data-s")}
    assert "share of all cycles" in page.execute_script("return document.querySelector('#r0 .detail').textContent")
    key(page, "Escape")
    assert page.execute_script("return document.querySelectorAll('tr.marked').length") == 0


def test_lines_are_shaded_by_what_is_chosen(page):
    def shaded():
        return page.execute_script("return [...document.querySelectorAll('#r1 .pane:first-child tr[id]')].filter(r => r.querySelector('.h').textContent).map(r => r.id)")

    key(page, "]")
    by_cycles = shaded()
    page.execute_script("const s = document.querySelector('#r1 .shade'); s.value = 'bank_conflicts'; s.dispatchEvent(new Event('change'))")
    lines = [line for line in transposes().rows[1].run.lines if line.counters.shared_load_passes > line.counters.shared_load_groups]
    assert shaded() == [f"r1-0:{line.line}" for line in lines] and len(lines) == 1 < len(by_cycles)


def test_an_op_marks_its_own_line_of_ptx_and_the_source_line_of_that(page):
    op = page.find_element("css selector", "#r0 .ops tr[data-s]")
    page.execute_script("arguments[0].querySelector('.k').click()", op)
    marked = page.execute_script("return [...document.querySelectorAll('#r0 tr.marked')].map(r => [r.id, r.dataset.p || ''])")
    assert [i for i, p in marked if i and p] == [f"r0-{op.get_attribute('data-p')}"]
    assert [i for i, p in marked if not p] == [f"r0-{op.get_attribute('data-s')}"]


def test_the_table_of_lines_shows_what_warps_of_each_wait_for(page):
    def headings():
        return page.execute_script("return [...document.querySelectorAll('#r0-lines th')].map(h => h.textContent)")

    assert {"sectors wasted", "bank conflicts", "divergent", "partitions in use", "trans. per load", "active lanes", "issued"} <= set(headings())
    page.execute_script("const s = document.querySelector('#r0 .columns'); s.value = 'waits'; s.dispatchEvent(new Event('change'))")
    run = transposes().rows[0].run
    assert {"issuing" if cause == "selected" else cause.replace("_", " ") for cause, cycles in run.counters.stalls.items() if cycles} <= set(headings())
    shares = page.execute_script("return [...document.querySelectorAll('#r0-lines tbody tr')].map(r => [...r.cells].slice(6, -1).reduce((a, c) => a + Number(c.dataset.v), 0))")
    assert shares and all(abs(share - 100) < 0.01 for share in shares)


def test_a_click_on_a_reason_leads_to_its_line_or_to_what_shows_it(page):
    for link in page.find_elements("css selector", "#r0 .reasons a"):
        target = link.get_attribute("href").partition("#")[2]
        page.execute_script("arguments[0].click()", link)
        assert page.execute_script("return location.hash") == f"#{target}"
        if ":" in target:
            assert target in page.execute_script("return [...document.querySelectorAll('#r0 tr.marked')].map(r => r.id)")


def test_headings_sort(page):
    def column():
        return page.execute_script("return [...document.querySelectorAll('#r0-lines tbody tr')].map(r => Number(r.cells[2].dataset.v))")

    heading = page.find_elements("css selector", "#r0-lines th")[2]
    for order in (True, False):
        page.execute_script("arguments[0].click()", heading)
        assert column() == sorted(column(), reverse=order) and len(set(column())) > 1


def test_the_search_finds_code_and_metrics_and_goes_from_one_to_the_next(page):
    field = page.find_element("id", "search")
    field.send_keys("blockIdx.x")
    hits = page.execute_script("return [...document.querySelectorAll('#r0 tr.hit .k')].map(k => k.textContent)")
    assert hits and all("blockidx.x" in hit.lower() for hit in hits)
    assert page.execute_script("return [...document.querySelectorAll('#metrics tbody tr')].filter(r => !r.hidden).length") == 0
    found = []
    for _ in hits:
        field.send_keys("\n")
        found += page.execute_script("return [...document.querySelectorAll('#r0 tr.here .k')].map(k => k.textContent)")
    assert found == hits
    field.clear()
    field.send_keys("gld_efficiency")
    assert page.execute_script("return [...document.querySelectorAll('#metrics tbody tr')].filter(r => !r.hidden).map(r => r.cells[0].textContent)") == ["gld_efficiency"]


def test_the_switch_goes_from_the_systems_to_light_to_dark(page):
    page.execute_script("localStorage.clear()")
    page.refresh()
    wait(page, DRAWN)
    seen = []
    for _ in range(3):
        page.find_element("id", "theme").click()
        wait(page, DRAWN)
        seen.append((page.execute_script("return document.documentElement.dataset.theme"), page.find_element("id", "theme").text))
    assert [theme for theme, _ in seen[:2]] == ["light", "dark"] and "system" in seen[2][1]
    page.execute_script("localStorage.clear()")


def test_the_system_decides_until_somebody_else_does(page):
    grounds = set()
    for scheme in ("light", "dark"):
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        wait(page, f"return document.documentElement.dataset.theme === '{scheme}'")
        wait(page, DRAWN)
        grounds.add(page.execute_script("return getComputedStyle(document.body).backgroundColor"))
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(grounds) == 2


@pytest.mark.parametrize("pixels", [400, 1280, 2000])
def test_the_page_is_no_wider_than_the_window(page, pixels):
    wide(page, pixels)
    page.refresh()
    wait(page, DRAWN)
    for run in page.execute_script("return [...document.querySelectorAll('article.run')].map(a => a.id)"):
        page.execute_script("location.hash = '#' + arguments[0]", run)
        wait(page, f"return !document.getElementById('{run}').hidden")
        wait(page, DRAWN)
        assert page.execute_script("return document.documentElement.scrollWidth") <= pixels
        # tables and code may scroll, figures fit
        assert page.execute_script("return [...document.querySelectorAll('article:not([hidden]) .chart, #comparison .chart')].filter(c => "
                                   "[c, c.querySelector('.draw'), c.parentElement].some(e => e.scrollWidth > e.clientWidth + 1) || "
                                   "[...c.querySelectorAll('svg, canvas')].some(d => d.clientWidth > c.clientWidth)).map(c => c.dataset.chart)") == []


def test_each_chart_has_marks(page):
    for run in page.execute_script("return [...document.querySelectorAll('article.run')].map(a => a.id)"):
        page.execute_script("location.hash = '#' + arguments[0]", run)
        wait(page, f"return !document.getElementById('{run}').hidden")
        wait(page, DRAWN)
        empty = page.execute_script("return [...document.querySelectorAll('article:not([hidden]) .chart, #comparison .chart')].filter(c => "
                                    "!c.querySelector('.mark-rect path, .mark-line path, .mark-symbol path') && !(c.querySelector('canvas') && painted(c.querySelector('canvas'))))"
                                    ".map(c => c.dataset.chart); function painted(c) { return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v); }")
        assert empty == []


def test_a_click_on_a_bar_leads_to_its_line(page):
    page.execute_script("document.querySelector('#r0-stack .mark-rect path').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    wait(page, "return document.querySelectorAll('#r0 tr.marked').length > 0")


def test_a_click_on_a_heat_map_leads_to_the_line_with_most_of_it(page):
    from selenium.webdriver import ActionChains

    led = page.find_element("css selector", "#r0-time [data-chart='heat-queues']").find_element("xpath", "..").find_element("css selector", "h3 a")
    target = led.get_attribute("href").partition("#")[2]
    canvas = page.find_element("css selector", "#r0-time [data-chart='heat-queues'] canvas")
    page.execute_script("document.querySelector('header').style.position = 'static'; arguments[0].scrollIntoView({block: 'center'})", canvas)
    ActionChains(page).move_to_element(canvas).click().perform()
    wait(page, f"return location.hash === '#{target}'")
    assert target in page.execute_script("return [...document.querySelectorAll('#r0 tr.marked')].map(r => r.id)")


def test_rows_of_a_launch_are_made_when_it_is_shown(page):
    def rows():
        return page.execute_script("return ['r0', 'r1'].map(r => document.querySelectorAll(`#${r} .code tr[data-s]`).length)")

    first, second = rows()
    assert first > 0 == second
    key(page, "]")
    assert rows()[0] == first and rows()[1] > 0


def test_keys_choose_launches_and_costly_lines(page):
    key(page, "]")
    assert page.execute_script("return [...document.querySelectorAll('article.run')].filter(a => !a.hidden).map(a => a.id)") == ["r1"]
    key(page, "n")
    share = page.execute_script("return document.querySelector('#r1 .pane tr.marked .h').textContent")
    shares = page.execute_script("return [...document.querySelectorAll('#r1 .pane:first-child .h')].map(h => parseFloat(h.textContent) || 0)")
    assert float(share.split()[0]) == max(shares)
    key(page, "?")
    assert page.execute_script("return document.getElementById('keys').open")


def test_lines_of_source_are_seen_whole_beside_the_figures_of_eight_launches(browser, tmp_path):
    long = divergent()
    wide(browser, 1280)
    browser.get(long.report(tmp_path / "eight.html", *[long] * 7).as_uri())
    wait(browser, DRAWN)
    tables = browser.execute_script("return [...document.querySelectorAll('#comparison .beside, article:not([hidden]) .lines table')].map(t => "
                                    "[t.parentElement.scrollWidth, t.parentElement.clientWidth, Math.max(...[...t.querySelectorAll('td.k')].map(c => c.textContent.length))])")
    assert len(tables) == 2 and all(needed <= there and longest > 30 for needed, there, longest in tables), tables
