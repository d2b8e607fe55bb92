import concurrent.futures

import numpy as np
import pytest
import torch

import warplens

SOURCE = """
extern "C" __global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}
template <typename T> __global__ void scale(T* x, T by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
extern "C" __global__ void racy(float* x) { x[0] = threadIdx.x; }
"""


@pytest.fixture(scope="module")
def module():
    return warplens.load_inline(SOURCE, functions=["square", "scale<double>"])


def test_numpy_and_torch_arrays_are_used_in_place(module):
    x = np.random.default_rng(1).random(1000, dtype=np.float32)
    y = np.zeros_like(x)
    module.square[4, 256](x, y, 1000)
    np.testing.assert_array_equal(y, x * x)
    t, out = torch.randn(300), torch.zeros(300)
    module.square[(2, 1, 1), (256, 1)](t, out, 300)
    assert torch.equal(out, t * t)


def test_template_instances(module):
    x = torch.ones(10, dtype=torch.float64)
    getattr(module, "scale<double>")[1, 32](x, 2.5, 10)
    assert torch.equal(x, torch.full((10,), 2.5, dtype=torch.float64))


def test_profile_counts(module):
    x = torch.randn(256)
    launch = module.square.profile[1, 256](x, torch.empty(256), 256)
    assert launch.warp_instructions >= 8 * 4
    assert launch.grid == (1, 1, 1) and launch.block == (256, 1, 1)


def test_a_counted_launch_is_its_machine_code_and_what_stops_it_is_named_from_ptx(module):
    x, y = torch.randn(1000), torch.zeros(1000)
    report = module.square.profile[4, 256](x, y, 1000).report
    if "no PTX assembler" in report.get("why_adjusted", ""):
        pytest.skip(report["why_adjusted"])
    assert report["results_from"] == "machine code" and torch.equal(y, x * x)
    short = torch.full((32,), 7.0)
    with pytest.raises(RuntimeError, match=r"past the end of 'argument 1'.*block \(1,0,0\)"):
        module.square.profile[2, 32](x, short, 64)


def test_threads_may_launch_one_module(module):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        def one(size):
            x, y = torch.randn(size), torch.zeros(size)
            for _ in range(20):
                module.square.profile[4, 256](x, y, size)
            return torch.equal(y, x * x)

        assert all(pool.map(one, [1000, 900, 800, 700]))


def test_check_finds_a_race(module):
    reports = module.racy.check[1, 64](torch.zeros(1)).reports
    assert [r["id"] for r in reports] == ["race"]


def test_faults_name_the_place_and_the_array(module):
    with pytest.raises(RuntimeError, match=r"past the end of 'argument 1'.*block \(1,0,0\)"):
        module.square[2, 32](torch.randn(64), torch.empty(32), 64)


def test_wrong_arguments_are_refused(module):
    x = torch.zeros(4)
    with pytest.raises(TypeError, match="takes 3 arguments, not 2"):
        module.square[1, 32](x, x)
    with pytest.raises(TypeError, match="argument 2 of square, 'int n', takes a whole number, not str"):
        module.square[1, 32](x, x, "four")
    with pytest.raises(TypeError, match="'int n', takes a whole number, not float32"):
        module.square[1, 32](x, x, np.float32(4))
    with pytest.raises(ValueError, match="'int n', has 32 bits, too few for 1099511627776"):
        module.square[1, 32](x, x, 1 << 40)
    with pytest.raises(TypeError, match="argument 0 of square, .* takes an array .*, not list"):
        module.square[1, 32]([1.0], x, 4)
    with pytest.raises(ValueError, match="argument 0 of square, .* is not dense .*to_dense"):
        module.square[1, 32](x.to_sparse(), x, 4)
    with pytest.raises(ValueError, match="argument 1 of square, .* is on device 'meta'"):
        module.square[1, 32](x, x.to("meta"), 4)
    with pytest.raises(TypeError, match=r"square\[grid, block\]"):
        module.square(x, x, 4)
    with pytest.raises(TypeError, match="whole numbers, not 0.5: .*//"):
        module.square[0.5, 32](x, x, 4)
    module.square[1, 32](x, x, np.int64(4))
    with pytest.raises(TypeError, match="kernel\\[grid, block\\]"):
        module.square[1]
    with pytest.raises(AttributeError, match="did you mean 'square'"):
        module.sqare
    with pytest.raises(ValueError, match="undefined"):
        warplens.load_inline('extern "C" __global__ void f() { undefined = 1; }')


def test_arrays_of_other_libraries_are_used_in_place(module):
    class Foreign:
        """What a library that speaks DLPack alone gives."""

        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, **options):
            return self.tensor.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    x, y = torch.randn(100), torch.zeros(100)
    module.square[1, 128](Foreign(x), Foreign(y), 100)
    assert torch.equal(y, x * x)
    with pytest.raises(ValueError, match="not contiguous"):
        module.square[1, 128](Foreign(torch.zeros(10, 2)[:, 0]), Foreign(y), 10)


def test_views_of_one_allocation(module):
    both = torch.randn(200)
    x = both[:100].clone()
    module.square[1, 128](both[:100], both[100:], 100)
    assert torch.equal(both[100:], x * x) and torch.equal(both[:100], x)


def test_meta_tensors_are_refused(module):
    with pytest.raises(ValueError, match="on device 'meta'"):
        module.square[1, 32](torch.zeros(4, device="meta"), torch.zeros(4), 4)


def test_counters_do_not_depend_on_where_a_host_array_begins(module):
    room = np.zeros(1 << 14, dtype=np.uint8)
    shifted = room[-room.ctypes.data % 64 + 4:][: 4 * 1024].view(np.float32)  # 4 bytes past a multiple of 64
    y = np.zeros(1024, dtype=np.float32)
    launch = module.square.profile[4, 256](shifted, y, 1024)
    assert launch.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 1024 * 4 / 32
    shifted[:] = 3
    module.square.profile[4, 256](shifted, y, 1024)
    assert (y == 9).all()  # what the copies held came back
