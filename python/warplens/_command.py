"""The `warplens` program that lies beside this file: as a command, and for reports on profiles."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Sequence
from typing import Any


def program() -> str:
    return str(pathlib.Path(__file__).parent / "bin" / "warplens")


def main() -> None:
    os.execv(program(), [program(), *sys.argv[1:]])


def output(arguments: Sequence[str]) -> str:
    """What the program prints. Raises ValueError with its message when it fails; crossed thresholds are no failure."""
    done = subprocess.run([program(), *arguments], capture_output=True, text=True, env=dict(os.environ, NO_COLOR="1"))
    if done.returncode not in (0, 3):
        raise ValueError(done.stderr.strip() or f"warplens {arguments[0]} failed with exit code {done.returncode}")
    return done.stdout


class Report:
    """A verb's result: `.data` as it stands in JSON, and as text the way the command line prints it."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = list(arguments)
        self.data: dict[str, Any] = json.loads(output([*arguments, "--format", "json"]))

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __str__(self) -> str:
        return output([*self._arguments, "--format", "table"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        import html

        return f"<pre style='line-height:1.2'>{html.escape(str(self))}</pre>"

    def _repr_markdown_(self) -> str:
        return output([*self._arguments, "--format", "md"])
