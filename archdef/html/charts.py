"""Charts of a report as specifications of Vega-Lite; a datum's field `to` is the place in the page that a click leads to."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from archdef.html.columns import column
from archdef.metrics import LANE_STATES, STALLS

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
CAUSES = dict(zip(STALLS, ("#2e9e5b", "#6f9ceb", "#d1495b", "#e0a526", "#b08968", "#8a63b8", "#00a6a6", "#4c6ef5", "#f08a5d", "#9aa5b1", "#c77dff", "#66798f",
                           "#e07a9b"), strict=True))
"""Cause → its colour, everywhere in a report."""
STATES = dict(zip(LANE_STATES, ("#2e9e5b", "#3b82c4", "#c2569b", "#a3adb8"), strict=True))
LEVELS = {"shared memory": "#2e9e5b", "L2 reads": "#3b82c4", "L2 writes": "#8a63d2", "network reads": "#3b82c4",
           "network writes": "#8a63d2", "DRAM": "#d1495b"}
"""Level of memory → its colour."""
_LABEL = 28
"""Characters of a label; longer ones lose their middle."""
_WHEN = ({"field": "begin", "title": "from cycle", "format": ","}, {"field": "end", "title": "to", "format": ","})
_TITLES = {"threads": "threads per block", "registers": "registers per thread", "shared_bytes": "bytes of shared memory per block"}


def charts(run: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Give the charts of one launch by name."""
    found = {"stack": _stack([run]), "partitions": _partitions(run), "multiprocessors": _multiprocessors(run)}
    found |= {f"occupancy-{resource}": _occupancy(run, resource) for resource in _TITLES}
    if run["bounds"]:
        found["bounds"] = _bounds(run)
    if run["roof"]:
        found["roof"] = _roof(run)
    found |= {f"lanes-{number}": _lanes(run, traced) for number, traced in enumerate(run["lanes"]) if traced["steps"]}
    if run["time"]:
        found |= {f"heat-{heat['name']}": _over_time(run, heat) for heat in run["time"]["heats"]}
        if run["time"]["blocks"]:
            found["blocks"] = _blocks(run)
    return found


def compared(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Give the charts of several launches beside each other."""
    if len(runs) < 2:
        return {}
    times = [{"run": named(run), "time": run["elapsed_s"] * 1e6, "to": run["id"]} for run in runs]
    order = [named(run) for run in runs]
    time = _chart(times, mark={"type": "bar"}, height=24 * len(runs), encoding={
        "y": _nominal("run", order), "x": {"field": "time", "type": "quantitative", "title": "microseconds"},
        "tooltip": [{"field": "run"}, {"field": "time", "title": "microseconds", "format": ",.3~f"}]})
    return {"time": time, "stacks": _stack(runs)}


def named(run: Mapping[str, Any]) -> str:
    """Name a launch among others."""
    return f"{run['kernel']} on {run['machine']}"


def _chart(values: Sequence[Mapping[str, Any]], **rest: Any) -> dict[str, Any]:
    fit = {"type": "fit-x", "contains": "padding"}
    return {"$schema": SCHEMA, "width": "container", "autosize": fit, "data": {"values": list(values)}} | rest


def _nominal(field: str, order: Sequence[Any]) -> dict[str, Any]:
    axis = {"labelLimit": 190, "labelExpr": f"truncate(datum.label, {_LABEL}, 'center')"}        # the end names the machine
    return {"field": field, "type": "nominal", "title": None, "sort": list(order), "axis": axis}


def _stack(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Draw a warp's cycles per instruction, cause on cause."""
    values = [{"run": named(run), "cause": each["cause"].replace("_", " "), "order": list(CAUSES).index(each["cause"]), "cycles": each["per_instruction"],
               "share": each["share"], "waits for": each["waits_for"], "to": f"{run['id']}-{each['place']}"} for run in runs for each in run["stack"]]
    names = [cause.replace("_", " ") for cause in CAUSES if any(value["cause"] == cause.replace("_", " ") for value in values)]
    y = {"y": _nominal("run", [named(run) for run in runs])} if len(runs) > 1 else {}
    return _chart(values, mark={"type": "bar"}, height=24 * len(runs) if len(runs) > 1 else 40, encoding={
        **y, "order": {"field": "order"},
        "x": {"field": "cycles", "type": "quantitative", **_cycles_axis(len(runs))},
        "color": {"field": "cause", "type": "nominal", "scale": {"domain": names, "range": [CAUSES[name.replace(" ", "_")] for name in names]},
                  "legend": {"orient": "bottom", "title": None}},
        "tooltip": [{"field": "cause"}, {"field": "cycles", "title": "cycles per instruction", "format": ",.3~f"},
                    {"field": "share", "format": ".1%"}, {"field": "waits for"}]})


def _cycles_axis(runs: int) -> dict[str, Any]:
    """Give cycles of one launch, shares of several: how long each takes says another chart."""
    if runs == 1:
        return {"title": "cycles of a warp per instruction", "stack": "zero", "axis": {"tickCount": 8, "labelOverlap": True}}
    return {"title": "share of its warp cycles", "stack": "normalize", "axis": {"format": "%", "tickCount": 5}}


def _partitions(run: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a strip of partitions, each as dark as it was busy, over bars of its traffic."""
    values = [{**row, "bytes": row["read_bytes"] + row["written_bytes"], "to": f"{run['id']}-memory"} for row in run["chip"]["partitions"]]
    tooltip = [{"field": "number", "title": run["words"]["partition"]}, {"field": "busy", "title": "busy", "format": ".1%"},
               *({"field": name, "title": title, "format": ","} for name, title in (
                   ("read_bytes", "bytes read"), ("written_bytes", "bytes written"), ("requests", "requests"), ("row_hits", "row hits"),
                   ("row_misses", "row misses")))]
    return _heat(values, "busy", "share of the time", tooltip, run["words"]["partition"])


def _multiprocessors(run: Mapping[str, Any]) -> dict[str, Any]:
    values = [{**row, "to": f"{run['id']}-stack"} for row in run["chip"]["multiprocessors"]]
    word = run["words"]["multiprocessor"]
    tooltip = [{"field": "number", "title": word}, {"field": "issuing", "title": "issue slots used", "format": ".1%"},
               {"field": "active", "title": "held a warp", "format": ".1%"}, {"field": "resident_warps", "title": "resident warps", "format": ",.1f"},
               {"field": "blocks", "title": "blocks", "format": ","}, {"field": "warps", "title": "warps", "format": ","}]
    return _heat(values, "issuing", "issue slots used", tooltip, word)


def _heat(values: Sequence[Mapping[str, Any]], field: str, title: str, tooltip: Sequence[Mapping[str, Any]], word: str) -> dict[str, Any]:
    few = len(values) <= 16
    heat = {"domain": [0, 0.5, 1], "range": ["#9db4c8", "#f0a04b", "#d1364b"], "interpolate": "rgb"}
    axis: dict[str, Any] = {"labelAngle": 0, "labelOverlap": True, **({} if few else {"values": list(range(0, len(values), max(1, len(values) // 8)))})}
    return _chart(values, mark={"type": "bar"}, height=120, encoding={
        "x": {"field": "number", "type": "ordinal", "title": word, "axis": axis, "scale": {"paddingInner": 0.1 if few else 0}},
        "y": {"field": field, "type": "quantitative", "title": title, "axis": {"format": "%", "tickCount": 4}},
        "color": {"field": field, "type": "quantitative", "scale": heat, "legend": None},
        "tooltip": list(tooltip)})


def _occupancy(run: Mapping[str, Any], resource: str) -> dict[str, Any]:
    """Draw resident warps over one resource, this launch marked."""
    occupancy = run["occupancy"]
    most, own = occupancy["now"]["max_warps"], occupancy["own"][resource]
    values = [{"x": x, "warps": warps, "share": warps / most} for x, warps in occupancy["curves"][resource]]
    now = [{"x": own, "warps": occupancy["now"]["active_warps"], "share": occupancy["now"]["occupancy"], "to": f"{run['id']}-occupancy-table"}]
    x = {"field": "x", "type": "quantitative", "title": _TITLES[resource], "axis": {"tickCount": 6}}
    y = {"field": "warps", "type": "quantitative", "title": f"resident {run['words']['warp']}s", "scale": {"domain": [0, most]}, "axis": {"tickCount": 4}}
    tooltip = [{"field": "x", "title": _TITLES[resource], "format": ","}, {"field": "warps", "title": "resident"},
               {"field": "share", "title": "occupancy", "format": ".0%"}]
    line = {"type": "line", "interpolate": "linear" if resource == "threads" else "step-after", "color": "#3b82c4"}
    return _chart([], height=150, encoding={"x": x, "y": y}, layer=[
        {"data": {"values": values}, "mark": line},
        {"data": {"values": values}, "mark": {"type": "point", "opacity": 0, "size": 60}, "encoding": {"tooltip": tooltip}},
        {"data": {"values": now}, "mark": {"type": "rule", "color": "#d1495b", "strokeDash": [3, 3]}, "encoding": {"y": {"value": 0}, "y2": {"value": 150}}},
        {"data": {"values": now}, "mark": {"type": "point", "filled": True, "size": 90, "color": "#d1495b", "opacity": 1}, "encoding": {"tooltip": tooltip}}])


def _bounds(run: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the least cycles by each bound beside those that the launch took."""
    bars = [{"what": each["name"], "cycles": each["cycles"], "about": each["about"], "kind": "at least", "to": f"{run['id']}-bounds-table"}
            for each in run["bounds"]["lower"]]
    bars.insert(0, {"what": "this launch", "cycles": run["cycles"], "about": "what it took", "kind": "took", "to": f"{run['id']}-source"})
    return _chart(bars, mark={"type": "bar"}, height=20 * len(bars), encoding={
        "y": _nominal("what", [bar["what"] for bar in bars]),
        "x": {"field": "cycles", "type": "quantitative", "title": "cycles", "axis": {"format": "~s", "tickCount": 5}},
        "color": {"field": "kind", "type": "nominal", "scale": {"domain": ["at least", "took"], "range": ["#3b82c4", "#d1495b"]}, "legend": None},
        "tooltip": [{"field": "what"}, {"field": "cycles", "format": ",.0f"}, {"field": "about"}]})


def _roof(run: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the roofs that each level of memory and the units set, and the launch under them."""
    roof = run["roof"]
    lines = [{"level": level, "x": x, "y": y} for level, points in roof["levels"].items() for x, y in points]
    points = [{"level": point["level"], "x": point["intensity"], "y": roof["gflop_s"], "attainable": point["attainable"], "bytes": point["bytes"],
               "to": f"{run['id']}-memory"} for point in roof["points"]]
    tops = [{"name": top["name"], "y": top["rate"], "x": roof["span"][1], "about": top["about"]} for top in roof["tops"]
            if top["name"].endswith("_fma") or top["name"].startswith("matrix")]
    levels = list(roof["levels"])
    x = {"field": "x", "type": "quantitative", "scale": {"type": "log", "domain": roof["span"], "nice": False}, "title": "operations per byte",
         "axis": {"values": _powers(roof["span"]), "format": "~g"}}
    y = {"field": "y", "type": "quantitative", "scale": {"type": "log"}, "title": "GFLOP/s",
         "axis": {"values": _powers([value["y"] for value in (*lines, *points, *tops)]), "format": "~g"}}
    color = {"field": "level", "type": "nominal", "scale": {"domain": levels, "range": [LEVELS[level] for level in levels]},
             "legend": {"orient": "bottom", "title": None}}
    tooltip = [{"field": "level"}, {"field": "x", "title": "operations per byte", "format": ",.3~f"}, {"field": "y", "title": "GFLOP/s", "format": ",.3~f"}]
    told = [{"field": "name"}, {"field": "y", "title": "GFLOP/s", "format": ",.4~g"}, {"field": "about"}]
    none = {"value": "#8a97a5"}
    return _chart([], height=260, encoding={"x": x, "y": y, "color": color}, layer=[
        {"data": {"values": tops}, "mark": {"type": "rule", "strokeDash": [6, 4]}, "encoding": {"x": None, "color": none, "tooltip": told}},
        {"data": {"values": tops}, "mark": {"type": "text", "align": "right", "baseline": "bottom", "dy": -1, "fontSize": 10},
         "encoding": {"text": {"field": "name"}, "color": none, "tooltip": told}},
        {"data": {"values": lines}, "mark": {"type": "line", "strokeWidth": 2}, "encoding": {"tooltip": tooltip}},
        {"data": {"values": points}, "mark": {"type": "rule", "strokeDash": [2, 3]}, "encoding": {"y2": {"field": "attainable"}}},
        {"data": {"values": points}, "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
         "encoding": {"tooltip": [*tooltip, {"field": "attainable", "title": "attainable", "format": ",.3~f"}, {"field": "bytes", "format": ",.0f"}]}}])


def _powers(values: Sequence[float]) -> list[float]:
    """Give the powers of ten among values that are greater than zero."""
    known = [math.log10(value) for value in values if value > 0]
    return [10.0 ** power for power in range(math.floor(min(known)), math.ceil(max(known)) + 1)]


def _lanes(run: Mapping[str, Any], traced: Mapping[str, Any]) -> dict[str, Any]:
    """Draw lanes over time, each in the colour of what it does."""
    values = [{"begin": step["begin"], "end": step["end"], "first": first, "behind": behind, "state": state.replace("_", " "), "issued": step["issued"],
               "to": f"{run['id']}-{step['place']}"} for step in traced["steps"] for first, behind, state in step["lanes"]]
    states = [state.replace("_", " ") for state in STATES]
    return _chart(values, mark={"type": "rect"}, height=max(120, 6 * traced["size"]), encoding={
        "x": {"field": "begin", "type": "quantitative", "title": "cycle", "scale": {"zero": False, "nice": False}}, "x2": {"field": "end"},
        "y": {"field": "first", "type": "quantitative", "title": "lane", "scale": {"domain": [0, traced["size"]], "reverse": True},
              "axis": {"values": list(range(0, traced["size"] + 1, 8))}}, "y2": {"field": "behind"},
        "color": {"field": "state", "type": "nominal", "scale": {"domain": states, "range": list(STATES.values())},
                  "legend": {"orient": "bottom", "title": None}},
        "tooltip": [{"field": "state"}, {"field": "begin", "title": "from cycle", "format": ","}, {"field": "end", "title": "to", "format": ","},
                    {"field": "first", "title": "first lane"}, {"field": "behind", "title": "lane behind"}, {"field": "issued"}]})


def _over_time(run: Mapping[str, Any], heat: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a number of each thing of a kind over time: the redder, the more. Its numbers are packed as a grid."""
    count, unit = len(heat["values"][0]), f", {heat['unit']}" * bool(heat["unit"])
    values = [round(value) if heat["unit"] == "%" else float(f"{value:.3g}") for row in heat["values"] for value in row]
    most = max(values)
    colour = {"field": "value", "type": "quantitative", "legend": {"title": None, "orient": "right", "gradientLength": 90, "tickCount": 3},
              "scale": {"domain": [0, most / 2, most], "range": ["#e9eef3", "#f0a04b", "#b3122f"], "interpolate": "rgb"}}
    spec = _chart([], mark={"type": "rect"}, height=max(90, min(300, 12 * count)), encoding={
        "x": {"field": "begin", "type": "quantitative", "title": "cycle", "scale": {"zero": False, "nice": False}, "axis": {"format": "~s", "tickCount": 6}},
        "x2": {"field": "end"},
        "y": {"field": "row", "type": "quantitative", "title": heat["of"], "scale": {"domain": [0, count], "nice": False, "reverse": True},
              "axis": {"tickMinStep": 1, "tickCount": min(8, count)}},
        "y2": {"field": "below"}, "color": colour,
        "tooltip": [{"field": "row", "title": heat["of"]}, *_WHEN, {"field": "value", "title": heat["title"].partition(": ")[2] + unit, "format": ",.3~f"}]})
    return spec | {"data": {"grid": {"begins": heat["begins"], "lengths": heat["lengths"], "rows": count, "values": column(values)}},
                   "usermeta": {"renderer": "canvas", "cold": True, "to": heat["to"] and f"{run['id']}-{heat['to']}"}}


def _blocks(run: Mapping[str, Any]) -> dict[str, Any]:
    """Draw blocks over time, each in a lane of its multiprocessor; colours follow their numbers."""
    blocks = run["time"]["blocks"]
    slots, most = 1 + max(block["slot"] for block in blocks), 1 + max(block["multiprocessor"] for block in blocks)
    values = [{"multiprocessor": block["multiprocessor"], "block": block["block"], "begin": block["begin"], "end": block["end"],
               "top": round(block["multiprocessor"] + block["slot"] / slots, 3), "low": round(block["multiprocessor"] + (block["slot"] + 0.9) / slots, 3)}
              for block in blocks]
    words = run["words"]
    return _chart(values, mark={"type": "rect"}, height=max(120, min(460, 5 * slots * most)), encoding={
        "x": {"field": "begin", "type": "quantitative", "title": "cycle", "scale": {"nice": False}, "axis": {"format": "~s", "tickCount": 8}},
        "x2": {"field": "end"},
        "y": {"field": "top", "type": "quantitative", "title": words["multiprocessor"], "scale": {"domain": [0, most], "nice": False, "reverse": True},
              "axis": {"tickMinStep": 1, "tickCount": min(8, most)}}, "y2": {"field": "low"},
        "color": {"field": "block", "type": "quantitative", "scale": {"scheme": "viridis"},
                  "legend": {"title": words["block"], "orient": "right", "gradientLength": 90}},
        "tooltip": [{"field": "block", "title": words["block"], "format": ","}, {"field": "multiprocessor", "title": words["multiprocessor"]}, *_WHEN]},
        usermeta={"renderer": "canvas", "to": f"{run['id']}-occupancy"})
