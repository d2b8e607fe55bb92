#include "warplens/trace/profile/native/write.h"

#include <cstring>
#include <vector>

#include "warplens/base/checksum.h"
#include "warplens/base/files.h"
#include "warplens/base/json.h"
#include "warplens/trace/profile/native/layout.h"

namespace warplens::native {
namespace {

struct Pending {
  Section section{};
  std::string_view bytes;
};

std::string facts(const Profile& profile) {
  json::Writer w;
  w.begin_object().member("base_ns", profile.base_ns).key("integrity").begin_array();
  for (const IntegrityIssue& issue : profile.integrity.issues()) {
    w.begin_object().member("id", issue.id).member("severity", static_cast<int>(issue.severity));
    w.member("count", issue.count).member("detail", issue.detail).member("advice", issue.advice).end_object();
  }
  return w.end_array().end_object().take();
}

template <typename T>
bool is_constant(const Column<T>& column) {
  const size_t bytes = column.values().size_bytes();
  return column.size() > 1 && std::memcmp(column.begin(), column.begin() + 1, bytes - sizeof(T)) == 0;
}

Pending pending(const std::string& name, char kind, size_t element_bytes, uint64_t count, std::string_view bytes) {
  Pending out;
  std::memcpy(out.section.name, name.data(), name.size());
  out.section.kind = kind;
  out.section.element_bytes = static_cast<uint8_t>(element_bytes);
  out.section.count = count;
  out.section.bytes = bytes.size();
  out.bytes = bytes;
  return out;
}

void add_columns(const Profile& profile, std::vector<Pending>& out) {
  for_each_table(profile, [&](const std::string& table_name, const auto& table, const char*) {
    if (table.size() == 0) return;
    for_each_column(table, [&]<typename T>(const char* name, const Column<T>& column, const char*) {
      const bool constant = is_constant(column);
      const std::string_view bytes(reinterpret_cast<const char*>(column.begin()),
                                   constant ? sizeof(T) : column.values().size_bytes());
      out.push_back(pending(table_name + "." + name, kind_of<T>(), sizeof(T), column.size(), bytes));
      out.back().section.encoding = constant ? Encoding::kConstant : Encoding::kPlain;
    });
  });
}

Status write_padded(FileWriter& file, std::string_view bytes, uint64_t& at) {
  static constexpr char kZeros[kAlignment] = {};
  WL_TRY(file.write(bytes));
  at += bytes.size();
  const uint64_t padding = aligned(at) - at;
  at += padding;
  return file.write({kZeros, padding});
}

}  // namespace

Status write(const Profile& profile, const std::string& path, bool overwrite) {
  std::vector<uint64_t> ends;
  std::string texts;
  for (uint32_t id = 1; id < profile.strings.size(); ++id) {
    texts += profile.strings[StringId{id}];
    ends.push_back(texts.size());
  }
  const std::string about = facts(profile);
  std::vector<Pending> parts;
  parts.push_back(pending("facts", 'b', 1, about.size(), about));
  const std::string_view end_bytes(reinterpret_cast<const char*>(ends.data()), ends.size() * sizeof(uint64_t));
  parts.push_back(pending("strings.ends", 'u', sizeof(uint64_t), ends.size(), end_bytes));
  parts.push_back(pending("strings.bytes", 'b', 1, texts.size(), texts));
  add_columns(profile, parts);

  uint64_t at = aligned(sizeof(Header) + parts.size() * sizeof(Section));
  std::string directory;
  for (Pending& part : parts) {
    part.section.offset = at;
    part.section.checksum = checksum(part.bytes);
    at = aligned(at + part.bytes.size());
    directory.append(reinterpret_cast<const char*>(&part.section), sizeof(Section));
  }
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.major = kMajor;
  header.byte_order = kByteOrder;
  header.file_bytes = at;
  header.sections = parts.size();
  header.directory_checksum = checksum(directory);
  header.header_checksum = checksum({reinterpret_cast<const char*>(&header), offsetof(Header, header_checksum)});

  WL_ASSIGN(FileWriter file, FileWriter::create(path, overwrite));
  WL_TRY(file.write({reinterpret_cast<const char*>(&header), sizeof header}));
  uint64_t written = sizeof header;
  WL_TRY(write_padded(file, directory, written));
  for (const Pending& part : parts) WL_TRY(write_padded(file, part.bytes, written));
  return file.commit();
}

}  // namespace warplens::native
