"""The code that Triton makes of a kernel for a chosen GPU, by configuration; nothing needs that GPU."""

from __future__ import annotations

import copy
import dataclasses
import functools
import html
import itertools
import json
import pathlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import triton
from triton.runtime.autotuner import Autotuner, Heuristics

from .._command import output
from ..emulation import emulate
from ..launches import Launch
from ..table import rows_html
from . import _ptxas

@dataclasses.dataclass
class Variant:
    """One configuration of a compiled kernel, with its launch's counts if it was run."""

    config: dict[str, Any]
    target: dict[str, Any]  # the GPU, as in Emulation.device
    error: str | None = None  # why there is none: the compiler's or the launch's message
    ttir: str = dataclasses.field(default="", repr=False)
    ttgir: str = dataclasses.field(default="", repr=False)
    llir: str = dataclasses.field(default="", repr=False)
    ptx: str = dataclasses.field(default="", repr=False)
    cubin: bytes = dataclasses.field(default=b"", repr=False)
    shared_bytes: int = 0
    launch: Launch | None = None

    @functools.cached_property
    def sass(self) -> dict[str, Any]:
        """The counts of `warplens inspect` for PTX and SASS: classes, memory, lines, notes, registers."""
        with tempfile.TemporaryDirectory() as folder:
            for ending, content in (("ptx", self.ptx.encode()), ("cubin", self.cubin), ("json", b"{}")):
                (pathlib.Path(folder) / f"kernel.{ending}").write_bytes(content)
            return json.loads(output(["inspect", folder, "--format", "json"]))["kernels"][0]

    @functools.cached_property
    def occupancy(self) -> dict[str, Any]:
        """The result of `warplens occupancy` for its registers, shared memory and threads."""
        threads = self.sass["required_threads"] or self.sass["max_threads"]
        return json.loads(output(["occupancy", "--arch", self.target["arch"], "--regs", str(self.sass["registers"]), "--smem",
                                  str(self.shared_bytes), "--block", str(threads[0]), "--format", "json"]))

    @property
    def registers(self) -> int:
        """Per thread."""
        return self.sass["registers"]

    @property
    def spills(self) -> int:
        """Machine instructions that load from or store to local memory."""
        return sum(access["sass"] for access in self.sass["memory"] if access["space"] == "local")

    @property
    def widest_global_bytes(self) -> int:
        """Widest of a lane's global loads, stores and copies."""
        return max((a["width_bytes"] for a in self.sass["memory"] if a["space"] == "global" and a["sass"]), default=0)

    @property
    def data(self) -> dict[str, Any]:
        return self.row()

    def _repr_html_(self) -> str:
        return rows_html([self.row()])

    def row(self) -> dict[str, Any]:
        """The configuration and its figures; only `error` beside it if there are none."""
        if self.error is not None:
            return {**self.config, "error": self.error}
        figures = {"registers": self.registers, "spills": self.spills, "shared_bytes": self.shared_bytes,
                   "ptx": self.sass["instructions"]["ptx"], "sass": self.sass["instructions"]["sass"],
                   "widest_global_bytes": self.widest_global_bytes, "warps_per_sm": self.occupancy["warps_per_sm"],
                   "limited_by": ", ".join(self.occupancy["limiters"])}
        if self.launch is not None:
            time = self.launch.report["time"]
            figures |= {"bound_ns": time["bound_ns"], "estimate_ns": time["estimate_ns"], "time_limited_by": time["limited_by"]}
        return {**self.config, **figures}


class Inspection:
    """The variants of a kernel. Prints as a table, one row a configuration."""

    def __init__(self, kernel: str, device: str, variants: list[Variant]) -> None:
        self.kernel, self.device, self.variants = kernel, device, variants

    def __len__(self) -> int:
        return len(self.variants)

    def __iter__(self) -> Iterator[Variant]:
        return iter(self.variants)

    def __getitem__(self, index: int) -> Variant:
        return self.variants[index]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a variant: its configuration, registers, spills, shared memory, instructions, occupancy, times in ns."""
        return [variant.row() for variant in self.variants]

    @property
    def data(self) -> list[dict[str, Any]]:
        return self.rows

    def _cells(self) -> list[list[str]]:
        rows = self.rows
        names = list(dict.fromkeys(name for row in rows for name in row if name != "error"))
        cells = [[_text(row.get(name)) for name in names] for row in rows]
        for row, line in zip(rows, cells, strict=True):
            line.extend([row["error"].splitlines()[-1]] if "error" in row else [])
        return [names, *cells]

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, [*widths, 0], strict=False)).rstrip() for line in cells]
        return "\n".join([f"{self.kernel} for {self.device}", *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        names, *lines = self._cells()
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
        return f"<table><thead><tr>{''.join(f'<th>{name}</th>' for name in names)}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: Any) -> str:
    return "" if value is None else f"{value:.0f}" if isinstance(value, float) else str(value)


def _untuned(kernel: Any) -> tuple[Any, list[triton.Config]]:
    """The kernel without its autotuner, and the autotuner's configurations."""
    if isinstance(kernel, Autotuner):
        return kernel.fn, list(kernel.configs)
    if isinstance(kernel, Heuristics):
        inner, configs = _untuned(kernel.fn)
        return Heuristics(inner, kernel.arg_names, kernel.values), configs
    return kernel, []


def _combinations(keywords: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every choice of one value from each list among `keywords`."""
    swept = {name: value for name, value in keywords.items() if isinstance(value, list)}
    for chosen in itertools.product(*swept.values()):
        yield {**keywords, **dict(zip(swept, chosen, strict=True))}


def _configurations(tuned: list[triton.Config], given: Sequence[triton.Config | dict[str, Any]] | None) -> list[tuple[dict[str, Any], Any]]:
    """(keywords, pre-hook) of each configuration."""
    chosen = tuned if given is None else list(given)
    plain = [(config, None) if isinstance(config, dict) else (config.all_kwargs(), config.pre_hook) for config in chosen]
    return plain or [({}, None)]


def _copied(argument: Any) -> Any:
    """A copy of a tensor or of a tensor descriptor: running a variant leaves the caller's data alone."""
    if hasattr(argument, "clone"):
        return argument.clone()
    return dataclasses.replace(argument, base=argument.base.clone()) if hasattr(argument, "block_shape") else copy.copy(argument)


def _compiled(kernel: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], variant: Variant) -> Any:
    made = kernel.warmup(*arguments, grid=(1,), **keywords)
    variant.config |= {"num_warps": made.metadata.num_warps, "num_stages": made.metadata.num_stages}
    variant.ttir, variant.ttgir, variant.llir = (str(made.asm[stage]) for stage in ("ttir", "ttgir", "llir"))
    ptx = made.asm["ptx"]
    variant.ptx = ptx if isinstance(ptx, str) else ptx.decode()
    variant.cubin = _ptxas.assemble(variant.ptx)
    variant.shared_bytes = made.metadata.shared


def inspect(kernel: Any, *args: Any, device: str = "h200", configs: Sequence[triton.Config | dict[str, Any]] | None = None,
            grid: tuple[int, ...] | Callable[[dict[str, Any]], tuple[int, ...]] | None = None, **keywords: Any) -> Inspection:
    """Compiles `kernel` for `device` in each configuration: TTIR, TTGIR, PTX, SASS counts, registers, shared memory, spills, occupancy.

    args, keywords: the arguments of a launch. A dtype, such as torch.float16, stands for a pointer to such elements. A list among the keywords (a
    constexpr, num_warps, num_stages, num_ctas, maxnreg) is a sweep: every combination is one variant. configs: triton.Config
    objects or dictionaries to sweep over as well; the autotuner's own by default. grid: also run every variant, on copies of the
    tensors, in the emulator, and show the bound and the estimate of its time on `device`.
    A variant that the compiler or the GPU refuses has an `error`. Raises ValueError when `device` is not known.
    """
    kernel, tuned = _untuned(kernel)
    names = list(kernel.arg_names)
    variants = []
    with emulate(device, counters=True) as emulation:
        for chosen, hook in _configurations(tuned, configs):
            for choice in _combinations({**keywords, **chosen}):
                shown = {name: value for name, value in choice.items() if name in chosen or isinstance(keywords.get(name), list)}
                variant = Variant(shown, emulation.device)
                variants.append(variant)
                arguments = tuple(_copied(a) for a in args) if grid is not None else args
                if hook is not None:
                    hook({**dict(zip(names, arguments)), **choice})
                try:
                    _compiled(kernel, arguments, choice, variant)
                    if variant.shared_bytes > emulation.device["shared_optin_bytes"]:
                        variant.error = f"needs {variant.shared_bytes} bytes of shared memory; {emulation.device['name']} has {emulation.device['shared_optin_bytes']}"
                    elif grid is not None:
                        kernel[grid](*arguments, **choice)
                        variant.launch = emulation.launches[-1]
                except (triton.CompilationError, triton.OutOfResources, RuntimeError) as problem:
                    variant.error = str(problem)
    return Inspection(kernel.fn.__name__ if not isinstance(kernel, Heuristics) else kernel.fn.fn.__name__, emulation.device["name"], variants)
