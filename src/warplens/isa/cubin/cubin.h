// A cubin: ptxas's output for each function, instruction by instruction.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warplens/base/status.h"
#include "warplens/isa/cubin/nv_info.h"
#include "warplens/isa/sass/disassemble.h"

namespace warplens::cubin {

inline constexpr uint32_t kNoLine = 0xffffffff;

struct SassInstruction : sass::Disassembled {
  uint32_t line = kNoLine;  // index of Function::lines
  uint32_t ptx_line = 0;    // line of the PTX text that it came from, from 1; 0 unknown
};

struct SourceLine {
  std::string file;
  uint32_t line = 0;
  bool operator==(const SourceLine&) const = default;
};

struct Function {
  std::string name;
  bool is_kernel = false;
  uint32_t address = 0;          // in its section; not 0 for routines after a kernel
  uint32_t registers = 0;        // a thread
  uint32_t shared_bytes = 0;     // static, a block
  uint32_t frame_bytes = 0;      // stack of the function itself: local arrays and spills
  uint32_t max_stack_bytes = 0;  // including callees; 0 if the compiler gave none
  uint32_t parameter_bytes = 0;
  uint32_t barriers = 0;                       // named barriers
  std::array<uint32_t, 3> required_threads{};  // .reqntid; zeros when there is none
  std::array<uint32_t, 3> max_threads{};       // .maxntid
  std::array<uint32_t, 3> cluster{};           // blocks of a cluster; zeros when the launch decides
  std::vector<Parameter> parameters;           // in order
  std::vector<SourceLine> lines;               // distinct ones
  std::vector<SassInstruction> instructions;   // to the end; trailing NOPs that pad the section left out
};

struct Cubin {
  int architecture = 0;             // 90
  std::vector<Function> functions;  // in the order of their sections
  std::vector<std::string> notes;   // the parts that could not be read, as text

  const Function* function(std::string_view name) const;
};

/// Errors: no ELF, not for CUDA, an architecture before sm_70 (its instructions are 64-bit bundles), out of bounds.
Result<Cubin> read_cubin(std::string_view bytes);

}  // namespace warplens::cubin
