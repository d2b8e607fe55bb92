// The native file (.wlens): a header, a directory of sections, the sections.
// Little-endian; all fields naturally aligned. A section is one column of a table
// ("operators.start_ns"), "strings.ends", "strings.bytes" or "facts". The strings'
// sections hold the texts one after another, and the end of each, id 1 first. Facts
// are JSON: time base, integrity. Sections are aligned so that a mapped file can be
// used in place. A reader skips unknown sections; `major` grows if that would not be
// enough.
#pragma once
#include <cstdint>
#include <type_traits>

#include "warplens/trace/profile/profile.h"

namespace warplens::native {

inline constexpr char kMagic[8] = {'W', 'L', 'E', 'N', 'S', '\r', '\n', '\x1a'};
inline constexpr uint32_t kMajor = 1;
inline constexpr uint32_t kByteOrder = 0x01020304;
inline constexpr uint64_t kAlignment = 64;
inline constexpr uint64_t kMaxSections = 4096;

struct Header {
  char magic[8];
  uint32_t major;
  uint32_t byte_order;
  uint64_t file_bytes;
  uint64_t sections;  // the directory follows the header
  uint64_t directory_checksum;
  uint64_t header_checksum;  // of the fields above
  uint64_t reserved[2];
};
static_assert(sizeof(Header) == 64);

enum class Encoding : uint8_t { kPlain, kConstant };  // constant: one value for all rows

struct Section {
  char name[48];  // zero-terminated
  char kind;      // 'i' signed, 'u' unsigned, 'f' floating point, 's' id of a string, 'b' bytes
  uint8_t element_bytes;
  Encoding encoding;
  uint8_t reserved[5];
  uint64_t count;   // elements
  uint64_t offset;  // in the file
  uint64_t bytes;
  uint64_t checksum;
};
static_assert(sizeof(Section) == 88);

template <typename T>
constexpr char kind_of() {
  if constexpr (std::is_same_v<T, StringId>) return 's';
  else if constexpr (std::is_floating_point_v<T>) return 'f';
  else if constexpr (std::is_signed_v<T>) return 'i';
  else return 'u';
}

inline uint64_t aligned(uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace warplens::native
