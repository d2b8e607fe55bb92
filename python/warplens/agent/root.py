"""The folder that tools may read. Every path that a client gives is resolved here, links included."""

from __future__ import annotations

import json
import pathlib


class OutsideRoot(ValueError):
    """A path that does not exist, or lies outside the root."""


class Root:
    def __init__(self, folder: str | pathlib.Path) -> None:
        self.folder = pathlib.Path(folder).resolve(strict=True)

    def file(self, path: str) -> pathlib.Path:
        """`path`, relative to the root or absolute, as a regular file within the root. Raises OutsideRoot."""
        try:
            found = (self.folder / path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise OutsideRoot(f"{path}: no such file under the root {self.folder}") from None
        if not found.is_relative_to(self.folder):
            raise OutsideRoot(f"{path}: outside the root {self.folder}. Start `warplens mcp --root` on a folder that holds it.")
        if not found.is_file():
            raise OutsideRoot(f"{path}: not a regular file")
        return found

    def launch_file(self, path: str) -> pathlib.Path:
        """A launch file whose source and arrays lie within the root too. Raises OutsideRoot, or ValueError for bad JSON."""
        found = self.file(path)
        try:
            described = json.loads(found.read_text())
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path}: not a launch file: {error}") from None
        for named in _paths_in(described):
            self.file(str(found.parent / named))
        return found


def _paths_in(value: object, key: str = "") -> list[str]:
    """Names of files that a launch file reads: its source, and arrays."""
    if isinstance(value, dict):
        if "save" in value:
            raise OutsideRoot("a launch file with `save` writes files: remove `save` to use it here")
        return [path for name, inner in value.items() for path in _paths_in(inner, name)]
    if isinstance(value, list):
        return [path for inner in value for path in _paths_in(inner, key)]
    return [value] if isinstance(value, str) and key in ("source", "npy", "file") else []
