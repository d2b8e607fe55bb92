// Several neighbours a thread, whose loads and stores the compiler joins into 16 bytes where it can prove their
// alignment.
#include <algorithm>
#include <set>

#include "warplens/base/text.h"
#include "warplens/tried/edits.h"

namespace warplens::tried {
namespace {

constexpr uint64_t kBytes = 16;  // of the widest load

/// The number of a thread in its grid, as most kernels write it.
const std::regex& thread_number() {
  static const std::regex kNumber(R"((?:\(\s*(?:size_t|int|unsigned|long long|u?int64_t)\s*\)\s*)?)"
                                  R"((?:blockIdx\s*\.\s*x\s*\*\s*(blockDim\s*\.\s*x|\d+)\s*\+\s*threadIdx\s*\.\s*x\b|)"
                                  R"(blockDim\s*\.\s*x\s*\*\s*blockIdx\s*\.\s*x\s*\+\s*threadIdx\s*\.\s*x\b|)"
                                  R"(threadIdx\s*\.\s*x\s*\+\s*blockIdx\s*\.\s*x\s*\*\s*(blockDim\s*\.\s*x\b|\d+\b)|)"
                                  R"(threadIdx\s*\.\s*x\s*\+\s*blockDim\s*\.\s*x\s*\*\s*blockIdx\s*\.\s*x\b))");
  return kNumber;
}

/// Other ways in which threads or lanes see which one they are, or each other.
bool looks_elsewhere(const std::string& text) {
  static const std::regex kOthers(
      R"(\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize|__shared__|__sync\w*|__shfl\w*|__ballot\w*|__any\w*|)"
      R"(__all\w*|__match\w*|__activemask|__reduce\w*|cooperative_groups|asm)\b)");
  return std::regex_search(text, kOthers);
}

/// Of an element, or 0 where its type is not one of the language's.
uint64_t bytes_of(const std::string& type) {
  static const std::pair<const char*, uint64_t> kTypes[] = {{R"(\b(?:double|long|u?int64_t|size_t)\b)", 8},
                                                            {R"(\b(?:u?int8_t|char|bool)\b)", 1},
                                                            {R"(\b(?:short|half|__half|__nv_bfloat16|u?int16_t)\b)", 2},
                                                            {R"(\b(?:float|int|unsigned|u?int32_t)\b)", 4}};
  for (const auto& [pattern, bytes] : kTypes) {
    if (std::regex_search(type, std::regex(pattern))) return bytes;
  }
  return 0;
}

struct Pointer {
  std::string name;
  uint64_t bytes = 0;  // of an element
};

/// The kernel's pointers; nothing where one is not aligned for the widest load, or two may reach the same array.
std::optional<std::vector<Pointer>> aligned_pointers(const KernelText& kernel, const launch::LaunchSpec& launch) {
  static const std::regex kPointer(R"(^([^*]*)\*\s*(?:__restrict__|__restrict)?\s*(\w+)\s*$)");
  const std::vector<Range> parameters = parameters_of(kernel);
  if (parameters.size() != launch.args.size()) return std::nullopt;
  std::vector<Pointer> out;
  std::set<std::string> buffers;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const launch::Argument& argument = launch.args[k];
    if (argument.buffer.empty()) continue;
    const std::string text(text_of(kernel, parameters[k]));
    std::smatch m;
    const bool whole = argument.offset_bytes % static_cast<int64_t>(kBytes) == 0;
    if (!whole || !buffers.insert(argument.buffer).second || !std::regex_match(text, m, kPointer)) return std::nullopt;
    out.push_back({m.str(2), bytes_of(m.str(1))});
    if (out.back().bytes == 0) return std::nullopt;
  }
  if (out.empty()) return std::nullopt;
  return out;
}

/// The only place where the body asks for the thread's number, where nothing binds more closely than the sum does;
/// nothing if it asks otherwise or more than once.
std::optional<Range> only_number(const KernelText& kernel, const launch::LaunchSpec& launch) {
  std::vector<Range> found;
  bool same_block = true;
  each_match(kernel, kernel.body, thread_number(), [&](const Match& m, size_t at) {
    found.push_back({at, at + static_cast<size_t>(m.length(0))});
    for (const size_t group : {1u, 2u}) {
      const std::string block = m.str(group);
      const bool literal = !block.empty() && block.find_first_not_of("0123456789") == std::string::npos;
      same_block &= !literal || block == std::to_string(launch.block[0]);
    }
  });
  if (found.size() != 1 || !same_block) return std::nullopt;
  const std::string before(text_of(kernel, {kernel.body.begin, found[0].begin})),
      after(text_of(kernel, {found[0].end, kernel.body.end}));
  if (looks_elsewhere(before) || looks_elsewhere(after)) return std::nullopt;
  const size_t last = before.find_last_not_of(" \t\n"), next = after.find_first_not_of(" \t\n");
  const bool bound = std::string_view("*/%-.>&").find(before[last]) != std::string_view::npos ||
                     std::string_view("*/%.[").find(after[next]) != std::string_view::npos;
  if (bound) return std::nullopt;
  return found[0];
}

}  // namespace

std::vector<Edit> wide_edits(std::string_view source, const KernelText& kernel, const launch::LaunchSpec& launch) {
  const bool one_axis = launch.grid[1] * launch.grid[2] * launch.block[1] * launch.block[2] == 1;
  if (!one_axis || launch.cluster[0] != 1 || launch.dynamic_shared_bytes != 0) return {};
  const auto pointers = aligned_pointers(kernel, launch);
  const auto number = only_number(kernel, launch);
  if (!pointers || !number) return {};
  const uint64_t smallest = std::ranges::min_element(*pointers, {}, &Pointer::bytes)->bytes, each = kBytes / smallest;
  if (each < 2 || launch.grid[0] % each != 0) return {};
  // What the launch proves: where arrays begin, how far threads count, and the sizes.
  std::string begin;
  for (const Pointer& pointer : *pointers)
    begin += fmt::format(" {0} = (decltype({0}))__builtin_assume_aligned({0}, {1});", pointer.name, kBytes);
  begin += " const auto neighbour_ = [&](const unsigned which_) {";
  begin += fmt::format(
      " const auto number_ = [&](auto thread) {{ const auto n_ = thread * {0} + which_; __builtin_assume(n_ < {1}); "
      "return n_; }};",
      each, uint64_t{launch.grid[0]} * launch.block[0]);
  KnownSizes known = known_sizes(kernel, launch);
  std::vector<Insertion> insertions = restricted(kernel, launch);
  std::ranges::move(known.insertions, std::back_inserter(insertions));
  insertions.push_back({kernel.body.begin + 1, begin});
  insertions.push_back({number->begin, "number_("});
  insertions.push_back({number->end, ")"});
  insertions.push_back(
      {kernel.body.end - 1,
       fmt::format("}}; _Pragma(\"unroll\") for (unsigned k_ = 0; k_ < {}; ++k_) neighbour_(k_); ", each)});
  Edit edit{.what = fmt::format("{} neighbours a thread, in loads of {} bytes", each, kBytes),
            .answers = {"unvectorised-access"},
            .source = with(source, std::move(insertions)),
            .shape = Shape{.grid = {static_cast<uint32_t>(launch.grid[0] / each), 1, 1}, .block = launch.block},
            .rounds_otherwise = true};
  return {std::move(edit)};
}

}  // namespace warplens::tried
