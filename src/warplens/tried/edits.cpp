#include "warplens/tried/edits.h"

#include <algorithm>
#include <regex>
#include <set>

#include "warplens/base/text.h"

namespace warplens::tried {
namespace {

using Match = std::match_results<std::string::const_iterator>;

struct Insertion {
  size_t at;
  std::string text;
};

std::string with(std::string_view source, std::vector<Insertion> insertions) {
  std::ranges::sort(insertions, {}, &Insertion::at);
  std::string out;
  size_t from = 0;
  for (const Insertion& each : insertions) {
    out += source.substr(from, each.at - from);
    out += each.text;
    from = each.at;
  }
  return out + std::string(source.substr(from));
}

template <typename F>
void each_match(const KernelText& kernel, const Range& range, const std::regex& pattern, F visit) {
  const auto begin = kernel.clean.begin() + static_cast<std::ptrdiff_t>(range.begin),
             end = kernel.clean.begin() + static_cast<std::ptrdiff_t>(range.end);
  for (std::sregex_iterator it(begin, end, pattern), none; it != none; ++it)
    visit(*it, range.begin + static_cast<size_t>(it->position(0)));
}

std::string_view text_of(const KernelText& kernel, const Range& range) {
  return std::string_view(kernel.clean).substr(range.begin, range.end - range.begin);
}

/// Rows of shared arrays, one element longer: neighbours of a column lie on other banks.
void pad_shared_arrays(std::string_view source, const KernelText& kernel, std::vector<Edit>* edits) {
  static const std::regex kArray(
      R"(__shared__\s+[\w:]+(?:\s+\w+)?\s+(\w+)((?:\s*\[[^\]]+\])*)\s*\[([^\]]+)\]\s*\[([^\]]+)\]\s*;)");
  each_match(kernel, kernel.body, kArray, [&](const Match& m, size_t at) {
    const size_t end = at + static_cast<size_t>(m.position(4) - m.position(0) + m.length(4));
    edits->push_back({.what = fmt::format("pad the rows of {} by one element", m.str(1)),
                      .finding = "bank-conflict",
                      .source = with(source, {{end, " + 1"}})});
  });
}

/// Each array is reached by one pointer alone: loads may be moved across stores, and go by the read-only path.
void restrict_pointers(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch,
                       std::vector<Edit>* edits) {
  std::set<std::string> buffers;
  for (const launch::Argument& each : launch.args) {
    if (!each.buffer.empty() && !buffers.insert(each.buffer).second) return;  // two pointers to one array
  }
  std::vector<Insertion> insertions;
  for (const Range& parameter : parameters_of(kernel)) {
    const std::string_view text = text_of(kernel, parameter);
    const size_t star = text.rfind('*');
    if (star == std::string_view::npos || contains(text, "restrict")) continue;
    const bool spaced = star + 1 < text.size() && text[star + 1] == ' ';
    insertions.push_back({parameter.begin + star + 1, spaced ? " __restrict__" : " __restrict__ "});
  }
  if (!insertions.empty())
    edits->push_back({.what = "__restrict__ on all pointers", .source = with(source, std::move(insertions))});
}

/// Constants without an f make the arithmetic around them double precision.
void single_constants(std::string_view source, const KernelText& kernel, std::vector<Edit>* edits) {
  static const std::regex kConstant(R"((?:^|[^\w.])((?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![\w.]))");
  if (contains(text_of(kernel, kernel.body), "double") || contains(text_of(kernel, kernel.parameters), "double"))
    return;
  std::vector<Insertion> insertions;
  each_match(kernel, kernel.body, kConstant, [&](const Match& m, size_t at) {
    insertions.push_back({at + static_cast<size_t>(m.position(1) - m.position(0) + m.length(1)), "f"});
  });
  if (!insertions.empty())
    edits->push_back({.what = "an f on constants",
                      .finding = "accidental-double",
                      .source = with(source, std::move(insertions)),
                      .rounds_otherwise = true});
}

/// Lanes whose atomics go to one address, added up by one of them.
constexpr const char* kAddOfWarp = R"cu(extern "C++" {
template <class P, class V>
__device__ void add_of_warp(P* place, V value) {
  const unsigned all = __activemask(), same = __match_any_sync(all, (unsigned long long)place);
  P sum = 0;
  for (unsigned left = all; left; left &= left - 1) {
    const int lane = __ffs(left) - 1;
    const P one = __shfl_sync(all, (P)value, lane);
    if (same >> lane & 1) sum += one;
  }
  if ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32 == __ffs(same) - 1) atomicAdd(place, sum);
}
}
)cu";

/// A warp's atomics as one: additions whose result is not asked for.
void gather_atomics(std::string_view source, const KernelText& kernel, std::vector<Edit>* edits) {
  static const std::regex kStatement(R"([;{})]\s*(atomicAdd)\s*\()");
  std::vector<std::pair<size_t, size_t>> calls;
  each_match(kernel, kernel.body, kStatement, [&](const Match& m, size_t at) {
    calls.push_back({at + static_cast<size_t>(m.position(1) - m.position(0)), static_cast<size_t>(m.length(1))});
  });
  if (calls.empty()) return;
  std::string changed(source);
  for (auto call = calls.rbegin(); call != calls.rend(); ++call)
    changed.replace(call->first, call->second, "add_of_warp");
  const size_t before = source.rfind("__global__", kernel.name), templated = source.rfind("template", before);
  const bool own = templated != std::string_view::npos && source.find_first_of(";}", templated) > before;
  const size_t line = source.rfind('\n', own ? templated : before);
  changed.insert(line == std::string_view::npos ? 0 : line + 1, kAddOfWarp);
  edits->push_back({.what = "add up a warp's atomics to one address first",
                    .finding = "atomic-contention",
                    .source = std::move(changed),
                    .rounds_otherwise = true});
}

void bound_launches(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch,
                    std::vector<Edit>* edits) {
  if (contains(std::string_view(kernel.clean).substr(0, kernel.parameters.begin), "__launch_bounds__")) return;
  const uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  constexpr uint32_t kThreadsAnSm = 2048;
  const std::string bounds = fmt::format("__launch_bounds__({}", threads);
  edits->push_back({.what = bounds + ")", .finding = "spills", .source = with(source, {{kernel.name, bounds + ") "}})});
  if (threads < kThreadsAnSm)
    edits->push_back(
        {.what = fmt::format("{}, {})", bounds, kThreadsAnSm / threads),
         .finding = "low-occupancy",
         .source = with(source, {{kernel.name, fmt::format("{}, {}) ", bounds, kThreadsAnSm / threads)}})});
}

void unroll_loops(std::string_view source, const KernelText& kernel, std::vector<Edit>* edits) {
  static const std::regex kLoop(R"(\bfor\s*\()");
  constexpr int kTimes = 4;
  std::vector<Insertion> insertions;
  each_match(kernel, kernel.body, kLoop, [&](const Match&, size_t at) {
    insertions.push_back({at, fmt::format("_Pragma(\"unroll {}\") ", kTimes)});
  });
  if (!insertions.empty() && !contains(text_of(kernel, kernel.body), "unroll"))
    edits->push_back({.what = fmt::format("unroll loops {} times", kTimes),
                      .finding = "rolled-loop",
                      .source = with(source, std::move(insertions)),
                      .rounds_otherwise = true});
}

/// Other sizes of blocks of one dimension, where the kernel asks for its size: as many threads as before.
void resize_blocks(const KernelText& kernel, const launch::LaunchSpec& launch, std::vector<Edit>* edits) {
  const bool line =
      launch.block[1] * launch.block[2] * launch.grid[1] * launch.grid[2] == 1 && launch.dynamic_shared_bytes == 0;
  const std::string_view body = text_of(kernel, kernel.body);
  if (!line || !contains(body, "blockDim") || contains(body, "__shared__")) return;
  const uint64_t threads = uint64_t{launch.grid[0]} * launch.block[0];
  for (const uint32_t size : {64u, 128u, 256u, 512u, 1024u}) {
    if (size == launch.block[0] || threads % size != 0) continue;
    edits->push_back({.what = fmt::format("blocks of {} threads", size),
                      .finding = size > launch.block[0] ? "small-blocks" : "tail-effect",
                      .block = size,
                      .grid = static_cast<uint32_t>(threads / size)});
  }
}

}  // namespace

std::vector<Edit> edits_of(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch) {
  std::vector<Edit> edits;
  pad_shared_arrays(source, kernel, &edits);
  restrict_pointers(source, kernel, launch, &edits);
  single_constants(source, kernel, &edits);
  gather_atomics(source, kernel, &edits);
  bound_launches(source, kernel, launch, &edits);
  unroll_loops(source, kernel, &edits);
  resize_blocks(kernel, launch, &edits);
  return edits;
}

std::vector<Edit> option_edits() {
  return {{.what = "-use_fast_math",
           .finding = "precise-functions",
           .options = {"-use_fast_math"},
           .rounds_otherwise = true}};
}

std::string patch_of(const std::string& path, std::string_view before, std::string_view after) {
  const auto lines = [](std::string_view text) { return split(text, '\n'); };
  const auto old_lines = lines(before), new_lines = lines(after);
  std::string out = fmt::format("--- {}\n+++ {}\n", path, path);
  // Changes within lines leave their number; what is added stands in one place, before the others.
  const size_t more = new_lines.size() - std::min(new_lines.size(), old_lines.size());
  size_t first = 0;
  while (more && first < old_lines.size() && old_lines[first] == new_lines[first]) ++first;
  if (more) {
    out += fmt::format("@@ -{},0 +{},{} @@\n", first, first + 1, more);
    for (size_t k = first; k < first + more; ++k) out += fmt::format("+{}\n", new_lines[k]);
  }
  for (size_t k = first; k < old_lines.size(); ++k) {
    if (old_lines[k] == new_lines[k + more]) continue;
    out += fmt::format("@@ -{},1 +{},1 @@\n-{}\n+{}\n", k + 1, k + 1 + more, old_lines[k], new_lines[k + more]);
  }
  return out;
}

}  // namespace warplens::tried
