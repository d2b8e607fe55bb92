#include "warplens/isa/cubin/line_table.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::cubin {
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
    const T value = load<T>(bytes_, at_);
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

class LineProgram {
 public:
  LineProgram(const Elf& elf, std::string_view section, std::string_view bytes, LineTable& table)
      : bytes_(bytes, 0), size_(bytes.size()), table_(table) {
    for (const ElfRelocation& each : elf.relocations(section)) {
      if (each.symbol < elf.symbols.size()) targets_[each.offset] = elf.symbols[each.symbol].name;
    }
  }

  void run() {
    while (bytes_.at() < size_ && bytes_.good()) unit();
    if (!bytes_.good()) table_.note = "the line table is cut short";
  }

 private:
  void unit() {
    const auto length = bytes_.number<uint32_t>();
    const size_t end = std::min(size_, bytes_.at() + length);
    const auto version = bytes_.number<uint16_t>();
    if (version < 2 || version > 4 || length < 2) {
      table_.note = fmt::format("line table of DWARF version {} is not read", version);
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
    file_base_ = table_.files.size();
    for (std::string_view name = bytes_.string(); !name.empty(); name = bytes_.string()) {
      const uint64_t directory = bytes_.unsigned_leb();
      bytes_.unsigned_leb();
      bytes_.unsigned_leb();
      const bool placed = directory < directories.size() && !directories[directory].empty() && name[0] != '/';
      table_.files.push_back(placed ? directories[directory] + "/" + std::string(name) : std::string(name));
    }
  }

  void reset() {
    address_ = 0;
    file_ = line_ = 1;
  }

  void emit() {
    if (function_.empty()) return;
    const uint64_t file = file_base_ + file_ - 1;
    table_.functions[function_].push_back({static_cast<uint32_t>(address_), static_cast<uint32_t>(file), line_});
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
      function_.clear();
    } else if (opcode == 2) {
      const auto target = targets_.find(bytes_.at());
      address_ = bytes_.number<uint64_t>();
      if (target != targets_.end()) function_ = target->second;
    }
    bytes_.seek(begin + length);
  }

  Bytes bytes_;
  size_t size_, file_base_ = 0;
  LineTable& table_;
  std::map<uint64_t, std::string_view> targets_;  // by the place of the address in the program
  std::vector<uint8_t> lengths_;
  uint32_t step_ = 1, file_ = 1, line_ = 1;
  int line_base_ = 0, opcode_base_ = 1;
  uint8_t line_range_ = 1;
  uint64_t address_ = 0;
  std::string function_;
};

}  // namespace

LineTable read_line_table(const Elf& elf, std::string_view name) {
  LineTable table;
  const ElfSection* section = elf.section(name);
  if (section == nullptr) return table;
  LineProgram(elf, name, section->bytes, table).run();
  for (auto& [function, rows] : table.functions) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const LineRow& a, const LineRow& b) { return a.address < b.address; });
  }
  return table;
}

const LineRow* row_at(const std::vector<LineRow>& rows, uint32_t address) {
  const auto after = std::upper_bound(rows.begin(), rows.end(), address,
                                      [](uint32_t value, const LineRow& row) { return value < row.address; });
  return after == rows.begin() ? nullptr : &*(after - 1);
}

}  // namespace warplens::cubin
