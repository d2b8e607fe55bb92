"""`warplens mcp`: the tools as an MCP server, over stdio or streamable HTTP on the loopback."""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from .. import __version__
from .answers import Answer, Reports
from .root import Root
from .runs import Limits, TooLong, can_confine, end_all
from .tools import Kernel, Tools

INSTRUCTIONS = """warplens says where the time of CUDA kernels and PyTorch programs goes, and what to do. No GPU is needed: kernels run in an emulator
that counts exactly what the hardware counts; times come from a model. A good loop: check (is it right?), profile (what bounds it?),
change one thing, compare (is it still right, and faster?). `not_known` in an answer lists what was not looked at: it is not a sign that all is well."""

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
Timeout = Annotated[float | None, Field(gt=0, description="seconds; the server's own limit holds too")]
Gpu = Annotated[str, Field(description="the GPU of the modelled time: h200, h100, a100, b200, rtx4090, ...", pattern=r"^[A-Za-z0-9-]{1,32}$")]
Outputs = Annotated[list[str], Field(description="buffers whose contents must be equal in both versions", max_length=32)]


def make_server(tools: Tools, at_once: int) -> MCPServer:
    """The server of these tools; at most `at_once` of their runs take place at the same time, and others wait."""
    server = MCPServer("warplens", version=__version__, instructions=INSTRUCTIONS)
    slots = anyio.Semaphore(at_once)

    async def answer(ctx: Context, work: Callable[[Callable[[float], Awaitable[None]]], Awaitable[Answer]]) -> Answer:
        async def progress(seconds: float) -> None:
            await ctx.report_progress(seconds, None, f"running for {seconds:.0f} s")

        try:
            async with slots:
                return (await work(progress)).fitted()
        except (TooLong, ValueError, OSError) as error:
            raise ToolError(str(error)) from None

    @server.tool(title="Is a kernel right?", annotations=READS)
    async def check(kernel: Kernel, ctx: Context, timeout_s: Timeout = None) -> Answer:
        """Runs a kernel in the emulator and finds memory errors, races, reads of unwritten memory and divergent
        barriers.
        """
        return await answer(ctx, lambda progress: tools.check(kernel, timeout_s, progress))

    @server.tool(title="What bounds a kernel?", annotations=READS)
    async def profile(kernel: Kernel, ctx: Context, device: Gpu = "h200", timeout_s: Timeout = None) -> Answer:
        """Gets a kernel's counters as the hardware would count them: limit, modelled time, occupancy, and findings with
        remedies.
        """
        return await answer(ctx, lambda progress: tools.profile(kernel, device, timeout_s, progress))

    @server.tool(title="Which mechanical change helps?", annotations=READS)
    async def try_changes(kernel: Kernel, ctx: Context, device: Gpu = "h200", timeout_s: Timeout = None) -> Answer:
        """Changes a kernel in CUDA C++ mechanically: axes of threads, block and grid sizes, padding, unrolling. Answers
        with the best patch that keeps the results.
        """
        return await answer(ctx, lambda progress: tools.try_changes(kernel, device, timeout_s, progress))

    @server.tool(title="Is the new version better?", annotations=READS)
    async def compare(base: Kernel, new: Kernel, ctx: Context, outputs: Outputs = [], device: Gpu = "h200",  # noqa: B006
                      timeout_s: Timeout = None) -> Answer:
        """Runs two versions on the same inputs: reports whether results are equal, changed counters, and which is
        faster by the model.
        """
        return await answer(ctx, lambda progress: tools.compare(base, new, outputs, device, timeout_s, progress))

    @server.tool(title="What is wrong with a recorded program?", annotations=READS)
    async def findings(profile: str, ctx: Context, timeout_s: Timeout = None) -> Answer:
        """Reads a recorded profile (torch.profiler's trace, .wlens and others) and lists the costly problems, most
        valuable first.
        """
        return await answer(ctx, lambda progress: tools.findings(profile, timeout_s, progress))

    @server.tool(title="Ask a recorded program by SQL", annotations=READS)
    async def query(profile: str, sql: str, ctx: Context, timeout_s: Timeout = None) -> Answer:
        """Runs one SELECT over the tables of a recorded profile."""
        return await answer(ctx, lambda progress: tools.query(profile, sql, timeout_s, progress))

    @server.tool(title="What does a finding mean?", annotations=READS)
    async def explain(finding: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")], ctx: Context) -> Answer:
        """Explains a finding: its meaning, its evidence, the remedy, and how its saving is computed."""
        return await answer(ctx, lambda progress: tools.explain(finding, None, progress))

    @server.resource("warplens://report/{number}", title="A whole report", mime_type="application/json")
    def report(number: str) -> str:
        return tools.reports.text(number)

    return server


class _NeedsToken:
    """Accepts only requests with the token."""

    def __init__(self, app: Callable[..., Awaitable[None]], token: str) -> None:
        self.app, self.wanted = app, f"Bearer {token}".encode()

    async def __call__(self, scope: dict[str, object], receive: object, send: Callable[[dict[str, object]], Awaitable[None]]) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])  # type: ignore[call-overload]
            if not secrets.compare_digest(headers.get(b"authorization", b""), self.wanted):
                await send({"type": "http.response.start", "status": 401, "headers": [(b"content-type", b"text/plain")]})
                await send({"type": "http.response.body", "body": b"the token that `warplens mcp` printed is missing\n"})
                return
        await self.app(scope, receive, send)


def _serve_http(server: MCPServer, port: int) -> None:
    import uvicorn

    token = os.environ.get("WARPLENS_MCP_TOKEN") or secrets.token_urlsafe(24)
    print(f"http://127.0.0.1:{port}/mcp\nAuthorization: Bearer {token}", file=sys.stderr, flush=True)
    uvicorn.run(_NeedsToken(server.streamable_http_app(), token), host="127.0.0.1", port=port, log_level="warning")


def _end_runs_at_sigterm(tools: Tools) -> None:
    """Clients end a server by SIGTERM, and its runs and files end with it."""

    def end(number: int, _frame: object) -> None:
        end_all()
        tools.scratch.cleanup()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, end)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="warplens mcp", description="Tools for agents, as an MCP server.")
    parser.add_argument("--root", default=".", help="the folder that tools may read [.]")
    parser.add_argument("--http", type=int, metavar="PORT", help="streamable HTTP on this port of the loopback, with a token; without it stdio")
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS", help="of one run [60]")
    parser.add_argument("--memory", type=float, default=8, metavar="GIB", help="of one run [8]")
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="runs at the same time; others wait [2]")
    given = parser.parse_args(arguments)
    if not os.path.isdir(given.root):
        parser.exit(1, f"warplens mcp: --root {given.root}: there is no such folder\n")
    limits = Limits(given.timeout, int(given.memory * (1 << 30)))
    if not can_confine():
        print("warplens mcp: this machine's kernel cannot keep compilers within --root (that needs Landlock, of Linux 5.13): a kernel can include "
              "any file that you may read. Run the server as a user who may read only what the agent may see.", file=sys.stderr, flush=True)
    tools = Tools(Root(given.root), limits, Reports())
    _end_runs_at_sigterm(tools)
    server = make_server(tools, given.at_once)
    if given.http is None:
        server.run("stdio")
    else:
        _serve_http(server, given.http)


if __name__ == "__main__":
    main()
