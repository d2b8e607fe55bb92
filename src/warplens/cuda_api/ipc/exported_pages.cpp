#include "warplens/cuda_api/ipc/exported_pages.h"

#include <sys/random.h>

#include <cstring>
#include <vector>

namespace warplens::cuda_api {
namespace {

constexpr uint64_t kPage = PageFile::kPageBytes;

/// The pages that an allocation touches: its first and its last, which neighbours may share, and those between.
struct Pages {
  simt::Address first, last;  // where they begin; the same where it lies in one
  Pages(simt::Address begin, uint64_t size_bytes)
      : first(begin / kPage * kPage), last((begin + size_bytes - 1) / kPage * kPage) {}
  std::vector<simt::Address> edges() const { return first == last ? std::vector{first} : std::vector{first, last}; }
};

}  // namespace

Status ExportedPages::share(simt::Address begin, uint64_t size_bytes) {
  if (shared_.contains(begin)) return {};
  if (!file_) {
    if (::getrandom(stamp_.data(), stamp_.size(), 0) != static_cast<ssize_t>(stamp_.size()))
      return io_error("the system gives no random bytes");
    WL_ASSIGN(PageFile made, PageFile::make(kFileBytes));
    if (!made.write(stamp_.data(), stamp_.size(), 0)) return io_error("a memory file cannot be written");
    file_.emplace(std::move(made));
  }
  const Pages pages(begin, size_bytes);
  for (const simt::Address edge : pages.edges()) {
    if (!edges_.contains(edge)) WL_TRY(move_in(edge, edge + kPage));
    ++edges_[edge];
  }
  if (pages.last > pages.first + kPage) WL_TRY(move_in(pages.first + kPage, pages.last));
  shared_[begin] = size_bytes;
  return {};
}

void ExportedPages::unshare(simt::Address begin) {
  const auto found = shared_.find(begin);
  if (found == shared_.end()) return;
  const Pages pages(begin, found->second);
  shared_.erase(found);
  if (pages.last > pages.first + kPage) take_back_pages(pages.first + kPage, pages.last - pages.first - kPage);
  for (const simt::Address edge : pages.edges()) {
    const auto uses = edges_.find(edge);
    if (--uses->second > 0) continue;
    edges_.erase(uses);
    move_out(edge, edge + kPage);
  }
}

Status ExportedPages::move_in(simt::Address begin, simt::Address end) {
  if (!file_->write(reinterpret_cast<const void*>(begin), end - begin, begin))
    return io_error("a memory file cannot be written");
  return file_->show(begin, end - begin, begin);
}

/// Others' memory may lie in these pages: it stays.
void ExportedPages::move_out(simt::Address begin, simt::Address end) {
  std::vector<char> kept(end - begin);
  std::memcpy(kept.data(), reinterpret_cast<const void*>(begin), kept.size());
  take_back_pages(begin, end - begin);
  std::memcpy(reinterpret_cast<void*>(begin), kept.data(), kept.size());
}

}  // namespace warplens::cuda_api
