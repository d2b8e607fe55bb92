#include "warplens/base/line_program.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/printable.h"

namespace warplens {
namespace {

/// A reader that answers zeros past its end and remembers that it went there.
class Bytes {
 public:
  Bytes(std::string_view bytes, size_t at) : bytes_(bytes), at_(at) {}
  size_t at() const { return at_; }
  bool good() const { return good_; }
  void seek(size_t at) { at_ = at; }

  template <typename T>
  T number() {
    if (at_ > bytes_.size() || bytes_.size() - at_ < sizeof(T)) return fail<T>();
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = number<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int64_t signed_leb() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = number<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 57) value |= ~uint64_t{0} << (shift + 7);
      break;
    }
    return static_cast<int64_t>(value);
  }
  std::string_view string() {
    const size_t end = at_ < bytes_.size() ? bytes_.find('\0', at_) : std::string_view::npos;
    if (end == std::string_view::npos) return fail<std::string_view>();
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

 private:
  template <typename T>
  T fail() {
    good_ = false;
    at_ = bytes_.size();
    return T{};
  }
  std::string_view bytes_;
  size_t at_;
  bool good_ = true;
};

/// Extended opcode of NVIDIA's compilers: what follows was inlined into a row of the sequence, by its number from 1; 0:
/// it was not.
constexpr uint8_t kInlinedCall = 0x90;

class Reader {
 public:
  Reader(std::string_view bytes, LineProgram* out) : bytes_(bytes, 0), size_(bytes.size()), out_(out) {}

  void run() {
    while (bytes_.at() < size_ && bytes_.good()) unit();
    if (!bytes_.good()) out_->note = "the line table is cut short";
  }

 private:
  void unit() {
    const auto length = bytes_.number<uint32_t>();
    if (length > size_ - bytes_.at()) out_->note = "the line table is cut short";
    const size_t end = std::min(size_, bytes_.at() + length);
    const auto version = bytes_.number<uint16_t>();
    if (version < 2 || version > 4 || length < 2) {
      out_->note = "line table of DWARF version " + std::to_string(version) + " is not read";
      bytes_.seek(end);
      return;
    }
    const auto header = bytes_.number<uint32_t>();
    const size_t program = bytes_.at() + header;
    step_ = std::max<uint32_t>(1, bytes_.number<uint8_t>());
    if (version >= 4) bytes_.number<uint8_t>();
    bytes_.number<uint8_t>();  // whether rows are statements at first
    line_base_ = bytes_.number<int8_t>();
    line_range_ = std::max<uint8_t>(1, bytes_.number<uint8_t>());
    opcode_base_ = bytes_.number<uint8_t>();
    lengths_.clear();
    for (int i = 1; i < opcode_base_; ++i) lengths_.push_back(bytes_.number<uint8_t>());
    read_files();
    bytes_.seek(std::min(program, end));
    reset();
    while (bytes_.at() < end && bytes_.good()) step();
    bytes_.seek(end);
  }

  void read_files() {
    std::vector<std::string> directories{""};
    for (std::string_view name = bytes_.string(); !name.empty(); name = bytes_.string()) directories.emplace_back(name);
    file_base_ = out_->files.size();
    for (std::string_view name = bytes_.string(); !name.empty(); name = bytes_.string()) {
      const uint64_t directory = bytes_.unsigned_leb();
      bytes_.unsigned_leb();
      bytes_.unsigned_leb();
      const bool placed = directory < directories.size() && !directories[directory].empty() && name[0] != '/';
      out_->files.push_back(placed ? printable(directories[directory] + "/" + std::string(name)) : printable(name));
    }
  }

  void reset() {
    address_ = 0;
    file_ = line_ = 1;
    caller_ = 0;
    open_ = false;
  }

  void emit() {
    if (!open_) return;
    const uint64_t file = file_base_ + file_ - 1;
    out_->sequences.back().rows.push_back(
        {static_cast<uint32_t>(address_), static_cast<uint32_t>(file), line_, caller_});
  }

  void step() {
    const auto opcode = bytes_.number<uint8_t>();
    if (opcode >= opcode_base_) {
      const int adjusted = opcode - opcode_base_;
      address_ += static_cast<uint64_t>(adjusted / line_range_) * step_;
      line_ += static_cast<uint32_t>(line_base_ + adjusted % line_range_);
      return emit();
    }
    switch (opcode) {
      case 0: return extended();
      case 1: return emit();
      case 2: address_ += bytes_.unsigned_leb() * step_; return;
      case 3: line_ += static_cast<uint32_t>(bytes_.signed_leb()); return;
      case 4: file_ = static_cast<uint32_t>(bytes_.unsigned_leb()); return;
      case 8: address_ += static_cast<uint64_t>((255 - opcode_base_) / line_range_) * step_; return;
      case 9: address_ += bytes_.number<uint16_t>(); return;
      default:
        for (int i = 0; i < lengths_[opcode - 1]; ++i) bytes_.unsigned_leb();
    }
  }

  void extended() {
    const uint64_t length = bytes_.unsigned_leb();
    const size_t begin = bytes_.at();
    if (length == 0 || length > size_ - std::min(size_, begin)) return;
    const auto opcode = bytes_.number<uint8_t>();
    if (opcode == 1) {
      reset();
    } else if (opcode == 2) {
      out_->sequences.push_back({bytes_.at(), {}});
      address_ = bytes_.number<uint64_t>();
      open_ = true;
    } else if (opcode == kInlinedCall && open_) {
      inlined_into(bytes_.unsigned_leb());
    }
    bytes_.seek(begin + length);
  }

  void inlined_into(uint64_t row) {
    const std::vector<LineRow>& rows = out_->sequences.back().rows;
    caller_ = 0;
    if (row == 0 || row > rows.size()) return;
    out_->calls.push_back(rows[row - 1]);
    caller_ = static_cast<uint32_t>(out_->calls.size());
  }

  Bytes bytes_;
  size_t size_, file_base_ = 0;
  LineProgram* out_;
  std::vector<uint8_t> lengths_;
  uint32_t step_ = 1, file_ = 1, line_ = 1, caller_ = 0;
  int line_base_ = 0, opcode_base_ = 1;
  uint8_t line_range_ = 1;
  uint64_t address_ = 0;
  bool open_ = false;
};

}  // namespace

LineProgram read_line_program(std::string_view section) {
  LineProgram out;
  Reader(section, &out).run();
  return out;
}

const LineRow* row_at(const std::vector<LineRow>& rows, uint32_t address) {
  const auto after = std::upper_bound(rows.begin(), rows.end(), address,
                                      [](uint32_t value, const LineRow& row) { return value < row.address; });
  return after == rows.begin() ? nullptr : &*(after - 1);
}

}  // namespace warplens
