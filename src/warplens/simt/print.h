// printf of a kernel: formats as the host's does, what kernels may print and nothing more.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// A byte of any address that the thread may hold; false when there is none.
using ReadByte = std::function<bool(Address at, uint8_t* out)>;

/// The text at `at` up to its zero, 64 KB of it at most; "(null)" for the null pointer.
std::string read_text(const ReadByte& read, Address at);

struct Printed {
  std::string text;
  int arguments = 0;  // that were printed, which is what printf returns in a kernel
};
/// `arguments` lie one behind the other, naturally aligned, 4 or 8 bytes each.
Printed print(const ReadByte& read, Address format, Address arguments);

}  // namespace warplens::simt
