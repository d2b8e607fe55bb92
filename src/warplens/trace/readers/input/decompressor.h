// The shared part of decompressors: compressed bytes from below, and how they end.
#pragma once
#include <algorithm>
#include <vector>

#include "warplens/base/growth.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/input/byte_source.h"

namespace warplens {

class Decompressor : public ByteSource {
 public:
  Status damage() const override { return damage_; }
  std::optional<uint64_t> packed_bytes() const override { return below_->packed_bytes().value_or(taken_); }

 protected:
  Decompressor(std::unique_ptr<ByteSource> below, size_t buffer_bytes, const char* format)
      : below_(std::move(below)),
        buffer_(std::min(kFirstBytes, buffer_bytes)),
        most_bytes_(buffer_bytes),
        format_(format) {}

  /// The next compressed bytes; none at the end, which is damage when more is `expected`.
  std::string_view refill(bool expected) {
    if (was_full_) buffer_.resize(std::min(buffer_.size() * 2, most_bytes_));
    const size_t n = below_->read(buffer_.data(), buffer_.size());
    was_full_ = n == buffer_.size();
    taken_ += n;
    if (n > 0) return {buffer_.data(), n};
    Status why = below_->damage();
    if (why.ok() && expected)
      why = invalid_input(fmt::format("the {} data is cut off after {} compressed bytes", format_, taken_));
    end(std::move(why));
    return {};
  }
  /// `unread`: compressed bytes that were not used; `detail`: the decompressor's message.
  void end_damaged(size_t unread, const std::string& detail = "") {
    end(invalid_input(
        fmt::format("the {} data is damaged after {} compressed bytes{}", format_, taken_ - unread, detail)));
  }
  void end(Status why) {
    ended_ = true;
    damage_ = std::move(why);
  }
  bool ended() const { return ended_; }
  /// Accounts for `bytes` of output and returns them. Reading ends if they are too many for the input.
  size_t give(size_t bytes) {
    given_ += bytes;
    if (!ended_ && given_ > most_unpacked_bytes(*packed_bytes()))
      end(invalid_input(
          fmt::format("the {} data is more than {} times as large when unpacked; what follows is left out: "
                      "unpack it first to read all",
                      format_, kMostGrowth)));
    return bytes;
  }

 private:
  std::unique_ptr<ByteSource> below_;
  static constexpr size_t kFirstBytes = size_t{8} << 10;  // the buffer doubles, so small files take little memory
  std::vector<char> buffer_;
  size_t most_bytes_;
  bool was_full_ = false;
  const char* format_;
  uint64_t taken_ = 0, given_ = 0;
  bool ended_ = false;
  Status damage_;
};

}  // namespace warplens
