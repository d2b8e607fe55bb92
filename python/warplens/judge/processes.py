"""The processes of a judgement. If one ends, the processes that it started end too."""

from __future__ import annotations

import ctypes
import gc
import os
import pathlib
import signal
import subprocess
import sys
import time


_SET_DUMPABLE, _SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 4, 36, 37  # of prctl


def close_to_others() -> None:
    """Other processes of this user can no longer read this one's memory and open files. Root's still can."""
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def adopt() -> None:
    """Processes that a child leaves behind become children of this one."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _children(pid: int) -> list[int]:
    out: list[int] = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            out += map(int, path.read_text().split())
        except OSError:
            pass  # the thread has ended
    return out


def end_strays(known: set[int]) -> None:
    """Ends processes that candidates left behind, also in other process groups: all children that are not in `known`. Does nothing in a process that does not adopt orphans, because its children may belong to other code.
    """
    adopts = ctypes.c_int()
    ctypes.CDLL(None).prctl(_GET_CHILD_SUBREAPER, ctypes.byref(adopts), 0, 0, 0)
    while adopts and (strays := [pid for pid in _children(os.getpid()) if pid not in known]):
        for pid in strays:
            os.kill(pid, signal.SIGKILL)  # then its own children become this process's, for the next round
            os.waitpid(pid, 0)


def module_words(module: str, *arguments: str) -> list[str]:
    """Runs the `main` of a module of the judge. Python imports nothing from the current folder. Garbage collection is off until `main` calls `collect_garbage`, because it lengthens the import of PyTorch by a seventh.
    """
    code = (f"import gc, sys; gc.disable(); sys.path[:] = [folder for folder in sys.path if folder]; "
            f"from {__package__}.{module} import main; main()")
    return [sys.executable, "-c", code, *arguments]


def collect_garbage() -> None:
    """From now on; what is loaded stays."""
    gc.freeze()
    gc.enable()


class Process:
    """A child process in a separate process group. If it ends, the group ends too."""

    def __init__(self, name: str, words: list[str], folder: pathlib.Path, variables: dict[str, str] | None = None, descriptors: tuple[int, ...] = ()) -> None:
        self.name, self.log = name, folder / f"{name}.log"
        package = str(pathlib.Path(__file__).resolve().parents[2])
        source = str(pathlib.Path(sys.modules["warplens"].__file__ or package).parents[1])
        path = os.pathsep.join([source, package, *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **(variables or {})}
        self._log = self.log.open("wb")
        self.process = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True, pass_fds=descriptors)

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
