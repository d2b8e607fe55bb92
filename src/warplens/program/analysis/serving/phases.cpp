#include "warplens/program/analysis/serving/phases.h"

#include <algorithm>
#include <array>
#include <string>

#include "warplens/base/text.h"
#include "warplens/program/analysis/causes.h"
#include "warplens/trace/profile/name_memo.h"

namespace warplens::analysis {
namespace {

constexpr std::array<std::string_view, kPhases> kNames = {"prefill", "decode", "mixed"};

/// The whole number that `text` begins with; 0 where it begins with none.
int64_t leading_number(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  return parse_int(text.substr(0, digits)).value_or(0);
}

/// The number behind `key`, at the text's begin or behind a space; 0 where it has none.
int64_t field(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at == 0 || text[at - 1] == ' ') return leading_number(text.substr(at + key.size()));
  }
  return 0;
}

Phase phase_of(const Iteration& counts) {
  return counts.context_requests == 0      ? Phase::kDecode
         : counts.generation_requests == 0 ? Phase::kPrefill
                                           : Phase::kMixed;
}

/// "9(8155)" or "9(sq8155sk8430...)": requests and their tokens.
void requests_and_tokens(std::string_view text, int64_t& requests, int64_t& tokens) {
  requests = leading_number(text);
  const size_t open = text.find('(');
  if (open == std::string_view::npos) return;
  text.remove_prefix(open + 1);
  if (text.starts_with("sq")) text.remove_prefix(2);
  tokens = leading_number(text);
}

std::optional<Iteration> parse_vllm(std::string_view name) {
  constexpr std::string_view kContext = "context_", kGeneration = ")_generation_";
  const size_t context = name.find(kContext), generation = name.find(kGeneration);
  if (!name.starts_with("execute_") || context == std::string_view::npos || generation == std::string_view::npos)
    return std::nullopt;
  Iteration out;
  requests_and_tokens(name.substr(context + kContext.size()), out.context_requests, out.context_tokens);
  requests_and_tokens(name.substr(generation + kGeneration.size()), out.generation_requests, out.generation_tokens);
  out.phase = phase_of(out);
  return out;
}

/// The text between the brackets of "step[...]".
std::string_view bracketed(std::string_view name, std::string_view before) {
  if (!name.starts_with(before) || name.size() <= before.size() || name[before.size()] != '[') return {};
  name.remove_prefix(before.size() + 1);
  return name.substr(0, name.rfind(']'));
}

std::optional<Iteration> parse_sglang(std::string_view name) {
  const std::string_view inner = bracketed(name, "step");
  Iteration out;
  const int64_t requests = field(inner, "bs=");
  if (inner.starts_with("EXTEND")) {
    out.phase = Phase::kPrefill;
    out.context_requests = requests;
    out.context_tokens = field(inner, "toks=");
  } else if (inner.starts_with("DECODE")) {
    const int64_t tokens = field(inner, "g_sq=");  // more than one a request with speculation
    out.generation_requests = requests;
    out.generation_tokens = tokens ? tokens : requests;
  } else if (inner.starts_with("MIXED")) {
    out.phase = Phase::kMixed;
    out.context_requests = field(inner, "c=");
    out.generation_requests = field(inner, "g=");
    out.context_tokens = field(inner, "c_sq=");
    out.generation_tokens = field(inner, "g_sq=");
  } else {
    return std::nullopt;
  }
  return out;
}

std::optional<Iteration> parse_atom(std::string_view name) {
  Iteration out;
  if (const std::string_view inner = bracketed(name, "prefill"); !inner.empty()) {
    out.context_requests = field(inner, "bs=");
    out.context_tokens = field(inner, "tok=");
    out.phase = Phase::kPrefill;
    return out;
  }
  const std::string_view inner = bracketed(name, "decode");
  if (inner.empty()) return std::nullopt;
  out.context_requests = field(inner, "p=");
  out.generation_requests = field(inner, "bs=") - out.context_requests;
  out.generation_tokens = field(inner, "tok=");
  out.phase = phase_of(out);
  return out;
}

}  // namespace

std::string_view phase_name(Phase phase) { return kNames[static_cast<size_t>(phase)]; }

std::optional<Phase> phase_of_name(std::string_view name) {
  for (size_t i = 0; i < kPhases; ++i) {
    if (kNames[i] == name) return static_cast<Phase>(i);
  }
  return std::nullopt;
}

std::optional<Iteration> parse_iteration(std::string_view name) {
  if (const auto vllm = parse_vllm(name)) return vllm;
  if (const auto sglang = parse_sglang(name)) return sglang;
  return parse_atom(name);
}

std::vector<IterationSpan> iterations(const Profile& p, uint32_t rank) {
  NameMemo parsed(p, parse_iteration);
  std::vector<IterationSpan> out;
  for (uint32_t row = 0; row < p.operators.size(); ++row) {
    if (p.operators.kind[row] != OperatorKind::kRange || rank_of_operator(p, row) != rank) continue;
    if (const std::optional<Iteration> counts = parsed(p.operators.name[row]))
      out.push_back({*counts, {p.operators.start_ns[row], p.operators.start_ns[row] + p.operators.duration_ns[row]}});
  }
  std::sort(out.begin(), out.end(), [](const IterationSpan& a, const IterationSpan& b) {
    return a.host.start_ns != b.host.start_ns ? a.host.start_ns < b.host.start_ns : a.host.end_ns > b.host.end_ns;
  });
  const auto tokens = [](const IterationSpan& it) { return it.counts.context_tokens + it.counts.generation_tokens; };
  std::vector<IterationSpan> outer;
  for (const IterationSpan& it : out) {
    if (outer.empty() || it.host.start_ns >= outer.back().host.end_ns) outer.push_back(it);
    else if (tokens(it) > tokens(outer.back())) outer.back().counts = it.counts;
  }
  return outer;
}

std::vector<PhaseSummary> phase_summaries(const Profile& p) {
  std::array<PhaseSummary, kPhases> sums;
  RowLinks event_call;
  for (uint32_t rank = 0; rank < p.ranks.size(); ++rank) {
    const std::vector<IterationSpan> spans = iterations(p, rank);
    if (spans.empty()) continue;
    if (event_call.empty()) event_call = link_device_calls(p);
    std::vector<std::vector<Span>> work(spans.size());
    for (uint32_t row = 0; row < p.device_events.size(); ++row) {
      const uint32_t call = event_call[row];
      if (call == kNone || !is_device_work(p.device_events.kind[row]) || rank_of_event(p, row) != rank) continue;
      const int64_t launched = p.calls.start_ns[call];
      const auto after =
          std::upper_bound(spans.begin(), spans.end(), launched,
                           [](int64_t time, const IterationSpan& it) { return time < it.host.start_ns; });
      if (after == spans.begin() || launched >= std::prev(after)->host.end_ns) continue;
      const int64_t start = p.device_events.start_ns[row];
      work[static_cast<size_t>(after - spans.begin()) - 1].push_back({start, start + p.device_events.duration_ns[row]});
    }
    for (size_t i = 0; i < spans.size(); ++i) {
      PhaseSummary& sum = sums[static_cast<size_t>(spans[i].counts.phase)];
      const Iteration& counts = spans[i].counts;
      ++sum.iterations;
      sum.requests += counts.context_requests + counts.generation_requests;
      sum.tokens += counts.context_tokens + counts.generation_tokens;
      sum.host_ns += spans[i].host.end_ns - spans[i].host.start_ns;
      sum.busy_ns += length_ns(unite(std::move(work[i])));
    }
  }
  std::vector<PhaseSummary> out;
  for (size_t i = 0; i < kPhases; ++i) {
    if (sums[i].iterations) {
      out.push_back(sums[i]);
      out.back().phase = static_cast<Phase>(i);
    }
  }
  return out;
}

}  // namespace warplens::analysis
