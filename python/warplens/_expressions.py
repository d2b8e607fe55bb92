"""Reads texts of a family file that contain ${EXPRESSION} of the file's axes, as `warplens bench` does."""

from __future__ import annotations

import functools
import re
from typing import Any


class _Whole(int):
    """The whole number that an expression gives: / rounds down, @ rounds up."""

    def __add__(self, other: Any) -> _Whole:
        return _Whole(int(self) + int(other))

    def __sub__(self, other: Any) -> _Whole:
        return _Whole(int(self) - int(other))

    def __mul__(self, other: Any) -> _Whole:
        return _Whole(int(self) * int(other))

    def __truediv__(self, other: Any) -> _Whole:
        return _Whole(int(self) // int(other))

    def __matmul__(self, other: Any) -> _Whole:
        return _Whole(-(-int(self) // int(other)))

    def __mod__(self, other: Any) -> _Whole:
        return _Whole(int(self) % int(other))

    def __pow__(self, other: Any) -> _Whole:  # type: ignore[override]
        return _Whole(int(self) ** int(other))


@functools.cache
def _compiled(expression: str) -> Any:
    if not re.fullmatch(r"[\w+\-*/%^() ]+", expression):
        raise ValueError(f"'{expression}' is not an expression of axes")
    text = expression.replace("/^", "@").replace("^", "**")
    return compile(re.sub(r"\b(\d+)\b", r"_Whole(\1)", text), expression, "eval")


def whole(expression: str, point: dict[str, int]) -> int:
    """The number that an expression of a family file gives, as `warplens bench` reads it."""
    try:
        return int(eval(_compiled(expression), {"__builtins__": {}, "_Whole": _Whole}, {k: _Whole(v) for k, v in point.items()}))
    except NameError as error:
        raise ValueError(f"'{expression}': {error}") from None


def filled(value: Any, point: dict[str, int]) -> Any:
    """`value` with every ${...} in its texts filled in. A text that becomes a number is returned as a number."""
    if isinstance(value, dict):
        return {key: filled(item, point) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, point) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    text = re.sub(r"\$\{([^}]*)\}", lambda m: str(whole(m[1], point)), value)
    return int(text) if re.fullmatch(r"-?\d+", text) else text
