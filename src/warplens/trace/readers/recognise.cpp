#include "warplens/trace/readers/recognise.h"

#include "warplens/base/text.h"

namespace warplens {
namespace {

using std::string_view_literals::operator""sv;

constexpr size_t kTarMagicAt = 257;

struct Known {
  std::string_view starts;    // how it begins, spaces in front left out; empty: in any way
  std::string_view contains;  // and what its first 64 KB hold
  std::string_view ending;    // and how its name ends
  std::string_view what;      // with what to do
};

// clang-format off
constexpr Known kKnown[] = {
    {{}, {}, ".nsys-rep", "a report of Nsight Systems that is cut off or damaged: convert it with nsys export "
                          "--type sqlite"},
    {"NVR\0"sv, {}, {}, "a report of Nsight Compute, which holds counters: `warplens kernel FILE` reads it"},
    {{}, {}, ".ncu-rep", "a report of Nsight Compute that is cut off or damaged"},
    {"PK\x03\x04"sv, {}, {}, "a zip archive: unpack it and give the traces in it"},
    {"\x80"sv, {}, ".pickle", "a pickle, such as torch.cuda.memory._dump_snapshot() writes, not a trace. Read it "
                              "with `warplens memory`"},
    {"\x80\x04"sv, {}, {}, "a pickle, such as torch.cuda.memory._dump_snapshot() writes, not a trace. Read it with "
                           "`warplens memory`"},
    {{}, "https://www.speedscope.app", {}, "a speedscope profile: it holds stacks, not kernels"},
    {"{", "-chakra", {}, "an execution trace (ExecutionTraceObserver): it has no times; give the kineto trace of the same run"},
    {"{", "\"rf_id\"", {}, "an execution trace (ExecutionTraceObserver): it has no times; give the kineto trace of the same run"},
    {{}, {}, ".xplane.pb", "an XSpace of XLA's profiler that is cut off or damaged"},
    {{}, {}, ".hlo_proto.pb", "an HLO module of XLA: a program, not a recording of one"},
    {{}, {}, "_stats.pb", "a table of TensorBoard's profiler, made from a trace: give the trace"},
    {{}, {}, "_pipeline.pb", "a table of TensorBoard's profiler, made from a trace: give the trace"},
    {{}, {}, "_page.pb", "a table of TensorBoard's profiler, made from a trace: give the trace"},
    {{}, {}, ".pftrace", "a trace of Perfetto that is cut off or damaged"},
    {{}, {}, ".perfetto-trace", "a trace of Perfetto that is cut off or damaged"},
    {"==PROF=="sv, {}, {}, "output of ncu, which holds counters: `warplens kernel FILE` reads the output of ncu "
                           "--csv"},
    {"\"ID\",\"Process ID\""sv, {}, {}, "a table of ncu, which holds counters: `warplens kernel FILE` reads it"},
    {"version https://git-lfs"sv, {}, {}, "a pointer of Git LFS, not the file: fetch it with `git lfs pull`"},
    {"<"sv, {}, {}, "HTML or XML: give the trace that it was made from"},
};
// clang-format on

/// [[-1, 1, 37888, 7], ...]: time, action, bytes, category.
bool is_memory_timeline(std::string_view text) {
  if (!text.starts_with('[')) return false;
  const size_t inner = text.find_first_not_of(" \t\r\n", 1);
  return inner != std::string_view::npos && text[inner] == '[' &&
         text.find_first_not_of("[]-+.,0123456789eE \t\r\n") == std::string_view::npos;
}

bool fits(const Known& known, std::string_view text, std::string_view head, std::string_view name) {
  return text.starts_with(known.starts) && (known.contains.empty() || contains(head, known.contains)) &&
         name.ends_with(known.ending);
}

}  // namespace

std::optional<std::string> recognise(std::string_view head, std::string_view file_name) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (file_name.ends_with(packed)) file_name.remove_suffix(packed.size());
  }
  const size_t first = head.find_first_not_of(" \t\r\n");
  const std::string_view text = first == std::string_view::npos ? head : head.substr(first);
  if (head.size() > kTarMagicAt && head.substr(kTarMagicAt).starts_with("ustar"))
    return "a tar archive: unpack it and give the traces in it";
  if (is_memory_timeline(text)) return "a memory timeline (export_memory_timeline): give the trace it was made from";
  for (const Known& known : kKnown) {
    if (fits(known, text, head, file_name)) return std::string(known.what);
  }
  if (text.starts_with('[') && !contains(head, "\"ph\"") && !contains(head, "'ph'"))
    return "a JSON array whose entries are not a trace's events";
  return std::nullopt;
}

}  // namespace warplens
