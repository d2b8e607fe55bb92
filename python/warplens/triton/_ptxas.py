"""Assembles with Triton's own ptxas, because its PTX may be too new for an installed toolkit."""

from __future__ import annotations

import functools
import inspect
import re
import subprocess
import tempfile
from typing import Any

from triton.backends.nvidia.compiler import get_ptxas
from triton.compiler.compiler import AsmDict


@functools.lru_cache(maxsize=512)
def assemble(ptx: str) -> bytes:
    """The cubin of a PTX text for its own target. Raises RuntimeError with the assembler's output."""
    target = re.search(r"^\s*\.target\s+(sm_(\d+)\w*)", ptx, re.M)
    if target is None:
        raise RuntimeError("the PTX names no .target")
    takes_target = bool(inspect.signature(get_ptxas).parameters)  # since Triton 3.6
    tool = get_ptxas(int(target[2])) if takes_target else get_ptxas()
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as source, tempfile.NamedTemporaryFile(suffix=".cubin") as out:
        source.write(ptx)
        source.flush()
        done = subprocess.run([tool.path, "-lineinfo", f"--gpu-name={target[1]}", source.name, "-o", out.name], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"ptxas: {done.stderr.strip()}")
        return out.read()


def _missing(self: AsmDict, key: str) -> Any:
    """The cubin of a kernel that was compiled up to its PTX: assembled on first use."""
    if key != "cubin" or "ptx" not in self:
        return _missing_before(self, key)
    ptx = self["ptx"]
    self[key] = assemble(ptx if isinstance(ptx, str) else ptx.decode())
    return self[key]


_missing_before = AsmDict.__missing__
AsmDict.__missing__ = _missing
