// Code as it was loaded, to map program counters to lines.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "warplens/collect/cupti/library.h"

namespace warplens::cupti {

struct CubinCrc {
  size_t size = sizeof(CubinCrc);
  size_t bytes = 0;
  const void* cubin = nullptr;
  uint64_t crc = 0;  // out
};

class Cubins {
 public:
  /// The text names the functions that CUPTI lacks; empty if there are none.
  std::string find_function(const Library& cupti);
  void add(const char* cubin, size_t bytes);
  /// The cubin whose CRC is `crc`; nullptr if it was not kept.
  const std::vector<char>* find(uint64_t crc);
  uint64_t left_out() const { return left_out_; }

 private:
  Result (*crc_of_)(CubinCrc*) = nullptr;
  std::vector<std::vector<char>> cubins_;
  std::map<uint64_t, size_t> by_crc_;
  size_t known_ = 0, bytes_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace warplens::cupti
