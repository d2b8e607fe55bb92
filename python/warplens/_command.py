"""The `warplens` program beside this file: as a command, and for reports on profiles."""

from __future__ import annotations

import html
import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any


def program() -> str:
    return str(pathlib.Path(__file__).parent / "bin" / "warplens")


def main() -> None:
    os.environ.setdefault("WARPLENS_PYTHON", sys.executable)  # for `warplens mcp`
    os.execv(program(), [program(), *sys.argv[1:]])


def output(arguments: Sequence[str], color: bool = False) -> str:
    """The program's output. Raises ValueError with its message if it fails; crossed thresholds are not a failure."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    done = subprocess.run([program(), *arguments, "--color", "always" if color else "never"], capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 3):
        raise ValueError(done.stderr.strip() or f"warplens {arguments[0]} failed with exit code {done.returncode}")
    return done.stdout


# As light as they are dark: a contrast above 4 on white and on black pages alike, since a notebook does not say which it has.
_COLORS = {"1": "font-weight:bold", "2": "opacity:0.7", "31": "color:#d84848", "32": "color:#2f8a2f", "33": "color:#9a7408",
           "34": "color:#3d78d8", "35": "color:#b455b4", "36": "color:#118488", "91": "color:#c9572c", "92": "color:#5f8420",
           "93": "color:#8a7a10", "94": "color:#7a6ad0", "95": "color:#c8508a", "96": "color:#2a80a0"}


def terminal_html(text: str) -> str:
    """Text with terminal colours as HTML."""
    parts = re.split(r"\x1b\[([0-9;]*)m", text)
    out, open_spans = [html.escape(parts[0])], 0
    for codes, plain in zip(parts[1::2], parts[2::2]):
        styles = [_COLORS[code] for code in codes.split(";") if code in _COLORS]
        if styles:
            out.append(f"<span style='{';'.join(styles)}'>")
            open_spans += 1
        else:
            out.append("</span>" * open_spans)
            open_spans = 0
        out.append(html.escape(plain))
    return f"<pre style='line-height:1.2;overflow-x:auto;white-space:pre'>{''.join(out)}{'</span>' * open_spans}</pre>"


class Report:
    """A verb's result: `.data` is its JSON. Printed, it is the text of the command line."""

    def __init__(self, arguments: Sequence[str], owners: Sequence[object] = ()) -> None:
        """owners: objects that own files among the arguments. The files are read again when this object is shown."""
        self._arguments, self._owners = list(arguments), owners
        self.data: dict[str, Any] = json.loads(output([*arguments, "--format", "json"]))

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __str__(self) -> str:
        return output([*self._arguments, "--format", "table"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return terminal_html(output([*self._arguments, "--format", "table"], color=True))

    def _repr_markdown_(self) -> str:
        return output([*self._arguments, "--format", "md"])
