// Memory in a file without a name, whose pages may be shown at several addresses and in several processes.
#pragma once
#include <cstdint>

#include "warplens/base/status.h"
#include "warplens/simt/memory/memory.h"

namespace warplens::cuda_api {

class PageFile {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  /// Pages take memory once they are written. Errors: the system gives no such file.
  static Result<PageFile> make(uint64_t size_bytes);
  /// Owns a descriptor that some other process made. Errors: it is none of a file of at least `size_bytes`.
  static Result<PageFile> own(int descriptor, uint64_t size_bytes);
  PageFile(PageFile&& from) noexcept : descriptor_(from.descriptor_) { from.descriptor_ = -1; }
  PageFile& operator=(PageFile&&) = delete;
  ~PageFile();

  int descriptor() const { return descriptor_; }
  /// Shows the file's bytes from `offset` on at `address`, in place of what is there; all are multiples of the page.
  Status show(simt::Address address, uint64_t size_bytes, uint64_t offset) const;
  bool write(const void* bytes, uint64_t size_bytes, uint64_t offset) const;
  bool read(void* bytes, uint64_t size_bytes, uint64_t offset) const;

 private:
  explicit PageFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

/// Puts zeros, of this process alone, in the place of what is shown there.
void take_back_pages(simt::Address address, uint64_t size_bytes);

}  // namespace warplens::cuda_api
