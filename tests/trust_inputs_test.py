#!/usr/bin/env python3
"""Launch files and settings that somebody else wrote cannot act: trust_inputs_test.py WARPLENS

Each attack is a file or a folder that somebody else made, and a command that a user types. None may run a
program, write or change a file that the user did not name, or make a terminal, a build service or a spreadsheet do
anything. SECURITY.md names these tests."""
import json
import os
import time
import unittest

from hostile import KERNEL, STORE, TRACE, Case


class LaunchFiles(Case):
    """A launch file comes from anybody."""

    # Options that name a program, a library or a file, as nvcc and NVRTC take them.
    ACTING = [["-ccbin=./evil.sh"], ["--compiler-bindir", "./evil.sh"], ["--compiler-bindir=./evil.sh"], ["-ccbin", "./evil.sh"],
              ["-Xcompiler", "-fplugin=./evil.so"], ["-Xcompiler=-wrapper,./evil.sh"], ["--compiler-options=-B."], ["--create-pch=./victim"],
              ["-time=./victim"], ["--time", "./victim"], ["-o", "./victim"], ["--output-file=./victim"], ["-optf", "options.txt"],
              ["--options-file=options.txt"], ["@options.txt"], ["-odir", "."], ["--keep", "--keep-dir=."], ["-MF", "./victim"], ["-M"],
              ["-fdevice-time-trace=./victim"], ["--use-pch=./victim"], ["-Xptxas", "-o,victim"], ["-Xptxas=--output-file=victim"],
              ["-I/etc"], ["-I", "../outside"], ["--include-path=/"], ["-isystem/usr"], ["-include", "evil.h"], ["--pre-include=evil.h"],
              ["-DX=$(touch acted)"], ["-DX=`touch acted`"], ["-DX=\";touch acted;\""], ["-D", "A=1\nB"], ["-Icommon$(touch acted)"],
              ["--dryrun"], ["-save-temps"], ["-ldir", "."], ["-L."], ["-lib"], ["-run"], ["--run-args", "x"], ["-Xnvlink", "-o"],
              ["--threads=9999999999"], ["-arch=sm_90;x"], ["-std=gnu++17 -x"], ["--split-compile-extended=0"], ["-allow-unsupported-compiler"],
              ["--ptxas-options=-O3,-o"], ["-O9999999999"], ["-maxrregcount=$(id)"]]

    def test_options_cannot_act(self):
        self.put("k.cu", KERNEL)
        self.put("options.txt", "-ccbin=./evil.sh\n")
        self.script()
        for options in self.ACTING:
            with self.subTest(options=options):
                victim = self.put("victim", "mine")
                self.launch_file(options=["-DVALUE=1", *options], compiler="nvcc")
                done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(b"is refused in a file", done.stderr)
                self.assertEqual(victim.read_bytes(), b"mine")
                self.assert_nothing_acted(done)
                self.assertFalse((self.folder / "acted").exists())

    def test_options_that_kernels_need(self):
        self.put("k.ptx", STORE)
        (self.folder / "headers").mkdir()
        needed = ["-lineinfo", "--generate-line-info", "-std=c++17", "--std=c++20", "-O3", "-DTHREADS=768", "-D", "TILE=(4+2*3)", "-DT=unsigned int",
                  "-UX", "-Iheaders", "-I", "headers", "--include-path=headers", "-arch=sm_90a", "--use_fast_math", "-use_fast_math", "-ftz=true",
                  "--fmad=false", "-maxrregcount=64", "--maxrregcount", "64", "-Xptxas", "-O3", "-Xptxas=-dlcm=ca", "-w", "-G", "--restrict",
                  "--expt-relaxed-constexpr", "--extended-lambda", "-diag-suppress=177"]
        self.launch_file(source="k.ptx", options=needed)
        done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_headers_come_from_its_folder(self):
        self.put("headers/value.h", "#define VALUE 3\n")
        self.put("k.cu", "#include <value.h>\n" + KERNEL)
        self.launch_file(options=["-Iheaders"], save={"x": "x.npy"})
        done = self.run_program("kernel", "theirs/launch.json", "--emulate", "--no-counters", cwd=self.top)
        if b"no CUDA compiler" in done.stderr:
            self.skipTest("no CUDA compiler")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "x.npy").exists())

    def test_saves_stay_in_its_folder(self):
        self.put("k.ptx", STORE)
        (self.folder / "link").symlink_to(self.top)
        for path in ["../out.npy", str(self.top / "out.npy"), "link/out.npy", "a/../../out.npy", "out.bin", "warplens.toml", "/dev/null", "./../out.npy"]:
            with self.subTest(path=path):
                self.launch_file(source="k.ptx", save={"x": path})
                done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters", "-f")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertFalse((self.top / "out.npy").exists() or (self.folder / "out.bin").exists())
        victim = self.put("../victim", "mine")
        (self.folder / "x.npy").symlink_to(victim)
        self.launch_file(source="k.ptx", save={"x": "x.npy"})
        self.run_program("kernel", "launch.json", "--emulate", "--no-counters", "-f")
        self.assertEqual(victim.read_bytes(), b"mine")

    def test_names_are_no_options_and_no_shell(self):
        for name in ["-ccbin=.cu", "a$(touch acted).cu", "b`touch acted`.cu", "c\";touch acted;\".cu", "--run.cu", "d\\$(touch acted).cu"]:
            with self.subTest(name=name):
                self.put(name, "#include <vector>\nint main() { return 0; }\n" + KERNEL)
                self.launch_file(source=name, compiler="nvcc")
                self.run_program("kernel", "launch.json", "--emulate", "--no-counters")
                self.run_program("inspect", f"./{name}")
                self.assertFalse((self.folder / "acted").exists())

    def test_folders_are_no_shell(self):
        """nvcc gives the names of the current and the temporary folder to a shell."""
        for name in ["$(touch acted)", "b`touch acted`", "c;touch acted;", 'd";touch acted;"', "e\n touch acted", "-x", "f'$(touch acted)'", "g h"]:
            folder = self.folder / name
            folder.mkdir()
            (folder / "k.cu").write_text("#include <vector>\nint main() { return 0; }\n" + KERNEL)
            for cwd, env in ((folder, {}), (self.folder, {"TMPDIR": str(folder)})):
                with self.subTest(name=name, env=env):
                    path = "k.cu" if cwd == folder else os.path.join(".", name, "k.cu")
                    done = self.run_program("inspect", path, "--option=-DVALUE=1", cwd=cwd, env={"WARPLENS_CACHE": str(self.top / name / "cache"), **env})
                    self.assertIn(done.returncode, (0, 1, 5), done.stderr)
                    self.assertEqual([*self.top.rglob("acted")], [])
                    if name in ("g h", "-x"):
                        self.assertTrue(done.returncode == 0 or b"no CUDA compiler" in done.stderr or b"needs nvcc" in done.stderr, done.stderr)

    def test_modules_of_the_folder_are_not_run(self):
        """Verbs of the Python package, in a folder that holds modules."""
        for name in ["warplens", "mcp", "numpy", "torch", "triton", "pyarrow", "json", "runpy", "os", "site", "sitecustomize", "pathlib", "asyncio"]:
            self.put(f"{name}.py", f"open({str(self.marker)!r}, 'w')\n")
        self.put("x.json", json.dumps(TRACE))
        self.put("a.txt", "")
        for words in (["convert", "x.json", "-o", "x.parquet"], ["mcp"], ["judge", "a.txt", "a.txt"], ["bench", "softmax", "--impl", "torch", "--sizes", "64"]):
            with self.subTest(words=words):
                self.assert_nothing_acted(self.run_program(*words))

    WAYS_TO_INCLUDE = {
        "macro": '#define HEADER "pipe"\n#include HEADER', "angles": "#define HEADER </dev/zero>\n#  include HEADER",
        "quoting": "#define QUOTE(x) #x\n#include QUOTE(pipe)", "below": '#define HEADER "pipe"\n#include "hidden.h"',
        "digraph": '%:include "pipe"', "continued": '#inc\\\nlude "pi\\\npe"', "comments": '/* */#/**/include/* */"pipe"',
        "comment of lines": '#/*\n*/include "pipe"', "tabs": '\f#\vinclude "pipe"', "macro of macros": '#define A "pipe"\n#define B A\n#include B',
        "function": '#define A() "pipe"\n#include A()', "made of parts": "#define P /dev/zero\n#define L <\n#include L P>",
        "asked for": '#if __has_include("pipe")\n#include "pipe"\n#endif\n#include "absent"', "import": '#import "pipe"', "next": "#include_next </dev/zero>",
        "random": '#define R "/dev/urandom"\n#include R', "embedded": 'const char a[] = {\n#embed "pipe"\n};',
        "embedded in part": "const char a[] = {\n#embed </dev/zero> limit(8)\n};", "embedding asked for": '#if __has_embed("pipe")\n#endif\n#include "absent"',
        "memory": '#include "/proc/kcore"', "messages": '#include "/proc/kmsg"', "own memory": '#include "/proc/self/mem"',
        "assembled": '__asm__(".incbin \\"pipe\\"");\n#include "absent"', "in the kernel": '__device__ void f() { asm(".incbin \\"/dev/zero\\";"); }\n__global__ void g() { f(); }',
        "made before": '#pragma GCC pch_preprocess "pipe"\n#include "absent"', "dependency": '#pragma GCC dependency "pipe"\n#include "absent"',
        "lines": '#line 1 "pipe"\n#include "absent"', "marker": '# 1 "pipe" 1\n#include "absent"'}

    def test_pipes_and_devices_are_no_sources(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "zero.cu").symlink_to("/dev/zero")
        (self.folder / "stdin.cu").symlink_to("/dev/stdin")
        self.put("k.ptx", STORE)
        self.put("endless.cu", '#include "pipe"\n#include "/dev/zero"\n' + KERNEL)
        self.put("hidden.h", "#include HEADER\n")
        written = {name: self.put(name + ".cu", text + "\n" + KERNEL) and name + ".cu" for name, text in self.WAYS_TO_INCLUDE.items()}
        for source in ["pipe", "/dev/zero", "zero.cu", "stdin.cu", "/dev/tty", "endless.cu", *written.values()]:
            for compiler in ("nvrtc", "nvcc") if source in written.values() else ("nvrtc",):
                with self.subTest(source=source, compiler=compiler):
                    self.launch_file(source=source, compiler=compiler)
                    begin = time.monotonic()
                    done = self.run_program("kernel", "launch.json", "--emulate", "--no-counters", timeout=20)
                    self.assertIn(done.returncode, (1, 5), done.stderr)
                    self.assertLess(time.monotonic() - begin, 15)
        for text in ('.incbin "pipe"', '.include "/dev/zero"', '.file 1 "pipe"\n.loc 1 1 0', '.section .debug_str { .incbin "pipe" }', '#include "pipe"', '#embed "pipe"'):
            with self.subTest(ptx=text):
                self.put("own.ptx", STORE.replace(".visible", text + "\n.visible"))
                self.launch_file(source="own.ptx")
                for more in ([], ["--no-counters"], ["--check", "all"]):
                    self.assertIn(self.run_program("kernel", "launch.json", "--emulate", *more, timeout=20).returncode, (0, 1, 4, 5))
                self.assertIn(self.run_program("inspect", "own.ptx", timeout=20).returncode, (0, 1, 4, 5))
        for array in ["pipe", "/dev/zero"]:
            with self.subTest(array=array):
                self.launch_file(source="k.ptx", buffers={"x": {"npy": array}})
                self.assertEqual(self.run_program("kernel", "launch.json", "--emulate", "--no-counters", timeout=20).returncode, 1)


class LineInformation(Case):
    """Compiled code names the files of its lines; who made it chose which."""

    # Finding, fault and race, each at line 2 of a file.
    CODE = """.version 8.0
.target sm_90
.address_size 64
.file 1 "{file}"
.visible .entry k(.param .u64 x) {{
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 128; add.u64 %rd3, %rd1, %rd2;
  .loc 1 2 0
  ld.global.f32 %f1, [%rd3]; st.global.f32 [%rd1+{beyond}], %f1;
  ret;
}}
"""

    def shown(self, *verb):
        done = self.run_program(*verb)
        page = self.folder / "page.html"
        return done.stdout + done.stderr + (page.read_bytes() if page.exists() else b"")

    def every_way(self, code):
        """The output of each way to look at the code."""
        run = ["kernel", code, "-k", "k", "--grid", "1", "--block", "32", "--arg", "x=f32[1024]", "--emulate"]
        return [self.shown(*run, *more) for more in ([], ["--lines"], ["--page", "page.html", "-f"], ["--check", "all"], ["--json"],
                                                     ["--format", "github"], ["--format", "sarif"])] + [self.shown("inspect", code, "--lines", "--no-sass")]

    def test_no_other_file_is_shown(self):
        secret = self.put("../secret.txt", "one\nMARK\nthree\n")
        self.put(".hidden/key", "one\nMARK\nthree\n")
        (self.folder / "link.cu").symlink_to(secret)
        (self.folder / "folder").symlink_to(self.top)
        os.mkfifo(self.folder / "pipe")
        for file in [secret, "../secret.txt", "link.cu", "folder/secret.txt", ".hidden/key", "./x/../../secret.txt", "pipe", "/dev/stdin", "/dev/zero",
                     "/proc/self/environ"]:
            for name, beyond in {"finding": 0, "fault": 99999999}.items():
                with self.subTest(file=file, name=name):
                    code = self.put("k.ptx", self.CODE.format(file=file, beyond=beyond))
                    for shown in self.every_way(code):
                        self.assertFalse(b"MARK" in shown, f"{file} is shown")
        code = self.put("k.ptx", self.CODE.format(file=secret, beyond=99999999))
        self.assertTrue(b"are not shown, because it is outside" in self.every_way(code)[0])

    def test_own_files_are_shown(self):
        self.put("k.txt", "one\nMARK\nthree\n")
        code = self.put("k.ptx", self.CODE.format(file=self.folder / "k.txt", beyond=99999999))
        for number in (0, 1, 7):
            self.assertTrue(b"MARK" in self.every_way(code)[number], number)
        source = self.put("../elsewhere/named.cu", "#define MARK 1\n__global__ void k(float* x) { x[threadIdx.x * 32] = MARK; }\n")
        (self.folder / "named.cu").symlink_to(source)
        done = self.run_program("inspect", "named.cu", "--lines")  # a link that was named is meant
        self.assertTrue(b"MARK" in done.stdout or b"no CUDA compiler" in done.stderr, done.stderr)
        done = self.run_program("kernel", "theirs/k.ptx", "-k", "k", "--grid", "1", "--block", "32", "--arg", "x=f32[1024]", "--emulate", cwd=self.top)
        self.assertIn(b"MARK", done.stdout + done.stderr)


class Within(Case):
    """WARPLENS_WITHIN: the kernel of Linux keeps the program, and the compilers that it starts, in a folder."""

    def within(self, *arguments, **more):
        scratch = self.top / "scratch"
        scratch.mkdir(exist_ok=True)
        return self.run_program(*arguments, env={"WARPLENS_WITHIN": str(self.folder), "TMPDIR": str(scratch)}, **more)

    def setUp(self):
        super().setUp()
        if b"Landlock" in self.within("--version").stderr:
            self.skipTest("this kernel has no Landlock")
        self.put("x.json", json.dumps(TRACE))
        self.outside = self.put("../outside.json", json.dumps(TRACE))

    def test_files_outside_are_not_opened(self):
        (self.folder / "link.json").symlink_to(self.outside)
        self.assertEqual(self.within("summary", "x.json").returncode, 0)
        for path in [self.outside, "../outside.json", "link.json", "/proc/self/environ", "/etc/passwd"]:
            with self.subTest(path=path):
                done = self.within("summary", path)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"ermission denied", done.stderr)

    def test_nothing_is_written_outside(self):
        for path in [self.top / "out", "../out", self.folder / "out"]:  # nor inside: what may be read need not be written
            self.assertEqual(self.within("convert", "x.json", "-o", path).returncode, 1)
            self.assertFalse((self.folder / path).exists())
        self.assertEqual(self.within("convert", "x.json", "-o", self.top / "scratch" / "out").returncode, 0)

    def test_compilers_stay_too(self):
        self.put("../secret.h", "MARK\n")
        for include in [self.top / "secret.h", "../secret.h", "/proc/self/environ", "/etc/passwd"]:
            for host in ("", "#include <vector>\nint main() { return 0; }\n"):
                with self.subTest(include=include, host=host):
                    self.put("k.cu", f'#include "{include}"\n{host}__global__ void k(float* x) {{ x[threadIdx.x] = 1; }}\n')
                    done = self.within("inspect", "k.cu")
                    if b"no CUDA compiler" in done.stderr:
                        self.skipTest("no CUDA compiler")
                    self.assertEqual(done.returncode, 5, done.stdout)
                    self.assertNotIn(b"MARK", done.stdout + done.stderr)
        self.put("k.cu", "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n")
        self.assertEqual(self.within("inspect", "k.cu").returncode, 0)

    def test_wrong_folders_are_told(self):
        for folder in ["nothing-there", str(self.outside)]:
            done = self.run_program("summary", "x.json", env={"WARPLENS_WITHIN": folder})
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"is not a folder", done.stderr)


class Settings(Case):
    """warplens.toml of a folder that somebody else made, and a user in a folder below."""

    def setUp(self):
        super().setUp()
        self.below = self.folder / "a" / "b"
        self.below.mkdir(parents=True)
        (self.below / "x.json").write_text(json.dumps(TRACE))
        self.put("a/b/k.cu", KERNEL)

    def test_found_files_write_nothing(self):
        victim = self.put("../victim", "mine")
        for verb, flags in {"summary": ["output"], "ops": ["output"], "export": ["output"], "convert": ["output"], "findings": ["output"]}.items():
            with self.subTest(verb=verb):
                lines = "".join(f'{flag} = "{victim}"\n' for flag in flags) + "force = true\n"
                self.put("warplens.toml", f"[{verb}]\n{lines}")
                done = self.run_program(verb, "x.json", cwd=self.below)
                self.assertEqual(victim.read_bytes(), b"mine")
                self.assertEqual(done.stderr.count(b"ignored, because you did not name this file with --config"), 1, done.stderr)

    def test_flags_that_write_are_all_known(self):
        """Each flag of a FILE that a verb writes, by its help, is one that a found file cannot give."""
        victim = self.top / "victim"
        for verb, flag in [("kernel", "trace"), ("kernel", "page"), ("findings", "junit"), ("counters", "page"), ("report", "png"), ("kernel", "roofline-svg"),
                           ("kernel", "line-svg"), ("counters", "keep"), ("kernel", "save"),
                           ("bench", "trace"), ("learn", "copy"), ("record", "output"), ("bench", "output"), ("kernel", "output")]:
            with self.subTest(verb=verb, flag=flag):
                value = f'"x={victim}"' if flag == "save" else f'"{victim}"'
                self.put("warplens.toml", f"[{verb}]\n{flag} = {value}\n")
                done = self.run_program(verb, "nothing-there", cwd=self.below)
                self.assertIn(f"--{flag} ignored".encode(), done.stderr)
                self.assertFalse(victim.exists())

    def test_found_files_open_nothing_up(self):
        for verb, flag, value in [("mcp", "root", '"/"'), ("mcp", "http", "1"), ("record", "metrics-port", "1"), ("open", "perfetto", "true")]:
            with self.subTest(verb=verb, flag=flag):
                self.put("warplens.toml", f"[{verb}]\n{flag} = {value}\n")
                self.assertIn(f"--{flag} ignored".encode(), self.run_program(verb, "nothing-there", cwd=self.below).stderr)

    def test_found_files_give_no_acting_options(self):
        script = self.script()
        for verb in ["kernel", "inspect", "bench", "occupancy"]:
            for option in [f"-ccbin={script}", f"--compiler-bindir={script}", "-Xcompiler=-fplugin=./evil.so", "--create-pch=x", "-time=x", "-I/etc"]:
                with self.subTest(verb=verb, option=option):
                    self.put("warplens.toml", f'[{verb}]\noption = ["-DVALUE=1", "{option}"]\n')
                    done = self.run_program(verb, "nothing-there.cu", cwd=self.below)
                    self.assertIn(b"--option ignored", done.stderr)
        self.put("warplens.toml", f'[inspect]\noption = ["-DVALUE=1", "-ccbin={script}"]\n')
        self.run_program("inspect", "k.cu", cwd=self.below)
        self.assert_nothing_acted()

    def test_named_files_give_all(self):
        out = self.top / "out.txt"
        settings = self.put("mine.toml", f'[summary]\noutput = "{out}"\n')
        self.assertEqual(self.run_program("summary", "x.json", "--config", settings, cwd=self.below).returncode, 0)
        self.assertTrue(out.exists())

    def test_harmless_settings_are_taken(self):
        self.put("warplens.toml", '[ops]\nlimit = 1\n[inspect]\noption = ["-DVALUE=1"]\n')
        done = self.run_program("ops", "x.json", cwd=self.below)
        self.assertIn(b"7 more rows", done.stdout)
        self.assertEqual(done.stderr, b"")

    def test_files_that_others_may_write_are_not_read(self):
        for name, spoil in {"writable": lambda p: p.chmod(0o666), "group": lambda p: p.chmod(0o664), "link": self.as_link,
                            "owner": lambda p: os.chown(p, 12345, 12345)}.items():
            if name == "owner" and os.geteuid() != 0:
                continue
            with self.subTest(name=name):
                settings = self.put("warplens.toml", "[ops]\nlimit = 1\n", 0o644)
                spoil(settings)
                done = self.run_program("ops", "x.json", cwd=self.below)
                self.assertNotIn(b"7 more rows", done.stdout)
                self.assertEqual(done.stderr.count(b"is not read"), 1, done.stderr)
                settings.unlink()

    def as_link(self, path):
        path.rename(path.with_suffix(".real"))
        path.symlink_to(path.with_suffix(".real"))


if __name__ == "__main__":
    unittest.main()
