"""Functions through torch.compile: what Inductor generates for a GPU, run in the emulator, against torch eager."""

import pytest
import torch
import torch.nn.functional as F

import warplens

torch.manual_seed(1)
FLOATS = torch.randn(16, 300)
LONG = torch.randint(-10**12, 10**12, (500,))
FUNCTIONS = {
    "softmax": lambda: torch.softmax(FLOATS, -1),
    "layer_norm": lambda: F.layer_norm(FLOATS, (300,), FLOATS[0], FLOATS[1]),
    "long_variance": lambda: torch.var(torch.cat([FLOATS] * 9, 1), 1),
    "cumulative": lambda: (torch.cumsum(FLOATS, 1), torch.cummax(FLOATS, 1)),
    "sort": lambda: torch.sort(FLOATS[:, :100], dim=1, descending=True),
    "scatter": lambda: torch.zeros(50, 300).scatter_add(0, (FLOATS.abs() * 12).long().clamp(max=49), FLOATS),
    "f64": lambda: torch.sin(FLOATS.double()) / (FLOATS.double() ** 2 + 1) + torch.pow(FLOATS.double().abs(), 1.7),
    "small_integers": lambda: ((LONG % 9000).short() * 3 // 7, (LONG % 200).to(torch.int8) ^ 5),
    "long_integers": lambda: (LONG // 7919, LONG % 7919, LONG >> 3),
    "fp8": lambda: (FLOATS * 4).to(torch.float8_e4m3fn).float() + (FLOATS * 2).to(torch.float8_e5m2).float(),
    "pooling": lambda: F.max_pool2d(FLOATS.view(4, 4, 15, 20), 3, 2, 1),
    "embedding": lambda: F.embedding(LONG % 16, FLOATS).sum(0),
    "cat_and_pad": lambda: F.pad(torch.cat([FLOATS, FLOATS.relu()], 1), (1, 2), value=3.0),
    "foreach": lambda: torch._foreach_mul([FLOATS, FLOATS[0], FLOATS[:, :7]], 2.0),
    "rounding": lambda: torch.nan_to_num(FLOATS / 0) + torch.floor(FLOATS * 5) + torch.fmod(FLOATS, 0.3) + torch.round(FLOATS),
}


DEVICES = ["a100", "h200", "b200"]
# Each function on one of them; Triton has no conversions to fp8 for an A100.
CASES = [(name, "h200" if name == "fp8" else DEVICES[i % 3]) for i, name in enumerate(FUNCTIONS)]


@pytest.mark.parametrize(("name", "device"), CASES)
def test_functions(name, device):
    function = FUNCTIONS[name]
    with warplens.emulate(device) as gpu:
        got = torch.compile(function)()
    torch.testing.assert_close(got, function(), rtol=1e-4, atol=1e-4)
    assert gpu.launches


def test_random_numbers():
    with warplens.emulate("h200") as gpu:
        values, kept = torch.compile(lambda x: (torch.rand_like(x), F.dropout(x, 0.3)))(torch.ones(20000))
    assert gpu.launches
    assert abs(float(values.mean()) - 0.5) < 0.02 and float(values.max()) < 1
    assert abs(float((kept == 0).float().mean()) - 0.3) < 0.02


def test_matrix_product_template():
    a, b = torch.randn(64, 96).half(), torch.randn(96, 64).half()
    with warplens.emulate("h200") as gpu, torch._inductor.config.patch(max_autotune_gemm=True, max_autotune_gemm_backends="TRITON"):
        got = torch.compile(lambda x, y: (x @ y).relu() + 1)(a, b)
    assert any("mma" in launch.ptx for launch in gpu.launches)
    torch.testing.assert_close(got.float(), (a.float() @ b.float()).relu() + 1, rtol=1e-2, atol=2e-2)
