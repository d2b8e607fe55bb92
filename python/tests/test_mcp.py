"""`warplens mcp` with the SDK's own client: every tool, wrong arguments, paths outside the root, cancelling, a flood."""

import asyncio
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

pytest.importorskip("mcp")
import numpy as np
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from warplens.agent import runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAXPY = """__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
STRIDED = SAXPY.replace("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x * gridDim.x + blockIdx.x")
UNGUARDED = SAXPY.replace("if (i < n) ", "")
SLOW = "__global__ void slow(float* y) { float v = 0; for (long i = 0; i < (1l << 40); ++i) v = v * 1.5f + 1; y[threadIdx.x] = v; }"


@pytest.fixture()
def folder(tmp_path):
    for name, text in (("saxpy.cu", SAXPY), ("strided.cu", STRIDED), ("unguarded.cu", UNGUARDED), ("slow.cu", SLOW)):
        (tmp_path / name).write_text(text)
    shutil.copy(ROOT / "tests/data/traces/square_h2d.pt.trace.json.gz", tmp_path / "step.json.gz")
    (tmp_path / "outside.cu").symlink_to("/etc/passwd")
    (tmp_path / "leak.json").write_text(json.dumps({"source": "/etc/passwd", "kernel": "k", "launches": []}))
    (tmp_path / "writes.json").write_text(json.dumps({"source": "saxpy.cu", "kernel": "saxpy", "save": {"y": "y.npy"}, "launches": []}))
    return tmp_path


def saxpy(file, n=1000):
    return {"file": file, "kernel": "saxpy", "grid": str((n + 255) // 256), "block": "256",
            "args": ["f32=2", f"x=f32[{n}]:uniform", f"y=f32[{n}]:ones", f"i32={n}"]}


def with_client(folder, work, *flags):
    async def go():
        server = StdioServerParameters(command=sys.executable, args=["-m", "warplens.agent.server", "--root", str(folder), *flags],
                                       env=dict(os.environ))
        async with Client(server) as client:
            return await work(client)

    return asyncio.run(go())


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    text = json.dumps(result.structured_content, separators=(",", ":"), ensure_ascii=False)
    assert len(text.encode()) <= 2048, len(text)
    return result.structured_content


async def refused(client, tool, **arguments):
    try:
        result = await client.call_tool(tool, arguments)
    except MCPError as error:
        return str(error)
    assert result.is_error, result.structured_content
    return result.content[0].text


def test_lists_tools_with_schemas(folder):
    async def work(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"check", "profile", "try_changes", "compare", "findings", "query", "explain"}
        for tool in tools.values():
            assert tool.annotations.read_only_hint and tool.annotations.idempotent_hint and tool.output_schema and tool.description
        assert '{"file": "k.cu", "kernel"' in await refused(client, "profile", kernel="saxpy")

    with_client(folder, work)


def test_the_loop(folder):
    async def work(client):
        wrong = await call(client, "check", kernel=saxpy("unguarded.cu"))
        assert not wrong["ok"] and "past the end" in json.dumps(wrong)
        right = await call(client, "check", kernel=saxpy("saxpy.cu"))
        assert right["ok"] and right["not_known"]
        slow = await call(client, "profile", kernel=saxpy("strided.cu", 1 << 20), device="a100")
        assert any("uncoalesced-access" in line for line in slow["details"]) and "A100" in slow["verdict"]
        assert any("with half of this work" in line for line in slow["details"])
        tried = await call(client, "try_changes", kernel=saxpy("strided.cu", 1 << 20), device="a100")
        assert "swap the indices of threads and of blocks" in tried["verdict"] and "+  int i = blockIdx.x * blockDim.x" in tried["details"][0], tried
        better = await call(client, "compare", base=saxpy("strided.cu", 1 << 20), new=saxpy("saxpy.cu", 1 << 20), outputs=["y"], device="a100")
        assert better["ok"] and "faster" in better["verdict"] and "results equal" in better["verdict"], better
        explained = [line for line in better["details"] if "busy" in line or "__" in line]
        assert " busy " in explained[0] and any("sectors" in line for line in explained[1:6]), explained
        whole = await client.read_resource(better["resource"])
        assert json.loads(whole.contents[0].text)["new"]["launches"]

    with_client(folder, work)


def test_a_wrong_version_is_named(folder):
    (folder / "other.cu").write_text(SAXPY.replace("a * x[i]", "x[i]"))

    async def work(client):
        answer = await call(client, "compare", base=saxpy("saxpy.cu"), new=saxpy("other.cu"), outputs=["y"])
        assert not answer["ok"] and "other results" in answer["verdict"]
        faulty = await call(client, "compare", base=saxpy("saxpy.cu"), new=saxpy("unguarded.cu"), outputs=["y"])
        assert not faulty["ok"] and "past the end" in faulty["verdict"]  # a fault is not a wrong result

    with_client(folder, work)


def launches_of(source, *names):
    arguments = [{"f32": 2.0}, {"buffer": "x"}, {"buffer": "y"}, {"i32": 4096}]
    buffers = {"x": {"dtype": "f32", "count": 4096, "fill": "uniform"}, "y": {"dtype": "f32", "count": 4096, "fill": "ones"}}
    return json.dumps({"source": source, "buffers": buffers,
                       "launches": [{"kernel": name, "grid": [16, 1, 1], "block": [256, 1, 1], "args": arguments} for name in names]})


def test_a_missing_root_is_one_line():
    done = subprocess.run([sys.executable, "-m", "warplens.agent.server", "--root", "/nosuch"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr == "warplens mcp: --root /nosuch: there is no such folder\n"


def test_several_kernels_with_other_names_are_compared(folder):
    def kernels(first, second):
        return SAXPY.replace("saxpy", first) + SAXPY.replace("saxpy", second)

    (folder / "base.cu").write_text(kernels("one", "two"))
    (folder / "new.cu").write_text(kernels("first", "second"))
    (folder / "faulty.cu").write_text(kernels("first", "second").replace("if (i < n) ", "if (i < 2 * n) ").replace("y[i] =", "y[i * 64] ="))
    for name, launched in (("base", ("one", "two")), ("new", ("first", "second")), ("faulty", ("first", "second"))):
        (folder / f"{name}.json").write_text(launches_of(f"{name}.cu", *launched))

    async def work(client):
        same = await call(client, "compare", base={"file": "base.json"}, new={"file": "new.json"}, outputs=["y"])
        assert same["ok"] and "results equal" in same["verdict"] and "by a model" in same["verdict"], same
        assert any("none of these launches (first, second)" in line for line in same["not_known"]), same
        faulty = await call(client, "compare", base={"file": "base.json"}, new={"file": "faulty.json"}, outputs=["y"])
        assert not faulty["ok"] and "past the end" in faulty["verdict"], faulty

    with_client(folder, work)


def test_recorded_programs(folder):
    async def work(client):
        found = await call(client, "findings", profile="step.json.gz")
        assert any("input-bound" in line for line in found["details"]) and not found["ok"]
        meaning = await call(client, "explain", finding="bank-conflict")
        assert "shared" in meaning["details"][0]

    with_client(folder, work)


def test_nothing_leaves_the_root(folder):
    async def work(client):
        for file in ("/etc/passwd", "../../../../etc/passwd", "outside.cu", "no.cu", "."):
            assert "root" in await refused(client, "check", kernel=saxpy(file)) or file == "."
        assert "root" in await refused(client, "check", kernel={"file": "leak.json"})
        assert "save" in await refused(client, "check", kernel={"file": "writes.json"})
        assert "root" in await refused(client, "findings", profile="/proc/self/environ")
        assert "root" in await refused(client, "check", kernel={**saxpy("saxpy.cu"), "args": ["x=@/etc/passwd"]})

    with_client(folder, work)


STORE = """.version 8.0
.target sm_90
.address_size 64
.file 1 "FILE"
.visible .entry saxpy(.param .u64 x) {
  .reg .b64 %rd<3>; .reg .b32 %r<2>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 128; add.u64 %rd1, %rd1, %rd2;
  .loc 1 1 0
  ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd1+4], %f1; ret;
}
"""


@pytest.fixture()
def secret(tmp_path_factory):
    """A folder that is not the root's, with a mark in each file."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.h").write_text("#error MARK\nMARK MARK\n")
    for name in ("secret.npy", "secret.dat"):
        np.save(outside / "array.npy", np.full(32, 4711.0, np.float32))
        shutil.copy(outside / "array.npy", outside / name)
    return outside


def leaks(folder, secret):
    """Calls that would read a file outside of the root, by the way in."""
    (folder / "link.h").symlink_to(secret / "secret.h")
    (folder / "link").symlink_to(secret)
    one = {"kernel": "saxpy", "grid": "1", "block": "32", "args": ["x=f32[1024]"]}
    array = {"file": "saxpy.cu", "kernel": "saxpy", "grid": "1", "block": "32"}
    kernel = "__global__ void saxpy(float* x) { x[threadIdx.x] = 1; }\n"
    host = "#include <vector>\nint main() { std::vector<int> v; return v.size(); }\n"
    path = secret / "secret.h"
    for name, text in {"absolute": f'#include "{path}"\n', "angles": f"#include <{path}>\n", "relative": f'#include "{os.path.relpath(path, folder)}"\n',
                       "linked": '#include "link.h"\n', "linked folder": '#include "link/secret.h"\n',
                       "macro": f'#define NAME "{path}"\n#include NAME\n', "quoted": f"#define Q(x) #x\n#include Q({path})\n",
                       "hidden": f'#if 1\n%:include "{path}"\n#endif\n', "split": f'#in\\\nclude "{path}"\n'}.items():
        for kind, more in {"alone": "", "with host code": host}.items():
            file = f"{name} {kind}.cu"
            (folder / file).write_text(text + kernel + more)
            yield file, {**one, "file": file}
    (folder / "told.ptx").write_text(STORE.replace("FILE", str(secret / "secret.h")))
    yield "line information", {**one, "file": "told.ptx"}
    arrays = [f"@{secret}/secret.npy", f"x=@{secret}/secret.npy", f"f32@{secret}/secret.npy", f"x=f32@{secret}/secret.dat", "x=@link/secret.npy",
              f"@{os.path.relpath(secret, folder)}/secret.npy"]
    for argument in arrays:
        yield argument, {**array, "args": ["f32=1", argument, "y=f32[32]", "i32=32"]}
    launch = {"source": "saxpy.cu", "kernel": "saxpy", "launches": [{"grid": 1, "block": 32, "args": ["f32=1", {"buffer": "x"}, "y=f32[32]", "i32=32"]}]}
    for number, contents in enumerate([f"@{secret}/secret.npy", f"f32@{secret}/secret.dat", {"npy": f"{secret}/secret.npy"}, {"npy": "link/secret.npy"}]):
        (folder / f"array{number}.json").write_text(json.dumps({**launch, "buffers": {"x": contents}}))
        yield f"launch file with {contents}", {"file": f"array{number}.json"}
    within = {**launch, "launches": [{"grid": 1, "block": 32, "args": ["f32=1", f"x=f32@{secret}/secret.dat", "y=f32[32]", "i32=32"]}]}
    (folder / "within.json").write_text(json.dumps(within))
    yield "argument of a launch file", {"file": "within.json"}
    (folder / "expects.json").write_text(json.dumps({**launch, "buffers": {"x": "f32[32]"}, "expect": {"y": {"npy": f"{secret}/secret.npy"}}}))
    yield "expectation", {"file": "expects.json"}
    twice = json.dumps({**launch, "buffers": {"x": "f32[32]"}}).replace('{"x": "f32[32]"}', f'{{"x": "@{secret}/secret.npy", "x": "f32[32]"}}')
    (folder / "twice.json").write_text(twice)
    yield "a member that stands twice", {"file": "twice.json"}
    (folder / "options.json").write_text(json.dumps({**launch, "options": ["-Ilink"], "buffers": {"x": "f32[32]"}, "source": "searched.cu"}))
    (folder / "searched.cu").write_text("#include <secret.h>\n" + SAXPY)
    yield "folder of headers", {"file": "options.json"}
    (folder / "environment.cu").write_text('#include "/proc/self/environ"\n' + kernel)
    yield "environment", {**one, "file": "environment.cu"}


def test_nothing_outside_the_root_is_read(folder, secret):
    """By no way that a kernel, a launch file or an argument has; the compilers' own included."""
    async def work(client):
        for way, kernel in leaks(folder, secret):
            for tool in ("profile", "check"):
                result = await client.call_tool(tool, {"kernel": kernel})
                said = str(result)
                assert "MARK" not in said and "4711" not in said, (way, said)
                if way != "line information":  # the kernel may run, its lines are not shown
                    assert result.is_error or not result.structured_content["ok"], (way, said)

    if not runs.can_confine():
        pytest.skip("this kernel has no Landlock")
    with_client(folder, work)


def test_checked_paths_may_change_before_they_are_opened(folder, secret):
    """What a run opens is what counts, not what a call named."""
    async def ended(*arguments):
        async def progress(_):
            pass
        return await runs.run(arguments, runs.Limits(), runs.Place(str(folder), str(folder)), progress)

    if not runs.can_confine():
        pytest.skip("this kernel has no Landlock")
    shutil.copy(folder / "step.json.gz", secret / "step.json.gz")
    assert asyncio.run(ended("summary", str(folder / "step.json.gz"))).exit_code == 0
    done = asyncio.run(ended("summary", str(secret / "step.json.gz")))
    assert done.exit_code == 1 and "Permission denied" in done.errors
    done = asyncio.run(ended("convert", str(folder / "step.json.gz"), "-o", str(secret / "made.wlens")))
    assert done.exit_code == 1 and not (secret / "made.wlens").exists()


def test_wrong_arguments_are_refused(folder):
    async def work(client):
        assert await refused(client, "check", kernel={**saxpy("saxpy.cu"), "grid": "4; rm -rf /"})
        assert "grid" in await refused(client, "check", kernel={"file": "saxpy.cu", "kernel": "saxpy"})
        assert await refused(client, "explain", finding="--help")
        assert await refused(client, "profile", kernel=saxpy("saxpy.cu"), device="../x")
        assert await refused(client, "no_such_tool")
        answer = await call(client, "profile", kernel={**saxpy("saxpy.cu"), "kernel": "--version"})
        assert not answer["ok"]

    with_client(folder, work)


def running():
    return [entry for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline") if b"slow.cu" in entry.read_bytes()]


def quiet(seconds=10):
    end = time.time() + seconds
    while running() and time.time() < end:
        time.sleep(0.1)
    return not running()


SLOW_KERNEL = {"file": "slow.cu", "kernel": "slow", "grid": "1", "block": "32", "args": ["y=f32[32]"]}


def test_a_long_run_ends_at_its_limit(folder):
    async def work(client):
        assert "longer than" in await refused(client, "profile", kernel=SLOW_KERNEL, timeout_s=3)

    with_client(folder, work)
    assert quiet()


def test_cancelling_leaves_nothing(folder):
    async def work(client):
        task = asyncio.ensure_future(client.call_tool("profile", {"kernel": SLOW_KERNEL}))
        while not running():
            await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for _ in range(100):
            if not running():
                break
            await asyncio.sleep(0.1)
        assert not running()
        assert (await call(client, "explain", finding="divergence"))["ok"]

    with_client(folder, work)
    assert quiet()


@contextlib.contextmanager
def server_with_a_long_run(folder, timeout_s):
    """A server whose client only writes: it has begun a run that takes longer than any limit."""
    scratch = folder / "scratch"
    scratch.mkdir()
    words = [sys.executable, "-m", "warplens.agent.server", "--root", str(folder)]
    messages = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}},
                {"method": "notifications/initialized"},
                {"id": 2, "method": "tools/call", "params": {"name": "profile", "arguments": {"kernel": SLOW_KERNEL, "timeout_s": timeout_s}}}]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(scratch)}) as server:
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()
        while not running():
            assert server.poll() is None
            time.sleep(0.05)
        yield server


def test_sigterm_leaves_no_run_and_no_file(folder):
    with server_with_a_long_run(folder, timeout_s=60) as server:
        server.terminate()
        assert server.wait(20) == -signal.SIGTERM
    assert quiet()
    assert not list((folder / "scratch").iterdir())


def test_a_killed_servers_run_ends_at_its_limit(folder):
    with server_with_a_long_run(folder, timeout_s=3) as server:
        server.kill()
    assert running()
    assert quiet()


def test_a_flood_is_answered(folder):
    async def work(client):
        answers = await asyncio.gather(*(call(client, "explain", finding="divergence") for _ in range(24)))
        assert all(answer["ok"] for answer in answers)

    with_client(folder, work)


def test_http_answers_only_this_machine_and_the_token(folder):
    """Neither a page elsewhere that points its own name here, nor another program of this machine."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "warplens.agent.server", "--http", str(port), "--root", str(folder)]
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                       "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}).encode()
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        try:
            token = next(line for line in server.stderr if "Bearer" in line).split()[-1]

            def status(**headers):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}", **headers}
                connection.request("POST", "/mcp", body, given)
                return connection.getresponse().status

            for _ in range(300):  # until it listens
                try:
                    assert status() == 200
                    break
                except ConnectionRefusedError:
                    time.sleep(0.1)
            assert status(Host="evil.example") == 421
            assert status(Origin="https://evil.example") == 403
            for wrong in ("Bearer x", "", f"Basic {token}", f"Bearer {token}x"):
                assert status(Authorization=wrong) == 401, wrong
        finally:
            server.terminate()
