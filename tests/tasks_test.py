#!/usr/bin/env python3
"""Tasks of a new user succeed at the first attempt, with the README, a page of docs/ or --help.

A task has its aim, the page that explains it (a text of it, so that page and task stay together), the command line,
and a text in what it prints (both streams) that proves it worked. `exit` is the code when it is not 0.
Usage: tasks_test.py PROGRAM [WORD...]   with words, only the tasks with one of them in their aim.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import docs_test

ROOT = docs_test.ROOT
GPT2 = "gpt2_train.pt.trace.json.gz"
SAXPY = ("__global__ void saxpy(float a, const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) y[i] = a * x[i] + y[i];\n}\n")
PROGRAM = ("#include <cstdio>\n" + SAXPY + "int main() {\n  const int n = 1 << 16;\n  float *x, *y;\n  cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4);\n"
           "  cudaMemset(x, 0, n * 4), cudaMemset(y, 0, n * 4);\n  saxpy<<<n / 256, 256>>>(2, x, y, n);\n"
           "  printf(\"%s\\n\", cudaGetErrorString(cudaDeviceSynchronize()));\n}\n")
BUILD = "warplens nvcc -arch=sm_90 -o app app.cu"
ARGUMENTS = "--grid 4096 --block 256 --arg f32=2 --arg x=f32[1048576]:uniform --arg y=f32[1048576] --arg i32=1048576"
LAUNCH = ('{"source": "saxpy.cu", "kernel": "saxpy", "buffers": {"x": {"dtype": "f32", "count": 4096, "fill": "ones"}, "y": {"dtype": "f32", "count": 4096}}, '
          '"launches": [{"grid": [16], "block": [256], "args": [{"f32": 2}, {"buffer": "x"}, {"buffer": "y"}, {"i32": 4096}]}]}')
SMALL = ("#include <cassert>\n#include <cstdio>\nstruct Pair { float a; int n; };\n__global__ void hello(int n) { if (threadIdx.x < n) printf(\"hello from %d\\n\", threadIdx.x); }\n"
         "__global__ void wary(int n) { assert(n > 3); }\n__global__ void of_pair(Pair p, float* y) { if (threadIdx.x < p.n) y[threadIdx.x] = p.a; }\n"
         "template <typename T> __global__ void put(T* x, T v) { x[threadIdx.x] = v; }\ntemplate __global__ void put<double>(double*, double);\n"
         "__global__ void turned(float* x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }\n"
         "__global__ void half_meets(float* x) { if (threadIdx.x < 16) __syncthreads(); x[threadIdx.x] = 1; }\n")

# (wanted, page or "VERB --help", text of it, command, proof, exit code)
TASKS = [
    ("see where a step's time goes", "README.md", f"$ warplens {GPT2}", f"warplens {GPT2}", r"GPU busy .*92\.5 %", 0),
    ("learn what is wrong and what it would save", "README.md", "$ warplens findings", f"warplens findings {GPT2}", r"1\. repeated-cast  saves about", 0),
    ("understand a finding", "docs/findings.md", "--explain host-sync", "warplens findings --explain host-sync", r"saving: The recorded step, simulated", 0),
    ("fail a job on a critical finding", "findings --help", "--fail-on critical", f"warplens findings {GPT2} --fail-on critical", "fusable-chain", 3),
    ("list operators with their shapes", "ops --help", "--by-shape", f"warplens ops {GPT2} --by-shape --limit 3", r"aten::mm.*\[\[", 0),
    ("print torch's own table", "README.md", "`--torch` gives exactly", f"warplens ops {GPT2} --torch --limit 3", r"Self CPU %", 0),
    ("charge GPU time to modules", "docs/operators.md", "--by module --depth 3", "warplens ops gpt2_train_stack.pt.trace.json.gz --by module --depth 3 --limit 3", r"GPT2LMHeadModel_0/Linear_0", 0),
    ("charge GPU time to lines", "docs/tutorials/slow-training-step.md", "--by line", "warplens ops gpt2_train_stack.pt.trace.json.gz --by line --limit 3", r"pytorch_utils\.py\(117\)", 0),
    ("know why the GPU idles", "docs/timeline.md", "$ warplens timeline", "warplens timeline llama_decode.pt.trace.json.gz", r"launch-bound +aten::mm", 0),
    ("compare two recordings", "docs/diff.md", "$ warplens diff", f"warplens diff {GPT2} gpt2_compiled.pt.trace.json.gz", r"29\.4 % faster", 0),
    ("fail a job when a step is slower", "README.md", "--fail-on 5%", f"warplens diff gpt2_compiled.pt.trace.json.gz {GPT2} --fail-on 5%", "slower", 3),
    ("cut one step out of a trace", "docs/operators.md", "-o step12.json.gz", f"warplens export {GPT2} --step 2 -o step.json.gz && warplens step.json.gz", "GPU busy", 0),
    ("draw a flame graph", "export --help", "-t flamegraph -o flames.svg", "warplens export gpt2_train_stack.pt.trace.json.gz -t flamegraph -o flames.svg && head -c 300 flames.svg", "<svg", 0),
    ("keep a profile in a compact file", "convert --help", ".wlens", f"warplens convert {GPT2} -o step.wlens && warplens step.wlens", "GPU busy", 0),
    ("find the slow rank", "ranks --help", "warplens ranks trace.rank0", "warplens ranks uneven_batches.rank0.pt.trace.json.zst uneven_batches.rank1.pt.trace.json.zst", "collectives", 0),
    ("read numbers with a script", "summary --help", "--json", f"warplens summary {GPT2} --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[\"device_time_ns\"] > 0)'", "True", 0),
    ("run an example kernel without a GPU", "README.md", "$ warplens kernel probe.json", "warplens kernel examples/probe.json -k transpose_conflict --emulate", "bank-conflict at probe.cu:47", 0),
    ("find a race", "README.md", "--emulate --check all", "warplens kernel examples/reduce.json -k block_sum_racy --emulate --check all", r"^race: read of 4 bytes", 4),
    ("run a kernel of one's own", "docs/kernel.md", "warplens kernel saxpy.cu -k saxpy --grid 4096 --block 256", f"warplens kernel saxpy.cu -k saxpy {ARGUMENTS} --emulate", r"saxpy: counters exact", 0),
    ("know its time on another GPU", "docs/kernel.md", "--device a100", f"warplens kernel saxpy.cu -k saxpy {ARGUMENTS} --emulate --device a100", r"time on A100", 0),
    ("get a counter by Nsight Compute's name", "docs/tutorials/from-nsight-compute.md", "--metrics --format csv", f"warplens kernel saxpy.cu -k saxpy {ARGUMENTS} --emulate --metrics --format csv", "smsp__inst_executed.sum,622592,exact", 0),
    ("see counters beside the source", "docs/tutorials/from-nsight-compute.md", "--lines", f"warplens kernel saxpy.cu -k saxpy {ARGUMENTS} --emulate --lines", r"saxpy\.cu:3", 0),
    ("draw a line's accesses", "docs/counters.md", "--line 68", "warplens kernel examples/probe.json -k matmul_tiled --emulate --line 68", r"bank +0 +1 +2", 0),
    ("see the roofline", "kernel --help", "--roofline", f"warplens kernel saxpy.cu -k saxpy {ARGUMENTS} --emulate --roofline", "FLOP/byte", 0),
    ("fail a job when a kernel gets slower", "docs/tutorials/ci-gate.md", "--baseline counters.json --fail-on 1%",
     "warplens kernel launches.json --emulate --save counters.json && sed -i 's/a \\* x\\[i\\]/a * float(sqrt(x[i] \\/ 3.0))/' saxpy.cu && warplens kernel launches.json --emulate --baseline counters.json --fail-on 1%",
     r"smsp__inst_executed\.sum", 3),
    ("describe launches in a file", "docs/kernel.md", '"launches": [', "warplens kernel launches.json --emulate --check all", r"y +f32 +4096", 0),
    ("annotate a pull request", "docs/tutorials/ci-gate.md", "--format github", "warplens kernel examples/probe.json -k transpose_conflict --emulate --format github", r"^::error file=examples/kernels/probe\.cu,line=47,", 0),
    ("upload findings to code scanning", "docs/tutorials/ci-gate.md", "--format sarif", f"warplens findings {GPT2} --format sarif -o out.sarif && python3 -c 'import json; print(json.load(open(\"out.sarif\"))[\"version\"])'", r"2\.1\.0", 0),
    ("know what limits occupancy", "docs/occupancy.md", "$ warplens occupancy", "warplens occupancy --arch sm_90 --regs 168 --block 64", "limited by registers", 0),
    ("see what the compiler made", "docs/inspect.md", "$ warplens inspect", "warplens inspect saxpy.cu --arch sm_90 --lines", r"saxpy\.cu:3", 0),
    ("see what a program carries", "docs/inspect.md", "a fat binary, or a program, library", f"{BUILD} && warplens inspect ./app", r"machine code +sm_90 +[12] ", 0),
    ("see how far operators are from their roofline", "ops --help", "--roofline", f"warplens ops {GPT2} --roofline --limit 3", r"compute +639 us", 0),
    ("run one operator of a trace alone", "ops --help", "--script aten::addmm -o addmm.py", f"warplens ops {GPT2} --script aten::mm -o mm.py && python3 -m py_compile mm.py && cat mm.py", "import torch", 0),
    ("run a program without a GPU", "docs/emulate.md", "warplens emulate -- ./saxpy", f"{BUILD} && warplens emulate -- ./app", "^no error$", 0),
    ("get a timeline without a GPU", "docs/emulate.md", "warplens record --emulate --device a100 -o run.wlens -- ./program", f"{BUILD} && warplens record --emulate -o run.wlens -- ./app && warplens ops run.wlens --by kernel", r"^saxpy\(.*\) +", 0),
    ("run one kernel of a program alone", "docs/kernel.md", "executables", f"{BUILD} && warplens kernel app -k saxpy {ARGUMENTS} --emulate", "saxpy: counters exact", 0),
    ("read counters that were taken elsewhere", "docs/kernel.md", "`warplens kernel FILE` makes the report", "warplens kernel probe.counts", "bank-conflict", 0),
    ("learn how a kernel becomes fast", "README.md", "warplens learn softmax", "warplens learn copy", "^3 of 3  vector", 0),
    ("see the suites of kernels", "bench --help", "--list", "warplens bench --list", "^softmax +Softmax along rows", 0),
    ("check and count a suite", "docs/kernels/index.md", "naive to fast", "warplens bench copy", r"copy/vector .* right", 0),
    ("run one step of a suite", "kernel --help", "SUITE/STEP", "warplens kernel copy/strided --emulate", "copy_strided: counters exact", 0),
    ("fuse an expression", "README.md", "warplens fuse 'y = ...'", "warplens fuse 'y = x*sigmoid(z)' --show none", "chain: t1", 0),
    ("benchmark without a GPU", "bench --help", "--axis", "warplens bench saxpy.cu -k saxpy --grid '${n/^256}' --block 256 --arg f32=2 --arg 'x=f32[${n}]:uniform' --arg 'y=f32[${n}]:uniform' --arg 'i32=${n}' --axis n=2^12:2^14:*4", r"no GPU: counted by emulation", 0),
    ("give a project its settings", "docs/configuration.md", "[ops]", "printf '[ops]\\nlimit = 1\\n' > warplens.toml && warplens ops attention.pt.trace.json.gz && rm warplens.toml", "more rows", 0),
    ("complete flags in the shell", "completions --help", "completions bash", "warplens completions bash", "complete -", 0),
    ("learn what works on this machine", "docs/install.md", "`warplens doctor`", "warplens doctor", "CUDA driver", 0),
    ("leave out a finding that is known", "docs/faq.md", "`--ignore FINDING`", f"warplens findings {GPT2} --ignore unaligned-gemm --fail-on critical | grep -c unaligned-gemm || true", "^0$", 0),
    ("leave it out for a whole project", "docs/configuration.md", "ignore = [", f"printf '[findings]\\nignore = [\"unaligned-gemm\"]\\n' > warplens.toml && warplens findings {GPT2} && rm warplens.toml", "1 left out by --ignore", 0),
    ("know which of two commits made a step slower", "docs/faq.md", "`warplens diff BEFORE AFTER`", f"warplens diff gpt2_compiled.pt.trace.json.gz {GPT2}", r"^41\.7 % slower: a step takes 33\.6 ms", 0),
    ("compare a kernel in two files", "docs/faq.md", "`warplens bench old.cu -k NAME --against new.cu ...`",
     f"sed 's/a \\* x/x[i] * a * x/' saxpy.cu > new.cu && warplens bench saxpy.cu -k saxpy --against new.cu {ARGUMENTS}", r"saxpy \(saxpy.cu\) against saxpy \(new.cu\): equivalent", 0),
    ("compare two kernels of one file", "bench --help", "--against-kernel NAME", f"sed 's/saxpy/other/' saxpy.cu >> two.cu && cat saxpy.cu >> two.cu && warplens bench two.cu -k saxpy --against-kernel other {ARGUMENTS}", "saxpy against other: equivalent", 0),
    ("know a program's kernels on two GPUs", "docs/faq.md", "--devices-compare\nh100,h200", f"{BUILD} && warplens counters --emulate --devices-compare h100,h200 -- ./app", r"^saxpy +1 +\d\.\d+ us +\d\.\d+ us", 0),
    ("check one kernel of a built program", "docs/kernel.md", "If a program has no PTX,", f"{BUILD} && warplens kernel app -k saxpy {ARGUMENTS} --emulate --check all", "nothing found", 0),
    ("know what a trace says of memory", "docs/faq.md", "`warplens doctor FILE`", f"warplens doctor {GPT2}", "profile_memory=True", 0),
    ("read a trace from a pipe", "docs/traces.md", "`-` is standard input", f"zcat {GPT2} | warplens findings - --json | head -c 40", "schema_version", 0),
    ("take two steps as CSV", "ops --help", "--step N", f"warplens ops {GPT2} --step 2-3 --format csv --limit 2", r"^aten::mm,CPU", 0),
    ("draw where the host's time goes", "export --help", "--metric METRIC", "warplens export gpt2_train_stack.pt.trace.json.gz --metric self_cpu_time_total -o host.svg && grep -o 'CPU time, 55.5 ms' host.svg", "CPU time", 0),
    ("see the counters of one line", "kernel --help", "--line [FILE:]N", "warplens kernel examples/probe.json -k transpose_conflict --emulate --line 47", r"32 passes \(1 needed\)", 0),
    ("count a Triton kernel from its PTX", "examples/README.md", "[softmax_triton.json]", "warplens kernel examples/softmax_triton.json --emulate --metrics --format csv", "shared_op_ld", 0),
    ("understand a kernel's finding", "kernel --help", "--explain bank-conflict", "warplens kernel --explain bank-conflict", r"^bank-conflict \(of a kernel\)", 0),
    ("check JSON against its schema", "docs/reference/json.md", "findings.schema.json", f"warplens findings {GPT2} --json | python3 -c 'import json, os, sys; schema = json.load(open(os.environ[\"REPOSITORY\"] + \"/docs/schemas/findings.schema.json\")); print(sorted(set(json.load(sys.stdin)) - set(schema[\"properties\"])))'", r"^\[\]$", 0),
    ("know how long optimizer and steps keep the GPU busy", "ops --help", "line, annotation, kernel", "warplens ops gpt2_train_stack.pt.trace.json.gz --by annotation", r"Optimizer\.step#AdamW\.step +2\.76 ms", 0),
    ("give a spreadsheet all kernels", "ops --help", "-o, --output FILE", f"warplens ops {GPT2} --by kernel -o kernels.csv && head -1 kernels.csv", "name,class,tensor_cores,device_time_ns", 0),
    ("look at two milliseconds in Perfetto", "docs/operators.md", "ui.perfetto.dev", f"warplens export {GPT2} --from 10ms --to 12ms -o cut.json.gz && warplens cut.json.gz", r"^time +2\.00 ms", 0),
    ("comment a pull request with a diff", "docs/diff.md", "`--format csv` and `md`", f"warplens diff gpt2_compiled.pt.trace.json.gz {GPT2} --format md", r"^\| step \| slower \| 1 \| 1 \| 23\.7 ms \| 33\.6 ms", 0),
    ("find repeated work", "docs/operators.md", "`warplens ops --patterns`", "warplens ops gpt2_train_stack.pt.trace.json.gz --patterns --limit 2", r"^ +12 +58 +3\.72 ms", 0),
    ("know what of the GPU's peak products reach", "docs/timeline.md", "of peak", "warplens timeline gpt2_train_stack.pt.trace.json.gz --limit 1", r"843 us +93\.73 +(989 +)?9\.5 %", 0),
    ("set a flag by the environment", "docs/reference/verbs.md", "`WARPLENS_LIMIT`", f"WARPLENS_LIMIT=1 warplens ops {GPT2}", "more rows", 0),
    ("see what a kernel prints", "docs/emulator.md", "printf output and defects", "warplens kernel small.cu -k hello --block 4 --arg i32=2 --emulate", "^hello from 1$", 0),
    ("see where an assertion fails", "docs/emulator.md", "printf output and defects", "warplens kernel small.cu -k wary --arg i32=2 --emulate", r"assertion `n > 3` failed: .* at .*small\.cu:5", 1),
    ("give a kernel a struct", "docs/kernel.md", "`bytes=00ff10aa`", "warplens kernel small.cu -k of_pair --block 32 --arg bytes=0000803f08000000 --arg y=f32[32] --emulate", r"^y +f32 +32 +8 ", 0),
    ("run an instance of a template", "kernel --help", "name<arguments>", "warplens kernel small.cu -k 'put<double>' --block 32 --arg x=f64[32] --arg f64=3 --emulate", r"^x +f64 +32 +96 ", 0),
    ("give a kernel its dynamic shared memory", "kernel --help", "--shared BYTES", "warplens kernel small.cu -k turned --block 64 --shared 256 --arg 'x=f32[64]:arange' --emulate --check memory,init", "nothing found", 0),
    ("find a barrier that half a warp misses", "docs/emulator.md", "`divergent-barrier`", "warplens kernel small.cu -k half_meets --block 32 --arg 'x=f32[32]' --emulate --check sync", "lanes 0 to 15 of the warp reach this barrier", 4),
    ("compare results with one's own", "docs/kernel.md", "`@in.npy`", "warplens kernel saxpy.cu -k saxpy --block 64 --arg f32=0 --arg 'x=f32[64]' --arg 'y=f32[64]:arange' --arg i32=64 --emulate --no-counters --save y=y.npy && "
     "warplens kernel saxpy.cu -k saxpy --block 64 --arg f32=1 --arg 'x=f32[64]' --arg y=@y.npy --arg i32=64 --emulate --expect y=y.npy", "y against y.npy: all 64 elements equal", 0),
    ("know occupancy of a file's kernels", "occupancy --help", "every kernel of a file", "warplens occupancy small.cu --arch sm_90 --block 128", r"^hello +\d+", 0),
    ("find a program's slowest kernel", "counters --help", "warplens counters --emulate -- ./program", f"{BUILD} && warplens counters --emulate -- ./app", r"^0 +saxpy +256,1,1 +256,1,1 ", 0),
    ("run the whole of a program that was given as a kernel's file", "counters --help", "warplens counters --emulate -- ./program", f"{BUILD} && warplens kernel ./app --emulate", r"to run the whole program: warplens counters --emulate -- \./app", 2),
    ("read a program's counters with a script", "docs/faq.md", "own output goes to standard error", f"{BUILD} && warplens counters --emulate --json -- ./app 2> /dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)[\"launches\"][0][\"units\"][\"dram__bytes_read.sum\"])'", "^byte$", 0),
    ("know what memory a program never gives back", "docs/emulate.md", "arrays that the program never frees", f"{BUILD} && warplens emulate --check=leaks -- ./app", "leak: 256 KiB from cudaMalloc is never freed: allocation 1, called by main in app", 4),
    ("open a program's timeline in Perfetto", "export --help", "ui.perfetto.dev", f"{BUILD} && warplens record --emulate --quiet -o run.wlens -f -- ./app && warplens export run.wlens -o run.json.gz && zcat run.json.gz | head -8", "H200 SXM", 0),
    ("chart a sweep", "bench --help", "bench plot new.json -o plots/", "warplens bench saxpy.cu -k saxpy --grid '${n/^256}' --block 256 --arg f32=2 --arg 'x=f32[${n}]' --arg 'y=f32[${n}]' --arg 'i32=${n}' --axis n=2^12:2^14:*4 -o new.json && warplens bench plot new.json -o plots && ls plots", r"\.svg", 0),
    ("give an agent a short answer", "docs/agents.md", "--emulate --brief", "warplens kernel launches.json --emulate --brief", r'^\{"schema_version":1,"ok":true,"verdict":"saxpy on H200', 0),
    ("keep the whole report beside the short answer", "docs/agents.md", "--brief -o findings.json", f"warplens findings {GPT2} --brief -o findings.json && python3 -c 'import json; print(len(json.load(open(\"findings.json\"))[\"findings\"]) > 2)'", "^True$", 0),
    ("distinguish a refused source from a wrong kernel", "docs/kernel.md", "| 5 | the compiler refused the source |", "echo 'not CUDA' > bad.cu && warplens inspect bad.cu", r"bad\.cu", 5),
    ("know the types that operators work on", "ops --help", "--by-shape", f"warplens ops {GPT2} --by-shape --limit 1", r"aten::mm .* BFloat16 ", 0),
    ("learn that a trace is not a memory snapshot", "memory --help", "_dump_snapshot", f"warplens memory {GPT2}", "not a memory snapshot", 1),
    ("see it all at once", "docs/index.md", "warplens demo", "warplens demo", r"^race: ", 0),
]


def page_text(page, folder, env):
    if page.endswith("--help"):
        return docs_test.run(f"warplens {page} all", folder, env)
    return (ROOT / page).read_text()


def check(task, folder, env):
    wanted, page, told, command, proof, code = task
    if told not in page_text(page, folder, env):
        return [f"{wanted}: {page} does not say '{told}'"]
    (folder / "saxpy.cu").write_text(SAXPY)
    (folder / "small.cu").write_text(SMALL)
    (folder / "app.cu").write_text(PROGRAM)
    (folder / "launches.json").write_text(LAUNCH)
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode == code and re.search(proof, done.stdout, re.M):
        return []
    return [f"{wanted}: $ {command}\nexit {done.returncode} (wanted {code}), and '{proof}' wanted in:\n{done.stdout[-2000:]}"]


def main(program, *words):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="warplens-tasks-"))
    failed = count = 0
    try:
        docs_test.scratch(folder)
        (folder / "probe.counts").symlink_to(ROOT / "tests/data/counters/probe.counts")
        for task in TASKS:
            if words and not any(word in task[0] for word in words):
                continue
            faults = check(task, folder, docs_test.environment(program))
            count, failed = count + 1, failed + len(faults)
            print("\n".join(faults), end="\n" if faults else "")
    finally:
        shutil.rmtree(folder)
    print(f"{count} tasks, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
