"""What notebooks show."""

import gzip
import json
import re

import torch

import warplens


def test_profiles_and_reports_show_what_the_terminal_shows(traces):
    profile = warplens.load(traces / "square.pt.trace.json.gz")
    for shown in (profile, profile.summary(), profile.timeline()):
        page = shown._repr_html_()
        assert page.startswith("<pre") and page.count("<span") == page.count("</span") and "\x1b" not in page
    assert "font-weight:bold" in profile._repr_html_()


def test_tables_have_units(traces):
    profile = warplens.load(traces / "square.pt.trace.json.gz")
    findings = profile.findings()._repr_html_()
    assert "<table>" in findings and "pow-for-square" in findings
    assert "<td style='text-align:right'>379 us</td>" in profile.ops()._repr_html_()


def test_polars_shows_tables(traces):
    ops = warplens.load(traces / "square.pt.trace.json.gz").ops().to_polars()
    assert "aten::pow" in ops._repr_html_() and ops["count"].sum() > 0


MARKUP = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "' onload='alert(1)", "]]><script>", "</pre><b>", "</td></table><iframe>", "\x1b]0;x\x07"]


def test_names_stay_text_in_notebooks(traces, tmp_path):
    """Names of kernels, operators, ranges and devices, in every form that a notebook shows."""
    trace = json.loads(gzip.decompress((traces / "square.pt.trace.json.gz").read_bytes()))
    for number, name in enumerate(MARKUP):
        for event in trace["traceEvents"]:
            if event.get("cat") in ("kernel", "cpu_op", "user_annotation"):
                event["name"] = name
        trace["deviceProperties"][0]["name"] = name
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(trace))
        profile = warplens.load(path)
        asked = profile.query(f"select name, 1 as \"{name.replace(chr(34), '')}\" from kernels limit 2") if "\x1b" not in name else profile.query("select 1")
        for shown in (profile, profile.summary(), profile.timeline(), profile.ops(), profile.findings(), profile.table("devices"), asked):
            page = shown._repr_html_()
            assert not re.search(r"<(img|script|iframe|b>)|\x1b", page), page[:2000]
            for tag in re.findall(r"<[^>]*>", page):
                assert "onload" not in tag and "onerror" not in tag, tag


def test_a_launch_shows_its_roofline():
    module = warplens.load_inline('extern "C" __global__ void twice(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }')
    launch = module.twice.profile[4, 128](torch.ones(512))
    assert "<svg" in launch._repr_html_() and launch._repr_html_().startswith("<pre>")
    roofline = launch.roofline
    assert roofline._repr_html_().lstrip().startswith("<svg") and "FLOP" in str(roofline)
    assert roofline.data["levels"][0]["level"] == "DRAM"


def luminance(color):
    parts = [int(color[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    """As WCAG 2 defines it, 1 to 21."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_terminal_colours_are_read_on_light_and_dark_pages():
    from warplens._command import _COLORS

    colors = [style.removeprefix("color:") for style in _COLORS.values() if style.startswith("color:")]
    assert len(colors) == 12
    for page in ("#ffffff", "#111111", "#1e1e1e"):  # light, JupyterLab's dark, VS Code's dark
        assert all(contrast(color, page) > 3.7 for color in colors)


def rules(style):
    """selector -> declarations, of rules without nesting."""
    return dict(re.findall(r"([^{}]+)\{([^{}]*)\}", style))


def test_pictures_follow_the_notebooks_theme():
    module = warplens.load_inline('extern "C" __global__ void twice(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }')
    page = module.twice.profile[4, 128](torch.ones(512)).roofline._repr_html_()
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    light, rest = style.split("@media (prefers-color-scheme:dark){")
    dark, themed = rest.split("}}", 1)
    light, dark, themed = rules(light), rules(dark + "}"), rules(themed)
    for selector, declared in dark.items():
        assert themed[f'[data-jp-theme-light="false"] {selector},.vscode-dark {selector}'] == declared
        assert themed[f'[data-jp-theme-light="true"] {selector},.vscode-light {selector}'] == light[selector]
    ink, paper = (dark[selector].removeprefix("fill:") for selector in (".ink", ".paper"))
    assert contrast(ink, paper) > 7 and luminance(paper) < 0.05
    assert all(re.match(r"(class|style)", what) or value in ("none", "currentColor") for what, value in re.findall(r'(fill|stroke)="([^"]*)"', page))


def test_charts_come_light_and_dark():
    results = warplens.sweep({"sum": sum}, axes={"n": [10, 100]}, inputs=lambda n: (list(range(n)),), limit_s=0.05)
    page = results._repr_html_()
    assert page.count("class='warplens-light'") == page.count("class='warplens-dark'") > 0
    assert ".warplens-dark{display:none}@media (prefers-color-scheme:dark)" in page
    darkest = re.search(r"class='warplens-dark'><svg.*?\.paper{fill:(#[0-9a-f]{6})}", page, re.DOTALL)[1]
    assert luminance(darkest) < 0.05
