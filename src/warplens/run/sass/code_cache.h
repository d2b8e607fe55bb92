// A kernel's code, kept ready from launch to launch: see ready_code.h.
#pragma once
#include <array>
#include <memory>
#include <set>
#include <utility>

#include "warplens/base/status.h"

namespace warplens::simt::sass_machine {

struct MachineLaunch;
struct Program;
struct ReadyCode;

/// Words of constant memory, by bank and offset.
using VaryingConstants = std::set<std::pair<uint32_t, uint64_t>>;

/// The code of one kernel, for launches with and without counting. One launch at a time may use it.
class CodeCache {
 public:
  CodeCache();
  CodeCache(CodeCache&&) noexcept;
  CodeCache& operator=(CodeCache&&) noexcept;
  ~CodeCache();
  /// For this launch: the next call may change it. `program` is the same each time, up to its constants.
  /// Errors: of the launch.
  Result<ReadyCode*> ready(const Program& program, const MachineLaunch& launch);

 private:
  struct Kept {
    std::unique_ptr<ReadyCode> code;
    VaryingConstants varying;  // that launches were seen to change
  };
  std::array<Kept, 2> kept_;  // by whether the launch counts
};

}  // namespace warplens::simt::sass_machine
