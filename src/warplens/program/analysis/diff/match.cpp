#include "warplens/program/analysis/diff/match.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace warplens::analysis::diff {
namespace {

using Rows = std::vector<uint32_t>;
using Keyed = std::map<std::string, std::pair<Rows, Rows>>;  // rows of either side that are still without a partner

// '\n' is in no name. Copies never stand for kernels.
std::string tagged(const KernelCost& k, std::string_view key) {
  return std::to_string(static_cast<int>(k.kind)) + '\n' + std::string(key);
}

/// "[[8, 512], []]" -> "[[#, #], []]": what stays when only sizes change.
std::string form_of(std::string_view shapes) {
  std::string form;
  for (const char c : shapes) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) form += c;
    else if (form.empty() || form.back() != '#') form += '#';
  }
  return form;
}

int64_t total_ns(const KernelCost& kernel) {
  int64_t total = 0;
  for (const int64_t ns : kernel.step_ns) total += ns;
  return total;
}

class Matcher {
 public:
  Matcher(const ProgramCost& base, const ProgramCost& fresh)
      : base_(base), fresh_(fresh), partner_(base.kernels.size(), kNone), taken_(fresh.kernels.size(), false) {}

  std::vector<Pair> run() {
    pair_in_order([](const KernelCost& k) { return tagged(k, k.op + '\n' + k.shapes + '\n' + k.kernel); });
    pair_renamed();
    pair_changed_shapes();
    pair_moved();
    std::vector<Pair> pairs;
    for (uint32_t row = 0; row < partner_.size(); ++row) pairs.push_back({row, partner_[row]});
    for (uint32_t row = 0; row < taken_.size(); ++row) {
      if (!taken_[row]) pairs.push_back({kNone, row});
    }
    return pairs;
  }

 private:
  /// Rows without a partner by a key of theirs; those with an empty key are left out.
  template <typename KeyOf>
  Keyed left_by(KeyOf&& key_of) const {
    Keyed left;
    for (uint32_t row = 0; row < partner_.size(); ++row) {
      if (std::string key = key_of(base_.kernels[row], true); partner_[row] == kNone && !key.empty())
        left[std::move(key)].first.push_back(row);
    }
    for (uint32_t row = 0; row < taken_.size(); ++row) {
      if (std::string key = key_of(fresh_.kernels[row], false); !taken_[row] && !key.empty())
        left[std::move(key)].second.push_back(row);
    }
    return left;
  }

  void take(uint32_t base, uint32_t fresh) {
    partner_[base] = fresh;
    taken_[fresh] = true;
  }

  void take_in_turn(const Rows& base, const Rows& fresh) {
    for (size_t i = 0; i < std::min(base.size(), fresh.size()); ++i) take(base[i], fresh[i]);
  }

  template <typename KeyOf>
  void pair_in_order(KeyOf&& key_of) {
    for (const auto& [key, rows] : left_by([&](const KernelCost& k, bool) { return key_of(k); }))
      take_in_turn(rows.first, rows.second);
  }

  void costliest_first(Rows& rows, const ProgramCost& cost) const {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](uint32_t a, uint32_t b) { return total_ns(cost.kernels[a]) > total_ns(cost.kernels[b]); });
  }

  /// Other kernels of one class for the same operator on the same shapes, the costliest for the costliest. Where shapes
  /// are not known (not recorded, or a compiled region) only the single one for the single one.
  void pair_renamed() {
    for (auto& [key, rows] : left_by([](const KernelCost& k, bool) {
           return k.op.empty() ? std::string() : tagged(k, k.op + '\n' + k.shapes + '\n' + k.class_name);
         })) {
      const bool known = !rows.first.empty() && !base_.kernels[rows.first[0]].shapes.empty();
      if (!known && (rows.first.size() != 1 || rows.second.size() != 1)) continue;
      costliest_first(rows.first, base_);
      costliest_first(rows.second, fresh_);
      take_in_turn(rows.first, rows.second);
    }
  }

  std::set<std::string> shapes_of(const ProgramCost& cost) const {
    std::set<std::string> all;
    for (const KernelCost& k : cost.kernels) all.insert(k.op + '\n' + k.shapes);
    return all;
  }

  /// The same operator on sizes that only its side has, where as many sizes went as came.
  void pair_changed_shapes() {
    const std::set<std::string> in_base = shapes_of(base_), in_fresh = shapes_of(fresh_);
    for (const bool same_kernel : {true, false}) {
      for (const auto& [key, rows] : left_by([&](const KernelCost& k, bool of_base) {
             const bool on_both = (of_base ? in_fresh : in_base).contains(k.op + '\n' + k.shapes);
             if (k.op.empty() || k.shapes.empty() || on_both) return std::string();
             return tagged(k, k.op + '\n' + form_of(k.shapes) + '\n' + (same_kernel ? k.kernel : k.class_name));
           })) {
        if (rows.first.size() == rows.second.size()) take_in_turn(rows.first, rows.second);
      }
    }
  }

  /// A kernel that another operator launches now: the only one of its name on either side.
  void pair_moved() {
    for (const auto& [key, rows] : left_by([](const KernelCost& k, bool) { return tagged(k, k.kernel); })) {
      if (rows.first.size() == 1 && rows.second.size() == 1) take(rows.first[0], rows.second[0]);
    }
  }

  const ProgramCost& base_;
  const ProgramCost& fresh_;
  std::vector<uint32_t> partner_;  // by row of base
  std::vector<bool> taken_;        // by row of fresh
};

}  // namespace

std::vector<Pair> match_kernels(const ProgramCost& base, const ProgramCost& fresh) {
  return Matcher(base, fresh).run();
}

}  // namespace warplens::analysis::diff
