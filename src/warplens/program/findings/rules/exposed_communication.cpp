// exposed-communication: collectives during which nothing is computed.
#include "warplens/base/text.h"
#include "warplens/base/units.h"
#include "warplens/program/findings/rules.h"
#include "warplens/trace/profile/job/meetings.h"

namespace warplens::findings {
namespace {

/// Of the time that overlapping would hide, what slower kernels beside the collective take back (two H200 over NVLink).
constexpr double kContention = 0.5;

}  // namespace

std::optional<Finding> exposed_communication(const Context& c) {
  constexpr double kLeastExposed = 0.02, kMuchExposed = 0.25, kHardly = 0.1;
  std::vector<analysis::Span> communication, computation;
  Change change;
  std::vector<uint32_t> ops;
  bool shares_stream = false;
  int64_t all_to_all_ns = 0;
  std::vector<uint8_t> computes(c.program.streams.size(), 0);
  for (const ProgramEvent& event : c.program.events) {
    if (c.p.device_events.kind[event.row] != DeviceEventKind::kKernel) continue;
    const bool collective = c.is_communication(event);
    (collective ? communication : computation).push_back({c.start_of(event), c.start_of(event) + event.duration_ns});
    if (collective && job::function_of(c.event_name(event)) == job::Function::kAllToAll)
      all_to_all_ns += event.duration_ns;
    if (!collective) {
      computes[event.stream] = 1;
      continue;
    }
    change.prefetched.push_back(event.row);
    ops.push_back(c.op_of(event) == kNone ? kNone : c.root_of(c.op_of(event)));
  }
  if (communication.empty()) return std::nullopt;
  for (const ProgramEvent& event : c.program.events)
    shares_stream |= computes[event.stream] && c.is_communication(event);
  const analysis::TimeSet communicating = analysis::unite(std::move(communication));
  const int64_t steps = static_cast<int64_t>(c.program.steps);
  const int64_t exposed =
      analysis::length_ns(analysis::subtract(communicating, analysis::unite(std::move(computation)))) / steps;
  if (static_cast<double>(exposed) < kLeastExposed * static_cast<double>(c.step_ns)) return std::nullopt;
  Finding f;
  c.set_saving(f, change);
  f.saving_ns = static_cast<int64_t>(static_cast<double>(*f.saving_ns) * (1 - kContention));
  f.saving_fraction = *f.saving_fraction * (1 - kContention);
  f.level = *f.saving_fraction >= 0.2 ? Level::kCritical : *f.saving_fraction >= 0.03 ? Level::kWarn : Level::kInfo;
  const double share = static_cast<double>(exposed) / static_cast<double>(c.own_step_ns());
  const bool of_experts = 2 * all_to_all_ns > analysis::length_ns(communicating);
  const bool nothing_to_hide_it = share >= kMuchExposed && *f.saving_fraction < kHardly * share;
  if (nothing_to_hide_it) {
    f.saving_ns.reset();
    f.saving_fraction.reset();
    f.level = Level::kWarn;
  }
  f.title = fmt::format(
      "communication without computation beside it: {} of {} {}", format_ns(static_cast<double>(exposed)),
      format_ns(static_cast<double>(analysis::length_ns(communicating)) / static_cast<double>(steps)), c.each_step());
  f.detail = shares_stream ? "Collectives run on the stream that computes, so nothing can overlap with them. Half of "
                             "what overlap hides is taken to be lost to slower kernels beside it."
                           : "Half of what overlap hides is taken to be lost to slower kernels beside it.";
  f.advice = shares_stream
                 ? "Start collectives as soon as their gradients exist: DistributedDataParallel does it in buckets; by "
                   "hand, async_op=True from a hook and wait() before the optimizer."
                 : "Start collectives earlier or in smaller pieces: DDP's bucket_cap_mb and gradient_as_bucket_view, "
                   "FSDP's prefetch (forward_prefetch, BackwardPrefetch.BACKWARD_PRE).";
  if (nothing_to_hide_it) {
    f.detail =
        "There is too little computation to hide it behind; whether it transfers or waits for other ranks one "
        "rank's trace does not tell.";
    f.advice =
        "Send less (lower precision, larger shards, fewer and larger messages) or over faster links "
        "(NCCL_DEBUG=INFO names the transport), compute more between collectives, and compare the ranks: "
        "`warplens ranks` on all ranks' traces tells transfer from waiting.";
  }
  if (of_experts)
    f.advice =
        "Tokens travel to experts and back: compute one half of the batch while the other travels (two-batch overlap "
        "in "
        "SGLang, dual batch overlap in vLLM, DeepEP's receive hooks), spread experts so that no rank gets more tokens "
        "than others, and compare the ranks: `warplens ranks` on all ranks' traces tells transfer from waiting.";
  f.evidence = {{"exposed_ns", exposed},
                {"communication_ns", analysis::length_ns(communicating) / steps},
                {"collectives_per_step", c.per_step(static_cast<double>(change.prefetched.size()))},
                {"concerned_fraction", share}};
  f.where = c.places(ops);
  return f;
}

}  // namespace warplens::findings
