#include <zstd.h>

#include <vector>

#include "warplens/base/text.h"
#include "warplens/trace/readers/input/byte_source.h"

namespace warplens {
namespace {

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> below)
      : below_(std::move(below)), buffer_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, 31);  // files made with --long
  }

  size_t read(char* to, size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0 && !ended_) {
      if (in_.pos == in_.size && !refill()) break;
      const size_t code = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(code)) {
        end(invalid_input(fmt::format("the Zstandard data is damaged after {} compressed bytes: {}",
                                      taken_ - (in_.size - in_.pos), ZSTD_getErrorName(code))));
      } else {
        inside_frame_ = code != 0;
      }
    }
    return out.pos;
  }
  Status damage() const override { return damage_; }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool refill() {
    const size_t n = below_->read(buffer_.data(), buffer_.size());
    taken_ += n;
    in_ = {buffer_.data(), n, 0};
    if (n > 0) return true;
    Status why = below_->damage();
    if (why.ok() && inside_frame_)
      why = invalid_input(fmt::format("the Zstandard data is cut off after {} compressed bytes", taken_));
    end(std::move(why));
    return false;
  }

  void end(Status why) {
    ended_ = true;
    damage_ = std::move(why);
  }

  std::unique_ptr<ByteSource> below_;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  uint64_t taken_ = 0;
  bool inside_frame_ = false, ended_ = false;
  Status damage_;
};

}  // namespace

bool looks_like_zstd(std::string_view head) { return head.starts_with("\x28\xb5\x2f\xfd"); }

std::unique_ptr<ByteSource> inflate_zstd(std::unique_ptr<ByteSource> below) {
  return std::make_unique<ZstdSource>(std::move(below));
}

}  // namespace warplens
