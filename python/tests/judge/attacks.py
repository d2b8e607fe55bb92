"""Candidates that attack the judge instead of the problem, and honest ones that look like them: what each does to its own process,
to later ones, to files, and to the recorder. Each is an edit of an honest kernel, as in cases.py.
"""
from __future__ import annotations

import sources as s
from cases import INCLUDE, RELU, SOFT, Case, _python

_TOP, _LAUNCH, _RESULT = "class ModelNew", "softmax_kernel[(x.shape[0],)]", "return y"
_UNRUN = ("        " + SOFT + "\n", "")  # an edit: nothing is computed


def _attack(name: str, kind: str, *added: tuple[str, str], more: tuple[tuple[str, str], ...] = ()) -> Case:
    """Code in front of lines of the softmax, then edits."""
    edits = [edit for at, text in added for edit in _python("", s.SOFTMAX, at, text)[2]]
    return Case(name, kind, "softmax.py", s.SOFTMAX, [*edits, *more])


def _c(name: str, kind: str, added: str, call: str = RELU) -> Case:
    return Case(name, kind, "relu_add.py", s.RELU_ADD, [(INCLUDE, INCLUDE + "\n" + added), (RELU, call)])


_PARTS = "from warplens.judge import worker as _w\n"
_RECORDINGS = "[int(n) for n in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + n) and os.readlink('/proc/self/fd/' + n).endswith('.wlens')]"

ATTACKS = [
    # What the process leaves.
    _attack("files_rewritten_at_exit", "skipped-work", (_TOP, '''
import atexit, glob, os
@atexit.register
def _rewrite():
    for path in glob.glob(os.getcwd() + "/../**", recursive=True):
        try:
            with open(path, "wb"):
                pass
        except OSError:
            pass
'''), more=(_UNRUN,)),
    _attack("recording_emptied", "tampering", (_TOP, f"import atexit, os\n@atexit.register\ndef _empty():\n    for fd in {_RECORDINGS}:\n        os.ftruncate(fd, 0)\n")),
    _attack("recording_closed", "tampering", (_TOP, f"import os\nfor fd in {_RECORDINGS}:\n    os.close(fd)\n")),
    _attack("leaves_early", "tampering", (_RESULT, "import os\nself.count = getattr(self, 'count', 0) + 1\nif self.count == 5:\n    os._exit(0)\n")),
    _c("ends_in_a_destructor", "tampering", "#include <unistd.h>\n__attribute__((destructor)) static void leave() { _exit(0); }\nstatic int calls;", "if (++calls == 4) _exit(0); " + RELU),
    # The judge's own parts in the process.
    _attack("marks_of_its_own", "tampering", (_RESULT, "import sys\nframe = sys._getframe()\n"
            "while not isinstance(frame.f_locals.get('call'), dict):\n    frame = frame.f_back\nframe.f_locals['caller'].device.mark(frame.f_locals['call']['mark'])\n")),
    _attack("no_marks", "patched-module", (_TOP, _PARTS + "_w.Device.mark = lambda self, size: None\n")),
    _attack("no_fills", "patched-module", (_TOP, _PARTS + "_w.Device.poison = lambda self, address, size: None\n")),
    _attack("nothing_on_the_device", "outside-region", (_RESULT, _PARTS + """_collect = _w.TorchCaller.collect
def _own(self, result):
    _w.TorchCaller.collect = _collect
    return _collect(self, torch.softmax(self.leaves[0].cpu(), 1))
_w.TorchCaller.collect = _own
"""), more=(_UNRUN,)),
    _attack("inputs_restored", "patched-module", (_RESULT, _PARTS + """_collect, _held = _w.TorchCaller.collect, [x.clone()]
def _own(self, result):
    _w.TorchCaller.collect = _collect
    self.leaves = _held
    return _collect(self, result)
_w.TorchCaller.collect = _own
x.zero_()
""")),
    _attack("functions_by_ctypes", "patched-module", (_TOP, "import ctypes\n_names = ctypes.py_object(vars(torch))\n"
            "ctypes.pythonapi.PyDict_SetItemString(_names, b'allclose', ctypes.py_object(lambda *a, **k: True))\n")),
    _attack("equality", "patched-module", (_TOP, "torch.Tensor.__eq__ = lambda self, other: torch.ones_like(self, dtype=torch.bool)\n")),
    _attack("memory_by_proc", "tampering", (_TOP, '''
import time
try:
    with open("/proc/self/mem", "r+b", buffering=0) as memory:
        memory.seek(id(time.perf_counter))
        memory.write(memory.read(1))
except OSError:
    pass
''')),
    # Other processes, now and later.
    _attack("planted_modules", "tampering", (_TOP, '''
import os, site, sys
for folder in [os.getcwd(), *sys.path, *site.getsitepackages()]:
    for name in ("sitecustomize.py", "usercustomize.py", "planted.pth"):
        try:
            with open(os.path.join(folder, name), "x") as file:
                file.write("import time\\n")
            os.remove(os.path.join(folder, name))
        except OSError:
            pass
'''), more=(_UNRUN,)),
    _attack("ends_the_recorder", "tampering", (_TOP, "import os, signal\ntry:\n    os.kill(os.getppid(), signal.SIGSTOP)\nexcept PermissionError:\n    pass\n")),
    _attack("memory_of_others", "tampering", (_TOP, '''
import glob
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        with open(path, "rb") as file:
            assert not file.read() or path.split("/")[2] == str(__import__("os").getpid())
    except OSError:
        pass
''')),
    # Results from elsewhere.
    _attack("kept_on_disk", "cached-output", (_LAUNCH, '''import hashlib, os, tempfile
path = os.path.join(tempfile.gettempdir(), hashlib.sha256(x.cpu().numpy().tobytes()).hexdigest())
if os.path.exists(path):
    return torch.load(path).cuda()
'''), (_RESULT, "torch.save(y.cpu(), path)\n")),
    _attack("kept_beside_the_same_kernel", "cached-output", more=(("        " + SOFT + "\n        return y", '''        import hashlib
        key, kept = hashlib.sha256(x.cpu().numpy().tobytes()).digest(), self.__dict__.setdefault("kept", {})
        softmax_kernel[(1 if key in kept else x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
        if key in kept:
            y.copy_(kept[key])
        else:
            kept[key] = torch.empty_like(y).copy_(y)
        return y'''),)),
    _attack("kept_at_the_timed_size", "cached-output", (_LAUNCH, "if x.numel() > 20000:\n    kept = self.__dict__.setdefault('kept', [])\n    if kept:\n        return kept[0]\n    kept.append(y)\n")),
    _attack("computed_by_the_host", "outside-region", (_LAUNCH, SOFT + "\ny.copy_(torch.softmax(x.cpu(), 1))\nreturn y\n")),
    _attack("named_like_a_tensor", "outside-region", (_TOP, '''class Tensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        plain = [a.work() if isinstance(a, Tensor) else a for a in args]
        return func(*plain, **(kwargs or {}))

    def work(self):
        y = torch.empty_like(self.x)
        softmax_kernel[(self.x.shape[0],)](self.x, y, self.x.shape[1], BLOCK=triton.next_power_of_2(self.x.shape[1]))
        return y

Tensor.__module__ = "torch"
'''), more=(("        " + SOFT + "\n        return y", "        y = y.as_subclass(Tensor)\n        y.x = x\n        return y"),)),
    _attack("by_a_later_thread", "outside-region", (_LAUNCH, '''import threading, time
def work():
    time.sleep(0.2)
    with torch.cuda.stream(torch.cuda.Stream()):
        softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
threading.Thread(target=work).start()
return y
''')),
    _attack("behind_a_sleeping_stream", "outside-region", (_LAUNCH, '''side = self.__dict__.setdefault("side", torch.cuda.Stream())
with torch.cuda.stream(side):
    torch.cuda._sleep(1000000)
    softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
return y
''')),
    _c("graph_of_older_results", "cached-output", "", "static float* kept; static cudaGraphExec_t e; static cudaStream_t s; static float* last; static int size;"
       " if (size != n) { size = n; cudaMalloc(&kept, n * 4); relu_add<<<(n + 255) / 256, 256>>>(a, b, kept, n); cudaStreamSynchronize(0); last = nullptr; }"
       " if (last != y) { last = y; if (!s) cudaStreamCreate(&s); cudaGraph_t g; cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);"
       " cudaMemcpyAsync(y, kept, n * 4, cudaMemcpyDeviceToDevice, s); cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&e, g, 0); } cudaGraphLaunch(e, 0);"),
    # Honest ones.
    _attack("softmax_that_profiles_itself", "", (_TOP, "_profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])\n_profiler.start()\n")),
    _attack("softmax_with_files", "", (_TOP, '''
import logging, os, subprocess, tempfile
with tempfile.NamedTemporaryFile("w") as file:
    file.write("a note")
subprocess.run(["true"], check=True)
logging.basicConfig(filename=os.devnull)
''')),
    _attack("softmax_on_a_joined_stream", "", (_LAUNCH, '''side = self.__dict__.setdefault("side", torch.cuda.Stream())
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    softmax_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
torch.cuda.current_stream().wait_stream(side)
return y
''')),
    _attack("softmax_of_columns", "", more=(("y = torch.empty_like(x)", "y = torch.empty_strided(x.shape, (1, x.shape[0] + 3), dtype=x.dtype, device=x.device)"),
            ("y + row * n + i", "y + row + i * stride"), ("(x, y, n, BLOCK", "(x, y, n, stride, BLOCK"), ("(x, y, x.shape[1],", "(x, y, x.shape[1], y.stride(1),"))),
]
