"""The processes of a judgement: each waits for a line before it begins, and its group ends with it."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time


class Process:
    """A child that waits for a line before it begins, in a process group that ends with it."""

    def __init__(self, name: str, words: list[str], folder: pathlib.Path, variables: dict[str, str] | None = None) -> None:
        self.name, self.log = name, folder / f"{name}.log"
        package = str(pathlib.Path(__file__).resolve().parents[2])
        source = str(pathlib.Path(sys.modules["warplens"].__file__ or package).parents[1])
        path = os.pathsep.join([source, package, *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **(variables or {})}
        self._log = self.log.open("wb")
        self.process = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True)

    def go(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(b"go\n")
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it ended: its log says why

    def wait(self, until: float) -> bool:
        """False if the time ran out; the group is ended."""
        try:
            self.process.wait(max(0.1, until - time.monotonic()))
            return True
        except subprocess.TimeoutExpired:
            return False

    def end(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self._log.close()

    def last_lines(self, count: int = 3) -> str:
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return " / ".join(lines[-count:])
