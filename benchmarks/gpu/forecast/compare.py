#!/usr/bin/env python3
"""Forecasts compared with a GPU's times: compare.py MEASURED PREDICTED DEVICE [--kernels].

MEASURED is a folder of measure.sh; PREDICTED has MODEL.json of `warplens forecast --json`. Kernels are the same where their names are.
A library's kernels have other names than the calls that stand for them, so that the sums of a step are compared.
"""
import argparse
import json
import pathlib
import re
import statistics

STAND_IN = " (stand-in)"
LIBRARIES = re.compile(r"nvjet|cutlass_|gemm|gemv|splitK|cublas|cudnn|xmma|implicit_convolve|winograd|wgrad|dgrad|convolve|ampere_|sm80_|sm90_|RNN|"
                       r"persistRNN|elemWise|LSTM_|GRU_|nchwTo|nhwcTo|conv2d_c1_k1", re.IGNORECASE)
OWN = re.compile(r"^(void )?(at::|pytorch_flash|fmha_|\(anonymous|triton_|Mem(cpy|set)|vectorized_|elementwise_)")


def plain(name):
    """Demanglers differ in spaces, in `void` and in how they write an unnamed type."""
    name = re.sub(r"^void |\s+|\(bool\)[01]|true|false", "", name)
    return re.sub(r"\{lambda\(([^)]*)\)#(\d+)\}", r"{lambda#\2}", name)[:400]


def is_library(name):
    return name.endswith(STAND_IN) or (bool(LIBRARIES.search(name)) and not OWN.match(name))


def short(name):
    return re.sub(r"at::native::|\(anonymous namespace\)::|void ", "", name)[:90]


def of_step(rows):
    out = {}
    for row in rows:
        key = plain(row["name"])
        one = out.setdefault(key, {"name": row["name"], "launches": 0, "ns": 0})
        one["launches"] += row["launches_per_step"]
        one["ns"] += row["device_ns"]
    return out


def total(rows, wanted):
    return sum(row["ns"] for row in rows.values() if wanted(row["name"]))


def compared(folder, predicted, device, model, of):
    text = (folder / f"{of}.txt").read_text()
    step_ns = float(re.search(r"step_ns (\d+)", text).group(1))
    measured = of_step(json.loads((folder / f"{of}.json").read_text()))
    forecast = next(d for d in json.loads((predicted / f"{model}.json").read_text())["devices"] if d["device"] == device)
    modelled = of_step(forecast["kernels"])
    both = [(measured[key], modelled[key]) for key in measured.keys() & modelled.keys() if not is_library(measured[key]["name"])]
    return {"model": of, "step_ns": step_ns, "forecast_ns": forecast["step_ns"], "low_ns": forecast["low_ns"], "high_ns": forecast["high_ns"],
            "bound_by": forecast["bound_by"], "own": [total(rows, lambda n: not is_library(n)) for rows in (measured, modelled)],
            "library": [total(rows, is_library) for rows in (measured, modelled)], "both": both, "measured": measured, "modelled": modelled}


def error(measured, modelled):
    return f"{(modelled / measured - 1) * 100:+.0f} %" if measured else "-"


def show(row, least_ns):
    print(f"\n{row['model']}: kernels of both names; those of {least_ns / 1e3:.0f} us and more first")
    for a, b in sorted(row["both"], key=lambda pair: -pair[0]["ns"]):
        print(f"  {a['ns'] / a['launches'] / 1e3:8.2f} {b['ns'] / b['launches'] / 1e3:8.2f} us {error(a['ns'] / a['launches'], b['ns'] / b['launches']):>7} "
              f"x{a['launches']:<5.1f} {b['launches']:<5.1f} {short(a['name'])}")
    seen = {plain(a["name"]) for a, _ in row["both"]}
    for side in ("measured", "modelled"):
        for key, one in sorted(row[side].items(), key=lambda item: -item[1]["ns"]):
            if key not in seen:
                print(f"  {side} alone {one['ns'] / 1e3:8.1f} us of x{one['launches']:<5.1f} {one['ns'] / one['launches'] / 1e3:8.2f} {short(one['name'])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", type=pathlib.Path)
    parser.add_argument("predicted", type=pathlib.Path)
    parser.add_argument("device")
    parser.add_argument("--kernels", action="store_true")
    given = parser.parse_args()
    least_ns, errors, small = 5000, [], []
    print("| model | step | forecast | off | bound by | kernels | modelled | off | library calls | modelled | off |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    rows = []
    for path in sorted(given.measured.glob("*.txt")):
        of = path.stem
        model = of.removesuffix("-native")
        if "forecast" in of or not (given.measured / f"{of}.json").exists() or not (given.predicted / f"{model}.json").exists():
            continue
        row = compared(given.measured, given.predicted, given.device, model, of)
        rows.append(row)
        us = [f"{ns / 1e3:.0f}" for ns in (row["step_ns"], row["forecast_ns"], *row["own"], *row["library"])]
        print(f"| {of} | {us[0]} | {us[1]} | {error(row['step_ns'], row['forecast_ns'])} | {row['bound_by']} | {us[2]} | {us[3]} | {error(*row['own'])} "
              f"| {us[4]} | {us[5]} | {error(*row['library'])} |")
        for a, b in row["both"]:
            each = abs(b["ns"] / b["launches"] / (a["ns"] / a["launches"]) - 1)
            (errors if a["ns"] / a["launches"] >= least_ns else small).append(each)
    for text, found in (("of 5 us and more", errors), ("shorter", small)):
        if found:
            print(f"\nkernels {text}: {len(found)}, {statistics.mean(found) * 100:.1f} % off on average, {statistics.median(found) * 100:.1f} % in the median")
    if given.kernels:
        for row in rows:
            show(row, least_ns)


if __name__ == "__main__":
    main()
