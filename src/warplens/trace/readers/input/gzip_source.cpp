#include <isa-l/igzip_lib.h>

#include "warplens/trace/readers/input/decompressor.h"

namespace warplens {
namespace {

constexpr size_t kInputBytes = size_t{256} << 10;

class GzipSource final : public Decompressor {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> below) : Decompressor(std::move(below), kInputBytes, "gzip") {
    start_member();
  }

  size_t read(char* to, size_t size) override {
    state_.next_out = reinterpret_cast<uint8_t*>(to);
    state_.avail_out = static_cast<uint32_t>(std::min<size_t>(size, UINT32_MAX));
    const uint32_t wanted = state_.avail_out;
    while (wanted > 0 && state_.avail_out == wanted && !ended()) step();
    return give(wanted - state_.avail_out);
  }

 private:
  void start_member() {
    const uint8_t* next = state_.next_in;
    const uint32_t left = state_.avail_in;
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    state_.next_in = const_cast<uint8_t*>(next);
    state_.avail_in = left;
  }

  /// Inflated bytes that did not fit into what the reader asked for.
  bool has_pending() const {
    return state_.block_state != ISAL_BLOCK_FINISH && state_.tmp_out_valid > state_.tmp_out_processed;
  }

  void step() {
    if (state_.avail_in == 0 && !has_pending() && !next_input()) return;
    if (state_.block_state == ISAL_BLOCK_FINISH && state_.avail_in > 0) {
      uint8_t* out = state_.next_out;
      const uint32_t room = state_.avail_out;
      // Padding after the last member is allowed: what does not begin a member ends the stream.
      if (*state_.next_in != 0x1f) return end({});
      start_member();
      state_.next_out = out;
      state_.avail_out = room;
    }
    const int code = isal_inflate(&state_);
    if (code != ISAL_DECOMP_OK && code != ISAL_END_INPUT) end_damaged(state_.avail_in);
  }

  bool next_input() {
    const std::string_view input = refill(state_.block_state != ISAL_BLOCK_FINISH);
    state_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(input.data()));
    state_.avail_in = static_cast<uint32_t>(input.size());
    return !input.empty();
  }

  inflate_state state_{};
};

}  // namespace

bool looks_like_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

std::unique_ptr<ByteSource> inflate_gzip(std::unique_ptr<ByteSource> below) {
  return std::make_unique<GzipSource>(std::move(below));
}

}  // namespace warplens
