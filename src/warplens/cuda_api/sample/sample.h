// The state of `--sample`: launches that are left out, and results of those that ran.
#pragma once
#include <unordered_map>

#include "warplens/cuda_api/sample/kept_results.h"

namespace warplens::cuda_api {

/// The launches of `--sample`. A launch that is left out has the effect of the last one like it that ran. `alike`
/// stands for launches that are like each other.
class Sample {
 public:
  /// The process has one, of its device memory.
  static Sample& of(const simt::Memory& memory);

  /// A launch with these parameters ran, and wrote this.
  void keep(const void* alike, const std::vector<uint8_t>& parameters, std::span<const WrittenRun> written);
  /// A launch does not run. Returns false if nothing that was kept fits its parameters, so that its results are
  /// missing.
  bool leave_out(const void* alike, const std::vector<uint8_t>& parameters);
  /// Whether any launch was left out.
  bool any() const { return left_out_ != 0; }
  PendingResults& pending() { return pending_; }

 private:
  struct Last {
    std::vector<uint8_t> parameters;
    SharedResults results;
  };
  explicit Sample(const simt::Memory& memory) : memory_(memory), pending_(memory) {}
  bool has_same_memory(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) const;

  const simt::Memory& memory_;
  PendingResults pending_;
  std::unordered_map<const void*, Last> last_;
  uint64_t left_out_ = 0;
};

}  // namespace warplens::cuda_api
