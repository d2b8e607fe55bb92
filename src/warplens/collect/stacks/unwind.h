// A thread's native stack, from its registers and a copy of the bytes above its stack pointer. Nothing runs on that
// thread and no other memory is read. So missing or wrong call frame information only ends a stack, and never harms a
// program.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "warplens/collect/stacks/call_frames.h"

namespace warplens::collect {

struct Registers {
  std::array<uint64_t, kRegisters> values{};
  uint32_t known = 0;  // a bit each

  void set(unsigned number, uint64_t value) {
    values[number] = value;
    known |= 1U << number;
  }
  bool has(uint64_t number) const { return number < kRegisters && (known >> number & 1) != 0; }
};

/// A copy of a thread's registers and stack.
struct ThreadCopy {
  static constexpr size_t kMostBytes = size_t{64} << 10;

  Registers registers;
  std::vector<uint8_t> stack;  // from its stack pointer upwards; empty where it could not be had
};

/// The modules loaded into this process. Use it from one thread at a time.
class LoadedCode {
 public:
  /// The code addresses of the thread's frames, innermost first. Callers' are their return addresses less 1. The list
  /// ends at Python's interpreter, whose own frames have no information.
  std::vector<uint64_t> unwind(const ThreadCopy& thread);

  struct Module {
    uint64_t begin = 0, end = 0;  // of all of its segments
    MappedBytes tables;           // the segment of `header`
    MappedBytes code;
    const uint8_t* header = nullptr;
    bool is_python = false;
  };

 private:
  struct Pass;
  static int visit(void* info, size_t size, void* pass);
  const Module* module_of(uint64_t address) const;
  std::optional<uint64_t> find_frame_pointer(const ThreadCopy& thread, uint64_t from, uint64_t function) const;
  bool calls(uint64_t return_place, uint64_t function) const;
  void walk(const ThreadCopy& thread, std::vector<uint64_t>* places);

  std::vector<Module> modules_;
  uint64_t version_ = 0;  // the loads and unloads when modules_ was made
};

/// True if the file `path` is Python's interpreter.
bool is_interpreter(std::string_view path);

}  // namespace warplens::collect
