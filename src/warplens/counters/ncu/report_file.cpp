// Reports of Nsight Compute (.ncu-rep): four bytes, a header, then blocks of a header and a payload, each of which is a
// size and a Protocol Buffers message. The numbers of fields are those of the .proto files that come with ncu.
#include <algorithm>
#include <cstring>
#include <map>

#include "warplens/base/printable.h"
#include "warplens/base/protobuf.h"
#include "warplens/base/text.h"
#include "warplens/base/whole.h"
#include "warplens/counters/ncu/collector.h"
#include "warplens/counters/ncu/ncu.h"
#include "warplens/isa/cubin/cubin.h"

namespace warplens::counters::ncu {
namespace {

using protobuf::Field;
using protobuf::Message;
using protobuf::Wire;
using std::string_view_literals::operator""sv;

constexpr std::string_view kMagic = "NVR\0"sv;
constexpr uint64_t kVersion = 7;  // of the files that this was written after
constexpr size_t kMostLaunches = 1 << 20, kMostInstances = 1 << 16;

enum InHeader : uint32_t { kSources = 1, kResults = 2, kStrings = 4, kPayloadBytes = 5, kRanges = 7 };
enum InResult : uint32_t {
  kMangledName = 5,
  kFunctionName = 6,
  kDemangledName = 7,
  kGrid = 10,
  kBlock = 11,
  kMetric = 13,
  kSource = 15,
  kRule = 19
};
enum InMetric : uint32_t { kNameNumber = 1, kValue = 2, kInstance = 3 };
enum InValue : uint32_t { kText = 1, kFloat = 2, kDouble = 3, kUnsigned32 = 4, kUnsigned64 = 5 };
enum InSource : uint32_t { kSourceNumber = 1, kCode = 4, kFunction = 9 };

/// Source counters of ncu, and what the same is called where code is patched to count.
constexpr std::pair<const char*, const char*> kOfInstructions[] = {
    {"inst_executed", "smsp__sass_inst_executed"},
    {"thread_inst_executed", "smsp__sass_thread_inst_executed"},
    {"thread_inst_executed_true", "smsp__sass_thread_inst_executed_pred_on"},
    {"memory_l2_theoretical_sectors_global", "smsp__sass_sectors_mem_global"},
    {"memory_l2_theoretical_sectors_global_ideal", "smsp__sass_sectors_mem_global_ideal"},
    {"memory_l2_theoretical_sectors_local", "smsp__sass_sectors_mem_local"},
    {"memory_l1_wavefronts_shared", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared"},
    {"memory_l1_wavefronts_shared_ideal", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal"},
    {"smsp__branch_targets_threads_divergent", "smsp__sass_branch_targets_threads_divergent"}};
constexpr std::string_view kSampleReason = "smsp__pcsamp_warps_issue_stalled_";

bool take_size(std::string_view* rest, uint32_t* size) {
  if (rest->size() < sizeof *size) return false;
  std::memcpy(size, rest->data(), sizeof *size);
  rest->remove_prefix(sizeof *size);
  return true;
}

/// A size and that many bytes.
bool take_message(std::string_view* rest, std::string_view* message) {
  uint32_t size = 0;
  if (!take_size(rest, &size) || size > rest->size()) return false;
  *message = rest->substr(0, size);
  rest->remove_prefix(size);
  return true;
}

struct Value {
  std::optional<double> number;
  uint64_t whole = 0;
  std::string_view text;
};

Value value_of(std::string_view message) {
  Value out;
  Message fields(message);
  for (Field field; fields.next(&field);) {
    if (field.number == kText && field.wire == Wire::kBytes) out.text = field.bytes;
    if (field.number == kFloat && field.wire == Wire::kFixed32) out.number = field.as_float();
    if (field.number == kDouble && field.wire == Wire::kFixed64) out.number = field.as_double();
    if ((field.number == kUnsigned32 || field.number == kUnsigned64) && field.wire == Wire::kVarint) {
      out.number = static_cast<double>(field.value);
      out.whole = field.value;
    }
  }
  return out;
}

std::array<uint32_t, 3> sizes_of(std::string_view message) {
  std::array<uint32_t, 3> out{1, 1, 1};
  Message fields(message);
  for (Field field; fields.next(&field);) {
    if (field.number >= 1 && field.number <= 3)
      out[field.number - 1] = static_cast<uint32_t>(std::min<uint64_t>(field.value, INT32_MAX));
  }
  return out;
}

/// Where a function's instructions lay in memory, and the code that they were.
struct Code {
  std::map<std::string, uint64_t> begins;  // by mangled name
  std::optional<cubin::Cubin> cubin;
};

/// A metric with the values of its instances: of instructions, the address of each.
struct Metric {
  std::string_view name;
  Value value;
  std::vector<std::pair<uint64_t, uint64_t>> instances;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes.substr(kMagic.size())) {}

  Result<Counts> read() {
    std::string_view header;
    if (!take_message(&rest_, &header))
      return invalid_input("a report of Nsight Compute that is cut off in its header");
    const uint64_t version = protobuf::find(header, 1).value;
    while (!rest_.empty() && read_block()) {
    }
    if (collector_.empty())
      return invalid_input(damaged_ > 0
                               ? "a report of Nsight Compute that is cut off or damaged before its first launch"
                               : "a report of Nsight Compute without a launch");
    tell(version);
    Counts out = collector_.take();
    if (!sampling_.places.empty()) out.sampling = std::move(sampling_);
    if (!instructions_.places.empty()) out.instructions = std::move(instructions_);
    return out;
  }

 private:
  bool broken() {
    ++damaged_;
    return false;
  }

  /// False where nothing behind it can be read.
  bool read_block() {
    std::string_view header;
    if (!take_message(&rest_, &header)) return broken();
    uint64_t sources = 0, results = 0, ranges = 0, payload_bytes = 0;
    Message fields(header);
    for (Field field; fields.next(&field);) {
      if (field.number == kSources) sources = field.value;
      if (field.number == kResults) results = field.value;
      if (field.number == kRanges) ranges = field.value;
      if (field.number == kPayloadBytes) payload_bytes = field.value;
      if (field.number == kStrings && field.wire == Wire::kBytes) add_strings(field.bytes);
    }
    if (fields.damaged()) return broken();
    std::string_view payload = rest_.substr(0, std::min<uint64_t>(payload_bytes, rest_.size()));
    const bool cut = payload.size() < payload_bytes;
    std::string_view message;
    for (uint64_t k = 0; k < sources && take_message(&payload, &message); ++k) add_source(message);
    for (uint64_t k = 0; k < results; ++k) {
      if (!take_message(&payload, &message)) return broken();
      add_result(message);
    }
    ranges_ += static_cast<int64_t>(std::min<uint64_t>(ranges, kMostLaunches));
    if (cut) return broken();
    rest_.remove_prefix(payload_bytes);
    return true;
  }

  void add_strings(std::string_view table) {
    Message fields(table);
    for (Field field; fields.next(&field);) {
      if (field.wire == Wire::kBytes) strings_.push_back(field.bytes);
    }
    damaged_ += fields.damaged();
  }

  void add_source(std::string_view message) {
    Code code;
    uint64_t number = 0;
    Message fields(message);
    for (Field field; fields.next(&field);) {
      if (field.number == kSourceNumber) number = field.value;
      if (field.number == kCode && field.wire == Wire::kBytes) {
        Result<cubin::Cubin> read = cubin::read_cubin(field.bytes);
        if (read.ok()) code.cubin = std::move(*read);
        else ++codes_not_read_;
      }
      if (field.number != kFunction || field.wire != Wire::kBytes) continue;
      Message functions(field.bytes);
      for (Field function; functions.next(&function);) {
        if (function.wire == Wire::kBytes)
          code.begins[std::string(protobuf::find(function.bytes, 1).bytes)] = protobuf::find(function.bytes, 2).value;
      }
    }
    codes_[number] = std::move(code);
  }

  Metric metric_of(std::string_view message) {
    Metric out;
    Message fields(message);
    for (Field field; fields.next(&field);) {
      if (field.number == kNameNumber && field.value < strings_.size()) out.name = strings_[field.value];
      if (field.number == kValue && field.wire == Wire::kBytes) out.value = value_of(field.bytes);
      if (field.number != kInstance || field.wire != Wire::kBytes || out.instances.size() >= kMostInstances) continue;
      const Value at = value_of(protobuf::find(field.bytes, 1).bytes),
                  of = value_of(protobuf::find(field.bytes, 2).bytes);
      out.instances.emplace_back(at.whole, of.whole);
      if (out.value.text.empty()) out.value.text = of.text;
    }
    damaged_ += fields.damaged();
    unnamed_ += out.name.empty();
    return out;
  }

  void add_result(std::string_view message) {
    if (launches_ >= kMostLaunches) return;
    ++launches_;
    CountedLaunch launch;
    std::vector<Metric> metrics;
    std::vector<std::string_view> rules;
    uint64_t source = 0;
    std::string_view function, demangled;
    Message fields(message);
    for (Field field; fields.next(&field);) {
      if (field.number == kSource && field.wire == Wire::kBytes) source = protobuf::find(field.bytes, 1).value;
      if (field.wire != Wire::kBytes) continue;
      if (field.number == kMangledName) launch.kernel = printable(field.bytes);
      if (field.number == kFunctionName) function = field.bytes;
      if (field.number == kDemangledName) demangled = field.bytes;
      if (field.number == kGrid) launch.grid = sizes_of(field.bytes);
      if (field.number == kBlock) launch.block = sizes_of(field.bytes);
      if (field.number == kMetric) metrics.push_back(metric_of(field.bytes));
      if (field.number == kRule) rules.push_back(field.bytes);
    }
    damaged_ += fields.damaged();
    if (launch.kernel.empty()) launch.kernel = printable(demangled.empty() ? function : demangled);
    collector_.begin(std::move(launch), gpu_of(metrics), 0);
    for (const Metric& metric : metrics) {
      if (metric.name.empty()) continue;
      if (!metric.value.text.empty()) collector_.add_text(metric.name, metric.value.text);
      collector_.add(metric.name, metric.value.number, "");
    }
    for (const std::string_view rule : rules) add_rule(rule);
    add_places(metrics, source);
  }

  /// Launches of one GPU have one index; its name and size are metrics too.
  static std::string gpu_of(const std::vector<Metric>& metrics) {
    std::string out;
    for (const Metric& metric : metrics) {
      if (metric.name == "device__attribute_device_index" || metric.name == "device__attribute_display_name")
        out += fmt::format("{}/{}/", metric.value.text, metric.value.whole);
    }
    return out;
  }

  void add_rule(std::string_view message) {
    // ncu's kinds of a message.
    static constexpr const char* kKinds[] = {"", "INF", "WRN", "ERR", "OPT"};
    ToolRule rule;
    rule.id = printable(protobuf::find(message, 1).bytes);
    Message items(protobuf::find(message, 3).bytes);
    for (Field item; items.next(&item);) {
      if (item.wire != Wire::kBytes) continue;
      const std::string_view said = protobuf::find(item.bytes, 1).bytes;
      if (const std::string_view text = protobuf::find(said, 1).bytes; !text.empty()) {
        const uint64_t kind = protobuf::find(said, 2).value;
        rule.kind = kind < std::size(kKinds) ? kKinds[kind] : "";
        rule.text += (rule.text.empty() ? "" : " ") + printable(text);
      }
      if (const Field speedup = protobuf::find(protobuf::find(item.bytes, 10).bytes, 2); speedup.wire == Wire::kFixed64)
        rule.speedup_percent = speedup.as_double();
    }
    if (!rule.text.empty()) collector_.launch().rules.push_back(std::move(rule));
  }

  /// The line of an instruction, where the code was compiled with lines.
  struct Place {
    std::string file;
    uint32_t line = 0;
  };
  Place place_of(const Code& code, const std::string& kernel, uint64_t offset) const {
    const cubin::Function* function = code.cubin ? code.cubin->function(kernel) : nullptr;
    if (function == nullptr) return {};
    const uint64_t index = offset / 16;  // bytes of an instruction since sm_70
    if (index >= function->instructions.size()) return {};
    const uint32_t line = function->instructions[index].line;
    if (line >= function->lines.size()) return {};
    return {function->lines[line].file, function->lines[line].line};
  }

  void add_places(const std::vector<Metric>& metrics, uint64_t source) {
    const auto code = codes_.find(source);
    const std::string kernel = collector_.launch().kernel;
    const auto begin =
        code == codes_.end() ? std::map<std::string, uint64_t>::const_iterator() : code->second.begins.find(kernel);
    if (code == codes_.end() || begin == code->second.begins.end()) return;
    std::map<uint64_t, CountedPlace> counted;
    std::map<uint64_t, SampledPlace> sampled;
    for (const Metric& metric : metrics) {
      const size_t executed = number_of(metric.name);
      const bool is_reason = metric.name.starts_with(kSampleReason);
      if (executed == std::size(kOfInstructions) && !is_reason) continue;
      const size_t reason = is_reason ? reason_number(metric.name) : 0;
      for (const auto& [address, count] : metric.instances) {
        if (address < begin->second) continue;
        const uint64_t offset = address - begin->second;
        if (is_reason) {
          std::vector<uint64_t>& by_reason = sampled[offset].by_reason;
          by_reason.resize(std::max(by_reason.size(), reason + 1));
          by_reason[reason] += count;
        } else {
          counted[offset].counts.resize(std::size(kOfInstructions));
          counted[offset].counts[executed] += count;
        }
      }
    }
    if (!counted.empty()) ++instructions_.launches[kernel];
    if (!sampled.empty()) ++sampling_.launches[kernel];
    for (auto& [offset, place] : counted) {
      const Place at = place_of(code->second, kernel, offset);
      instructions_.places.push_back({kernel, offset, at.file, at.line, std::move(place.counts)});
    }
    for (auto& [offset, place] : sampled) {
      const Place at = place_of(code->second, kernel, offset);
      sampling_.places.push_back({kernel, offset, at.file, at.line, std::move(place.by_reason)});
    }
    if (instructions_.metrics.empty()) {
      for (const auto& [theirs, ours] : kOfInstructions) instructions_.metrics.emplace_back(ours);
    }
    for (const Metric& metric : metrics) {
      if (metric.name == "smsp__pcsamp_sample_count")
        sampling_.samples = nearest_int64(static_cast<double>(sampling_.samples) + metric.value.number.value_or(0));
      if (metric.name == "smsp__pcsamp_interval_cycles")
        sampling_.period_cycles = nearest_int64(metric.value.number.value_or(0));
    }
  }

  static size_t number_of(std::string_view metric) {
    size_t k = 0;
    while (k < std::size(kOfInstructions) && metric != kOfInstructions[k].first) ++k;
    return k;
  }

  size_t reason_number(std::string_view metric) {
    auto& reasons = sampling_.reasons;
    const auto found = std::ranges::find(reasons, metric);
    if (found != reasons.end()) return static_cast<size_t>(found - reasons.begin());
    reasons.emplace_back(metric);
    for (SampledPlace& place : sampling_.places) place.by_reason.resize(reasons.size());
    return reasons.size() - 1;
  }

  void tell(uint64_t version) {
    std::vector<std::string>& notes = collector_.notes();
    if (version != kVersion)
      notes.push_back(
          fmt::format("the report has format {}; this reader was tested with format {}", version, kVersion));
    if (damaged_ > 0)
      notes.push_back(
          fmt::format("the report is cut off or damaged in {} places: launches or counters are missing", damaged_));
    if (unnamed_ > 0) notes.push_back(fmt::format("{} values have no name in the report's table of texts", unnamed_));
    if (ranges_ > 0)
      notes.push_back(fmt::format(
          "{} results of ranges were not understood: ncu --import FILE --page raw --csv has them", ranges_));
    if (codes_not_read_ > 0)
      notes.push_back(
          fmt::format("{} pieces of code could not be read: their instructions have no lines", codes_not_read_));
    for (SampledPlace& place : sampling_.places) place.by_reason.resize(sampling_.reasons.size());
  }

  std::string_view rest_;
  std::vector<std::string_view> strings_;  // of all blocks so far
  std::map<uint64_t, Code> codes_;
  Collector collector_;
  Sampling sampling_;
  Instructions instructions_;
  size_t launches_ = 0;
  int64_t damaged_ = 0, unnamed_ = 0, ranges_ = 0, codes_not_read_ = 0;
};

}  // namespace

bool is_report(std::string_view head) { return head.starts_with(kMagic); }

Result<Counts> read_report(std::string_view bytes) {
  if (!is_report(bytes)) return invalid_input("no report of Nsight Compute");
  return Reader(bytes).read();
}

}  // namespace warplens::counters::ncu
