// printf of a kernel: the host's formats, limited to those that kernels support.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "warplens/simt/memory/memory.h"

namespace warplens::simt {

/// A byte of any address that the thread may access; false if the address is invalid.
using ReadByte = std::function<bool(Address at, uint8_t* out)>;

/// The text at `at` up to its zero, 64 KB of it at most; "(null)" for the null pointer.
std::string read_text(const ReadByte& read, Address at);

struct Printed {
  std::string text;
  int arguments = 0;  // printed arguments, the result of printf in a kernel
};
/// `arguments` are one after another, naturally aligned, 4 or 8 bytes each.
Printed print(const ReadByte& read, Address format, Address arguments);

}  // namespace warplens::simt
