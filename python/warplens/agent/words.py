"""Reports in a few words: what the tools say of the program's JSON."""

from __future__ import annotations

from typing import Any

from .. import _core

Data = dict[str, Any]
_MOST_UNITS = 4  # an answer has 2 KB


def finding_line(finding: Data) -> str:
    fraction = finding.get("saving_fraction")
    saving = f", would save about {100 * fraction:.0f} %" if fraction else ", saving not known"
    where = f" at {finding['where'][0]}" if finding.get("where") else ""
    return f"{finding['id']} ({finding['severity']}{saving}){where}: {finding['title']}. {finding.get('detail', '')}. Do: {finding['advice']}"


def doubts(data: Data) -> list[str]:
    """What a profile's report says of damage in its data; nothing where it is whole."""
    verdict = str(data.get("integrity") or "")
    return [f"integrity: {verdict}"] if verdict and not verdict.startswith("whole") else []


def unit_line(unit: Data) -> str:
    """What halving the work of one unit would bring, and where that work comes from."""
    where = f" ({', '.join(unit['where'])})" if unit["where"] else ""
    return (f"{unit['unit']}: {_core.format_ns(unit['alone_ns'])} alone, the estimate would be {_core.format_ns(unit['halved_estimate_ns'])} with half of it; "
            f"{unit['works_on']}{where}")


def launch_lines(launch: Data) -> list[str]:
    """What bounds a launch, and each of its findings."""
    lines = []
    time, occupancy = launch.get("time"), launch.get("occupancy")
    if time:
        lines.append(f"{launch['kernel']} on {launch.get('device', 'the GPU')}: about {_core.format_ns(time['estimate_ns'])} by a model, limited by "
                     f"{time['limited_by']}; at least {_core.format_ns(time['bound_ns'])}"
                     + (f", or {_core.format_ns(time['cold_bound_ns'])} if its data is in DRAM" if time["cold_bound_ns"] > time["bound_ns"] else ""))
        lines += [unit_line(unit) for unit in time.get("units", [])[:_MOST_UNITS]]
    if occupancy:
        lines.append(f"occupancy {100 * occupancy['theoretical']:.0f} %, {occupancy['waves']:.2f} waves")
    return lines + [finding_line(f) for f in launch.get("findings", [])]


def unknown_of(launch: Data) -> list[str]:
    """Counters that are no exact counts, and findings that were not looked for."""
    out = []
    inexact = sorted({level for level in launch.get("fidelity", {}).values() if level != "exact"})
    if inexact:
        out.append(f"times, cache hits and DRAM bytes come from a model (fidelity: {', '.join(inexact)})")
    if not launch.get("metrics"):
        out.append("nothing was counted")
    return out


def place_text(place: Data) -> str:
    """"reduce.cu:9, block (0,0,0), thread (32,0,0)"."""
    parts = []
    if place.get("file"):
        parts.append(f"{place['file'].rsplit('/', 1)[-1]}:{place.get('line', '?')}")
    parts += [f"{name} ({','.join(map(str, place[name]))})" for name in ("block", "thread") if name in place]
    return ", ".join(parts)


def defect_line(report: Data) -> str:
    """A defect that a check found, with both sides of a race."""
    text = f"{report['id']} x{report.get('count', 1)}: {report['message']}"
    for key, word in (("where", "at"), ("other", "and")):
        if report.get(key):
            text += f"; {word} {place_text(report[key])}"
    return text


def changed_counters(base: Data, new: Data, most: int = 6) -> list[str]:
    """Exact counters that differ, the largest ratio first."""
    rows = []
    exact = {name for name, level in new.get("fidelity", {}).items() if level == "exact"}
    for name in exact & base.get("metrics", {}).keys():
        before, after = base["metrics"][name], new["metrics"].get(name)
        if isinstance(before, (int, float)) and isinstance(after, (int, float)) and before != after:
            ratio = max(before, after) / max(min(before, after), 1)
            rows.append((ratio, f"{name}: {before:g} before, {after:g} now"))
    return [text for _, text in sorted(rows, reverse=True)[:most]]
