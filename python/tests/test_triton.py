import inspect
import types

import pytest
import torch
import triton
import triton.language as tl

import warplens


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def layer_norm(x, w, b, y, n, eps, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + row * n + i, mask=mask, other=0.0)
    mean = tl.sum(v, 0) / n
    centred = tl.where(mask, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + eps)
    tl.store(y + row * n + i, centred * scale * tl.load(w + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (128, 1024)], key=["n"])
@triton.jit
def tuned_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@pytest.mark.parametrize("device", ["a100", "h200"])
def test_kernels_agree_with_torch(device):
    torch.manual_seed(0)
    with warplens.emulate(device) as gpu:
        x, y, out = torch.randn(5000), torch.randn(5000), torch.empty(5000)
        add[(5,)](x, y, out, 5000, BLOCK=1024)
        assert torch.equal(out, x + y)
        rows, probabilities = torch.randn(16, 1000), torch.empty(16, 1000)
        softmax[(16,)](rows, probabilities, 1000, BLOCK=1024)
        torch.testing.assert_close(probabilities, torch.softmax(rows, -1))
        w, b, normed = torch.randn(1000), torch.randn(1000), torch.empty(16, 1000)
        layer_norm[(16,)](rows, w, b, normed, 1000, 1e-5, BLOCK=1024)
        torch.testing.assert_close(normed, torch.nn.functional.layer_norm(rows, (1000,), w, b), rtol=1e-4, atol=1e-5)
    assert [launch.kernel for launch in gpu.launches] == ["add", "softmax", "layer_norm"]
    assert f".target sm_{gpu.device['cc']}" in gpu.launches[0].ptx


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int32])
def test_types(dtype):
    x = (torch.randn(700) * 10).to(dtype)
    out = torch.empty_like(x)
    with warplens.emulate():
        add[(1,)](x, x, out, 700, BLOCK=1024)
    assert torch.equal(out, x + x)


def test_autotuning_goes_by_the_model_and_leaves_no_trace():
    x, out = torch.randn(4096), torch.empty(4096)
    with warplens.emulate() as gpu:
        tuned_add[lambda meta: (triton.cdiv(4096, meta["BLOCK"]),)](x, x, out, 4096)
    assert torch.equal(out, x + x)
    assert len(gpu.launches) == 1


def test_checks_name_the_triton_line():
    x, out = torch.randn(64), torch.empty(60)
    with warplens.emulate(checks="memory") as gpu:
        add[(1,)](x, x, out, 64, BLOCK=64)
    (report,) = gpu.reports
    assert report["id"] == "out-of-bounds"
    assert report["place"]["file"].endswith("test_triton.py") and report["place"]["line"] > 0


def test_one_emulated_gpu_at_a_time_and_none_afterwards():
    with warplens.emulate():
        with pytest.raises(RuntimeError, match="already active"):
            with warplens.emulate("a100"):
                pass
    with pytest.raises((ValueError, FileNotFoundError), match="h200"):
        with warplens.emulate("h20"):
            pass


@triton.jit
def count_without_atomics(counter):
    tl.store(counter, tl.load(counter) + 1)


def line_of(kernel, text):
    """The line of this file on which `text` is in `kernel`."""
    source = kernel.fn
    lines, first = inspect.getsourcelines(source)
    return first + next(i for i, line in enumerate(lines) if text in line)


def test_a_race_between_programs_names_the_line():
    counter = torch.zeros(1)
    with warplens.emulate(checks="race") as gpu:
        count_without_atomics[(4,)](counter)
    reports = [report for report in gpu.reports if report["id"] == "race"]
    assert reports and {report["place"]["line"] for report in reports} == {line_of(count_without_atomics, "tl.store")}
    assert all(report["place"]["file"].endswith("test_triton.py") for report in reports)


def test_an_illegal_access_stops_the_kernel_with_its_line():
    x = torch.randn(64)
    with warplens.emulate() as _, pytest.raises(warplens.KernelFault, match=rf"test_triton.py:{line_of(add, 'tl.store')}"):
        add[(1,)](x, x, torch.empty(0), 64, BLOCK=64)
    with warplens.emulate(checks="memory") as gpu:
        add[(2,)](x, x, torch.empty(64), 128, BLOCK=64)
    assert {report["place"]["line"] for report in gpu.reports} == {line_of(add, "tl.store")}


def test_findings_name_the_line():
    x, out = torch.randn(32 * 4096), torch.empty(4096)
    with warplens.emulate(counters=True) as gpu:
        strided_copy[(4,)](x, out, BLOCK=1024)
    found = {finding["id"]: finding for finding in gpu.launches[0].findings}
    assert "uncoalesced-access" in found
    assert any(f"test_triton.py:{line_of(strided_copy, 'tl.load')}" in str(place) for place in found["uncoalesced-access"]["where"])


@triton.jit
def strided_copy(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i * 32)
    tl.store(out + i, v)


@triton.jit
def grow(total, x, n, BLOCK: tl.constexpr):
    sum = tl.load(total)
    for at in range(0, n, BLOCK):
        sum += tl.sum(tl.load(x + at + tl.arange(0, BLOCK)))
    tl.store(total, sum)


def test_a_scalar_that_every_lane_holds_is_no_race():
    with warplens.emulate("h200", checks="race") as gpu:
        total = torch.zeros(1)
        grow[(1,)](total, torch.ones(256), 256, BLOCK=128)
        assert total.item() == 256 and gpu.reports == []
        grow[(2,)](total, torch.ones(256), 256, BLOCK=128)  # two programs on one scalar are one
        assert {report["id"] for report in gpu.reports} == {"race"}


def test_tensors_without_memory_are_refused():
    with warplens.emulate("h200"):
        with pytest.raises(ValueError, match="argument 0 is on the device 'meta'"):
            add[(1,)](*[torch.empty(100, device="meta")] * 3, 100, BLOCK=128)


def test_modelled_time_where_programs_measure():
    x, out = torch.randn(100000), torch.empty(100000)
    launch = lambda: add[(98,)](x, x, out, 100000, BLOCK=1024)
    do_bench = triton.testing.do_bench
    with warplens.emulate("h200") as gpu:
        ms = do_bench(launch)
        assert gpu.launches == []
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        launch()
        launch()
        end.record()
        torch.cuda.synchronize()
        assert begin.elapsed_time(end) == pytest.approx(2 * ms)
        assert ms == pytest.approx(gpu.launches[0].report["time"]["estimate_ns"] * 1e-6)
        assert do_bench(launch, quantiles=[0.5, 0.2, 0.8]) == [ms] * 3
        with pytest.warns(UserWarning, match="saw no Triton kernel"):
            assert do_bench(lambda: torch.softmax(x, 0)) == 0


def test_a_kernel_has_its_cubin():
    with warplens.emulate("h200"):
        x = torch.randn(100)
        compiled = add[(1,)](x, x, x, 100, BLOCK=128)
        assert compiled.asm["cubin"].startswith(b"\x7fELF")


def test_device_cuda_is_the_emulated_gpu():
    available = torch.cuda.is_available()
    with warplens.emulate("a100") as gpu:
        x, generator = torch.randn(1000, device="cuda"), torch.Generator(device="cuda")
        y, z = torch.ones(1000).cuda(), torch.zeros(1000).to("cuda:0")
        add[(1,)](x, y, z, 1000, BLOCK=1024)
        assert x.is_cuda and torch.equal(z, x + 1)
        assert torch.randn(4, device=torch.device("cuda"), generator=generator).shape == (4,)
        assert next(torch.nn.Linear(2, 2).to("cuda").parameters()).is_cuda
        assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (8, 0)
        assert torch.cuda.get_device_properties(0).multi_processor_count == gpu.device["sms"]
    assert torch.cuda.is_available() == available and not torch.ones(1).is_cuda


@pytest.mark.parametrize("flags", [{}, {"padding": "nan"}, {"padding": "zero", "round_f32_to_tf32": True}])
def test_parameters_of_descriptors_without_a_map(flags):
    """Of GPUs without tensor maps: the flags that a version of Triton has stand behind pointer, shape and strides."""
    from warplens.triton import _parameters

    descriptor = types.SimpleNamespace(base="base", shape=[8, 4], strides=[4, 1], **flags)
    kinds = ["i32", "tensordesc<fp16[2, 4]>", ("constexpr", "fp32")]
    given = list(_parameters.of(kinds, [7, descriptor, (1, 2.0)], None))
    shape_and_strides = [("i32", 8), ("i32", 4), ("i64", 4), ("i64", 1)]
    assert given[:6] == [("i32", 7), ("*fp16", "base"), ("i64", 8), ("i64", 4), ("i64", 4), ("i64", 1)]
    assert given[6:] == [("i1", flag) for flag in ([flags["padding"] == "nan"] if flags else []) + ([True] if len(flags) > 1 else [])] + shape_and_strides + [("fp32", 2.0)]


@triton.jit
def columns_first(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i * 32, mask=i < n), mask=i < n)


def test_advice_speaks_of_blocks_and_not_of_threads():
    x, y = torch.randn(1 << 20), torch.empty(1 << 15)
    with warplens.emulate("h100", counters=True) as gpu:
        columns_first[(128,)](x, y, 1 << 15, BLOCK=256)
    advice = {finding["id"]: finding["advice"] for finding in gpu.launches[0].findings}
    assert "last axis of the block" in advice["uncoalesced-access"]
    assert "threadIdx" not in str(advice)
