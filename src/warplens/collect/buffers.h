// CUPTI's buffers: allocated and touched before they are needed, handed out, filled, read, and handed out again. There
// are never more than the limit allows; when all are full, CUPTI drops records and says how many.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace warplens::collect {

inline constexpr size_t kBufferBytes = size_t{256}
                                       << 10;  // stays in a core's cache: larger ones cost every launch more

struct FilledBuffer {
  uint8_t* data;
  size_t valid_bytes;
};

class BufferPool {
 public:
  /// Room for at least two buffers; two are there at once.
  explicit BufferPool(size_t limit_bytes);
  BufferPool(const BufferPool&) = delete;
  ~BufferPool();

  /// Brings the rest of the buffers in; a thread that has time for it calls this.
  void populate();
  /// A free buffer, or nullptr when the limit is reached.
  uint8_t* take();
  void give_back(uint8_t* buffer);
  void fill(FilledBuffer buffer);
  bool next_filled(FilledBuffer& buffer);

 private:
  uint8_t* allocate();
  size_t limit_;
  std::mutex mutex_;
  std::vector<uint8_t*> all_, free_;
  std::vector<FilledBuffer> filled_;
  size_t first_filled_ = 0;
};

}  // namespace warplens::collect
