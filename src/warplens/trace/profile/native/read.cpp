#include "warplens/trace/profile/native/read.h"

#include <atomic>
#include <cstring>
#include <map>

#include "warplens/base/checksum.h"
#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/base/threads.h"
#include "warplens/trace/profile/native/check.h"
#include "warplens/trace/profile/native/layout.h"

namespace warplens::native {
namespace {

using Directory = std::map<std::string, Section, std::less<>>;

// Rows of a table all of whose columns are constant; more is damage, as nothing in the file backs them.
constexpr uint64_t kMaxConstantRows = uint64_t{1} << 20;
const char* const kAdvice = "copy it again, or convert the trace again with `warplens convert`";

Status check_header(const Header& header, uint64_t have_bytes) {
  if (header.major > kMajor)
    return unsupported(fmt::format("written by a newer warplens (format {}, this one reads up to {}): update warplens",
                                   header.major, kMajor));
  if (header.byte_order != kByteOrder)
    return unsupported("written on a machine of the other byte order: convert it there");
  const std::string_view fields(reinterpret_cast<const char*>(&header), offsetof(Header, header_checksum));
  if (checksum(fields) != header.header_checksum || header.sections > kMaxSections)
    return invalid_input(fmt::format("its header is damaged: {}", kAdvice));
  if (header.file_bytes > have_bytes)
    return invalid_input(fmt::format("cut off: {} of {} bytes are there: {}", have_bytes, header.file_bytes, kAdvice));
  return {};
}

Status check_section(const Section& section, uint64_t file_bytes) {
  const uint64_t stored = section.encoding == Encoding::kConstant ? 1 : section.count;
  const bool sane = section.name[sizeof section.name - 1] == '\0' && section.element_bytes > 0 &&
                    section.encoding <= Encoding::kConstant && section.offset % kAlignment == 0 &&
                    section.offset <= file_bytes && section.bytes <= file_bytes - section.offset &&
                    stored <= section.bytes / section.element_bytes && stored * section.element_bytes == section.bytes;
  return sane ? Status() : invalid_input(fmt::format("its directory is damaged: {}", kAdvice));
}

Result<Directory> read_directory(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) return invalid_input(fmt::format("cut off inside its header: {}", kAdvice));
  std::memcpy(&header, bytes.data(), sizeof header);
  WL_TRY(check_header(header, bytes.size()));
  const std::string_view directory = bytes.substr(sizeof header, header.sections * sizeof(Section));
  if (directory.size() != header.sections * sizeof(Section) || checksum(directory) != header.directory_checksum)
    return invalid_input(fmt::format("its directory is damaged: {}", kAdvice));
  Directory out;
  for (size_t i = 0; i < header.sections; ++i) {
    const auto* section = reinterpret_cast<const Section*>(directory.data()) + i;
    WL_TRY(check_section(*section, bytes.size()));
    out.emplace(section->name, *section);
  }
  return out;
}

Status check_sums(std::string_view bytes, const Directory& directory) {
  std::vector<const Section*> sections;
  for (const auto& [name, section] : directory) sections.push_back(&section);
  std::atomic<const Section*> damaged = nullptr;
  constexpr size_t kSmall = size_t{1} << 20;  // a thread is not woken for fewer bytes
  parallel_for(sections.size(), bytes.size() < kSmall ? 1 : default_threads(), [&](size_t i) {
    const Section& section = *sections[i];
    if (checksum(bytes.substr(section.offset, section.bytes)) != section.checksum) damaged = sections[i];
  });
  if (damaged == nullptr) return {};
  const Section& section = *damaged;
  return invalid_input(fmt::format("its part {} (bytes {} to {}) is damaged: {}", section.name, section.offset,
                                   section.offset + section.bytes, kAdvice));
}

Status read_strings(std::string_view bytes, Directory& directory, Strings& strings) {
  const auto ends = directory.extract("strings.ends"), texts = directory.extract("strings.bytes");
  if (ends.empty() || texts.empty() || ends.mapped().element_bytes != sizeof(uint64_t) ||
      ends.mapped().encoding != Encoding::kPlain || ends.mapped().count >= UINT32_MAX)
    return invalid_input(fmt::format("its strings are missing: {}", kAdvice));
  const auto* end = reinterpret_cast<const uint64_t*>(bytes.data() + ends.mapped().offset);
  const std::string_view all = bytes.substr(texts.mapped().offset, texts.mapped().bytes);
  std::vector<std::string_view> views;
  views.reserve(ends.mapped().count);
  uint64_t begin = 0;
  for (uint64_t i = 0; i < ends.mapped().count; begin = end[i++]) {
    if (end[i] < begin || end[i] > all.size())
      return invalid_input(fmt::format("its strings are damaged: {}", kAdvice));
    views.push_back(all.substr(begin, end[i] - begin));
  }
  strings.adopt(views);
  return {};
}

Status read_facts(std::string_view bytes, Directory& directory, Profile& profile) {
  const auto section = directory.extract("facts");
  if (section.empty()) return invalid_input(fmt::format("its facts are missing: {}", kAdvice));
  WL_ASSIGN(const json::Value facts, json::parse(bytes.substr(section.mapped().offset, section.mapped().bytes)));
  const auto integer = [](const json::Value& of, const char* key) {
    const json::Value* found = of.find(key);
    return found ? found->integer().value_or(0) : 0;
  };
  const auto text = [](const json::Value& of, const char* key) {
    const json::Value* found = of.find(key);
    return found && found->string() ? *found->string() : std::string();
  };
  profile.base_ns = integer(facts, "base_ns");
  const json::Value* issues = facts.find("integrity");
  if (issues == nullptr || issues->array() == nullptr) return {};
  for (const json::Value& issue : *issues->array()) {
    const int64_t severity = std::clamp<int64_t>(integer(issue, "severity"), 0, static_cast<int64_t>(Severity::kError));
    profile.integrity.add(text(issue, "id"), static_cast<Severity>(severity), integer(issue, "count"),
                          text(issue, "detail"), text(issue, "advice"));
  }
  return {};
}

template <typename T>
Status read_column(std::string_view bytes, const Section& section, size_t rows, Column<T>& column) {
  if (section.kind != kind_of<T>() || section.element_bytes != sizeof(T))
    return unsupported(
        fmt::format("its column {} has another type than this warplens knows: {}", section.name, kAdvice));
  if (section.count != rows)
    return invalid_input(fmt::format("its column {} has another length than its table: {}", section.name, kAdvice));
  const T* values = reinterpret_cast<const T*>(bytes.data() + section.offset);
  static constexpr T kZero{};
  if (section.encoding == Encoding::kPlain) column.borrow({values, rows});
  else if (std::memcmp(values, &kZero, sizeof(T)) == 0) column.zeros(rows);
  else column.resize(rows, *values);
  return {};
}

/// The length of a table: of its plain columns, which have the bytes to show for it.
Result<size_t> rows_of(const Directory& directory, const std::string& table_name) {
  uint64_t plain = 0, constant = 0;
  for (auto it = directory.lower_bound(table_name + ".");
       it != directory.end() && it->first.starts_with(table_name + "."); ++it)
    (it->second.encoding == Encoding::kPlain ? plain : constant) = it->second.count;
  if (plain == 0 && constant > kMaxConstantRows)
    return invalid_input(fmt::format("its directory is damaged: {}", kAdvice));
  return plain != 0 ? plain : constant;
}

/// Columns that an older warplens did not write: references to nothing, numbers 0.
template <typename T>
void fill_missing(Column<T>& column, size_t rows) {
  T value{};
  if constexpr (std::is_same_v<T, uint32_t>) value = kNone;
  column.resize(rows, value);
}

template <typename Table>
Status read_table(std::string_view bytes, const std::string& table_name, Directory& directory, Table& table) {
  WL_ASSIGN(const size_t rows, rows_of(directory, table_name));
  Status status;
  for_each_column(table, [&](const char* name, auto& column, const char*) {
    const auto section = directory.extract(table_name + "." + name);
    if (!status.ok()) return;
    section.empty() ? fill_missing(column, rows) : void(status = read_column(bytes, section.mapped(), rows, column));
  });
  return status;
}

Status read_tables(std::string_view bytes, Directory& directory, Profile& profile) {
  Status status;
  for_each_table(profile, [&](const char* name, auto& table, const char*) {
    if (status.ok()) status = read_table(bytes, name, directory, table);
  });
  return status;
}

Result<Profile> read_unnamed(std::string_view bytes, std::shared_ptr<void> backing) {
  WL_ASSIGN(Directory directory, read_directory(bytes));
  WL_TRY(check_sums(bytes, directory));
  Profile profile;
  profile.backing = std::move(backing);
  WL_TRY(read_strings(bytes, directory, profile.strings));
  WL_TRY(read_facts(bytes, directory, profile));
  const Directory all = directory;
  WL_TRY(read_tables(bytes, directory, profile));
  WL_TRY(check_references(profile, [&](const std::string& column) {
    const auto found = all.find(column);
    return found == all.end() || found->second.encoding == Encoding::kConstant;
  }));
  if (!directory.empty())
    profile.integrity.add(
        "newer-format", Severity::kInfo, static_cast<int64_t>(directory.size()),
        fmt::format("columns that this warplens does not know were skipped, the first is {}", directory.begin()->first),
        "update warplens to see them");
  return profile;
}

}  // namespace

bool sniff(std::string_view head) { return head.starts_with(std::string_view(kMagic, sizeof kMagic)); }

Result<Profile> read(std::string_view bytes, std::shared_ptr<void> backing, const std::string& name) {
  Result<Profile> profile = read_unnamed(bytes, std::move(backing));
  if (!profile.ok()) return profile.status().in(name);
  return profile;
}

}  // namespace warplens::native
