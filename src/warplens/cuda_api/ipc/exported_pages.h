// The device memory that this process lets others open (cudaIpcGetMemHandle).
#pragma once
#include <array>
#include <map>
#include <optional>

#include "warplens/cuda_api/ipc/page_file.h"

namespace warplens::cuda_api {

/// Pages move into one file when their memory is exported, each to the offset that equals its address. So allocations
/// that share a page may both be exported.
class ExportedPages {
 public:
  using Stamp = std::array<uint8_t, 16>;  // at the file's beginning: a handle of another process does not fit by chance
  static constexpr uint64_t kFileBytes = uint64_t{1} << 47;  // the range of programs' addresses

  /// Moves the pages of an allocation into the file; those that are there stay. Errors: the system refuses.
  Status share(simt::Address begin, uint64_t size_bytes);
  /// The allocation ends: its pages are this process's own again. Without effect where it was not shared.
  void unshare(simt::Address begin);

  int descriptor() const { return file_ ? file_->descriptor() : -1; }
  const Stamp& stamp() const { return stamp_; }

 private:
  Status move_in(simt::Address begin, simt::Address end);
  void move_out(simt::Address begin, simt::Address end);

  std::optional<PageFile> file_;
  Stamp stamp_{};
  std::map<simt::Address, uint64_t> shared_;  // sizes of exported allocations
  std::map<simt::Address, int> edges_;        // pages that hold an end of one: of how many
};

}  // namespace warplens::cuda_api
