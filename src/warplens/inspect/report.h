// Facts about compiled kernels without running them: counts of PTX and SASS, resources, source lines, notes.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace warplens::inspect {

/// Counts at two levels.
struct Pair {
  uint64_t ptx = 0, sass = 0;
};

/// Memory instructions of one kind: {"global", "load", 16}.
struct MemoryKey {
  std::string space, kind;
  uint32_t width_bytes = 0;  // a lane
  auto operator<=>(const MemoryKey&) const = default;
};

struct LineKey {
  std::string file;
  uint32_t line = 0;
  auto operator<=>(const LineKey&) const = default;
};

struct Line {
  Pair instructions;
  std::map<MemoryKey, Pair> memory;
  Pair fused, unfused;                          // multiply-adds; separate fp32 multiplications and additions
  std::map<std::string, uint64_t> ptx_in_loop;  // mnemonic -> copies inside a loop
};

struct Kernel {
  std::string name;
  bool is_kernel = true;  // false: a device function
  bool has_ptx = false, has_sass = false;
  // From the cubin.
  uint32_t registers = 0, shared_bytes = 0, frame_bytes = 0, max_stack_bytes = 0, barriers = 0;
  // From either.
  uint32_t parameter_bytes = 0;
  std::array<uint32_t, 3> required_threads{}, max_threads{};  // zeros when the source says none
  uint64_t ptx_local_bytes = 0;                               // arrays that the PTX keeps in local memory
  uint64_t ptx_shared_bytes = 0;                              // declared in the kernel
  uint64_t unknown_ptx = 0, unknown_sass = 0;                 // instructions that no table knows
  Pair instructions;
  std::map<std::string, Pair> classes;
  std::map<MemoryKey, Pair> memory;
  std::map<LineKey, Line> lines;
  std::vector<std::string> notes;  // the compiler's work, in words
};

/// One image of a fat binary, or of a file that carries some.
struct CarriedImage {
  std::string kind, target, name;  // "machine code", "PTX", ...; "sm_90", "compute_90"; of the source, often empty
  uint64_t bytes = 0, packed_bytes = 0;
  bool relocatable = false;          // an input of the device linker
  bool shown = false;                // counted below
  std::vector<std::string> kernels;  // of images that are shown
};

/// A module of PTX as text, and its kernels and functions.
struct PtxText {
  std::string text;
  std::vector<std::string> names;
};

struct Report {
  std::string source;                                         // the file or folder
  std::string architecture;                                   // "sm_90a"
  std::string ptx_version;                                    // "9.0"; empty without PTX
  std::vector<std::pair<std::string, std::string>> metadata;  // of a Triton kernel: num_warps, ...
  std::vector<CarriedImage> images;                           // of a file that carries several
  std::vector<Kernel> kernels;
  std::vector<PtxText> ptx;  // the modules that are counted
  std::vector<std::string> notes;
};

}  // namespace warplens::inspect
