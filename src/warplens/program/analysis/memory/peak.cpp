#include "warplens/program/analysis/memory/peak.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "warplens/base/timing.h"
#include "warplens/program/analysis/links.h"
#include "warplens/program/analysis/operators/memory_sums.h"
#include "warplens/program/analysis/python_stack.h"

namespace warplens::analysis {
namespace {

// They allocate for whoever called them.
constexpr std::array<std::string_view, 10> kAllocating = {
    "aten::empty",   "aten::empty_like",     "aten::empty_strided", "aten::new_empty", "aten::new_empty_strided",
    "aten::resize_", "aten::empty_permuted", "aten::zeros",         "aten::ones",      "aten::full"};

bool only_allocates(std::string_view name) {
  return std::find(kAllocating.begin(), kAllocating.end(), name) != kAllocating.end();
}

/// Rows of device allocations of `rank`, by time.
std::vector<uint32_t> device_rows(const Profile& p, uint32_t rank) {
  const auto& t = p.allocations;
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < t.size(); ++row) {
    if (p.threads.rank[t.thread[row]] == rank && memory_change(p, row).device_bytes != 0) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return t.time_ns[a] < t.time_ns[b]; });
  return rows;
}

/// Rows of the blocks that were allocated up to row `peak` and not freed by then.
std::vector<uint32_t> live_at(const Profile& p, const std::vector<uint32_t>& rows, uint32_t peak) {
  const auto& t = p.allocations;
  std::unordered_map<uint64_t, uint32_t> live;
  for (const uint32_t row : rows) {
    if (t.device_ordinal[row] == t.device_ordinal[peak]) {
      if (t.bytes[row] > 0) live[t.address[row]] = row;
      else live.erase(t.address[row]);
    }
    if (row == peak) break;
  }
  std::vector<uint32_t> out;
  for (const auto& [address, row] : live) out.push_back(row);
  return out;
}

class Owners {
 public:
  Owners(const Profile& p, const Forest& operators, const Forest& frames)
      : p_(p), operators_(operators), frames_(frames), backward_(link_backward(p, operators)) {}

  MemoryOwner of(uint32_t row) const {
    const auto& ops = p_.operators;
    uint32_t op = innermost_at(operators_, ops.start_ns.values(), ops.duration_ns.values(), p_.allocations.thread[row],
                               p_.allocations.time_ns[row]);
    while (op != kNone && operators_.parent[op] != kNone && only_allocates(p_.text(ops.name[op])))
      op = operators_.parent[op];
    MemoryOwner owner;
    owner.name = op == kNone ? "outside any operator" : std::string(p_.text(ops.name[op]));
    const uint32_t cause = op == kNone ? kNone : backward_.cause[op];
    const uint32_t frame = frame_of(cause == kNone ? op : cause, row);
    if (frame == kNone) {
      if (op != kNone) owner.module = p_.text(ops.module[op]);
      return owner;
    }
    owner.module = module_path(p_, frames_, frame);
    if (const uint32_t line = enclosing_user_frame(p_, frames_, frame); line != kNone)
      owner.line = p_.text(p_.python_frames.name[line]);
    return owner;
  }

 private:
  /// The innermost Python frame around an operator, or around the allocation itself where there is none.
  uint32_t frame_of(uint32_t op, uint32_t row) const {
    if (frames_.size() == 0) return kNone;
    const auto& t = p_.python_frames;
    const uint32_t thread = op == kNone ? p_.allocations.thread[row] : p_.operators.thread[op];
    const int64_t time_ns = op == kNone ? p_.allocations.time_ns[row] : p_.operators.start_ns[op];
    return innermost_at(frames_, t.start_ns.values(), t.duration_ns.values(), thread, time_ns);
  }

  const Profile& p_;
  const Forest& operators_;
  const Forest& frames_;
  BackwardLinks backward_;
};

}  // namespace

std::string MemoryOwner::place() const {
  std::string out = name;
  if (!module.empty()) out += " in " + module;
  if (!line.empty()) out += " at " + line;
  return out;
}

int64_t most_allocated_bytes(const Profile& p) {
  int64_t most = 0;
  for (uint32_t row = 0; row < p.allocations.size(); ++row) {
    if (p.allocations.device_type[row] != 0) most = std::max(most, p.allocations.total_allocated_bytes[row]);
  }
  return most;
}

std::optional<MemoryPeak> memory_peak(const Profile& p, uint32_t rank, const Forest& operators, const Forest& frames) {
  const TimedScope timed("memory at its peak");
  const std::vector<uint32_t> rows = device_rows(p, rank);
  if (rows.empty()) return std::nullopt;
  const auto& t = p.allocations;
  const uint32_t peak = *std::max_element(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return t.total_allocated_bytes[a] < t.total_allocated_bytes[b];
  });
  if (t.total_allocated_bytes[peak] <= 0) return std::nullopt;  // profilers before 2021 give no totals
  MemoryPeak out{t.device_ordinal[peak],        t.time_ns[peak],
                 t.total_allocated_bytes[peak], t.total_reserved_bytes[peak],
                 t.total_allocated_bytes[peak], {}};
  const Owners owners(p, operators, frames);
  std::map<std::tuple<std::string, std::string, std::string>, MemoryOwner> by_place;
  for (const uint32_t row : live_at(p, rows, peak)) {
    MemoryOwner owner = owners.of(row);
    MemoryOwner& sum = by_place.try_emplace({owner.name, owner.module, owner.line}, owner).first->second;
    sum.bytes += t.bytes[row];
    ++sum.blocks;
    out.before_bytes -= t.bytes[row];
  }
  for (auto& [place, owner] : by_place) out.owners.push_back(std::move(owner));
  std::stable_sort(out.owners.begin(), out.owners.end(),
                   [](const MemoryOwner& a, const MemoryOwner& b) { return a.bytes > b.bytes; });
  return out;
}

}  // namespace warplens::analysis
