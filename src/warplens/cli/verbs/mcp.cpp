// warplens mcp: the server of the Python package, whose tools agents call.
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/python_part.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

Result<int> run_mcp(const Invocation& invocation) {
  WL_ASSIGN(const std::string python, python_with("mcp, warplens.agent.server", "mcp"));
  std::vector<std::string> words = module_words(python, "warplens.agent.server");
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
    "Serves over standard input and output. With --http, it serves streamable HTTP on the loopback to clients that "
    "have the printed token. Tools read only files under --root, run within limits of time and memory, and write "
    "nothing. An answer has at most 2 KB and lists the unknowns. The whole report is a resource. It needs the "
    "Python package mcp: run pip install '.[agents]' in a checkout.",
    {{"--root", "FOLDER", "the folder whose files tools may read", "."},
     {"--http", "PORT", "serve streamable HTTP on this port of the loopback"},
     {"--timeout", "SECONDS", "time limit of a run", "60"},
     {"--memory", "GIB", "memory limit of a run", "8"},
     {"--at-once", "N", "runs at the same time; others wait", "2"}},
    {{"warplens mcp --root kernels", "for clients that start their servers"},
     {"warplens mcp --http 8765", "on a port of the loopback"}},
    run_mcp,
    {},
    Prints::kNothing};

}  // namespace warplens::cli
