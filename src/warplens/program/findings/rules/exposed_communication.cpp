// exposed-communication: collectives during which nothing is computed.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"
#include "warplens/trace/profile/job/meetings.h"

namespace warplens::findings {
namespace {

/// Of the time that overlapping would hide, what slower kernels beside the collective take back (two H200 over NVLink).
constexpr double kContention = 0.5;

struct Words {
  const char *detail, *advice;
};

constexpr Words kOnTheComputingStream = {
    "Collectives run on the stream that computes, so nothing can overlap with them. The saving assumes that half of "
    "the hidden time is lost to slower kernels.",
    "Start collectives as soon as their gradients exist: DistributedDataParallel does it in buckets; by hand, "
    "async_op=True from a hook and wait() before the optimizer."};

constexpr Words kOnTheirOwnStream = {
    "The saving assumes that half of the hidden time is lost to slower kernels.",
    "Start collectives earlier or in smaller pieces: DDP's bucket_cap_mb and gradient_as_bucket_view, FSDP's prefetch "
    "(forward_prefetch, BackwardPrefetch.BACKWARD_PRE)."};

constexpr Words kNothingToHideIt = {
    "There is too little computation to hide it. One rank's trace does not show if this time is transfer or waiting "
    "for other ranks.",
    "Send less (lower precision, larger shards, fewer and larger messages), or use faster links (NCCL_DEBUG=INFO "
    "names the transport). Compute more between collectives. Compare the ranks: `warplens ranks` on all ranks' "
    "traces separates transfer from waiting."};

constexpr const char* kOfExperts =
    "Compute half of the batch while the other half's tokens travel to experts (two-batch overlap in SGLang, dual "
    "batch overlap in vLLM, DeepEP's receive hooks). Spread experts so that no rank gets more tokens than others. "
    "Compare the ranks: `warplens ranks` on all ranks' traces separates transfer from waiting.";

/// The collectives of all steps, and the computation beside them.
struct Exchange {
  analysis::TimeSet communicating, computing;
  Change earlier;             // every collective starts as soon as its data is there
  std::vector<uint32_t> ops;  // outermost operators that asked for them
  int64_t all_to_all_ns = 0;
  bool shares_stream = false;  // with computation
};

Exchange exchange_of(const Context& c) {
  Exchange out;
  std::vector<analysis::Span> communication, computation;
  std::vector<uint8_t> computes(c.program.streams.size(), 0);
  for (const ProgramEvent& event : c.program.events) {
    if (c.p.device_events.kind[event.row] != DeviceEventKind::kKernel) continue;
    const analysis::Span span{c.start_of(event), c.start_of(event) + event.duration_ns};
    if (!c.is_communication(event)) {
      computation.push_back(span);
      computes[event.stream] = 1;
      continue;
    }
    communication.push_back(span);
    if (job::function_of(c.event_name(event)) == job::Function::kAllToAll) out.all_to_all_ns += event.duration_ns;
    out.earlier.prefetched.push_back(event.row);
    out.ops.push_back(c.op_of(event) == kNone ? kNone : c.root_of(c.op_of(event)));
  }
  for (const ProgramEvent& event : c.program.events)
    out.shares_stream |= computes[event.stream] && c.is_communication(event);
  out.communicating = analysis::unite(std::move(communication));
  out.computing = analysis::unite(std::move(computation));
  return out;
}

}  // namespace

std::optional<Finding> exposed_communication(const Context& c) {
  constexpr double kLeastExposed = 0.02, kMuchExposed = 0.25, kHardly = 0.1;
  const Exchange exchange = exchange_of(c);
  if (exchange.communicating.empty()) return std::nullopt;
  const int64_t steps = static_cast<int64_t>(c.program.steps), sent_ns = analysis::length_ns(exchange.communicating);
  const int64_t exposed_ns =
      analysis::length_ns(analysis::subtract(exchange.communicating, exchange.computing)) / steps;
  if (static_cast<double>(exposed_ns) < kLeastExposed * static_cast<double>(c.step_ns)) return std::nullopt;
  Finding f;
  c.set_saving(f, exchange.earlier);
  f.saving_ns = static_cast<int64_t>(static_cast<double>(*f.saving_ns) * (1 - kContention));
  f.saving_fraction = *f.saving_fraction * (1 - kContention);
  f.level = level_of(*f.saving_fraction);
  const double share = static_cast<double>(exposed_ns) / static_cast<double>(c.own_step_ns());
  const bool nothing_to_hide_it = share >= kMuchExposed && *f.saving_fraction < kHardly * share;
  if (nothing_to_hide_it) {
    f.saving_ns.reset();
    f.saving_fraction.reset();
    f.level = Level::kWarn;
  }
  const Words& words = nothing_to_hide_it       ? kNothingToHideIt
                       : exchange.shares_stream ? kOnTheComputingStream
                                                : kOnTheirOwnStream;
  f.title = fmt::format("communication without computation at the same time: {} of {} {}",
                        format_ns(static_cast<double>(exposed_ns)),
                        format_ns(static_cast<double>(sent_ns) / static_cast<double>(steps)), c.each_step());
  f.detail = words.detail;
  f.advice = 2 * exchange.all_to_all_ns > sent_ns ? kOfExperts : words.advice;
  f.evidence = {{"exposed_ns", exposed_ns},
                {"communication_ns", sent_ns / steps},
                {"collectives_per_step", c.per_step(static_cast<double>(exchange.earlier.prefetched.size()))},
                {"concerned_fraction", share}};
  f.where = c.places(exchange.ops);
  return f;
}

}  // namespace warplens::findings
