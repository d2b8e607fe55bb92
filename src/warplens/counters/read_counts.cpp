#include <algorithm>
#include <charconv>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/counters/counts.h"

namespace warplens::counters {
namespace {

constexpr std::string_view kBeginning = "{\"warplens_counters\":";
constexpr int64_t kVersion = 1;
constexpr int64_t kMostMajor = 100;  // of a compute capability; later ones are of no chip

int64_t integer(const json::Value& object, std::string_view key, int64_t otherwise = 0) {
  const json::Value* value = object.find(key);
  return value != nullptr ? value->integer().value_or(otherwise) : otherwise;
}

std::string text_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->string() != nullptr ? *value->string() : "";
}

const json::Value::Array& array_of(const json::Value& object, std::string_view key) {
  static const json::Value::Array kNone;
  const json::Value* value = object.find(key);
  return value != nullptr && value->array() != nullptr ? *value->array() : kNone;
}

std::vector<std::string> texts(const json::Value& object, std::string_view key) {
  std::vector<std::string> out;
  for (const json::Value& item : array_of(object, key)) {
    if (item.string() != nullptr) out.push_back(*item.string());
  }
  return out;
}

Status read_sizes(const json::Value& object, std::string_view key, std::array<uint32_t, 3>* to) {
  const json::Value::Array& sizes = array_of(object, key);
  if (sizes.size() != 3) return invalid_input(fmt::format("\"{}\" has not three sizes", key));
  for (size_t k = 0; k < 3; ++k) {
    const int64_t size = sizes[k].integer().value_or(-1);
    if (size < 0 || size > INT32_MAX) return invalid_input(fmt::format("\"{}\" has a size out of range", key));
    (*to)[k] = static_cast<uint32_t>(size);
  }
  return {};
}

CountedDevice read_device(const json::Value& line) {
  CountedDevice out{.ordinal = integer(line, "device"),
                    .sms = integer(line, "sms"),
                    .passes = integer(line, "passes"),
                    .name = text_of(line, "name"),
                    .chip = text_of(line, "chip"),
                    .metrics = texts(line, "metrics"),
                    .units = texts(line, "units"),
                    .missing = texts(line, "missing"),
                    .refused = text_of(line, "refused")};
  if (const json::Value::Array& compute = array_of(line, "compute"); compute.size() == 2) {
    const int64_t major = compute[0].integer().value_or(0), minor = compute[1].integer().value_or(0);
    if (major > 0 && major < kMostMajor && minor >= 0 && minor < 10) out.compute = 10 * major + minor;
  }
  return out;
}

/// The last description of a device holds for what comes after it.
Result<size_t> device_index(const Counts& counts, int64_t ordinal) {
  for (size_t k = counts.devices.size(); k-- > 0;) {
    if (counts.devices[k].ordinal == ordinal) return k;
  }
  return invalid_input(fmt::format("device {} was not described", ordinal));
}

Status read_values(const json::Value& line, const Counts& counts, size_t* device,
                   std::vector<std::optional<double>>* values) {
  WL_ASSIGN(*device, device_index(counts, integer(line, "device")));
  for (const json::Value& value : array_of(line, "values")) values->push_back(value.number());
  const size_t wanted = counts.devices[*device].metrics.size();
  if (!values->empty() && values->size() != wanted)
    return invalid_input(fmt::format("{} values for {} metrics", values->size(), wanted));
  return {};
}

Result<CountedLaunch> read_launch(const json::Value& line, const Counts& counts) {
  CountedLaunch out{.kernel = text_of(line, "kernel")};
  WL_TRY(read_sizes(line, "grid", &out.grid));
  WL_TRY(read_sizes(line, "block", &out.block));
  WL_TRY(read_sizes(line, "cluster", &out.cluster));
  const json::Value* cooperative = line.find("cooperative");
  out.cooperative = cooperative != nullptr && cooperative->boolean() != nullptr && *cooperative->boolean();
  out.registers = integer(line, "registers");
  out.local_bytes = integer(line, "local_bytes");
  out.static_shared_bytes = integer(line, "static_shared_bytes");
  out.dynamic_shared_bytes = integer(line, "dynamic_shared_bytes");
  out.carveout_percent = integer(line, "carveout_percent", -1);
  out.ns = integer(line, "ns");
  out.skipped = text_of(line, "skipped");
  if (!out.skipped.empty()) return out;
  WL_TRY(read_values(line, counts, &out.device, &out.values));
  return out;
}

Result<CountedRange> read_range(const json::Value& line, const Counts& counts) {
  CountedRange out{.name = text_of(line, "range"),
                   .times = integer(line, "times"),
                   .least_launches = integer(line, "least_launches"),
                   .most_launches = integer(line, "most_launches"),
                   .graph_launches = integer(line, "graph_launches"),
                   .skipped = text_of(line, "skipped")};
  if (!out.skipped.empty()) return out;
  WL_TRY(read_values(line, counts, &out.device, &out.values));
  if (out.values.empty()) return invalid_input("a range without values");
  return out;
}

std::map<std::string, int64_t> read_launches(const json::Value& line) {
  std::map<std::string, int64_t> out;
  if (const json::Value* kernels = line.find("kernels"); kernels != nullptr && kernels->object() != nullptr) {
    for (const auto& [kernel, count] : *kernels->object()) out[kernel] = count.integer().value_or(0);
  }
  return out;
}

Sampling read_sampling(const json::Value& line) {
  Sampling out{.reasons = texts(line, "reasons"),
               .period_cycles = integer(line, "period_cycles"),
               .samples = integer(line, "samples"),
               .dropped = integer(line, "dropped")};
  out.launches = read_launches(line);
  return out;
}

Status read_counts_of_place(const json::Value& line, Counts* counts) {
  if (!counts->instructions) return invalid_input("counts of an instruction before their metrics");
  CountedPlace place{.kernel = text_of(line, "function"),
                     .offset = static_cast<uint64_t>(integer(line, "pc")),
                     .file = text_of(line, "file"),
                     .line = static_cast<uint32_t>(integer(line, "line"))};
  for (const json::Value& count : array_of(line, "counts"))
    place.counts.push_back(static_cast<uint64_t>(std::max<int64_t>(0, count.integer().value_or(0))));
  if (place.counts.size() != counts->instructions->metrics.size())
    return invalid_input(
        fmt::format("{} counts for {} metrics", place.counts.size(), counts->instructions->metrics.size()));
  counts->instructions->places.push_back(std::move(place));
  return {};
}

Result<OverTime> read_over_time(const json::Value& line) {
  OverTime out{.kernel = text_of(line, "over_time"),
               .interval_ns = integer(line, "interval_ns"),
               .metrics = texts(line, "metrics")};
  const json::Value* overflow = line.find("overflow");
  out.overflow = overflow != nullptr && overflow->boolean() != nullptr && *overflow->boolean();
  for (const json::Value& start : array_of(line, "starts_ns")) out.starts_ns.push_back(start.integer().value_or(0));
  for (const json::Value& sample : array_of(line, "values")) {
    std::vector<double>& values = out.values.emplace_back();
    if (sample.array() == nullptr || sample.array()->size() != out.metrics.size())
      return invalid_input(
          fmt::format("a sample does not have one value for each of its {} metrics", out.metrics.size()));
    for (const json::Value& value : *sample.array()) values.push_back(value.number().value_or(0));
  }
  if (out.values.size() != out.starts_ns.size())
    return invalid_input(fmt::format("{} samples at {} times", out.values.size(), out.starts_ns.size()));
  return out;
}

Status read_place(const json::Value& line, Counts* counts) {
  if (!counts->sampling) return invalid_input("samples before their stall reasons");
  SampledPlace place{.kernel = text_of(line, "function"),
                     .offset = static_cast<uint64_t>(integer(line, "pc")),
                     .file = text_of(line, "file"),
                     .line = static_cast<uint32_t>(integer(line, "line"))};
  place.by_reason.resize(counts->sampling->reasons.size());
  for (const json::Value& pair : array_of(line, "samples")) {
    const auto* both = pair.array();
    const int64_t reason = both && both->size() == 2 ? (*both)[0].integer().value_or(-1) : -1;
    if (reason < 0 || static_cast<size_t>(reason) >= place.by_reason.size())
      return invalid_input(fmt::format("samples of a reason that is none of the {}", place.by_reason.size()));
    place.by_reason[static_cast<size_t>(reason)] =
        static_cast<uint64_t>(std::max<int64_t>(0, (*both)[1].integer().value_or(0)));
  }
  counts->sampling->places.push_back(std::move(place));
  return {};
}

Status read_code(const json::Value& line, Counts* counts) {
  const std::string hex = text_of(line, "hex");
  std::string bytes(hex.size() / 2, '\0');
  for (size_t k = 0; k < bytes.size(); ++k) {
    uint8_t byte = 0;
    const char* const digits = hex.data() + 2 * k;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      return invalid_input("machine code that is not in hexadecimal digits");
    bytes[k] = static_cast<char>(byte);
  }
  counts->code[text_of(line, "code")] = std::move(bytes);
  return {};
}

Status read_line(std::string_view text, size_t number, Counts* counts) {
  WL_ASSIGN(const json::Value line, json::parse(text));
  if (number == 1) {
    const int64_t version = integer(line, "warplens_counters");
    if (version == kVersion) return {};
    return invalid_input(fmt::format("counters of version {}, which this warplens does not read", version));
  }
  if (line.find("kernel") != nullptr) {
    WL_ASSIGN(CountedLaunch launch, read_launch(line, *counts));
    counts->launches.push_back(std::move(launch));
  } else if (line.find("range") != nullptr) {
    WL_ASSIGN(CountedRange range, read_range(line, *counts));
    counts->ranges.push_back(std::move(range));
  } else if (line.find("counts") != nullptr) {
    WL_TRY(read_counts_of_place(line, counts));
  } else if (line.find("over_time") != nullptr) {
    WL_ASSIGN(OverTime over_time, read_over_time(line));
    counts->over_time.push_back(std::move(over_time));
  } else if (line.find("instructions") != nullptr) {
    counts->instructions = Instructions{texts(line, "metrics"), read_launches(line), {}};
  } else if (line.find("code") != nullptr) {
    WL_TRY(read_code(line, counts));
  } else if (line.find("pc") != nullptr) {
    WL_TRY(read_place(line, counts));
  } else if (line.find("sampling") != nullptr) {
    counts->sampling = read_sampling(line);
  } else if (line.find("name") != nullptr) {
    counts->devices.push_back(read_device(line));
  } else if (line.find("end") != nullptr) {
    counts->ended = true;
    counts->launched = integer(line, "launches");
    counts->graph_launches = integer(line, "graph_launches");
  } else {
    return invalid_input("neither a device nor a launch");
  }
  return {};
}

}  // namespace

bool is_counts(std::string_view text) { return text.starts_with(kBeginning); }

Result<Counts> read_counts(std::string_view text) {
  if (!is_counts(text)) return invalid_input("no counters of warplens");
  Counts out;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;  // cut short
    if (const Status read = read_line(text.substr(begin, end - begin), ++number, &out); !read.ok())
      return invalid_input(fmt::format("line {}: {}", number, read.message()));
    begin = end + 1;
  }
  return out;
}

}  // namespace warplens::counters
