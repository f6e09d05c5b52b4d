"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement, all = (selector, from = document) => [...from.querySelectorAll(selector)], by = id => document.getElementById(id);
const runs = new Map(data.runs.map(run => [run.id, run]));
const dark = matchMedia("(prefers-color-scheme: dark)");
let current = data.runs.length ? data.runs[0].id : null, pinned = null, near = [], hits = [], hit = -1;

// ------------------------------------------------------------------------------------------------ numbers and texts
const number = (value, digits = 0) => value.toLocaleString("en", { maximumFractionDigits: digits });
const three = value => value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : number(value);
const percent = value => (Math.abs(value - Math.round(value)) < 0.05 ? Math.round(value) : value.toFixed(1)) + " %";
const short = value => new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(value);
const words = cause => cause === "selected" ? "issuing" : cause.replaceAll("_", " ");
const escaped = text => text.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// ------------------------------------------------------------------------------------------------ what is packed as columns
function spread(column, rows) {
  if (column === undefined) return Array(rows).fill(null);
  if (Array.isArray(column)) return column;
  const all = Array(rows).fill(column.of);
  column.at.forEach((at, k) => { all[at] = column.is[k]; });
  return all;
}
function records(columns) {
  const { rows, ...packed } = columns, found = Array.from({ length: rows }, () => ({}));
  for (const [name, column] of Object.entries(packed)) spread(column, rows).forEach((value, k) => { found[k][name] = value; });
  return found;
}
function unpacked(spec) {
  if (Array.isArray(spec)) return spec.map(unpacked);
  if (spec === null || typeof spec !== "object") return spec;
  if (spec.grid) {
    const { begins, lengths, rows, values } = spec.grid, all = spread(values, begins.length * rows);
    return { values: all.map((value, k) => { const at = Math.floor(k / rows), row = k % rows; return { begin: begins[at], end: begins[at] + lengths[at], row, below: row + 1, value }; }) };
  }
  if (spec.columns && Number.isInteger(spec.columns.rows)) return { values: records(spec.columns) };
  return Object.fromEntries(Object.entries(spec).map(([key, value]) => [key, unpacked(value)]));
}
const FIELDS = ["issued", "active_lanes", "load_transactions", "store_transactions", "wasted_sectors", "wasted_transactions", "bank_conflicts", "branches", "divergent_branches", "l1_hit_rate", "partitions"];
function costsOf(packed, place, size) {
  const { stalls, ...rest } = packed, found = records(rest);
  for (const cost of found) { cost.stalls = {}; for (const field of FIELDS) cost[field] ??= null; }     // a column that is nothing everywhere is left out
  for (const [cause, column] of Object.entries(stalls)) spread(column, packed.rows).forEach((cycles, k) => { if (cycles) found[k].stalls[cause] = cycles; });
  for (const cost of found) {
    cost.source = cost.file + ":" + cost.line;
    cost.place = place(cost);
    cost.warp_cycles = Object.values(cost.stalls).reduce((a, b) => a + b, 0);
    cost.cause = Object.keys(cost.stalls).reduce((a, b) => cost.stalls[b] > (cost.stalls[a] || 0) ? b : a, "");
    cost.idle_lanes = cost.issued && cost.active_lanes !== null ? cost.issued * (size - cost.active_lanes) : 0;
  }
  return found;
}
function textOf(number) {
  const text = data.texts[number];
  if (!text.split) text.split = { lines: text.lines ? text.text.split("\n") : [], colours: spread(text.colours, text.lines) };
  return text.split;
}
function open(run) {    // what lines cost, by their place
  if (run.costs) return;
  const last = run.files.length - 1, statements = costsOf(run.statements, cost => last + ":" + cost.number, run.size);
  run.listed = run.lines ? costsOf(run.lines, cost => cost.source, run.size) : statements;
  const whole = statements.reduce((sum, cost) => sum + cost.warp_cycles, 0);
  run.costs = {};
  for (const cost of [...statements, ...run.listed]) {
    cost.share = whole ? cost.warp_cycles / whole : 0;
    run.costs[run.id + "-" + cost.place] = cost;
  }
  run.most = level => Math.max(0, ...(level === "ptx" ? statements : run.listed).map(cost => cost.share));
}

// ------------------------------------------------------------------------------------------------ panes of code
function coloured(line, pattern) {
  if (!pattern) return escaped(line);
  let at = 0, made = "";
  for (const piece of pattern.split(",")) {
    const [, length, kind] = /^(\d+)(.*)$/.exec(piece), text = escaped(line.slice(at, at += Number(length)));
    made += kind ? `<span class="${kind}">${text}</span>` : text;
  }
  return made;
}
const bar = cost => cost.warp_cycles ? `<span class="stalls" aria-hidden="true">${Object.entries(cost.stalls).map(([cause, cycles]) => `<i style="width:${(100 * cycles / cost.warp_cycles).toFixed(1)}%;background:${data.causes[cause]}" title="${words(cause)} ${percent(100 * cycles / cost.warp_cycles)}"></i>`).join("")}</span>` : "";
function codeRow(run, n, number, text, most) {
  const place = n + ":" + number, cost = run.costs[run.id + "-" + place], file = run.files[n];
  const line = number <= text.lines.length ? coloured(text.lines[number - 1], data.strings[text.colours[number - 1]]) : "";
  if (!cost) return `<tr><td class="l">${number}</td><td></td><td class="x"></td><td class="x"></td><td class="x"></td><td class="k">${line}</td></tr>`;
  return `<tr id="${run.id}-${place}" tabindex="-1" data-s="${cost.source}"${file.level === "ptx" ? ` data-p="${place}"` : ""}><td class="l">${number}</td>`
    + `<td class="h" style="--h:${most ? Math.sqrt(cost.share / most).toFixed(3) : 0}">${cost.share ? percent(100 * cost.share) : ""}</td><td class="x">${cost.issued ? cost.issued.toLocaleString("en") : ""}</td>`
    + `<td class="x">${cost.active_lanes === null ? "" : three(cost.active_lanes)}</td><td class="x">${bar(cost)}</td><td class="k">${line}</td></tr>`;
}
function codePane(run, n) {
  const file = run.files[n], text = textOf(file.text), most = run.most(file.level), rows = [];
  let before = 0;
  for (const [first, last] of file.parts) {
    if (first > before + 1 && text.lines.length) rows.push(`<tr class="gap"><td colspan="6">${before + 1 === first - 1 ? `line ${first - 1} costs` : `lines ${before + 1} to ${first - 1} cost`} nothing</td></tr>`);
    for (let number = first; number <= last; number++) rows.push(codeRow(run, n, number, text, most));
    before = last;
  }
  if (!text.lines.length) rows.push('<tr class="gap"><td colspan="6">the text of this file is not at hand</td></tr>');
  return `<table class="code"><caption>${escaped(file.name)} <small>${file.level === "ptx" ? "PTX" : "source"}</small></caption>`
    + `<thead><tr><th>line</th><th class="shaded">share</th><th class="x">issued</th><th class="x">lanes</th><th class="x">waits</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
function opsPane(run) {
  const last = run.files.length - 1, rows = records(run.ops).map((op, k) => `<tr data-s="${op.file}:${op.line}" data-p="${last}:${op.ptx}"><td class="l">${k}</td><td class="i">${op.issued.toLocaleString("en")}</td>`
    + `<td class="k">${escaped(data.strings[op.text])}</td><td class="x soft">${escaped(data.strings[op.cost])}</td></tr>`);
  return `<table class="code ops"><caption>micro-ops <small>of ${escaped(run.machine)}</small></caption><thead><tr><th>op</th><th>issued</th><th></th><th class="x">cost</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
function fill(run) {    // rows are made when a launch is shown for the first time
  if (run.rows) return;
  open(run);
  const article = by(run.id), last = run.files.length - 1;
  const made = { source: () => run.files.slice(0, -1).map((_, n) => codePane(run, n)).join(""), ptx: () => codePane(run, last), ops: () => opsPane(run) };
  all(".pane", article).forEach(pane => { pane.innerHTML = made[pane.dataset.pane](); });
  run.rows = { all: all(".code tbody tr:not(.gap)", article), source: new Map(), ptx: new Map() };
  for (const row of run.rows.all) for (const [kind, key] of [["source", row.dataset.s], ["ptx", row.dataset.p]])
    if (key !== undefined) run.rows[kind].has(key) ? run.rows[kind].get(key).push(row) : run.rows[kind].set(key, [row]);
  lineTable(run);
}

// ------------------------------------------------------------------------------------------------ the table of lines
const FEW = 400;
const FIGURES = [["trans. per load", "load_transactions", three], ["per store", "store_transactions", three], ["sectors wasted", "wasted_sectors", value => number(value)], ["trans. wasted", "wasted_transactions", value => number(value)],
  ["bank conflicts", "bank_conflicts", value => number(value)], ["divergent", "divergent_branches", (value, cost) => cost.branches ? number(value) + " of " + number(cost.branches) : ""], ["L1 hits", "l1_hit_rate", percent], ["partitions in use", "partitions", three]];
function columnsOf(run, chosen) {
  if (chosen === "accesses") return FIGURES.map(([name, field, shown]) => [name, cost => cost[field], shown]);
  return Object.keys(run.statements.stalls).map(cause => [words(cause), cost => cost.warp_cycles ? 100 * (cost.stalls[cause] || 0) / cost.warp_cycles : null, value => value ? percent(value) : "", data.causes[cause]]);
}
function lineTable(run, most = FEW) {
  const section = by(run.id + "-lines"), columns = columnsOf(run, section.querySelector(".columns").value), cell = (value, shown) => `<td class="n" data-v="${value === null ? -1 : value}">${value === null ? "" : shown}</td>`;
  const costs = run.listed.filter(cost => cost.warp_cycles).sort((a, b) => b.warp_cycles - a.warp_cycles);
  const heads = columns.map(([name, , , colour]) => `<th class="n">${colour ? `<i class="dot" style="background:${colour}"></i>` : ""}${name}</th>`).join("");
  const rows = costs.slice(0, most).map(cost => {
    const file = run.files[cost.file], place = run.id + "-" + (run.to[cost.place] || cost.place), text = textOf(file.text);
    const values = columns.map(([, of, shown]) => { const value = of(cost); return cell(value, value === null ? "" : shown(value, cost)); }).join("");
    return `<tr data-line="${place}"><td data-v="${cost.number}"><a class="to" href="#${place}">${escaped(cost.number ? file.name + ":" + cost.number : "(no line)")}</a></td>${cell(cost.share, percent(100 * cost.share))}${cell(cost.issued, number(cost.issued))}`
      + `${cell(cost.active_lanes, cost.active_lanes === null ? "" : three(cost.active_lanes))}<td class="name">${words(cost.cause)}</td><td>${bar(cost)}</td>${values}<td class="k">${escaped((text.lines[cost.number - 1] || "").trim())}</td></tr>`;
  });
  section.querySelector(".lines").innerHTML = `<table class="sortable find"><thead><tr><th>line</th><th class="n" aria-sort="descending">share</th><th class="n">issued</th><th class="n">active lanes</th><th>mostly</th><th>waits</th>${heads}<th>source</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
    + (costs.length > most ? `<button type="button" class="more">${number(costs.length - most)} cheaper lines</button>` : "");
  all("th", section).forEach(heading => { heading.tabIndex = 0; });
}

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
    const fitted = unpacked(spec), { renderer = "svg", to: leads = null, cold = false } = spec.usermeta || {};
    if (cold) fitted.encoding.color.scale.range[0] = getComputedStyle(root).getPropertyValue("--cold");
    if (fitted.encoding.color && fitted.encoding.color.legend) fitted.encoding.color.legend.columns = Math.max(1, Math.floor((place.clientWidth - (fitted.encoding.y && fitted.encoding.y.type === "nominal" ? 110 : 0)) / 165));
    vegaEmbed(place, fitted, { mode: "vega-lite", renderer, actions: false, ast: true, config: config() }).then(made => {
      made.view.addEventListener("click", (event, item) => { const to = item && item.datum && (item.datum.to || (item.datum.begin !== undefined && leads)); if (to) go(to); });
    }).catch(error => { place.textContent = "This chart could not be drawn: " + error.message; console.error(error); });
  }
}

// ------------------------------------------------------------------------------------------------ launches and places
function show(id) {
  if (!runs.has(id)) return;
  current = id;
  fill(runs.get(id));
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
function mark(row) {
  const cls = row === pinned ? "marked" : "near", { source, ptx } = runs.get(current).rows;
  near.forEach(other => other.classList.remove("near", "marked"));
  near = !row ? [] : row.dataset.p ? [...ptx.get(row.dataset.p), ...(source.get(row.dataset.s) || []).filter(other => !other.dataset.p)] : source.get(row.dataset.s);
  near.forEach(other => other.classList.add(cls));
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
  for (const [field, name] of [["active_lanes", "active lanes"], ["load_transactions", "transactions per load"], ["store_transactions", "transactions per store"], ["wasted_sectors", "sectors wasted"], ["wasted_transactions", "transactions wasted"], ["bank_conflicts", "bank-conflict passes"], ["divergent_branches", "divergent branches"], ["l1_hit_rate", "L1 hits, %"], ["partitions", "partitions in use"]])
    if (cost[field]) pair(name, number(cost[field], 2));
}

// ------------------------------------------------------------------------------------------------ shades
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
  for (const row of current ? runs.get(current).rows.all : []) {
    const found = Boolean(text) && row.querySelector(".k").textContent.toLowerCase().includes(text);
    row.classList.toggle("hit", found);
    row.classList.remove("here");
    if (found) hits.push(row);
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
  if (event.target.matches(".more")) { lineTable(runs.get(current), Infinity); return; }
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
all(".columns").forEach(chosen => chosen.addEventListener("change", () => lineTable(runs.get(current))));
dark.addEventListener("change", paint);
addEventListener("hashchange", () => go(decodeURIComponent(location.hash.slice(1))));
all(".sortable th").forEach(heading => { heading.tabIndex = 0; });
paint();
if (current) show(current);
if (location.hash) go(decodeURIComponent(location.hash.slice(1)));
})();
