"""The error of results, in units of the rounding error that is normal for their precision."""

from __future__ import annotations

import math
import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from .exchange import MANTISSA, Slot, as_float64, load_array

Array = np.ndarray[Any, Any]
_MARGIN = 16.0  # four bits: sums in another order, and approximate functions of the hardware, stay below


@dataclass
class Outcome:
    """One output of one call, compared with its true value."""

    right: bool
    rms: float = 0.0  # of errors, relative to the element and the root mean square of the output
    limit: float = 0.0
    lowered_bits: int = 0  # the mantissa that such an error belongs to, 0 where it belongs to none
    wrong: Array | None = None  # which elements
    text: str = ""
    absolute: float = 0.0  # the largest error of an element
    unit: float = 0.0  # what rounding gives to a sum of as many numbers of size 1

    def is_rounding(self, largest: float) -> bool:
        """True if rounding explains the error. The result may be a difference of sums of squares of inputs up to `largest`, or its root.
        """
        squares = _MARGIN * self.unit
        return self.absolute <= max(squares * largest**2, math.sqrt(squares) * largest)


def _relative(got: Array, exact: Array) -> Array:
    """Error of each element, relative to its size and the root mean square of all. NaN equals NaN, infinity itself."""
    finite = np.isfinite(exact)
    scale = float(np.sqrt(np.mean(np.abs(exact[finite]) ** 2))) if finite.any() else 1.0
    with np.errstate(all="ignore"):
        error = np.abs(got - exact) / (np.abs(exact) + (scale or 1.0))
        error[~finite] = np.where((got == exact) | (np.isnan(got) & np.isnan(exact)), 0.0, np.inf)[~finite]
    error[np.isnan(error)] = np.inf
    return error


def _rms(error: Array) -> float:
    return float(np.sqrt(np.mean(error**2))) if error.size else 0.0


def compare(got: Array, slot: Slot, folder: pathlib.Path, case: dict[str, Any], at: int, elements_in: int) -> Outcome:
    """Compares output `at` of a case. `slot` has the type of `got`."""
    wanted = case["exact"][at]
    exact, own = load_array(folder, wanted), load_array(folder, case["own"][at])
    if list(got.shape) != list(own.shape):
        return Outcome(False, wrong=np.ones(1, bool), text=f"shape {list(got.shape)}, not {list(own.shape)}")
    if not got.size:
        return Outcome(True)
    own_type = case["own"][at]["dtype"]
    if own_type not in MANTISSA:
        wrong = (got != exact.astype(got.dtype)) & (got != own.astype(got.dtype)) if slot["dtype"] not in MANTISSA else np.ones(got.shape, bool)
        return Outcome(not wrong.any(), wrong=wrong, text=_count(wrong) + " differ from the reference" if wrong.any() else "")
    error = _relative(as_float64(got, slot["dtype"]), as_float64(exact, wanted["dtype"]))
    honest = _relative(as_float64(own, own_type), as_float64(exact, wanted["dtype"]))
    unit = 2.0 ** -(MANTISSA[own_type] + 1)
    terms = max(1.0, elements_in / exact.size)  # a sum's error grows with the root of its terms
    base = max(_rms(honest), unit)
    limit, worst = _MARGIN * max(base, 0.25 * unit * math.sqrt(terms)), _MARGIN * max(float(honest.max()), 2 * unit, unit * math.sqrt(terms))
    bits = 0
    if case["lower"]:
        lower = _relative(as_float64(load_array(folder, case["lower"][at]), case["lower"][at]["dtype"]), as_float64(exact, wanted["dtype"]))
        limit, worst, bits = _with_lower(limit, worst, base, lower, own_type, _rms(error))
    wrong = ~(error <= worst)
    right = not wrong.any() and _rms(error) <= limit
    if right:
        return Outcome(True, _rms(error), limit)
    if not wrong.any():
        wrong = error > limit
    with np.errstate(all="ignore"):
        absolute = np.abs(as_float64(got, slot["dtype"]) - as_float64(exact, wanted["dtype"]))
    spread = np.count_nonzero(error > limit / _MARGIN) >= exact.size / 8  # everywhere, as rounding is
    return Outcome(False, _rms(error), limit, bits if spread else 0, wrong,
                   f"{_count(wrong)} are wrong: the error is {_rms(error):.2g}, and arithmetic in {own_type} gives {base:.2g}", float(absolute.max()), unit * math.sqrt(terms))


def _with_lower(limit: float, worst: float, base: float, lower: Array, own_type: str, found: float) -> tuple[float, float, int]:
    """Each limit is the geometric mean of the errors of this precision and of the next lower one. Also the bits of the precision whose error is `found`.
    """
    from .truth_bits import LOWER

    next_lower = _rms(lower)
    if not math.isfinite(next_lower) or next_lower < _MARGIN * base:
        return limit, worst, 0  # rounding hardly changes the result: its error does not tell the precision
    limit = max(limit, math.sqrt(base * next_lower))
    worst = max(worst, math.sqrt(base * next_lower) * _MARGIN)
    bits = LOWER[own_type] - math.log2(found / next_lower) if found > 0 and math.isfinite(found) else 0
    return limit, min(worst, max(next_lower * _MARGIN, limit)), round(bits) if 1.5 < bits <= LOWER[own_type] + 4 else 0


def _count(wrong: Array) -> str:
    return f"{int(np.count_nonzero(wrong))} of {wrong.size} elements"


def is_poison(got: Array) -> Array:
    """Elements that still have the bytes with which memory was filled."""
    from .device import POISON

    pattern = np.frombuffer(POISON.to_bytes(4, "little") * 2, np.uint8)
    flat = np.ascontiguousarray(got).reshape(-1).view(np.uint8).reshape(-1, got.dtype.itemsize)
    size = got.dtype.itemsize
    if size >= 4:
        found = (flat == pattern[:size]).all(axis=1)
    else:
        whole = np.frombuffer(np.resize(pattern, flat.size).tobytes(), np.uint8).reshape(flat.shape)
        found = (flat == whole).all(axis=1)
    return found.reshape(got.shape)
