#!/usr/bin/env python3
"""Steps of recorded programs that mark them in several ways at once: step_sources_test.py WARPLENS

The programs run on the CPU, with PyTorch; without it the test counts as skipped.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
TESTED = pathlib.Path(__file__).resolve().parent.parent / ".venv/bin/python"
PYTHON = str(TESTED) if TESTED.exists() else sys.executable
SETUP = """
import torch
torch.set_num_threads(1)
model, other = torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)
sgd, second = torch.optim.SGD(model.parameters(), lr=1e-3), torch.optim.SGD(other.parameters(), lr=1e-3)
x = torch.randn(8, 64)
def train():
    model(x).square().mean().backward(); sgd.step()
"""
# The source of steps, their number, and the number of torn ones: the profiler opens one more at its end, and nothing says where the last
# pass of a module ends that has work after it.
PROGRAMS = {
    "a profiler and an optimizer": ("""
every = torch.profiler.schedule(wait=0, warmup=0, active=40)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], schedule=every) as profiler:
    for i in range(20): train(); profiler.step()
""", "ProfilerStep ranges", 21, 1),
    "epochs of different lengths, each with an evaluation": ("""
for length in (9, 14, 5):
    for i in range(length): train()
    with torch.no_grad():
        for i in range(3): model(x).square().mean().item()
""", "calls of the optimizer", 28, 0),
    "gradients of four batches are added up": ("""
for i in range(12):
    for part in range(4): (model(x).square().mean() / 4).backward()
    sgd.step()
""", "calls of the optimizer", 12, 0),
    "inference without any mark": ("""
with torch.no_grad():
    for i in range(20): model(x).argmax(1).sum()
""", "calls of the outermost module", 20, 1),
    "modules that a turn calls one after the other": ("""
words, cell, head = torch.nn.Embedding(16, 32), torch.nn.GRUCell(32, 32), torch.nn.Linear(32, 16)
with torch.no_grad():
    for prompt in range(3):
        state, word = torch.zeros(2, 32), torch.zeros(2, dtype=torch.long)
        for token in range(8):
            state = cell(words(word), state)
            word = head(state).argmax(1)
""", "calls of the outermost module", 24, 0),
    "weights updated by hand": ("""
for i in range(12):
    model(x).square().mean().backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 1e-3 * p.grad
            p.grad = None
""", "calls of the outermost module", 12, 1),
    "two optimizers in turns": ("""
for i in range(20):
    other(model(x).detach()).mean().backward(); second.step()
    other(model(x)).mean().backward(); sgd.step()
""", "calls of the optimizer", 20, 0),
}


class StepSources(unittest.TestCase):
    def test_each_program(self):
        with tempfile.TemporaryDirectory() as folder:
            running = []
            for number, (name, (program, *wanted)) in enumerate(PROGRAMS.items()):
                script, out = pathlib.Path(folder) / f"{number}.py", pathlib.Path(folder) / f"{number}.wlens"
                script.write_text(SETUP + program)
                command = [PROGRAM, "record", "--torch", "--host", "--quiet", "-o", str(out), "--", PYTHON, str(script)]
                running.append((name, out, wanted, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
            for name, out, (source, count, torn), process in running:
                told, _ = process.communicate(timeout=600)
                with self.subTest(name):
                    self.assertEqual(process.returncode, 0, told)
                    data = json.loads(subprocess.run([PROGRAM, "summary", out, "--json"], check=True, capture_output=True, text=True).stdout)
                    steps = data["recorded_steps"][0]
                    self.assertEqual((data["steps_by"], steps["all"]), (source, count))
                    self.assertEqual(steps["torn"], torn, steps)
                    self.assertGreaterEqual(steps["steady"], count // 2, steps)


if __name__ == "__main__":
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
        sys.exit(77)
    unittest.main()
