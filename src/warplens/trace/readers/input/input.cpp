#include "warplens/trace/readers/input/input.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens {
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;
constexpr int kMaxLayers = 4;

size_t read_fully(ByteSource& source, char* to, size_t size) {
  size_t got = 0;
  for (size_t n; got < size && (n = source.read(to + got, size - got)) > 0;) got += n;
  return got;
}

/// Adds what is left of `source` to `bytes`, which grows to `most` bytes at most. Small files take little memory: what
/// is asked for doubles from a page.
void append(ByteSource& source, std::string& bytes, size_t most) {
  constexpr size_t kLeast = 4 << 10, kMostAtOnce = 1 << 20;
  for (size_t got = 1; got > 0 && bytes.size() < most;) {
    const size_t had = bytes.size(), wanted = std::min(std::clamp(had, kLeast, kMostAtOnce), most - had);
    bytes.resize(had + wanted);
    got = read_fully(source, bytes.data() + had, wanted);
    bytes.resize(had + got);
  }
}

std::string read_head(ByteSource& source) {
  std::string head;
  append(source, head, kHeadBytes);
  return head;
}

/// Gives a head that was already read again, then the rest.
class Rewound final : public ByteSource {
 public:
  Rewound(std::string head, std::unique_ptr<ByteSource> rest) : head_(std::move(head)), rest_(std::move(rest)) {}
  size_t read(char* to, size_t size) override {
    const size_t n = std::min(size, head_.size() - at_);
    if (n == 0) return rest_ ? rest_->read(to, size) : 0;
    std::memcpy(to, head_.data() + at_, n);
    at_ += n;
    return n;
  }
  Status damage() const override { return rest_ ? rest_->damage() : Status(); }
  std::optional<uint64_t> packed_bytes() const override { return rest_ ? rest_->packed_bytes() : std::nullopt; }

 private:
  std::string head_;
  size_t at_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

}  // namespace

Result<Input> Input::open(const std::string& path) {
  if (std::error_code ignored; path != "-" && std::filesystem::is_directory(path, ignored))
    return invalid_input(path + ": is a directory; give the trace files in it");
  WL_ASSIGN(std::unique_ptr<ByteSource> source, open_file(path));
  Input input;
  input.name_ = path == "-" ? "standard input" : path;
  std::error_code ignored;
  input.plain_file_ = path != "-" && std::filesystem::is_regular_file(path, ignored);
  input.head_ = read_head(*source);
  for (int layer = 0; layer < kMaxLayers; ++layer) {
    const bool gzip = looks_like_gzip(input.head_);
    if (!gzip && !looks_like_zstd(input.head_)) break;
    source = std::make_unique<Rewound>(std::move(input.head_), std::move(source));
    source = gzip ? inflate_gzip(std::move(source)) : inflate_zstd(std::move(source));
    input.plain_file_ = false;
    input.head_ = read_head(*source);
  }
  input.source_ = std::move(source);
  if (input.head_.empty() && !input.damage().ok()) return input.damage().in(input.name_);
  if (input.head_.empty()) return invalid_input(input.name_ + ": is empty");
  return input;
}

Input Input::of_bytes(std::string name, std::string bytes) {
  Input input;
  input.name_ = std::move(name);
  input.source_ = std::make_unique<Rewound>(std::move(bytes), nullptr);
  input.head_ = read_head(*input.source_);
  return input;
}

size_t Input::read(char* to, size_t size) {
  const size_t first = std::min(size, head_.size() - head_read_);
  std::memcpy(to, head_.data() + head_read_, first);
  head_read_ += first;
  return first + read_fully(*source_, to + first, size - first);
}

Result<std::string> Input::read_all(size_t most_bytes) {
  std::string bytes = head_.substr(head_read_);
  head_read_ = head_.size();
  append(*source_, bytes, most_bytes + 1);
  if (bytes.size() > most_bytes)
    return invalid_input(fmt::format("{}: is larger than {}: give a part of the recording", name_,
                                     format_bytes(static_cast<double>(most_bytes))));
  return bytes;
}

}  // namespace warplens
