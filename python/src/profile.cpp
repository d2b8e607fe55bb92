// Profiles: reading, their tables as Arrow streams, their integrity.
#include "warplens/trace/profile/profile.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "module.h"
#include "query.h"
#include "status.h"
#include "warplens/trace/profile/native/write.h"
#include "warplens/trace/profile/value_names.h"
#include "warplens/trace/readers/read.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

/// A profile that tables, streams and analyses share.
struct SharedProfile {
  std::shared_ptr<Profile> profile;
  std::shared_ptr<const ArrowTexts> texts;      // made when first needed
  std::shared_ptr<SharedSession> session = {};  // likewise
};

SharedProfile load(const std::vector<std::string>& paths) {
  Result<Profile> profile = [&] {
    const nb::gil_scoped_release unlocked;
    return read_profile(paths);
  }();
  // What is no trace is a wrong value, not something left to be implemented.
  if (!profile.ok() && profile.status().code() == ErrorCode::kUnsupported)
    raise(invalid_input(profile.status().message()));
  return {std::make_shared<Profile>(take(std::move(profile))), nullptr};
}

template <typename T>
constexpr const char* arrow_format() {
  if constexpr (std::is_enum_v<T>) return arrow_format<std::underlying_type_t<T>>();
  else if constexpr (std::is_same_v<T, double>) return "g";
  else if constexpr (sizeof(T) == 8) return std::is_signed_v<T> ? "l" : "L";
  else if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? "i" : "I";
  else return std::is_signed_v<T> ? "c" : "C";
}

/// The names of an enumeration, which its column's values index.
template <typename T>
std::shared_ptr<const ArrowTexts> names_of() {
  if (value_names<T>().empty()) return nullptr;
  static const std::shared_ptr<const ArrowTexts> names = [] {
    auto texts = std::make_shared<ArrowTexts>();
    for (const std::string_view name : value_names<T>()) texts->add(name);
    return texts;
  }();
  return names;
}

template <typename T>
ArrowColumn arrow_column(const char* name, const Column<T>& column, const std::shared_ptr<const ArrowTexts>& texts) {
  return {name, arrow_format<T>(), column.begin(), static_cast<int64_t>(column.size()),
          std::is_same_v<T, StringId> ? texts : names_of<T>()};
}

const std::shared_ptr<const ArrowTexts>& texts_of(SharedProfile& self) {
  if (self.texts == nullptr) {
    auto texts = std::make_shared<ArrowTexts>();
    for (size_t id = 0; id < self.profile->strings.size(); ++id)
      texts->add(self.profile->strings[StringId{static_cast<uint32_t>(id)}]);
    self.texts = std::move(texts);
  }
  return self.texts;
}

std::vector<ArrowColumn> columns_of(SharedProfile& self, const std::string& table) {
  const auto& texts = texts_of(self);
#define WL_TABLE(name, first, what)        \
  if (table == #name) {                    \
    const auto& rows = self.profile->name; \
    std::vector<ArrowColumn> columns;
#define WL_COLUMN(type, name, what) columns.push_back(arrow_column(#name, rows.name, texts));
#define WL_END()  \
  return columns; \
  }
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END
  raise(invalid_input("no table '" + table + "'; Profile.tables() lists them"));
}

nb::object table_stream(SharedProfile& self, const std::string& table) {
  ArrowArrayStream* stream = export_stream(columns_of(self, table), self.profile);
  return stream_capsule(stream);
}

nb::typed<nb::dict, nb::str, int> table_sizes(const SharedProfile& self) {
  nb::dict sizes;
#define WL_TABLE(name, first, what) sizes[#name] = self.profile->name.size();
#define WL_COLUMN(type, name, what)
#define WL_END()
#include "warplens/trace/profile/schema.def"
#undef WL_TABLE
#undef WL_COLUMN
#undef WL_END
  return sizes;
}

QueryResult query(SharedProfile& self, const std::string& sql, std::optional<size_t> limit) {
  if (self.session == nullptr) self.session = SharedSession::open(self.profile);
  return self.session->run(sql, limit);
}

nb::typed<nb::dict, nb::str, nb::str> columns(SharedProfile& self, const std::string& table) {
  if (self.session == nullptr) self.session = SharedSession::open(self.profile);
  return self.session->columns(table);
}

void save(const SharedProfile& self, const std::string& path, bool overwrite) {
  const Status status = [&] {
    const nb::gil_scoped_release unlocked;
    return native::write(*self.profile, path, overwrite);
  }();
  check(status);
}

Records integrity(const SharedProfile& self) {
  static constexpr const char* kSeverities[] = {"info", "warning", "error"};
  nb::list out;
  for (const IntegrityIssue& issue : self.profile->integrity.issues()) {
    nb::dict entry;
    entry["id"] = issue.id, entry["severity"] = kSeverities[static_cast<int>(issue.severity)];
    entry["count"] = issue.count, entry["detail"] = issue.detail, entry["advice"] = issue.advice;
    out.append(entry);
  }
  return out;
}

}  // namespace

void bind_profile(nb::module_& module) {
  nb::class_<SharedProfile>(module, "Profile", "A trace in memory.")
      .def("tables", &table_sizes, "Rows of each table.")
      .def("table_stream", &table_stream, "table"_a,
           "A table as an Arrow C stream (a PyCapsule), its numbers not copied.")
      .def("query", &query, "sql"_a, "limit"_a = nb::none(), "What one statement of SQL gives.")
      .def("columns", &columns, "table"_a, "Columns of a table of SQL, with their types: integer, real or text.")
      .def("save", &save, "path"_a, "overwrite"_a = false, "Writes it as .wlens.")
      .def("integrity", &integrity, "What the trace could not carry, a dictionary a kind of damage.");
  module.def("load", &load, "paths"_a, "Reads trace files as one profile; several are ranks of one job.");
}

}  // namespace warplens::python
