#include <cmath>

#include "warplens/base/json.h"
#include "warplens/base/schema.h"
#include "warplens/bench/results/fields.h"
#include "warplens/gpu/metric_unit.h"

namespace warplens::bench {
namespace {

class FieldWriter {
 public:
  explicit FieldWriter(json::Writer& out) : out_(out) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    out_.key(name);
    // Whole numbers where a fraction says nothing: nanoseconds, bytes and rates from a thousand up.
    if constexpr (std::is_same_v<T, double>) write_number(value);
    else write(value);
  }

  void units_of(const std::map<std::string, double>& metrics) {
    out_.key("units").begin_object();
    for (const auto& [name, value] : metrics) out_.member(name, gpu::unit_of(name));
    out_.end_object();
  }

 private:
  void write_number(double x) {
    if (std::fabs(x) >= 1000 && std::fabs(x) < 9e15) out_.value(static_cast<int64_t>(std::llround(x)));
    else out_.value(x);
  }
  void write(double x) { write_number(x); }
  void write(bool x) { out_.value(x); }
  void write(int64_t x) { out_.value(x); }
  void write(const std::string& x) { out_.value(x); }
  template <typename T>
  void write(const std::vector<T>& list) {
    out_.begin_array();
    for (const T& x : list) write(x);
    out_.end_array();
  }
  void write(const std::vector<std::pair<std::string, std::string>>& members) {
    out_.begin_object();
    for (const auto& [key, value] : members) out_.member(key, value);
    out_.end_object();
  }
  template <typename T>
  void write(const std::map<std::string, T>& members) {
    out_.begin_object();
    for (const auto& [key, value] : members) {
      out_.key(key);
      write(value);
    }
    out_.end_object();
  }
  template <typename T>
  void write(const T& object)
    requires requires(FieldWriter& v) { visit_fields(v, object); }
  {
    out_.begin_object();
    visit_fields(*this, object);
    out_.end_object();
  }

  json::Writer& out_;
};

}  // namespace

void write_checks(json::Writer& out, const std::vector<OutputCheck>& checks) {
  FieldWriter fields(out);
  fields("checks", checks);
}

void write_metrics(json::Writer& out, const std::map<std::string, double>& metrics) {
  FieldWriter fields(out);
  fields("metrics", metrics);
  fields.units_of(metrics);
}

std::string to_json(const Results& results) {
  json::Writer out(false);
  out.begin_object().member("schema_version", kSchemaVersion).member("kind", "warplens-bench");
  FieldWriter fields(out);
  visit_fields(fields, results);
  out.end_object();
  return out.take() + "\n";
}

}  // namespace warplens::bench
