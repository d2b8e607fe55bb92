// warplens mcp: the server of the Python package, whose tools agents call.
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/python_part.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

Result<int> run_mcp(const Invocation& invocation) {
  WL_ASSIGN(const std::string python, python_with("mcp, warplens.agent.server", "agents"));
  std::vector<std::string> words = {python, "-m", "warplens.agent.server"};
  for (const char* flag : {"--root", "--http", "--timeout", "--memory", "--at-once"}) {
    if (invocation.has(flag)) words.insert(words.end(), {flag, invocation.text(flag)});
  }
  WL_TRY(become(python, words));
  return kExitOk;
}

}  // namespace

extern const Verb kMcp;
const Verb kMcp = {
    "mcp",
    "serve warplens to agents (Model Context Protocol)",
    "",
    "Serves over standard input and output; with --http over streamable HTTP on the loopback, for clients that have "
    "the "
    "token that it prints. Tools read files under --root alone, run within limits of time and memory, and write "
    "nothing. "
    "An answer has at most 2 KB and lists what it does not know; the whole report is a resource. Needs pip install "
    "'warplens[agents]'.",
    {{"--root", "FOLDER", "the folder whose files tools may read", "."},
     {"--http", "PORT", "serve streamable HTTP on this port of the loopback"},
     {"--timeout", "SECONDS", "time limit of a run", "60"},
     {"--memory", "GIB", "memory limit of a run", "8"},
     {"--at-once", "N", "runs at the same time; others wait", "2"}},
    {{"warplens mcp --root kernels", "for a client that starts its servers"},
     {"warplens mcp --http 8765", "on a port of the loopback"}},
    run_mcp,
    {},
    Prints::kNothing};

}  // namespace warplens::cli
