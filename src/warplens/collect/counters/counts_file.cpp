#include "warplens/collect/counters/counts_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <string_view>

#include "warplens/base/json_quoted.h"
#include "warplens/base/output_name.h"

namespace warplens::collect {
namespace {

using json::quoted_utf8;

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

template <typename Items, typename Write>
std::string list(const Items& items, Write write) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? "," : "") + write(item);
  return out + "]";
}

std::string member(const char* name, const std::string& value) { return std::string(",\"") + name + "\":" + value; }
std::string member(const char* name, uint64_t value) { return member(name, std::to_string(value)); }

std::string by_kernel(const std::map<std::string, uint64_t>& launches) {
  std::string out;
  for (const auto& [kernel, count] : launches)
    out += (out.empty() ? "" : ",") + quoted_utf8(kernel) + ":" + std::to_string(count);
  return "{" + out + "}";
}

/// A file of its own in place of whatever stood there; a link that somebody planted is not followed. Devices and pipes
/// are written to.
std::FILE* new_file(const std::string& path) {
  struct stat there{};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return std::fopen(path.c_str(), "we");
  ::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  return fd < 0 ? nullptr : ::fdopen(fd, "w");
}

}  // namespace

bool CountsFile::open(const std::string& pattern, uint32_t cupti_version) {
  path_ = expand_output_name(pattern);
  file_ = new_file(path_);
  if (file_ == nullptr) return false;
  line("{\"warplens_counters\":1" + member("process", static_cast<uint64_t>(::getpid())) +
       member("cupti_version", uint64_t{cupti_version}) + "}");
  return true;
}

void CountsFile::line(const std::string& text) {
  if (file_ != nullptr) std::fprintf(file_, "%s\n", text.c_str());
}

void CountsFile::device(const stream::Device& device, const std::string& chip, const cupti::Host* host,
                        const std::string& refusal) {
  std::string out =
      "{\"device\":" + std::to_string(device.ordinal) + member("name", quoted_utf8(device.name)) +
      member("chip", quoted_utf8(chip)) + member("sms", uint64_t{device.sm_count}) +
      member("compute", "[" + std::to_string(device.compute_major) + "," + std::to_string(device.compute_minor) + "]");
  if (host != nullptr)
    out += member("passes", uint64_t{host->passes()}) + member("metrics", list(host->metrics(), quoted_utf8)) +
           member("units", list(host->units(), quoted_utf8)) + member("missing", list(host->missing(), quoted_utf8));
  else out += member("refused", quoted_utf8(refusal));
  line(out + "}");
  flush();
}

void CountsFile::launch(const cupti::Launch& launch, const Counted& counted) {
  const auto size = [](uint32_t n) { return std::to_string(n); };
  std::string out =
      "{\"kernel\":" + quoted_utf8(launch.kernel) + member("device", uint64_t{launch.device}) +
      member("grid", list(launch.grid, size)) + member("block", list(launch.block, size)) +
      member("cluster", list(launch.cluster, size)) + member("cooperative", launch.cooperative ? "true" : "false") +
      member("registers", uint64_t{launch.registers}) +
      member("static_shared_bytes", uint64_t{launch.static_shared_bytes}) +
      member("dynamic_shared_bytes", uint64_t{launch.dynamic_shared_bytes}) +
      member("local_bytes", uint64_t{launch.local_bytes}) +
      member("carveout_percent", std::to_string(launch.carveout_percent)) + member("stream", launch.stream);
  if (!counted.values.empty()) out += member("values", list(counted.values, number));
  if (counted.ns > 0) out += member("ns", counted.ns);
  if (!counted.skipped.empty()) out += member("skipped", quoted_utf8(counted.skipped));
  line(out + "}");
}

void CountsFile::range(const CountedRange& range, const Counted& counted) {
  std::string out = "{\"range\":" + quoted_utf8(range.name) + member("device", uint64_t{range.device}) +
                    member("times", range.times) + member("least_launches", range.least_launches) +
                    member("most_launches", range.most_launches) + member("graph_launches", range.graph_launches);
  if (!counted.values.empty()) out += member("values", list(counted.values, number));
  if (!counted.skipped.empty()) out += member("skipped", quoted_utf8(counted.skipped));
  line(out + "}");
  flush();
}

void CountsFile::sampling(const std::vector<std::string>& reasons, uint32_t period_cycles, uint64_t samples,
                          uint64_t dropped, const std::map<std::string, uint64_t>& launches) {
  line("{\"sampling\":true" + member("reasons", list(reasons, quoted_utf8)) +
       member("period_cycles", uint64_t{period_cycles}) + member("samples", samples) + member("dropped", dropped) +
       member("kernels", by_kernel(launches)) + "}");
}

void CountsFile::place(const cupti::PcSamples& place, const std::string& file, uint32_t number) {
  std::string samples;  // pairs of a reason's index and its count
  for (size_t k = 0; k < place.by_reason.size(); ++k) {
    if (place.by_reason[k] > 0)
      samples += (samples.empty() ? "[" : ",[") + std::to_string(k) + "," + std::to_string(place.by_reason[k]) + "]";
  }
  line("{\"pc\":" + std::to_string(place.offset) + member("function", quoted_utf8(place.function)) +
       member("file", quoted_utf8(file)) + member("line", uint64_t{number}) + member("samples", "[" + samples + "]") +
       "}");
}

void CountsFile::instructions(const std::vector<std::string>& metrics,
                              const std::map<std::string, uint64_t>& launches) {
  line("{\"instructions\":true" + member("metrics", list(metrics, quoted_utf8)) +
       member("kernels", by_kernel(launches)) + "}");
}

void CountsFile::place(const cupti::PcCounts& place, const std::string& file, uint32_t at) {
  const auto text = [](uint64_t count) { return std::to_string(count); };
  line("{\"pc\":" + std::to_string(place.offset) + member("function", quoted_utf8(place.function)) +
       member("file", quoted_utf8(file)) + member("line", uint64_t{at}) + member("counts", list(place.counts, text)) +
       "}");
}

void CountsFile::code(const std::string& function, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  line("{\"code\":" + quoted_utf8(function) + member("hex", quoted_utf8(hex)) + "}");
}

void CountsFile::problem(const std::string& kernel, const std::string& why) {
  cupti::Launch unknown;
  unknown.kernel = kernel;
  launch(unknown, {{}, 0, why});
}

void CountsFile::over_time(const cupti::TimedLaunch& launch, const std::vector<std::string>& metrics,
                           uint64_t interval_ns) {
  const auto start = [](const cupti::TimeSample& sample) { return std::to_string(sample.start_ns); };
  const auto values = [](const cupti::TimeSample& sample) { return list(sample.values, number); };
  line("{\"over_time\":" + quoted_utf8(launch.launch.kernel) + member("interval_ns", interval_ns) +
       member("overflow", launch.overflow ? "true" : "false") + member("metrics", list(metrics, quoted_utf8)) +
       member("starts_ns", list(launch.samples, start)) + member("values", list(launch.samples, values)) + "}");
}

void CountsFile::end(uint64_t launches, uint64_t graph_launches) {
  line("{\"end\":true" + member("launches", launches) + member("graph_launches", graph_launches) + "}");
  flush();
}

void CountsFile::flush() {
  if (file_ != nullptr) std::fflush(file_);
}

void CountsFile::close() {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
}

}  // namespace warplens::collect
