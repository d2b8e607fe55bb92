"""The code that compilers make for the GPU that a candidate is judged on: with the instructions that this GPU alone has, such as wgmma."""

from __future__ import annotations

from .. import _core

_FIRST_WITH_OWN_INSTRUCTIONS = 90


def _capability(device: str) -> str:
    """ "90a" for an H100, "80" for an A100."""
    digits = str(_core.device(device)["arch"]).removeprefix("sm_").rstrip("af")
    return digits + "a" if int(digits) >= _FIRST_WITH_OWN_INSTRUCTIONS else digits


def nvcc_flag(device: str) -> str:
    capability = _capability(device)
    return f"-gencode=arch=compute_{capability},code=sm_{capability}"  # -arch=sm_90a may compile for sm_90 too


def torch_list(device: str) -> str:
    """The value of TORCH_CUDA_ARCH_LIST."""
    capability = _capability(device)
    digits = capability.rstrip("a")
    return f"{digits[:-1]}.{digits[-1]}{capability[len(digits):]}+PTX"
