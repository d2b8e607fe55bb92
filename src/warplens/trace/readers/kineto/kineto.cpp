// Traces of torch.profiler (kineto) and other Chrome trace JSON.
#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/trace/readers/format.h"
#include "warplens/trace/readers/kineto/document.h"
#include "warplens/trace/readers/kineto/pipeline.h"
#include "warplens/trace/readers/recognise.h"

namespace warplens {
namespace kineto {
namespace {

bool sniff(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

Status read(Input& input, const ReadOptions& options, Profile& profile) {
  RankBuilder rank(profile, input.name());
  Document document(rank);
  Pipeline(input, document, options.threads ? options.threads : default_threads(), options.block_bytes).run();
  const Status damage = input.damage();
  document.end(!damage.ok());
  if (!damage.ok())
    rank.integrity().add(
        "damaged-file", Severity::kError, 1,
        fmt::format("{}: {}; {} whole events were read before", input.name(), damage.message(), rank.events()),
        "the rest of the recording is missing: copy or record the trace again");
  if (!document.found_events() || rank.is_empty()) {
    if (const auto what = recognise(input.head(), input.name())) return invalid_input(input.name() + ": " + *what);
    const std::string why = damage.ok() ? "" : " (" + damage.message() + ")";
    return invalid_input(fmt::format(
        "{}: {}{}; give a trace that torch.profiler exported", input.name(),
        document.found_events() ? "no whole event in its traceEvents" : "JSON without a list of traceEvents", why));
  }
  rank.finish();
  return {};
}

}  // namespace
}  // namespace kineto

extern const TraceFormat kKineto;
const TraceFormat kKineto = {"torch.profiler (kineto) and Chrome trace JSON", kineto::sniff, kineto::read};

}  // namespace warplens
