#include "query.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "module.h"
#include "status.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

ArrowColumn arrow_column(const query::AnswerColumn& column) {
  ArrowColumn out{column.name(), "U", nullptr, static_cast<int64_t>(column.size())};
  out.nulls = static_cast<int64_t>(column.nulls());
  out.valid = out.nulls > 0 ? column.valid().data() : nullptr;
  switch (column.type()) {
    case query::SqlType::kInteger: out.format = "l", out.values = column.integers().data(); break;
    case query::SqlType::kReal: out.format = "g", out.values = column.reals().data(); break;
    case query::SqlType::kText: out.values = column.text_ends().data(), out.bytes = column.text_bytes().data();
  }
  return out;
}

nb::object result_stream(const QueryResult& self) {
  std::vector<ArrowColumn> columns;
  for (const query::AnswerColumn& column : self.answer->columns) columns.push_back(arrow_column(column));
  return stream_capsule(export_stream(std::move(columns), self.answer));
}

std::vector<std::string> column_names(const QueryResult& self) {
  std::vector<std::string> names;
  for (const query::AnswerColumn& column : self.answer->columns) names.push_back(column.name());
  return names;
}

nb::object cell(const Cell& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return nb::cast(*text);
  if (const auto* whole = std::get_if<int64_t>(&value)) return nb::cast(*whole);
  if (const auto* real = std::get_if<double>(&value)) return nb::cast(*real);
  return nb::none();
}

Records rows(const QueryResult& self) {
  nb::list out;
  for (size_t row = 0; row < self.answer->rows; ++row) {
    nb::dict record;
    for (const query::AnswerColumn& column : self.answer->columns)
      record[nb::cast(column.name())] = cell(column.cell(row));
    out.append(record);
  }
  return out;
}

}  // namespace

std::shared_ptr<SharedSession> SharedSession::open(std::shared_ptr<Profile> profile) {
  auto shared = std::make_shared<SharedSession>();
  shared->profile_ = std::move(profile);
  shared->session_ = take(query::Session::open(*shared->profile_));
  return shared;
}

nb::typed<nb::dict, nb::str, nb::str> SharedSession::columns(const std::string& table) const {
  const query::QueryTable* found = session_->catalog().find(table);
  if (found == nullptr) raise(invalid_input("no table '" + table + "'; `warplens query --schema` lists them"));
  nb::dict out;
  for (const query::ColumnSource& column : found->columns)
    out[nb::cast(column.name)] = column.type == query::SqlType::kText   ? "text"
                                 : column.type == query::SqlType::kReal ? "real"
                                                                        : "integer";
  return out;
}

QueryResult SharedSession::run(const std::string& sql, std::optional<size_t> limit) {
  Result<query::Answer> answer = [&] {
    const nb::gil_scoped_release unlocked;
    const std::lock_guard lock(mutex_);
    return session_->run(sql, {.rows = limit.value_or(SIZE_MAX)});
  }();
  return {std::make_shared<query::Answer>(take(std::move(answer)))};
}

void bind_query(nb::module_& module) {
  nb::class_<QueryResult>(module, "QueryResult", "What a statement gave.")
      .def("__len__", [](const QueryResult& self) { return self.answer->rows; })
      .def("columns", &column_names, "Names of the columns.")
      .def(
          "more", [](const QueryResult& self) { return self.answer->more; }, "Whether a limit left rows out.")
      .def("rows", &rows, "A dictionary a row.")
      .def("stream", &result_stream, "The columns as an Arrow C stream (a PyCapsule), not copied.");
}

}  // namespace warplens::python
