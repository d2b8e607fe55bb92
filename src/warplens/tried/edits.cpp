#include "warplens/tried/edits.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "warplens/base/text.h"

namespace warplens::tried {
namespace {

/// Rows of shared arrays, one element longer: neighbours of a column lie on other banks.
void pad_shared_arrays(std::string_view source, const KernelText& kernel, std::vector<Edit>* edits) {
  static const std::regex kArray(
      R"(__shared__\s+[\w:]+(?:\s+\w+)?\s+(\w+)((?:\s*\[[^\]]+\])*)\s*\[([^\]]+)\]\s*\[([^\]]+)\]\s*;)");
  each_match(kernel, kernel.body, kArray, [&](const Match& m, size_t at) {
    const size_t end = at + static_cast<size_t>(m.position(4) - m.position(0) + m.length(4));
    edits->push_back({.what = fmt::format("pad the rows of {} by one element", m.str(1)),
                      .answers = {"bank-conflict"},
                      .source = with(source, {{end, " + 1"}})});
  });
}

/// Each array is reached by one pointer alone: loads may be moved across stores, and go by the read-only path.
void restrict_pointers(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch,
                       std::vector<Edit>* edits) {
  std::vector<Insertion> insertions = restricted(kernel, launch);
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
                      .answers = {"accidental-double"},
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
                    .answers = {"atomic-contention"},
                    .source = std::move(changed),
                    .rounds_otherwise = true});
}

void bound_launches(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch,
                    std::vector<Edit>* edits) {
  if (contains(std::string_view(kernel.clean).substr(0, kernel.parameters.begin), "__launch_bounds__")) return;
  const uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  constexpr uint32_t kThreadsAnSm = 2048;
  const std::string bounds = fmt::format("__launch_bounds__({}", threads);
  edits->push_back(
      {.what = bounds + ")", .answers = {"spills"}, .source = with(source, {{kernel.name, bounds + ") "}})});
  if (threads < kThreadsAnSm)
    edits->push_back(
        {.what = fmt::format("{}, {})", bounds, kThreadsAnSm / threads),
         .answers = {"low-occupancy"},
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
                      .answers = {"rolled-loop"},
                      .source = with(source, std::move(insertions)),
                      .rounds_otherwise = true});
}

/// The bytes of a scalar as C++ writes them; nothing if it is no integer.
std::optional<std::string> integer_of(const launch::Argument& argument) {
  const size_t size = argument.bytes.size();
  if (size == 0 || size > sizeof(uint64_t) || !argument.buffer.empty() || argument.map) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, argument.bytes.data(), size);
  if (argument.text == "i32") return std::to_string(static_cast<int32_t>(bits));
  if (argument.text == "i64") return std::to_string(static_cast<int64_t>(bits)) + "LL";
  if (argument.text == "u32") return std::to_string(bits) + "u";
  if (argument.text == "u64") return std::to_string(bits) + "ull";
  return std::nullopt;
}

/// Sizes as the compiler would know them from a template: divisions become multiplications, loops unroll.
void fix_sizes(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch,
               std::vector<Edit>* edits) {
  KnownSizes known = known_sizes(kernel, launch);
  if (!known.names.empty())
    edits->push_back({.what = fmt::format("{} known to the compiler", fmt::join(known.names, ", ")),
                      .answers = {"integer-division"},
                      .source = with(source, std::move(known.insertions)),
                      .rounds_otherwise = true});
}

}  // namespace

std::vector<Insertion> restricted(const KernelText& kernel, const launch::LaunchSpec& launch) {
  std::set<std::string> buffers;
  for (const launch::Argument& each : launch.args) {
    if (!each.buffer.empty() && !buffers.insert(each.buffer).second) return {};  // two pointers to one array
  }
  std::vector<Insertion> insertions;
  for (const Range& parameter : parameters_of(kernel)) {
    const std::string_view text = text_of(kernel, parameter);
    const size_t star = text.rfind('*');
    if (star == std::string_view::npos || contains(text, "restrict")) continue;
    const bool spaced = star + 1 < text.size() && text[star + 1] == ' ';
    insertions.push_back({parameter.begin + star + 1, spaced ? " __restrict__" : " __restrict__ "});
  }
  return insertions;
}

KnownSizes known_sizes(const KernelText& kernel, const launch::LaunchSpec& launch) {
  static const std::regex kInteger(
      R"(^\s*((?:(?:const|unsigned|signed|int|long|short|size_t|u?int(?:32|64)_t)\s+)+)(\w+)\s*$)");
  const std::vector<Range> parameters = parameters_of(kernel);
  KnownSizes out;
  if (parameters.size() != launch.args.size()) return out;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const std::optional<std::string> value = integer_of(launch.args[k]);
    const std::string text(text_of(kernel, parameters[k]));
    std::smatch m;
    if (!value || !std::regex_match(text, m, kInteger)) continue;
    const std::string name = m.str(2);
    const std::regex changed("(?:\\+\\+|--|&)\\s*" + name + "\\b|\\b" + name +
                             R"(\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=)))");
    if (std::regex_search(std::string(text_of(kernel, kernel.body)), changed)) continue;
    out.insertions.push_back({parameters[k].begin + static_cast<size_t>(m.position(2) + m.length(2)), "_given"});
    out.insertions.push_back({kernel.body.begin + 1, fmt::format(" constexpr {}{} = {};", m.str(1), name, *value)});
    out.names.push_back(fmt::format("{} = {}", name, *value));
  }
  return out;
}

std::vector<Edit> edits_of(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch) {
  std::vector<Edit> edits;
  pad_shared_arrays(source, kernel, &edits);
  restrict_pointers(source, kernel, launch, &edits);
  single_constants(source, kernel, &edits);
  gather_atomics(source, kernel, &edits);
  bound_launches(source, kernel, launch, &edits);
  unroll_loops(source, kernel, &edits);
  fix_sizes(source, kernel, launch, &edits);
  return edits;
}

std::vector<Edit> option_edits() {
  return {{.what = "-use_fast_math",
           .answers = {"precise-functions"},
           .options = {"-use_fast_math"},
           .rounds_otherwise = true}};
}

namespace {

struct PatchLine {
  char mark;  // ' ', '-' or '+'
  std::string_view text;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out = split(text, '\n');
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

/// Changes within lines leave their number; what is added stands in one place, before the others.
std::vector<PatchLine> patch_lines(std::string_view before, std::string_view after) {
  const auto old_lines = lines_of(before), new_lines = lines_of(after);
  const size_t more = new_lines.size() - std::min(new_lines.size(), old_lines.size());
  size_t first = 0;
  while (more && first < old_lines.size() && old_lines[first] == new_lines[first]) ++first;
  std::vector<PatchLine> out;
  for (size_t k = 0; k < old_lines.size() || k == first; ++k) {
    if (k == first)
      for (size_t added = first; added < first + more; ++added) out.push_back({'+', new_lines[added]});
    if (k == old_lines.size()) break;
    const std::string_view changed = new_lines[k < first ? k : k + more];
    if (old_lines[k] == changed) {
      out.push_back({' ', old_lines[k]});
    } else {
      out.push_back({'-', old_lines[k]});
      out.push_back({'+', changed});
    }
  }
  return out;
}

}  // namespace

std::string patch_of(const std::string& path, std::string_view before, std::string_view after) {
  constexpr size_t kContext = 3;  // lines, as `git apply` wants them
  const std::vector<PatchLine> all = patch_lines(before, after);
  std::string out = fmt::format("--- {}\n+++ {}\n", path, path);
  size_t at = 0, old_line = 1, new_line = 1;
  const auto pass = [&](const PatchLine& line) { old_line += line.mark != '+', new_line += line.mark != '-'; };
  const auto changed = [](const PatchLine& line) { return line.mark != ' '; };
  while (true) {
    const auto next =
        static_cast<size_t>(std::find_if(all.begin() + static_cast<ptrdiff_t>(at), all.end(), changed) - all.begin());
    if (next == all.size()) return out;
    const size_t begin = std::max(at, next - std::min(next, kContext));
    size_t end = next, same = 0;
    for (size_t k = next; k < all.size() && same <= 2 * kContext; ++k) {
      same = changed(all[k]) ? 0 : same + 1;
      if (same == 0) end = k + 1;
    }
    end = std::min(end + kContext, all.size());
    for (; at < begin; ++at) pass(all[at]);
    const size_t old_first = old_line, new_first = new_line;
    std::string hunk;
    for (; at < end; ++at) {
      hunk += fmt::format("{}{}\n", all[at].mark, all[at].text);
      pass(all[at]);
    }
    out +=
        fmt::format("@@ -{},{} +{},{} @@\n{}", old_first, old_line - old_first, new_first, new_line - new_first, hunk);
  }
}

}  // namespace warplens::tried
