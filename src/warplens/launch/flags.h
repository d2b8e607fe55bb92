// A launch written as flags of the command line.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "warplens/launch/description.h"

namespace warplens::launch {

/// The flags as they were given; lists are flags that may be repeated.
struct Flags {
  std::string source, kernel, arch, grid, block, cluster, compiler;
  std::string shared;  // bytes: "49152", "48KiB"; empty: none
  bool cooperative = false;
  std::vector<std::string> options, args, symbols, save, expect;
  double rtol = 1e-5, atol = 1e-6;
};

/// One kernel, launched once. An argument is
///   DTYPE=NUMBER                        i32=1048576  f32=0.5  bytes=00ff
///   [NAME=]DTYPE[SIZE,...][:FILL]       x=f32[1048576]:uniform(-0.5,0.5,seed=7)  f16[64,64]:normal(seed=1)  f32[100]
///   [NAME=][DTYPE]@FILE.npy             w=@w.npy  bf16@w.npy
///   NAME[+BYTES]                        a buffer named before: x  x+4096
/// A buffer without a name is called argN, after its place. Errors quote the flag.
Result<Description> description_of(const Flags& flags);

/// The same without the place in a launch file ("launches[0].args[2]"), which flags do not have.
Status without_place(const Status& status);

/// Adds expected contents, each written as NAME=FILE.npy.
Status expect_files(const std::vector<std::string>& pairs, double rtol, double atol, Description& description);

/// "256", "16,16" or "16x16x4", for the flag `name`.
Result<Dim3> parse_dim3(std::string_view name, const std::string& text);

/// One argument in the syntax of --arg. A buffer that it defines is appended to `buffers`. `place`: its number, for the
/// name of an unnamed buffer.
Result<Argument> parse_argument(std::string_view text, size_t place, std::vector<BufferSpec>& buffers);

/// The contents of a buffer, without its name: "f32[1048576]:uniform(-0.5,0.5,seed=7)", "bf16@w.npy".
Result<BufferSpec> parse_contents(std::string_view text);

/// The fill after the colon: "uniform(-0.5,0.5,seed=7)".
Result<Fill> parse_fill(std::string_view text);

}  // namespace warplens::launch
