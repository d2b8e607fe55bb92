"""What notebooks show."""

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


def test_a_launch_shows_its_roofline():
    module = warplens.load_inline('extern "C" __global__ void twice(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }')
    launch = module.twice.profile[4, 128](torch.ones(512))
    assert "<svg" in launch._repr_html_() and launch._repr_html_().startswith("<pre>")
    roofline = launch.roofline
    assert roofline._repr_html_().lstrip().startswith("<svg") and "FLOP" in str(roofline)
    assert roofline.data["levels"][0]["level"] == "DRAM"
