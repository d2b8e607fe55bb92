#!/usr/bin/env python3
"""The stories of the suite's kernels: docs/kernels/*.md, their pictures and docs/results/suite-h200.md, from the
families (kernels/*/family.json), from what was measured (docs/results/suite-h200.json) and what the emulator expects
(docs/results/suite-model.json).

Usage: stories.py             writes the pages
       stories.py --check     fails where a page is not what it would write, or a step has no numbers
       stories.py --model PROGRAM [FAMILY...]     emulates again what suite-model.json holds (minutes)
       stories.py --measured FILE...    keeps what benchmarks/gpu/suite.py wrote; of a family, the last file counts
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED, MODEL = ROOT / "docs/results/suite-h200.json", ROOT / "docs/results/suite-model.json"
PEERS = ("torch", "torch.compile", "triton", "cub", "sdpa.cudnn", "sdpa.flash", "sdpa.efficient")
# A quarter of the full sizes: the model's times grow in proportion, and emulating it takes seconds.
MODEL_AXES = {"transpose": ["rows=4096", "columns=4096"], "softmax": ["rows=16384"], "layer_norm": ["rows=16384"], "rms_norm": ["rows=16384"],
              "layer_norm_backward": ["rows=16384"], "rms_norm_backward": ["rows=16384"], "cross_entropy": ["rows=512", "columns=32768"],
              "cross_entropy_backward": ["rows=512", "columns=32768"], "rotary": ["positions=4096", "heads=32"], "softmax_backward": ["rows=16384"],
              "scan": ["n=4194304"], "attention_decode": ["length=1024"]}
# Products and attention are emulated at the size that they are also measured at for their stories: how many blocks there are decides.
STORY_POINTS = {"matmul": {"n": 2048}, "matmul_bf16": {"n": 2048}, "attention": {"batch": 1, "heads": 16, "kv_heads": 16, "length": 1024, "size": 128},
                "attention_backward": {"batch": 1, "heads": 16, "kv_heads": 16, "length": 512, "size": 128}}


def families():
    """Those that have a story: bound by bandwidth and measured, or with a point for it."""
    found = {file.parent.name: json.loads(file.read_text()) for file in sorted((ROOT / "kernels").glob("*/family.json"))}
    return {name: family for name, family in found.items() if name in STORY_POINTS or family["bound"] == "bandwidth"}


def measured_at(rows, point):
    rows = [row for row in rows if row["point"] == point]
    return {"point": point, "bytes": rows[0]["bytes"], "flops": rows[0]["flops"],
            "impls": {row["impl"]: {key: row[key] for key in ("median_ns", "low_ns", "high_ns", "error", "throttled_share")} for row in rows}}


def keep_measured(files):
    """"families": each at its story's point; "points": those of several, at every one."""
    kept, points = {}, {}
    for file in files:
        data = json.loads(pathlib.Path(file).read_text())
        for name in {row["family"] for row in data["rows"]}:
            rows = [row for row in data["rows"] if row["family"] == name and row["checks"][0]["passed"]]
            all_points = [point for i, point in enumerate(row["point"] for row in rows) if point not in [row["point"] for row in rows[:i]]]
            if name in families():
                kept[name] = measured_at(rows, STORY_POINTS.get(name, all_points[0]))
            if name not in families() or name in STORY_POINTS or len(all_points) > 1:
                points[name] = [measured_at(rows, point) for point in all_points]
    head = {key: data[key] for key in ("device", "torch", "cuda", "date")}
    MEASURED.write_text(json.dumps({**head, "families": dict(sorted(kept.items())), "points": dict(sorted(points.items()))}, indent=1) + "\n")


def keep_model(program, *names):
    kept = json.loads(MODEL.read_text()) if MODEL.exists() else {}
    for name, family in families().items():
        if names and name not in names:
            continue
        at = [f"{axis}={value}" for axis, value in STORY_POINTS[name].items()] if name in STORY_POINTS else MODEL_AXES.get(name, ["n=16777216"])
        axes = [word for axis in at for word in ("--axis", axis)]
        done = subprocess.run([program, "learn", name, *axes, "--json"], capture_output=True, text=True, check=True)
        kept[name] = model_of(json.loads(done.stdout))
    MODEL.write_text(json.dumps(kept, indent=1) + "\n")


def model_of(told):
    """What is kept of `warplens learn FAMILY --json`."""
    return [{**{key: step[key] for key in ("name", "axes", "estimate_ns", "bound_ns", "limited_by", "counters")},
             "findings": [{"id": f["id"], "detail": f["detail"] or f["title"], "saving": f["saving_fraction"]} for f in step["findings"][:3]
                          if (f["saving_fraction"] or 0) >= 0.05 or f["id"] == step["finding"]]}
            for step in told["steps"]]


def microseconds(ns):
    return f"{ns / 1e3:,.1f}" if ns < 1e6 else f"{ns / 1e3:,.0f}"


def share(x):
    return "" if x is None else f"{100 * x + 0.0:.0f} %".replace("-0 %", "0 %")


def sizes(axes):
    """`rows = 65,536, columns = 1,024`"""
    return ", ".join(f"{axis} = {int(value):,}" for axis, value in axes.items())


class Story:
    def __init__(self, name, family, measured, model, copy):
        self.name, self.family, self.copy = name, family, copy
        self.point, self.impls, self.compute = measured["point"], measured["impls"], family["bound"] == "compute"
        self.amount = measured["flops"] / 1e3 if self.compute else measured["bytes"]
        self.model = {step["name"]: step for step in model}
        missing = [s["name"] for s in family["steps"] if s["name"] not in self.impls or s["name"] not in self.model]
        if missing:
            sys.exit(f"{name}: no numbers of {', '.join(missing)}: measure or emulate them again (see --model, --measured)")

    def rate(self, impl):
        """GB/s, or TFLOP/s where the family is bound by computing."""
        return self.amount / self.impls[impl]["median_ns"]

    def ceiling(self):
        """What rates are shares of: the fastest copy's, or the fastest library's."""
        return max(self.rate(p) for p in PEERS if p in self.impls and p != "triton") if self.compute else self.copy

    def gains(self):
        """Of each step but the last: the finding's saving, the model's, the measured one, as shares of the step's time."""
        for step, following in zip(self.family["steps"], self.family["steps"][1:]):
            a, b = step["name"], following["name"]
            saving = next((f["saving"] for f in self.model[a]["findings"] if f["id"] == step.get("finding")), None)
            yield (a, b, step.get("finding", ""), saving, 1 - self.model[b]["estimate_ns"] / self.model[a]["estimate_ns"],
                   1 - self.impls[b]["median_ns"] / self.impls[a]["median_ns"])

    def row(self, impl, title):
        one = self.impls[impl]
        half = (one["high_ns"] - one["low_ns"]) / 2 / one["median_ns"]
        return f"| {title} | {microseconds(one['median_ns'])} | {100 * half:.1f} % | {self.rate(impl):,.{int(self.compute)}f} | {100 * self.rate(impl) / self.ceiling():.0f} % |"

    def table(self):
        lines = ["| | us | +- | TFLOP/s | of the library |" if self.compute else "| | us | +- | GB/s | of copy |", "| --- | ---: | ---: | ---: | ---: |"]
        lines += [self.row(s["name"], f"**{s['name']}**: {s['title']}") for s in self.family["steps"]]
        return "\n".join(lines + [self.row(peer, peer) for peer in PEERS if peer in self.impls])

    def page(self):
        size, at = sizes(self.point), sizes(self.family_axes())
        out = [f"# {self.family['title']}", "",
               f"`warplens learn {self.name}` shows these steps without a GPU. `warplens bench {self.name}` times them on a GPU.", "",
               f"![Time of each step](../pictures/suite/{self.name}.svg)", "",
               f"Measured on an H200 with cold caches ({size}). PyTorch{' and CUB were' if 'cub' in self.impls else ' was'} timed in the same process. " + (
                   "`of the library` is the share of the fastest library's speed." if self.compute else "`of copy` is the share of the fastest copy's bandwidth."), "", self.table(), "", f"The counters, findings and expected times below come from the emulator ({at}).", ""]
        gains = {a: (finding, predicted, model, measured) for a, _, finding, predicted, model, measured in self.gains()}
        for number, step in enumerate(self.family["steps"], 1):
            out += self.section(number, step, gains.get(step["name"]))
        return "\n".join(out).rstrip() + "\n"

    def family_axes(self):
        return next(iter(self.model.values()))["axes"]

    def section(self, number, step, gain):
        model = self.model[step["name"]]
        counters = ", ".join(f"{value:,} {title}" for title, value in model["counters"].items() if value)
        out = [f"## {number}. {step['name']}: {step['title']}", "", f"[{step['source']}](../../kernels/{self.name}/{step['source']}): {counters}. Expected to take "
               f"{microseconds(model['estimate_ns'])} us, limited by {model['limited_by']}.", ""]
        for finding in model["findings"]:
            saves = f" A fix would save about {share(finding['saving'])}." if finding["saving"] else ""
            out += [f"- [`{finding['id']}`](../reference/findings.md): {finding['detail']}.{saves}"]
        out += [""] if model["findings"] else []
        if gain:
            finding, predicted, expected, measured = gain
            finding = f"{share(predicted)} by the finding, " if predicted else ""
            out += [f"{step['lesson']} Saving of the next step: {finding}{share(expected)} by the model, {share(measured)} as measured.", ""]
        return out

    def picture(self):
        """Bars of the measured times, on the scale of the slowest that is less than 20 times the fastest; longer ones are cut."""
        names = [s["name"] for s in self.family["steps"]] + [p for p in PEERS if p in self.impls]
        times = [self.impls[n]["median_ns"] / 1e3 for n in names]
        scale = max(t for t in times if t < 20 * min(times))
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{24 * len(names) + 8}" font-family="sans-serif" font-size="13">']
        for i, (name, time) in enumerate(zip(names, times)):
            width, y = min(400 * time / scale, 420), 24 * i + 4
            colour = "#888888" if name in PEERS else "#3b7dd8"
            lines += [f'<text x="110" y="{y + 14}" text-anchor="end" fill="#777777">{name}</text>',
                      f'<rect x="118" y="{y}" width="{width:.0f}" height="18" fill="{colour}"/>',
                      f'<text x="{124 + width:.0f}" y="{y + 14}" fill="#777777">{microseconds(time * 1e3)} us</text>']
        return "\n".join(lines + ["</svg>"]) + "\n"


def index(stories):
    out = ["# Kernels, from naive to fast", "", "Each page walks through one family of [kernels/](../../kernels/README.md). It shows the time of each step, and the finding that leads to the "
           "next step. It compares the predicted saving with the measured saving on an H200. `warplens learn NAME` does the same in the terminal, with the emulator.", "",
           "| | steps | speed of the last step, as a share of a copy or of the fastest library | speed relative to torch.compile |", "| --- | --- | ---: | ---: |"]
    for s in stories:
        best = s.family["steps"][-1]["name"]
        beside = f"{s.impls['torch.compile']['median_ns'] / s.impls[best]['median_ns']:.2f}" if "torch.compile" in s.impls else ""
        out.append(f"| [{s.family['title']}]({s.name}.md) | {', '.join(step['name'] for step in s.family['steps'])} | {100 * s.rate(best) / s.ceiling():.0f} % | {beside} |")
    return "\n".join(out) + "\n"


LIBRARIES = ("torch", "sdpa.cudnn", "sdpa.flash", "sdpa.efficient", "triton")


def beside_libraries(head):
    """Products and attention at every size: the last step beside the libraries."""
    out = ["## Products and attention", "", "The table has the time of the family's last step, with cold caches. The columns of the libraries have their times divided by this time: above 1, the step is faster. "
           "In the larger cases, the GPU runs at its power limit with every kernel.", "", "| family | size | us | TFLOP/s | torch | cuDNN | flash | efficient | Triton |",
           "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for name, points in head["points"].items():
        steps = [step["name"] for step in json.loads((ROOT / "kernels" / name / "family.json").read_text())["steps"]]
        for one in points:
            own = [step for step in steps if step in one["impls"]][-1]
            time = one["impls"][own]["median_ns"]
            peers = [f"{one['impls'][p]['median_ns'] / time:.2f}" if p in one["impls"] else "" for p in LIBRARIES]
            size = ", ".join(f"{axis} {value}" for axis, value in one["point"].items())
            out.append(f"| {name} | {size} | {microseconds(time)} | {one['flops'] / time / 1e3:,.1f} | {' | '.join(peers)} |")
    return [*out, ""]


def results(stories, head):
    out = ["# The suite's kernels on an H200", "",
           f"{head['device']}, CUDA {head['cuda']}, PyTorch {head['torch']}, {head['date']}. Made by `benchmarks/gpu/suite.py` and `scripts/stories.py`. The data is random, fp32 (bytes for "
           "histogram and grey), with 2^26 elements, and caches are cold. Every result was compared with float64 at full size before it was timed. Times are medians of up to 200 "
           "samples. All kernels of a family ran in one process, in random order. Bytes are the minimum that must be moved.", "",
           f"The fastest copy moves {stories[0].copy:,.0f} GB/s, reads and writes together. At the start of a cold sample, L2 is full of lines that must still be written back, which "
           "takes about 14 us. Kernels that mostly read (sums, cross entropy, histogram, grey) cannot hide this time: no library exceeds 87 % of the copy's bandwidth there.", "",
           "| family | fastest step | us | of copy | torch | torch.compile | Triton | CUB |", "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for s in (s for s in stories if not s.compute):
        best = s.family["steps"][-1]["name"]
        peers = [f"{s.impls[p]['median_ns'] / s.impls[best]['median_ns']:.2f}" if p in s.impls else "" for p in PEERS[:4]]
        out.append(f"| [{s.name}](../kernels/{s.name}.md) | {best} | {microseconds(s.impls[best]['median_ns'])} | {100 * s.rate(best) / s.copy:.0f} % | {' | '.join(peers)} |")
    out += ["", "The columns of the libraries have their times divided by the step's time: above 1, the step is faster. [Reasons, and where the steps are slower](suite-why.md).", "", *beside_libraries(head), "## Predicted and measured gains", "",
            "The table has the share of a step's time that the next step saves: as the step's finding predicts, as the model expects, and as measured. Products and attention were emulated at the measured size, the others at a quarter of it, prefix sums at a sixteenth, and "
            "decoding at an eighth. Not every step follows a finding, and some steps change more than their finding says.", "",
            "| family | from | to | finding | by the finding | by the model | measured |", "| --- | --- | --- | --- | ---: | ---: | ---: |"]
    promised, modelled = [], []
    for s in stories:
        for a, b, finding, predicted, model, measured in s.gains():
            out.append(f"| {s.name} | {a} | {b} | {finding} | {share(predicted)} | {share(model)} | {share(measured)} |")
            modelled.append(abs(model - measured))
            if predicted is not None:
                promised.append(abs(predicted - measured))
    out += ["", f"The mean error of the model's gains is {sum(modelled) / len(modelled):.3f} of the time, over {len(modelled)} steps. The mean error of the findings' savings is "
            f"{sum(promised) / len(promised):.3f}, over the {len(promised)} steps that have one."]
    return "\n".join(out) + "\n"


def pages():
    head = json.loads(MEASURED.read_text())
    model, copies = json.loads(MODEL.read_text()), head["families"]["copy"]
    copy = max(copies["bytes"] / one["median_ns"] for one in copies["impls"].values())
    stories = [Story(name, family, head["families"][name], model[name], copy) for name, family in families().items()]
    written = {"docs/kernels/index.md": index(stories), "docs/results/suite-h200.md": results(stories, head)}
    for story in stories:
        written[f"docs/kernels/{story.name}.md"] = story.page()
        written[f"docs/pictures/suite/{story.name}.svg"] = story.picture()
    return written


def main(*arguments):
    if arguments[:1] == ("--measured",):
        keep_measured(arguments[1:])
    elif arguments[:1] == ("--model",):
        keep_model(*arguments[1:])
    stale = []
    for name, text in pages().items():
        file = ROOT / name
        if arguments == ("--check",):
            stale += [name] if not file.exists() or file.read_text() != text else []
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    print(f"not as scripts/stories.py writes them: {', '.join(stale)}" if stale else "the stories hold what was measured and emulated")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
