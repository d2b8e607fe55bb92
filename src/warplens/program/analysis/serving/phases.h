// Prefill and decode of a serving engine's trace, by the annotations that vLLM, SGLang and ATOM put around an
// iteration.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "warplens/program/analysis/intervals.h"
#include "warplens/trace/profile/profile.h"

namespace warplens::analysis {

enum class Phase : uint8_t { kPrefill, kDecode, kMixed };
inline constexpr size_t kPhases = 3;

std::string_view phase_name(Phase phase);  // "prefill", "decode", "mixed"
std::optional<Phase> phase_of_name(std::string_view name);

/// The contents of an iteration's annotation: requests, and tokens computed for them. Tokens are 0 if it has no number.
struct Iteration {
  Phase phase = Phase::kDecode;
  int64_t context_requests = 0, context_tokens = 0, generation_requests = 0, generation_tokens = 0;
};

/// "execute_context_2(6144)_generation_3(3)" and "execute_8192_context_9(sq8155...)_generation_37(sq37...)" of vLLM;
/// "step[EXTEND bs=15 toks=15360]" and "step[DECODE bs=32]" of SGLang; "prefill[bs=2 tok=14721 ...]" and
/// "decode[bs=117/128 tok=117 d=117]" of ATOM; no value for other names.
std::optional<Iteration> parse_iteration(std::string_view annotation);

/// Iterations of a rank as the host saw them: of annotations within each other the outermost, with the counts of the
/// one that says most.
struct IterationSpan {
  Iteration counts;
  Span host;
};
std::vector<IterationSpan> iterations(const Profile& profile, uint32_t rank);

/// All iterations of one phase, of all ranks.
struct PhaseSummary {
  Phase phase = Phase::kDecode;
  int64_t iterations = 0, requests = 0, tokens = 0;
  int64_t host_ns = 0;  // sum of the annotations
  int64_t busy_ns = 0;  // sum over the iterations of their devices' busy time, whenever that was
};

/// In the order of Phase; none where the trace has no such annotations.
std::vector<PhaseSummary> phase_summaries(const Profile& profile);

}  // namespace warplens::analysis
