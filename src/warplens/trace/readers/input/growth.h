// How much text a reader may make of a file. Events name their texts by number, so a small file can ask for one text in
// many places.
#pragma once
#include <string>

#include "warplens/base/byte_sink.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/input/decompressor.h"

namespace warplens {

/// Bounded as decompressed data is.
class Growth {
 public:
  explicit Growth(uint64_t file_bytes) : most_bytes_(most_unpacked_bytes(file_bytes)) {}

  /// Counts text that is about to be made; false once that is too much.
  bool takes(uint64_t bytes) {
    made_bytes_ += bytes;
    return fits();
  }
  bool fits() const { return made_bytes_ <= most_bytes_; }
  /// Appends what fits.
  ByteSink into(std::string& text) {
    return [this, &text](std::string_view bytes) {
      if (takes(bytes.size())) text += bytes;
      return Status();
    };
  }
  /// The error that a reader ends with where too much was made.
  Status check(const std::string& file) const {
    if (fits()) return {};
    return invalid_input(fmt::format(
        "{}: its events repeat texts, and would be more than {} times as large as the file: no profiler writes that. "
        "Nothing of it is read",
        file, kMostGrowth));
  }

 private:
  uint64_t most_bytes_, made_bytes_ = 0;
};

}  // namespace warplens
