"""Loaded by Python itself in programs that `warplens record --torch` runs: its folder stands first in PYTHONPATH.

When the program imports torch, its operators are observed, every module becomes an NVTX range, and every call of an
optimizer the end of a step. Nothing here may make the program fail: what does not work is left off.
"""
import atexit
import gc
import importlib
import importlib.abc
import importlib.util
import os
import sys

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

    path = os.environ.get("NVTX_INJECTION64_PATH")
    return ctypes.CDLL(path) if path and "warplens" in os.path.basename(path) else None


OPERATORS_TO_LEARN_FROM = 8


def observe_operators(torch):
    """By an observer in our library; where this torch has none such, as NVTX ranges, which cost more."""
    library = injected_library()
    shapes = os.environ["WARPLENS_RECORD_TORCH"] == "shapes"
    if library is None or not library.warplens_torch_begin(int(shapes)):
        return emit_operators(torch, shapes)
    with torch.enable_grad():
        one = torch.ones(1, requires_grad=True)
        for _ in range(OPERATORS_TO_LEARN_FROM):
            one * one
    if not library.warplens_torch_finish():
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


def mark_modules(torch):
    nvtx, names, counts = torch._C._nvtx, {}, {}
    push, pop = nvtx.rangePushA, nvtx.rangePop

    def name_of(module):
        name = names.get(id(module))
        if name is None:
            kind = type(module).__name__
            number = counts.get(kind, 0)
            counts[kind] = number + 1
            name = names[id(module)] = f"nn.Module: {kind}_{number}"
        return name

    def before(module, arguments):
        if not torch.compiler.is_compiling():
            push(name_of(module))

    def after(module, arguments, result):
        if not torch.compiler.is_compiling():
            pop()

    hooks = torch.nn.modules.module
    hooks.register_module_forward_pre_hook(before)
    hooks.register_module_forward_hook(after, always_call=True)


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
    """A step ends with each call of the first optimizer that is used; others (a GAN's second one) are part of it."""
    first = []

    def after(optimizer, arguments, keywords):
        if not first:
            first.append(id(optimizer))
        if first[0] == id(optimizer):
            library.warplens_record_step()

    importlib.import_module("torch.optim.optimizer").register_optimizer_step_post_hook(after)


def record_torch(torch):
    for part in (observe_operators, mark_modules, mark_collections, lambda t: mark_steps(t, injected_library())):
        try:
            part(torch)
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


run_hidden_sitecustomize()
if os.environ.get("WARPLENS_RECORD_TORCH"):
    sys.meta_path.insert(0, TorchFinder())
    stop_before_hard_exit()
