// Draws the interactive figures of the explanation pages from the data that stands in them (docs/interactive.py).
"use strict";
(() => {
  const cell = (x, y, w, h, kind) => `<rect x="${x}" y="${y}" width="${w}" height="${h}" class="${kind}"/>`;
  const text = (x, y, words, anchor = "start") => `<text x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`;
  const svg = (width, height, inside, label) => `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${inside}</svg>`;
  const few = number => String(Math.round(number * 100) / 100);

  const draws = {
    strides(machine, at) {
      const [stride, offset] = [at.stride.value, at.offset.value];
      const pieces = machine.pieces[at.offset.place][at.stride.place].flatMap(([start, bytes, step, count]) =>
        Array.from({length: count}, (_, k) => [start + k * step, bytes]));
      const moved = new Set(), asked = new Set();
      for (const [start, bytes] of pieces) for (let word = start / 4; word < (start + bytes) / 4; word++) moved.add(word);
      for (let lane = 0; lane < machine.lanes; lane++) asked.add(offset + stride * lane);
      const rows = Math.ceil((16 + 32 * (machine.lanes - 1) + 33) / 64);
      let inside = "";
      for (let row = 0; row < rows; row++) {
        inside += cell(56, row * 10 + 0.5, 640, 9, "ground");
        if (row % 4 === 0) inside += text(52, row * 10 + 9, row * 256, "end");
      }
      for (const word of new Set([...moved, ...asked]))
        inside += cell(56 + word % 64 * 10 + 0.5, Math.floor(word / 64) * 10 + 0.5, 9, 9, asked.has(word) ? "asked" : "moved");
      const bytes = pieces.reduce((sum, piece) => sum + piece[1], 0);
      const said = `${pieces.length} transaction${pieces.length === 1 ? "" : "s"}, ${bytes} bytes moved for ${4 * machine.lanes} asked for: ` +
        `${few(bytes / 4 / machine.lanes)} times`;
      return [svg(704, rows * 10, inside, said), said];
    },

    padding(machine, at) {
      const {banks, passes, least} = machine.columns[at.row.place][at.padding.place];
      const sharing = Array(machine.banks).fill(0), side = 640 / machine.banks, high = Math.min(side, 14);
      for (const bank of banks) sharing[bank]++;
      let inside = "";
      for (let bank = 0; bank < machine.banks; bank++) {
        inside += cell(56 + bank * side + 0.5, 16, side - 1, banks.length * high, "ground");
        if (bank % 4 === 0) inside += text(56 + (bank + 0.5) * side, 12, bank, "middle");
      }
      banks.forEach((bank, lane) => {
        inside += cell(56 + bank * side + 0.5, 16 + lane * high + 0.5, side - 1, high - 1, sharing[bank] > 1 ? "waits" : "asked");
        if (lane % 4 === 0) inside += text(52, 16 + lane * high + 9, lane, "end");
      });
      const said = `${passes} pass${passes === 1 ? "" : "es"} for the ${machine.lanes} lanes of a warp, ${least} without conflicts; ` +
        `at most ${Math.max(...sharing)} of ${banks.length} lanes in one bank`;
      return [svg(704, 18 + banks.length * high, inside, said), said];
    },

    resources(machine, at) {
      const resident = threads => Math.min(machine.blocks, machine.warps[threads], machine.registers[threads][at.registers.place],
        machine.shared[at.shared.place]);
      const percent = threads => 100 * resident(threads) * Math.ceil(at.threads.at(threads) / machine.lanes) / machine.mostWarps;
      const here = at.threads.place, blocks = resident(here), each = Math.ceil(at.threads.value / machine.lanes);
      let inside = "";
      const wide = 640 / Math.min(machine.mostWarps, 32);
      for (let warp = 0; warp < machine.mostWarps; warp++)
        inside += cell(56 + warp % 32 * wide + 1, Math.floor(warp / 32) * 20 + 1, wide - 2, 18,
          warp >= blocks * each ? "ground" : Math.floor(warp / each) % 2 ? "asked" : "moved strong");
      const top = Math.ceil(machine.mostWarps / 32) * 20 + 20, x = threads => 56 + 640 * threads / (at.threads.count - 1), y = share => top + 120 - 1.2 * share;
      for (const share of [0, 50, 100]) inside += `<path class="grid" d="M56 ${y(share)}h640"/>` + text(52, y(share) + 4, `${share} %`, "end");
      for (const threads of [0, 7, 15, 23, 31]) inside += text(x(threads), top + 142, at.threads.at(threads), threads === 31 ? "end" : "middle");
      const line = Array.from({length: at.threads.count}, (_, threads) => `${x(threads)} ${y(percent(threads))}`).join("L");
      inside += `<path class="line" d="M${line}"/><circle class="waits" cx="${x(here)}" cy="${y(percent(here))}" r="6"/>`;
      const limits = {warps: machine.warps[here], "block slots": machine.blocks, registers: machine.registers[here][at.registers.place],
        "shared memory": at.shared.value ? machine.shared[at.shared.place] : Infinity};
      const binding = Object.keys(limits).filter(name => limits[name] === blocks);
      const said = blocks ? `${blocks} block${blocks === 1 ? "" : "s"}, ${blocks * each} of ${machine.mostWarps} warps: occupancy ${few(percent(here))} %, ` +
        `limited by ${binding.join(" and ")}` : `not one block can run: ${binding.join(" and ")}`;
      return [svg(704, top + 148, inside, said), said];
    },
  };

  function control(figure, label, made) {
    const around = document.createElement("label"), shown = document.createElement("output");
    around.append(label + " ", made, shown);
    figure.querySelector(".controls").append(around);
    return shown;
  }

  function chosen(names, first, name) {
    const made = document.createElement("select");
    made.name = name;
    names.forEach(([value, words]) => made.append(new Option(words, value)));
    made.selectedIndex = first;
    return made;
  }

  function start(figure) {
    const data = JSON.parse(figure.querySelector("script").textContent), inputs = {};
    const machine = chosen(Object.entries(data.machines).map(([name, {title}]) => [name, title]), data.first, "machine");
    control(figure, "machine", machine);
    for (const one of data.controls) {
      const at = place => one.values ? one.values[place] : one.from + one.step * place;
      let made;
      if (one.values) made = chosen(one.values.map((value, place) => [place, value]), one.first, one.name);
      else made = Object.assign(document.createElement("input"), {type: "range", name: one.name, min: 0, max: one.count - 1, value: one.first});
      const shown = control(figure, one.label, made);
      inputs[one.name] = {at, made, shown, count: one.count, values: one.values};
    }
    const draw = () => {
      const now = {};
      for (const [name, {at, made, shown, count, values}] of Object.entries(inputs)) {
        const place = Number(made.value);
        now[name] = {place, value: at(place), at, count};
        if (!values) {
          shown.textContent = at(place);
          made.setAttribute("aria-valuetext", at(place));
        }
      }
      const [drawing, said] = draws[figure.dataset.draws](data.machines[machine.value], now);
      figure.querySelector(".drawing").innerHTML = drawing;
      figure.querySelector(".said").textContent = said;
    };
    figure.addEventListener("input", draw);
    draw();
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("figure.interactive").forEach(start));
})();
