#include "warplens/program/analysis/diff/match.h"

#include <map>
#include <string>
#include <utility>

namespace warplens::analysis {
namespace {

using KeyOf = std::string (*)(const KernelCost&);

// '\n' is in no name. Copies never stand for kernels, nor operators that are unknown for one another.
std::string tagged(const KernelCost& k, std::string key) {
  return std::to_string(static_cast<int>(k.kind)) + '\n' + std::move(key);
}
std::string exact_key(const KernelCost& k) { return tagged(k, k.op + '\n' + k.shapes + '\n' + k.kernel); }
std::string operator_and_name_key(const KernelCost& k) { return k.op.empty() ? "" : tagged(k, k.op + '\n' + k.kernel); }
std::string operator_and_shapes_key(const KernelCost& k) {
  return k.op.empty() ? "" : tagged(k, k.op + '\n' + k.shapes);
}
std::string operator_key(const KernelCost& k) { return k.op.empty() ? "" : tagged(k, k.op); }
std::string kernel_key(const KernelCost& k) { return tagged(k, k.kernel); }

/// Pairs rows that are still free and have equal keys, in order of appearance. Rows with the key "" stay free.
void pair_by(KeyOf key_of, const ProgramCost& base, const ProgramCost& fresh, std::vector<uint32_t>& base_partner,
             std::vector<bool>& taken) {
  std::map<std::string, std::vector<uint32_t>> free;
  for (uint32_t row = static_cast<uint32_t>(fresh.kernels.size()); row-- > 0;)
    if (!taken[row])
      if (std::string key = key_of(fresh.kernels[row]); !key.empty()) free[std::move(key)].push_back(row);
  for (uint32_t row = 0; row < base.kernels.size(); ++row) {
    if (base_partner[row] != kNone) continue;
    const auto found = free.find(key_of(base.kernels[row]));
    if (found == free.end() || found->second.empty()) continue;
    base_partner[row] = found->second.back();
    taken[found->second.back()] = true;
    found->second.pop_back();
  }
}

}  // namespace

std::vector<Pair> match_kernels(const ProgramCost& base, const ProgramCost& fresh) {
  std::vector<uint32_t> partner(base.kernels.size(), kNone);
  std::vector<bool> taken(fresh.kernels.size(), false);
  for (const KeyOf key : {&exact_key, &operator_and_name_key, &operator_and_shapes_key, &operator_key, &kernel_key})
    pair_by(key, base, fresh, partner, taken);
  std::vector<Pair> pairs;
  for (uint32_t row = 0; row < partner.size(); ++row) pairs.push_back({row, partner[row]});
  for (uint32_t row = 0; row < taken.size(); ++row)
    if (!taken[row]) pairs.push_back({kNone, row});
  return pairs;
}

}  // namespace warplens::analysis
