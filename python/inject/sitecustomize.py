"""Loaded by Python itself in programs that `warplens record --torch` or `--cpu` runs: its folder stands first in PYTHONPATH.

When the program imports torch, its operators are observed, every module becomes an NVTX range, and every call of an
optimizer the end of a step. Nothing here may make the program fail: what does not work is left off.
"""
import atexit
import functools
import gc
import importlib
import importlib.abc
import importlib.util
import os
import sys

import _warplens_observe

FOLDER = os.path.dirname(os.path.abspath(__file__))


def run_hidden_sitecustomize():
    """The sitecustomize that ours stands in front of, as if we were not here."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != FOLDER]
    ours = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError:
        if ours is not None:
            sys.modules["sitecustomize"] = ours


def injected_library():
    import ctypes

    try:  # the variable may name another tool's library
        library = ctypes.CDLL(os.environ["NVTX_INJECTION64_PATH"])
    except (KeyError, OSError):
        return None
    return library if hasattr(library, "warplens_start") else None


def observe_operators(torch):
    """By an observer in our library; where this torch has none such, as NVTX ranges, which cost more."""
    library = injected_library()
    shapes = os.environ["WARPLENS_RECORD_TORCH"] == "shapes"
    if library is None or not _warplens_observe.observe(torch, library, shapes):
        emit_operators(torch, shapes)


def emit_operators(torch, shapes):
    """What emit_nvtx does, for the rest of the process, but without initialising CUDA. With shapes torch looks up the
    producer of every input and prints it all, which costs several times what names alone do."""
    profiler = torch.autograd.profiler
    config = profiler.ProfilerConfig(
        profiler.ProfilerState.NVTX, shapes, False, False, False, False, profiler._ExperimentalConfig()
    )
    profiler._enable_profiler(config, set())
    atexit.register(profiler._disable_profiler)  # else torch warns of it at the end


def mark_modules(torch, library):
    """In place of Module's own call: hooks would take every call through torch's slow path, which costs three times as much."""
    import ctypes

    module_class, counts, is_compiling = torch.nn.Module, {}, torch.compiler.is_compiling
    bare_call = module_class.__call__

    def name_of(module):
        kind = type(module).__name__
        number = counts.get(kind, 0)
        counts[kind] = number + 1
        return f"nn.Module: {kind}_{number}"

    make = ctypes.PyDLL(library._name).warplens_module_call  # which keeps Python's lock
    make.argtypes, make.restype = [ctypes.py_object, ctypes.py_object], ctypes.py_object
    marked_call = make(bare_call, name_of)

    def call(self, *arguments, **keywords):
        if is_compiling():  # Dynamo traces functions of Python alone
            return bare_call(self, *arguments, **keywords)
        return marked_call(self, *arguments, **keywords)

    module_class.__call__ = functools.wraps(bare_call)(call)


def mark_collections(torch):
    """Python's garbage collections, which stop the program's thread, as ranges."""
    nvtx, names = torch._C._nvtx, [f"Python garbage collection, generation {i}" for i in range(3)]

    def on_collection(phase, info):
        if phase == "start":
            nvtx.rangePushA(names[info["generation"]])
        else:
            nvtx.rangePop()

    gc.callbacks.append(on_collection)


def mark_steps(torch, library):
    """Notes in the range of each optimizer's call which optimizer it is. To schedules a step ends with each call of the first one."""
    numbers = {}

    def after(optimizer, arguments, keywords):
        library.warplens_optimizer_step(numbers.setdefault(id(optimizer), len(numbers)))

    importlib.import_module("torch.optim.optimizer").register_optimizer_step_post_hook(after)


def record_torch(torch):
    library, costs = injected_library(), []
    parts = (lambda: costs.append(_warplens_observe.Cost(torch)), lambda: observe_operators(torch), lambda: mark_modules(torch, library),
             lambda: costs.pop().tell(library), lambda: mark_collections(torch), lambda: mark_steps(torch, library))
    for part in parts:
        try:
            part()
        except Exception as error:  # noqa: BLE001: the program goes on without it
            if os.environ.get("WARPLENS_RECORD_DEBUG"):
                print(f"warplens record: {error!r}", file=sys.stderr)


def stop_before_hard_exit():
    """multiprocessing ends its children with os._exit, which runs no exit handlers of ours."""
    library, hard_exit = injected_library(), os._exit

    def leave(code):
        library.warplens_record_stop()
        hard_exit(code)

    if library is not None:
        os._exit = leave


class Sampler:
    """Looks at the stacks of Python's threads now and then, from a thread of its own.

    The library waits and reads what the threads do without Python's lock; the lock is then taken for the stacks alone, in one go and
    without garbage collections: a frame that is held while its function returns keeps what is in it alive, and what is released on
    this thread the program would find released by another."""

    def __init__(self, library, period_us):
        import ctypes
        import threading  # on this thread: Python takes the one that imports it first for the main thread

        self.active = threading._active
        self.wait, self.period_us = library.warplens_sample_wait, period_us
        self.tell = ctypes.PyDLL(library._name).warplens_sample  # which keeps the lock
        self.files, self.lines = {}, {}
        installed = [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
        self.folders = [os.path.join(folder, "") for folder in [*installed, os.getcwd()]]

    def start(self, library):
        import _thread

        library.warplens_start()
        _thread.start_new_thread(self.run, ())

    def run(self):
        import _thread
        import ctypes

        me = _thread.get_ident()
        while True:
            collects = gc.isenabled()
            gc.disable()
            threads = [(t.ident, t.native_id) for t in list(self.active.values()) if t.native_id]
            ids = (ctypes.c_uint32 * len(threads))(*[native for _, native in threads])
            states = (ctypes.c_uint8 * len(threads))()
            if collects:
                gc.enable()
            told = self.wait(ids, states, len(threads), self.period_us)
            if told < 0:
                return
            if told > 0:
                self.look(threads, states, me)

    def look(self, threads, states, me):
        collects = gc.isenabled()
        gc.disable()
        frames = sys._current_frames()
        for (ident, native), state in zip(threads, states):
            if ident in frames and ident != me:
                self.tell(native, state, self.stack(frames.pop(ident)))
        del frames
        if collects:
            gc.enable()

    def stack(self, frame):
        out = []
        while frame is not None:
            place = (frame.f_code, frame.f_lineno)
            text = self.lines.get(place)
            if text is None:
                text = self.lines[place] = f"{self.file(frame.f_code.co_filename)}({frame.f_lineno}): {frame.f_code.co_name}"
            out.append(text.replace(";", ","))
            frame = frame.f_back
        return ";".join(reversed(out)).encode()

    def file(self, path):
        """As torch.profiler names files: installed packages without their folder; the program's own from where it began."""
        short = self.files.get(path)
        if short is None:
            folder = next((f for f in self.folders if path.startswith(f)), "")
            short = self.files[path] = path[len(folder):]
        return short


class TorchFinder(importlib.abc.MetaPathFinder):
    """Lets `import torch` happen as ever, and runs record_torch behind it."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_then_record(module):
            execute(module)
            record_torch(module)

        spec.loader.exec_module = execute_then_record
        return spec


def sample_host():
    library = injected_library()
    if library is not None:
        Sampler(library, int(os.environ["WARPLENS_RECORD_CPU"])).start(library)


run_hidden_sitecustomize()
if os.environ.get("WARPLENS_RECORD_CPU"):
    sample_host()
if os.environ.get("WARPLENS_RECORD_TORCH"):
    sys.meta_path.insert(0, TorchFinder())
    stop_before_hard_exit()
