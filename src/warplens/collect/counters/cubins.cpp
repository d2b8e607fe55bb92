#include "warplens/collect/counters/cubins.h"

#include <dlfcn.h>

namespace warplens::cupti {
namespace {

constexpr size_t kMostBytes = size_t{512} << 20;

}  // namespace

std::string Cubins::find_function(const Library& cupti) {
  crc_of_ = reinterpret_cast<decltype(crc_of_)>(::dlsym(cupti.handle, "cuptiGetCubinCrc"));
  return crc_of_ != nullptr ? "" : cupti.path + " has no cuptiGetCubinCrc";
}

void Cubins::add(const char* cubin, size_t bytes) {
  if (cubin == nullptr || bytes == 0) return;
  if (bytes_ + bytes > kMostBytes) return void(++left_out_);
  bytes_ += bytes;
  cubins_.emplace_back(cubin, cubin + bytes);
}

const std::vector<char>* Cubins::find(uint64_t crc) {
  for (; known_ < cubins_.size(); ++known_) {
    CubinCrc asked;
    asked.cubin = cubins_[known_].data();
    asked.bytes = cubins_[known_].size();
    if (crc_of_(&asked) == kSuccess) by_crc_[asked.crc] = known_;
  }
  const auto found = by_crc_.find(crc);
  return found == by_crc_.end() ? nullptr : &cubins_[found->second];
}

}  // namespace warplens::cupti
