#!/usr/bin/env python3
"""warplens kernel over stored PTX, so no compiler is needed: files in and out, comparison, limits, interruption.
Usage: kernel_test.py PROGRAM
"""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""

# scale: y[i] = factor * x[i] + bias, with `factor` a constant of the module; spin: loops until *flag is not 0.
PTX = """.version 7.8
.target sm_80
.address_size 64
.const .align 4 .f32 factor = 0f40000000;
.visible .global .align 4 .u32 calls;
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 bias, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<7>; .reg .f32 %f<6>; .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [bias]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra DONE;
  mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4]; ld.const.f32 %f3, [factor]; fma.rn.f32 %f4, %f2, %f3, %f1; st.global.f32 [%rd5], %f4;
  mov.u64 %rd6, calls; red.global.add.u32 [%rd6], 1;
DONE:
  ret;
}
.visible .entry spin(.param .u64 flag) {
  .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag];
AGAIN:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %p, %r1, 0;
  @%p bra AGAIN;
  ret;
}
"""


def npy(fmt, values, shape):
    header = f"{{'descr': '<{fmt}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    code = {"f4": "f", "u4": "I", "u2": "H"}[fmt]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}{code}", *values)


def floats(path):
    data = path.read_bytes()[128:]
    return list(struct.unpack(f"<{len(data) // 4}f", data))


class Kernel(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "k.ptx").write_text(PTX)

    def tearDown(self):
        self.temporary.cleanup()

    def run_program(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, "kernel", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def describe(self, **changes):
        description = {"source": "k.ptx", "kernel": "scale",
                       "buffers": {"x": {"npy": "x.npy"}, "y": {"dtype": "f32", "shape": [2, 3]}},
                       "launches": [{"block": 32, "args": [{"buffer": "x"}, {"buffer": "y"}, {"f32": 0.5}, {"u32": 6}]}]}
        description.update(changes)
        (self.folder / "x.npy").write_bytes(npy("f4", range(6), (6,)))
        (self.folder / "launch.json").write_text(json.dumps(description))

    def test_files_symbols_and_expectations(self):
        want = [3 * i + 0.5 for i in range(6)]
        (self.folder / "want.npy").write_bytes(npy("f4", want, (2, 3)))
        self.describe(symbols={"factor": {"dtype": "f32", "count": 1, "fill": "constant", "value": 3},
                               "calls": {"dtype": "u32", "count": 1}},
                      save={"y": "y.npy", "calls": "calls.npy"}, expect={"y": {"npy": "want.npy", "rtol": 0, "atol": 0}})
        result = json.loads(self.run_program("launch.json", "--emulate", "--json").stdout)
        self.assertEqual(floats(self.folder / "y.npy"), want)
        self.assertIn(b"'shape': (2, 3)", (self.folder / "y.npy").read_bytes())
        self.assertEqual((self.folder / "calls.npy").read_bytes()[128:], b"\6\0\0\0")
        self.assertEqual(result["source"], "emulated")
        self.assertTrue(result["comparisons"][0]["ok"])
        self.assertEqual([b["sum"] for b in result["buffers"]], [15, sum(want)])
        again = self.run_program("launch.json", "--emulate", code=1)
        self.assertIn("calls.npy: exists already; give -f to overwrite it", again.stderr)
        self.run_program("launch.json", "--emulate", "-f")

    def test_missed_expectation(self):
        (self.folder / "want.npy").write_bytes(npy("f4", [0.5, 2.5, 4.5, 6.5, 8.5, float("nan")], (2, 3)))
        self.describe(expect={"y": {"npy": "want.npy"}})
        done = self.run_program("launch.json", "--emulate", code=1)
        self.assertIn("1 of 6 elements are wrong", done.stdout)
        self.assertIn("the first is y[1,2]; 0 NaN where 1 should be", done.stdout)

    def test_several_launches_share_buffers(self):
        launch = {"kernel": "scale", "block": 32, "args": [{"buffer": "y"}, {"buffer": "y"}, {"f32": 1}, {"u32": 6}]}
        self.describe(launches=[launch] * 3, save={"y": "y.npy"})
        result = json.loads(self.run_program("launch.json", "--emulate", "--json").stdout)
        self.assertEqual(len(result["launches"]), 3)
        self.assertEqual(floats(self.folder / "y.npy"), [7.0] * 6)

    def test_flags(self):
        self.run_program("k.ptx", "-k", "scale", "--grid", 2, "--block", 4, "--arg", "x=f32[8]:arange(1,2)", "--arg", "x", "--arg", "f32=-1",
                         "--arg", "u32=8", "--emulate", "--save", "x=x.npy")
        self.assertEqual(floats(self.folder / "x.npy"), [2 * (1 + 2 * i) - 1 for i in range(8)])

    def test_standard_input_and_stopping(self):
        self.describe()
        text = (self.folder / "launch.json").read_bytes()
        done = subprocess.run([PROGRAM, "kernel", "-", "--emulate"], cwd=self.folder, input=text, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_runaway_kernels_are_stopped_where_they_are(self):
        spin = ["k.ptx", "-k", "spin", "--block", 32, "--arg", "u32[1]", "--emulate"]
        done = self.run_program(*spin, "--max-instructions", 1000, code=1)
        self.assertIn("still running after 1000 warp instructions: kernel 'spin' block (0,0,0)", done.stderr)
        begin = time.time()
        done = self.run_program(*spin, "--timeout", "0.2s", code=1)
        self.assertIn("kernel 'spin' block (0,0,0)", done.stderr)
        self.assertLess(time.time() - begin, 20)

    def test_interruption(self):
        child = subprocess.Popen([PROGRAM, "kernel", "k.ptx", "-k", "spin", "--block", "32", "--arg", "u32[1]", "--emulate"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        os.kill(child.pid, signal.SIGINT)
        self.assertIn("kernel 'spin'", child.communicate(timeout=60)[1])
        self.assertEqual(child.returncode, 130)

    def test_faults_are_failures(self):
        done = self.run_program("k.ptx", "-k", "scale", "--block", 32, "--arg", "x=f32[8]", "--arg", "x", "--arg", "f32=0", "--arg", "u32=4096",
                                "--grid", 128, "--emulate", "--json", code=1)
        self.assertEqual(json.loads(done.stdout)["launches"][0]["fault"]["id"], "illegal-address")
        self.assertIn("past the end of 'x'", done.stderr)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
