"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement, all = (selector, from = document) => [...from.querySelectorAll(selector)], by = id => document.getElementById(id);
const runs = new Map(data.runs.map(run => [run.id, run]));
const dark = matchMedia("(prefers-color-scheme: dark)");
let current = data.runs.length ? data.runs[0].id : null, pinned = null, hits = [], hit = -1;

// ------------------------------------------------------------------------------------------------ light and dark
const THEMES = ["system", "light", "dark"];
let theme = "system";
try { if (THEMES.includes(localStorage.getItem("archdef-theme"))) theme = localStorage.getItem("archdef-theme"); } catch { /* files may have no storage */ }
function paint() {
  root.dataset.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  by("theme").textContent = "theme: " + (theme === "system" ? "as the system" : theme);
  all(".chart").forEach(figure => { delete figure.dataset.drawn; });
  draw();
}
function nextTheme() {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  try { localStorage.setItem("archdef-theme", theme); } catch { /* nothing is kept then */ }
  paint();
}

// ------------------------------------------------------------------------------------------------ charts
function config() {
  const style = getComputedStyle(root), ink = style.getPropertyValue("--ink"), soft = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
  const font = getComputedStyle(document.body).fontFamily;
  return { background: null, font, view: { stroke: null },
    axis: { labelColor: soft, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 11.5, titleFontSize: 12, titleFontWeight: "normal" },
    legend: { labelColor: ink, titleColor: soft, labelFontSize: 12, symbolType: "square" } };
}
function draw() {
  for (const figure of all(".chart")) {
    const place = figure.querySelector(".draw");
    if (figure.dataset.drawn || !place.clientWidth) continue;
    figure.dataset.drawn = "1";
    const spec = (figure.dataset.run ? runs.get(figure.dataset.run) : data).charts[figure.dataset.chart];
    const fitted = JSON.parse(JSON.stringify(spec));
    if (fitted.encoding.color && fitted.encoding.color.legend) fitted.encoding.color.legend.columns = Math.max(1, Math.floor((place.clientWidth - (fitted.encoding.y && fitted.encoding.y.type === "nominal" ? 110 : 0)) / 165));
    vegaEmbed(place, fitted, { mode: "vega-lite", renderer: "svg", actions: false, ast: true, config: config() }).then(made => {
      made.view.addEventListener("click", (event, item) => { if (item && item.datum && item.datum.to) go(item.datum.to); });
    }).catch(error => { place.textContent = "This chart could not be drawn: " + error.message; console.error(error); });
  }
}

// ------------------------------------------------------------------------------------------------ launches and places
function show(id) {
  if (!runs.has(id)) return;
  current = id;
  all("article.run").forEach(article => { article.hidden = article.id !== id; });
  if (by("launch")) by("launch").value = id;
  draw();
  if (pinned && pinned.closest("article").id !== id) pinned = null;
  if (!pinned) look(costly()[0]);
}
function look(row) {    // the costliest line is what is seen first; another one replaces it when it is pointed at
  if (!row) return;
  mark(row);
  revealAll("near");
}
function go(id) {
  const run = id.split("-")[0];
  if (runs.has(run)) show(run);
  const target = by(id);
  if (!target) return;
  history.replaceState(null, "", "#" + id);
  if (target.matches(".code tr")) { pin(target); by(run + "-source").scrollIntoView({ block: "start" }); } else target.scrollIntoView({ block: "start" });
}

// ------------------------------------------------------------------------------------------------ lines that belong together
const rowsOf = () => all("#" + current + " .code tr[data-s]");
function mark(row) {
  const cls = row === pinned ? "marked" : "near";
  for (const other of rowsOf()) {
    const same = row && (row.dataset.p ? (other.dataset.p ? other.dataset.p === row.dataset.p : other.dataset.s === row.dataset.s) : other.dataset.s === row.dataset.s);
    other.classList.toggle("marked", Boolean(same && cls === "marked"));
    other.classList.toggle("near", Boolean(same && cls === "near"));
  }
  detail(row);
}
function reveal(row) {
  const pane = row.closest(".pane"), top = row.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  if (top < 50 || top > pane.clientHeight * 0.8) pane.scrollTop = Math.max(0, pane.scrollTop + top - pane.clientHeight / 4);
}
function pin(row) {
  pinned = row;
  mark(row);
  if (!row) return;
  revealAll("marked");
  reveal(row);
}
function revealAll(cls) {
  const seen = new Set();
  for (const row of all("#" + current + " .code tr." + cls)) {
    const pane = row.closest(".pane");
    if (!seen.has(pane)) { seen.add(pane); reveal(row); }
  }
}
const words = cause => cause === "selected" ? "issuing" : cause.replaceAll("_", " ");
const number = (value, digits = 0) => value.toLocaleString("en", { maximumFractionDigits: digits });
function detail(row) {
  const aside = document.querySelector("#" + current + " .detail");
  if (!aside) return;
  aside.textContent = "";
  aside.classList.toggle("on", Boolean(pinned));
  const add = (tag, text, to = aside) => { const made = document.createElement(tag); made.textContent = text; to.append(made); return made; };
  const key = row && (row.id || current + "-" + row.dataset.p), cost = key && runs.get(current).costs[key];
  if (!cost) { add("p", "No line is marked.").className = "soft"; return; }
  const text = by(key) ? by(key).querySelector(".k").textContent.trim() : "";
  const head = add("p", ""); add("b", key.slice(key.indexOf(":") + 1) + "  ", head); add("code", text, head);
  const whole = Object.values(cost.stalls || {}).reduce((a, b) => a + b, 0), bar = add("span", ""); bar.className = "stalls";
  const pair = (name, value) => { const span = add("span", name + " "); span.className = "pair"; add("b", value, span); };
  for (const [cause, cycles] of Object.entries(cost.stalls || {}).sort((a, b) => b[1] - a[1])) {
    const part = add("i", "", bar); part.style.width = 100 * cycles / whole + "%"; part.style.background = data.causes[cause]; part.title = words(cause);
    if (cycles / whole >= 0.01) { pair(words(cause), number(100 * cycles / whole, 1) + " %"); const dot = document.createElement("i"); dot.className = "dot"; dot.style.background = data.causes[cause]; aside.lastChild.prepend(dot); }
  }
  aside.append(document.createElement("br"));
  pair("share of all cycles", number(100 * (cost.share || 0), 1) + " %"); pair("issued", number(cost.issued || 0));
  for (const [field, name] of [["active_lanes", "active lanes"], ["load_transactions", "transactions per load"], ["store_transactions", "transactions per store"], ["wasted_bytes", "bytes wasted"], ["wasted_transactions", "transactions wasted"], ["bank_conflicts", "bank-conflict passes"], ["divergent_branches", "divergent branches"], ["l1_hit_rate", "L1 hits, %"]])
    if (cost[field]) pair(name, number(cost[field], 2));
}

// ------------------------------------------------------------------------------------------------ shades
const short = value => new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(value);
function shade(chosen) {
  const section = chosen.closest("section"), costs = runs.get(section.closest("article").id).costs, field = chosen.value;
  for (const table of all("table.code:not(.ops)", section)) {
    const rows = all("tr[id]", table), most = Math.max(...rows.map(row => (costs[row.id] || {})[field] || 0), 0);
    table.querySelector("th.shaded").textContent = field === "share" ? "share" : chosen.selectedOptions[0].textContent;
    for (const row of rows) {
      const value = (costs[row.id] || {})[field] || 0, cell = row.querySelector(".h");
      cell.style.setProperty("--h", most ? Math.sqrt(value / most).toFixed(3) : 0);
      cell.textContent = !value ? "" : field === "share" ? number(100 * value, 1) + " %" : short(value);
    }
  }
}

// ------------------------------------------------------------------------------------------------ tables
function sort(heading) {
  const table = heading.closest("table"), body = table.tBodies[0], column = heading.cellIndex;
  const up = heading.getAttribute("aria-sort") ? heading.getAttribute("aria-sort") === "descending" : !heading.classList.contains("n");
  all("th", table).forEach(other => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  const value = row => { const cell = row.cells[column]; return cell.dataset.v === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.v); };
  body.append(...[...body.rows].sort((a, b) => { const x = value(a), y = value(b); return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1); }));
}

// ------------------------------------------------------------------------------------------------ search
function search(text) {
  text = text.trim().toLowerCase();
  const has = row => row.textContent.toLowerCase().includes(text);
  hits = []; hit = -1;
  for (const row of all(".code tbody tr:not(.gap)")) {
    const found = Boolean(text) && row.querySelector(".k").textContent.toLowerCase().includes(text);
    row.classList.toggle("hit", found);
    row.classList.remove("here");
    if (found && row.closest("article").id === current) hits.push(row);
  }
  let shown = 0;
  for (const row of all("table.find tbody tr")) { row.hidden = Boolean(text) && !has(row); if (!row.hidden && (!row.closest("article") || row.closest("article").id === current)) shown++; }
  by("found").textContent = text ? hits.length + " lines, " + shown + " rows" : "";
  if (hits.length) reveal(hits[0]);
}
function nextHit() {
  if (!hits.length) return;
  hit = (hit + 1) % hits.length;
  const row = hits[hit];
  hits.forEach(other => other.classList.toggle("here", other === row));
  if (row.dataset.s) pin(row); else reveal(row);
  row.scrollIntoView({ block: "nearest" });
}

// ------------------------------------------------------------------------------------------------ keys
function step(rows, by_) {
  const at = rows.indexOf(pinned);
  if (rows.length) pin(rows[at < 0 ? (by_ > 0 ? 0 : rows.length - 1) : (at + by_ + rows.length) % rows.length]);
}
const firstPane = () => all("tr[data-s]", document.querySelector("#" + current + " .pane"));
const costly = () => { const costs = runs.get(current).costs; return firstPane().filter(row => costs[row.id] && costs[row.id].share).sort((a, b) => costs[b.id].share - costs[a.id].share); };
function launch(by_) { const ids = [...runs.keys()], at = ids.indexOf(current); show(ids[(at + by_ + ids.length) % ids.length]); search(by("search").value); }
const KEYS = { "/": () => by("search").focus(), n: () => step(costly(), 1), p: () => step(costly(), -1), j: () => step(firstPane(), 1), k: () => step(firstPane(), -1),
  "[": () => launch(-1), "]": () => launch(1), t: nextTheme, "?": () => by("keys").showModal() };
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.id === "search") {
    if (event.key === "Enter") { event.preventDefault(); nextHit(); }
    if (event.key === "Escape") { event.target.value = ""; search(""); event.target.blur(); }
    return;
  }
  if (event.key === "Escape" && !by("keys").open) { pin(null); return; }
  if (event.target.matches("th") && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); sort(event.target); return; }
  if (!event.target.matches("input, select") && !by("keys").open && KEYS[event.key]) { event.preventDefault(); KEYS[event.key](); }
});

// ------------------------------------------------------------------------------------------------ what is clicked and pointed at
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']"), heading = event.target.closest(".sortable th"), row = event.target.closest(".code tr[data-s]"), line = event.target.closest("tr[data-line]");
  if (link) { event.preventDefault(); go(decodeURIComponent(link.hash.slice(1))); } else if (heading) sort(heading);
  else if (row && String(getSelection()) === "") pin(row === pinned ? null : row); else if (line && String(getSelection()) === "") go(line.dataset.line);
});
document.addEventListener("mouseover", event => {
  const row = event.target.closest(".code tr[data-s]");
  if (row && !pinned) mark(row);
});
by("search").addEventListener("input", event => search(event.target.value));
by("theme").addEventListener("click", nextTheme);
by("help").addEventListener("click", () => by("keys").showModal());
if (by("launch")) by("launch").addEventListener("change", event => { show(event.target.value); search(by("search").value); });
all(".shade").forEach(chosen => chosen.addEventListener("change", () => shade(chosen)));
dark.addEventListener("change", paint);
addEventListener("hashchange", () => go(decodeURIComponent(location.hash.slice(1))));
all(".sortable th").forEach(heading => { heading.tabIndex = 0; });
paint();
if (current) show(current);
if (location.hash) go(decodeURIComponent(location.hash.slice(1)));
})();
