// Memory in an unnamed file, whose pages may be mapped at several addresses and in several processes.
#pragma once
#include <cstdint>

#include "warplens/base/status.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::cuda_api {

class PageFile {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  /// Pages take memory once they are written. Error: the system provides no such file.
  static Result<PageFile> make(uint64_t size_bytes);
  /// Takes ownership of another process's descriptor. Error: it does not refer to a file of at least `size_bytes`.
  static Result<PageFile> own(int descriptor, uint64_t size_bytes);
  PageFile(PageFile&& from) noexcept : descriptor_(from.descriptor_) { from.descriptor_ = -1; }
  PageFile& operator=(PageFile&&) = delete;
  ~PageFile();

  int descriptor() const { return descriptor_; }
  /// Maps the file's bytes from `offset` on at `address`, in place of the old mapping. All are multiples of the page.
  Status show(simt::Address address, uint64_t size_bytes, uint64_t offset) const;
  bool write(const void* bytes, uint64_t size_bytes, uint64_t offset) const;
  bool read(void* bytes, uint64_t size_bytes, uint64_t offset) const;

 private:
  explicit PageFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// Replaces that mapping with zeros of this process alone.
void take_back_pages(simt::Address address, uint64_t size_bytes);

}  // namespace warplens::cuda_api
