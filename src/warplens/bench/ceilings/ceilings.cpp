#include "warplens/bench/ceilings/ceilings.h"

#include <cctype>

#include "warplens/base/files.h"
#include "warplens/base/letter_case.h"
#include "warplens/base/schema.h"
#include "warplens/base/text.h"
#include "warplens/base/units.h"

namespace warplens::bench {

const Ceiling* MeasuredCeilings::find(std::string_view key) const {
  for (const Ceiling& c : ceilings) {
    if (c.key == key) return &c;
  }
  return nullptr;
}

std::string to_json(const MeasuredCeilings& measured) {
  json::Writer out(true);
  const Environment& e = measured.environment;
  out.begin_object()
      .member("schema_version", kSchemaVersion)
      .member("kind", "warplens-ceilings")
      .member("device", e.device)
      .member("arch", e.arch);
  out.member("driver", e.driver).member("date", e.date).member("sms", e.sms).member("l2_bytes", e.l2_bytes);
  out.member("max_sm_clock_mhz", e.max_sm_clock_mhz)
      .member("max_memory_clock_mhz", e.max_memory_clock_mhz)
      .key("ceilings")
      .begin_array();
  for (const Ceiling& c : measured.ceilings)
    out.begin_object()
        .member("key", c.key)
        .member("what", c.what)
        .member("unit", c.unit)
        .member("value", c.value)
        .member("sm_clock_mhz", c.sm_clock_mhz)
        .member("note", c.note)
        .end_object();
  return out.end_array().end_object().take() + "\n";
}

Result<MeasuredCeilings> parse_ceilings(std::string_view text) {
  WL_ASSIGN(const json::Value root, json::parse(text));
  const auto word = [](const json::Value& object, const char* key) {
    const json::Value* v = object.find(key);
    return v != nullptr && v->string() ? *v->string() : std::string();
  };
  const auto number = [](const json::Value& object, const char* key) {
    const json::Value* v = object.find(key);
    return v != nullptr ? v->number().value_or(0) : 0;
  };
  const json::Value* list = root.find("ceilings");
  if (word(root, "kind") != "warplens-ceilings" || list == nullptr || !list->array())
    return invalid_input("not measured ceilings; warplens device measure writes them");
  MeasuredCeilings out;
  out.environment.device = word(root, "device");
  out.environment.arch = word(root, "arch");
  out.environment.driver = word(root, "driver");
  out.environment.date = word(root, "date");
  out.environment.sms = static_cast<int64_t>(number(root, "sms"));
  out.environment.l2_bytes = static_cast<int64_t>(number(root, "l2_bytes"));
  out.environment.max_sm_clock_mhz = static_cast<int64_t>(number(root, "max_sm_clock_mhz"));
  out.environment.max_memory_clock_mhz = static_cast<int64_t>(number(root, "max_memory_clock_mhz"));
  for (const json::Value& c : *list->array())
    out.ceilings.push_back({word(c, "key"), word(c, "what"), word(c, "unit"), number(c, "value"),
                            number(c, "sm_clock_mhz"), word(c, "note")});
  return out;
}

Table ceilings_table(const MeasuredCeilings& measured) {
  Table table{{{"key", "ceiling"},
               {"what", "of"},
               {"value", "measured", Kind::kNumber},
               {"unit", "unit"},
               {"sm_clock_mhz", "SM MHz", Kind::kCount},
               {"note", "held down by"}},
              {}};
  for (const Ceiling& c : measured.ceilings) {
    const bool rate = c.unit != "ns";
    const double scale = c.unit == "FLOP/s" ? 1e12 : rate ? 1e9 : 1;
    const std::string unit = c.unit == "FLOP/s" ? "TFLOP/s" : rate ? "GB/s" : "ns";
    table.rows.push_back({c.key, c.what, c.value / scale, unit,
                          c.sm_clock_mhz > 0 ? Cell(static_cast<int64_t>(c.sm_clock_mhz)) : Cell(), c.note});
  }
  return table;
}

std::string ceilings_path(const std::string& device) {
  std::string name;
  for (const char c : device) name += std::isalnum(static_cast<unsigned char>(c)) ? lower(c) : '_';
  return cache_directory() + "/ceilings/" + name + ".json";
}

Result<MeasuredCeilings> stored_ceilings(const std::string& device) {
  Result<std::string> text = read_file(ceilings_path(device));
  if (!text.ok())
    return not_found(
        fmt::format("no measured ceilings of '{}'; warplens device measure makes them on that GPU", device));
  return parse_ceilings(*text);
}

Ceilings stored_limits(const std::string& device) {
  Ceilings out;
  const Result<MeasuredCeilings> stored = stored_ceilings(device);
  if (!stored.ok()) return out;
  if (const Ceiling* dram = stored->find("dram_read")) out.bytes_per_second = dram->value;
  for (const Ceiling& c : stored->ceilings) {
    if (c.unit == "FLOP/s") out.flops_per_second = std::max(out.flops_per_second, c.value);
  }
  return out;
}

}  // namespace warplens::bench
