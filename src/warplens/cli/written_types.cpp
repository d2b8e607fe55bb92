#include "warplens/cli/written_types.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/text.h"
#include "warplens/output/terminal.h"
#include "warplens/program/analysis/operators/torch_table.h"
#include "warplens/trace/readers/input/decompressor.h"
#include "warplens/writers/chrome/chrome.h"
#include "warplens/writers/flamegraph/flamegraph.h"
#include "warplens/writers/gzip.h"
#include "warplens/writers/perfetto/perfetto.h"
#include "warplens/writers/speedscope/speedscope.h"
#include "warplens/writers/sqlite/sqlite.h"

namespace warplens::cli {
namespace {

bool on_device(const Profile& profile, const std::string& metric) {
  return metric.empty() ? profile.device_events.size() != 0 : metric != "self_cpu_time_total";
}

Status as_chrome(const Invocation&, const Profile& profile, const ByteSink& to) {
  return writers::chrome_trace(profile, to);
}

Status as_perfetto(const Invocation&, const Profile& profile, const ByteSink& to) {
  return writers::perfetto_trace(profile, to);
}

Status as_sqlite(const Invocation&, const Profile& profile, const ByteSink& to) {
  return writers::sqlite_database(profile, to);
}

Status as_speedscope(const Invocation&, const Profile& profile, const ByteSink& to) {
  writers::SpeedscopeLeftOut left_out;
  WL_TRY(writers::speedscope_profile(profile, to, &left_out));
  if (left_out.instants + left_out.counters + left_out.flows > 0)
    tell("speedscope shows only spans: {} instants, {} counter samples and {} arrows are left out, and all arguments\n",
         left_out.instants, left_out.counters, left_out.flows);
  return {};
}

Status as_stacks(const Invocation& invocation, const Profile& profile, const ByteSink& to) {
  return analysis::torch_stacks(
      profile, on_device(profile, invocation.text("--metric")) ? "self_cuda_time_total" : "self_cpu_time_total", to);
}

Status as_flamegraph(const Invocation& invocation, const Profile& profile, const ByteSink& to) {
  const bool device = on_device(profile, invocation.text("--metric"));
  WL_ASSIGN(const std::string svg, writers::flame_graph(profile, device ? writers::FlameMetric::kDeviceTime
                                                                        : writers::FlameMetric::kHostTime));
  return to(svg);
}

/// The bytes of all inputs; 0 where one is no regular file, so that nothing is known.
uint64_t input_bytes(const std::vector<std::string>& paths) {
  uint64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const uintmax_t size = std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
    if (error || size == 0) return 0;
    bytes += size;
  }
  return bytes;
}

/// A small file can show one text in many places. Stops where more is written than what a decompressor may unpack.
ByteSink bounded(const Invocation& invocation, ByteSink to) {
  const uint64_t given = invocation.has("--any-size") ? 0 : input_bytes(invocation.operands);
  if (given == 0) return to;
  return
      [to = std::move(to), most = most_unpacked_bytes(given), written = uint64_t{0}](std::string_view bytes) mutable {
        written += bytes.size();
        if (written <= most) return to(bytes);
        return invalid_input(
            fmt::format("the output is more than {} times as large as the input, because it repeats texts. Nothing is "
                        "written. --any-size writes all of it",
                        kMostGrowth));
      };
}

/// The ending of a file's name that a type has, .gz left out.
bool has_ending(const WrittenType& type, std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return std::any_of(type.endings.begin(), type.endings.end(),
                     [&](const std::string& ending) { return name.ends_with(ending); });
}

bool is(const WrittenType& type, std::string_view name) { return type.name == name; }

/// Refuses a file's name that says another type than the one that is written.
Status check_name(const WrittenType& type, const WrittenType* of_name, const std::string& output) {
  const bool is_picture = is(type, "flamegraph");
  const bool names_document = output.ends_with(".png") || output.ends_with(".pdf") || output.ends_with(".html");
  if (is_picture && (names_document || (of_name != nullptr && of_name != &type)))
    return usage_error(fmt::format("-o {}: a flame graph is an SVG, which browsers show: name it .svg", output));
  if (of_name == nullptr || of_name == &type || is(*of_name, "stacks")) return {};
  if (is(*of_name, "flamegraph")) return usage_error(fmt::format("-o {}: only --type flamegraph is an SVG", output));
  const bool both_json = is(type, "speedscope") && is(*of_name, "chrome");
  if (both_json || is(type, "stacks")) return {};
  return usage_error(fmt::format("-o {}: that is a name for {}: name it {}, or leave --type {} out", output,
                                 of_name->name, type.endings.front(), type.name));
}

}  // namespace

const std::vector<WrittenType>& written_types() {
  static const std::vector<WrittenType> types = {
      {"speedscope", {".speedscope.json", ".speedscope"}, false, as_speedscope},
      {"chrome", {".json"}, true, as_chrome},
      {"perfetto", {".pftrace", ".perfetto-trace", ".perfetto"}, true, as_perfetto},
      {"sqlite", {".sqlite", ".sqlite3", ".db"}, true, as_sqlite},
      {"flamegraph", {".svg"}, false, as_flamegraph},
      {"stacks", {".txt", ".stacks", ".folded"}, false, as_stacks},
  };
  return types;
}

std::vector<std::string> written_type_names(bool that_keep_all) {
  std::vector<std::string> names;
  for (const WrittenType& type : written_types()) {
    if (type.keeps_all || !that_keep_all) names.emplace_back(type.name);
  }
  return names;
}

Result<const WrittenType*> chosen_type(const Invocation& invocation, bool that_keep_all) {
  const std::string output = invocation.text("--output");
  const std::vector<WrittenType>& types = written_types();
  const auto of_name = std::ranges::find_if(types, [&](const WrittenType& type) { return has_ending(type, output); });
  const std::string asked = invocation.assumed.contains("--type") ? "" : invocation.text("--type");
  const auto by_flag = std::ranges::find_if(types, [&](const WrittenType& type) { return asked == type.name; });
  const auto chosen = by_flag != types.end() ? by_flag : of_name;
  if (chosen == types.end()) return static_cast<const WrittenType*>(nullptr);
  WL_TRY(check_name(*chosen, of_name == types.end() ? nullptr : &*of_name, output));
  if (that_keep_all && !chosen->keeps_all)
    return usage_error(
        fmt::format("-o {}: `warplens convert` keeps the whole profile, which {} cannot: `warplens "
                    "export` writes it",
                    output, chosen->name));
  return &*chosen;
}

Status write_as(const WrittenType& type, const Invocation& invocation, const Profile& profile) {
  WL_ASSIGN(FileWriter file, invocation.output_file());
  const ByteSink to_file = [&](std::string_view bytes) { return file.write(bytes); };
  const auto write = [&](const ByteSink& to) { return type.write(invocation, profile, bounded(invocation, to)); };
  if (invocation.text("--output").ends_with(".gz")) {
    WL_ASSIGN(writers::GzipWriter packed, writers::GzipWriter::start(to_file));
    WL_TRY(write([&](std::string_view bytes) { return packed.write(bytes); }));
    WL_TRY(packed.finish());
  } else {
    WL_TRY(write(to_file));
  }
  return file.commit();
}

}  // namespace warplens::cli
