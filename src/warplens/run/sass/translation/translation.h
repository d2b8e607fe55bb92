// A kernel's instructions as this computer's own machine code. Register-only work becomes a few instructions on 512
// bits in place of a call. Branches that all lanes of a warp take together become jumps. Everything else is a call of
// the instruction's handler. In a counted launch, the code counts like the interpreter. Needs AVX-512.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "warplens/run/sass/op.h"

namespace warplens::simt::sass_machine {

class Translation {
 public:
  /// Translates `ops`, which stay in place, as `schedules` do: the schedules that it counts by, or nullptr without
  /// counting. nullptr if this computer cannot run it.
  static std::unique_ptr<Translation> make(const std::vector<Op>& ops, uint32_t zero_row,
                                           const std::vector<Schedule>* schedules = nullptr);
  ~Translation();
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;

  /// Where a warp has come to.
  struct Arrival {
    uint32_t pc = kEnded;  // the instruction to carry out next; kEnded: one that sends lanes elsewhere was the last
    int32_t left = 0;      // of the turn; below 0: it is over, and the warp is at pc
  };
  static constexpr uint32_t kEnded = ~uint32_t{0};
  /// Runs the lanes of w.active from w.pc until they diverge, wait or end, or the block stops. `left`: instructions of
  /// the turn. Without counting, only loops reduce it. In a counted launch, all instructions do: `left` is then the
  /// remainder plus w.pc. The turn ends at the first branch taken after its last instruction. At kEnded, w.pc is the
  /// last instruction and `Arrival::left` is the remainder plus w.pc + 1.
  Arrival run(Warp& w, int32_t left) const;

 private:
  /// Memory that may be run, and where in it each instruction begins.
  struct Code {
    uint8_t* memory = nullptr;
    size_t size_bytes = 0;
    std::vector<uint32_t> entries;
  };
  Translation(const std::vector<Op>& ops, uint32_t zero_row, const std::vector<Schedule>* schedules)
      : ops_(ops), schedules_(schedules), zero_row_(zero_row) {}
  bool write(bool whole, Code* code) const;
  const std::vector<Op>& ops_;
  const std::vector<Schedule>* schedules_;
  uint32_t zero_row_;
  Code whole_;         // for warps with all lanes active
  mutable Code some_;  // for others, made on first use
  mutable std::atomic<bool> has_some_{false};
  mutable std::once_flag once_;
};

}  // namespace warplens::simt::sass_machine
