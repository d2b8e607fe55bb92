// The decompressors: gzip and Zstandard, damaged or not.
#include "warplens/trace/readers/input/byte_source.h"

namespace {

class Bytes final : public warplens::ByteSource {
 public:
  Bytes(const uint8_t* data, size_t size) : left_(reinterpret_cast<const char*>(data), size) {}
  size_t read(char* to, size_t size) override {
    const size_t n = left_.copy(to, size);
    left_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view left_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostBytes = size_t{256} << 10;  // small inputs can stand for gigabytes
  char buffer[4096];
  for (const bool gzip : {true, false}) {
    auto below = std::make_unique<Bytes>(data, size);
    const auto source = gzip ? warplens::inflate_gzip(std::move(below)) : warplens::inflate_zstd(std::move(below));
    size_t total = 0;
    for (size_t n; total < kMostBytes && (n = source->read(buffer, sizeof buffer)) > 0;) total += n;
    if (source->read(buffer, 0) != 0) __builtin_trap();
  }
  return 0;
}
