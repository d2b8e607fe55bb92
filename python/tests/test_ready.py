"""Launches that warplens.kernels keeps ready for a GPU, on the emulated driver: tensors stand for their addresses in its memory."""
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch")

HERE = pathlib.Path(__file__).resolve()


def test_kept_launches_are_right_on_the_emulated_driver() -> None:
    from warplens._command import program

    done = subprocess.run([program(), "emulate", "--", sys.executable, str(HERE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["softmax", "scan", "reduction", "matmul", "attention_decode"]


def run() -> None:
    import ctypes

    import torch

    from warplens import kernels, suite

    driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
    assert driver.cuInit(0) == 0 and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and driver.cuCtxSetCurrent(context) == 0

    def placed(tensor: torch.Tensor) -> int:
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(tensor.nbytes)) == 0
        assert driver.cuMemcpyHtoD_v2(address, ctypes.c_void_p(tensor.data_ptr()), ctypes.c_size_t(tensor.nbytes)) == 0
        return address.value

    def fetched(address: int, like: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(like)
        assert driver.cuMemcpyDtoH_v2(ctypes.c_void_p(out.data_ptr()), ctypes.c_uint64(address), ctypes.c_size_t(out.nbytes)) == 0
        return out

    for name in ("softmax", "scan", "reduction", "matmul", "attention_decode"):  # scratch memory, tensor maps, a struct
        family = getattr(kernels, name)
        point = dict(family.described["small"][0])
        inputs = suite.inputs_of(family, point, "cpu")
        plan = family._plan(None, point)
        outputs = {each: (tuple(plan.buffers[each].sizes(point)), plan.buffers[each].dtype) for each in family.outputs}
        ready = plan.ready(0, family.inputs, outputs)
        made, scratch = ([torch.zeros(shape, dtype=dtype) for shape, dtype in each.values()] for each in (outputs, ready._scratch))
        addresses = [placed(tensor) for tensor in (*inputs, *made, *scratch)]
        for _ in range(2):  # what must be zero is left as zero
            ready._run(addresses, 0, True)
        got = [fetched(address, tensor) for address, tensor in zip(addresses[len(inputs):], made)]
        assert suite.error_of(got, suite.exact_of(name, inputs)) < (1e-5 if made[0].dtype == torch.float32 else 2e-2), name
        print(name)


if __name__ == "__main__":
    run()
