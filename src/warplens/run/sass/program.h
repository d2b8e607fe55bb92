// The machine code of a cubin, made ready for one architecture: every function in one array of instructions.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/cubin/nv_info.h"
#include "warplens/run/sass/instruction_set.h"
#include "warplens/simt/memory/variable.h"

namespace warplens::simt::sass_machine {

/// Constant memory, bank by bank. A read past the end is 0, as on the hardware.
struct ConstantBanks {
  std::map<uint32_t, std::vector<uint8_t>> banks;
  /// A value for each word of bank 0 before a launch's parameters: 1 if the word's meaning is known. The driver
  /// describes the launch there. Empty until a launch is prepared.
  std::vector<uint8_t> known;
  uint32_t word(uint32_t bank, uint64_t offset) const;
};

/// The bank of __constant__ variables.
inline constexpr uint32_t kUserConstants = 3;

struct SourceLine {
  uint32_t file = 0;  // index into Program::files
  uint32_t line = 0;  // 0: unknown
};

struct Program {
  int architecture = 0;      // 90
  int ptx_architecture = 0;  // of the PTX that it was compiled from: 75
  std::vector<Word> code;
  /// The meaning of `code[k]`.
  const Instruction& at(size_t k) const { return instruction_of(code[k], architecture); }
  std::vector<SourceLine> lines;  // parallel to code
  std::vector<std::string> files;
  uint32_t entry = 0;                // first instruction of the kernel
  uint32_t kernel_instructions = 0;  // the kernel's own function
  uint32_t registers = 0, barriers = 0;
  uint32_t static_shared_bytes = 0;  // including the driver's part on compute capability 9.0 and later
  /// The driver's own part at the start of shared memory: from compute capability 9.0 on.
  uint32_t reserved_shared_bytes() const { return architecture >= 90 ? 1024 : 0; }
  bool uses_reserved_shared = false;  // the driver's part, which is after the rest before 9.0
  /// The kernel's own static shared memory.
  uint32_t own_shared_bytes() const;
  uint32_t frame_bytes = 0;       // stack a thread
  uint32_t parameter_offset = 0;  // of the parameters in bank 0
  uint32_t parameter_bytes = 0;
  std::vector<cubin::Parameter> parameters;               // in order; offsets are from the first
  uint32_t max_threads = 0;                               // the most that a block may have, by .maxntid; 0: any
  std::array<uint32_t, 3> cluster{1, 1, 1};               // .reqnctapercluster
  uint64_t constants_at = 0;                              // where device memory has bank 3 as a whole; 0: nowhere
  std::map<uint32_t, uint32_t> functions;                 // by their sections in the cubin: where they begin in code
  std::vector<std::string> system_calls;                  // functions that the CUDA system provides: see system_calls.h
  ConstantBanks constants;                                // banks 2, 3 and 4; bank 0 is the launch's
  std::map<std::string, std::vector<uint8_t>> variables;  // sections of variables that the launch does not know
};

/// The content of a pointer to a function: its section in the cubin and its place in it. It is the same for every
/// kernel, so that kernels can pass pointers and objects with virtual functions to each other.
inline constexpr uint64_t kFunctionPointers = uint64_t{8} << 56;
inline uint64_t function_pointer(uint32_t section, uint64_t offset) {
  return kFunctionPointers | uint64_t{section} << 32 | (offset & 0xffffffff);
}

using FindVariable = std::function<std::optional<Variable>(std::string_view name)>;

/// Reads the kernel and everything it can call out of a cubin. `find` knows the launch's variables; constant ones
/// are read as they are now.
/// Errors: not a cubin, no such kernel, a relocation that is not understood.
Result<Program> load_program(std::string_view image, const std::string& kernel, const FindVariable& find);

}  // namespace warplens::simt::sass_machine
