// Launches that are counted once and priced again whenever the model or a rule changes.
// Usage: kept_launches count LAUNCH.json [GPU] [NUMBER...]  prints a line of JSON for each launch, or for those by
// number (from 0), on this GPU
//        kept_launches price FILE[.gz]               prints what `warplens kernel --json` says of those lines
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "warplens/base/files.h"
#include "warplens/gpu/device.h"
#include "warplens/launch/contents.h"
#include "warplens/launch/description.h"
#include "warplens/launch/machine.h"
#include "warplens/launch/read_input.h"
#include "warplens/launch/source.h"
#include "warplens/report/builders/kept_launch.h"
#include "warplens/report/writers/write_json.h"

namespace {

using namespace warplens;

Status count(const std::string& path, const std::string& gpu, const std::set<size_t>& only) {
  WL_ASSIGN(const std::string json, read_file(path));
  const size_t slash = path.rfind('/');
  WL_ASSIGN(launch::Description description,
            launch::parse_description(json, slash == std::string::npos ? "." : path.substr(0, slash)));
  description.compiler = "nvcc";
  WL_TRY(launch::settle(description));
  WL_ASSIGN(const launch::Source source, launch::load_source(description, ""));
  launch::EmulationOptions options;
  options.count = true;
  if (!gpu.empty()) {
    WL_ASSIGN(options.device, gpu::find_device(gpu));
  }
  WL_ASSIGN(const auto machine, launch::emulated_machine(source, options));
  for (const auto& buffer : description.buffers) {
    WL_ASSIGN(const auto contents, launch::contents_of(buffer));
    WL_TRY(machine->add_buffer(buffer, contents));
  }
  for (const auto& symbol : description.symbols) {
    WL_ASSIGN(const auto contents, launch::contents_of(symbol));
    WL_TRY(machine->write_symbol(symbol.name, contents));
  }
  for (size_t i = 0; i < description.launches.size(); ++i) {
    if (!only.empty() && !only.contains(i)) continue;
    WL_ASSIGN(const launch::Outcome outcome, machine->launch(description.launches[i], source.kernels[i]));
    if (!outcome.counted) return unsupported(source.kernels[i] + ": not counted");
    std::printf("%s\n", report::kept_launch(*outcome.counted).c_str());
    std::fflush(stdout);
  }
  return {};
}

Status price(const std::string& path) {
  WL_ASSIGN(const std::string lines, launch::read_input(path));
  json::Writer w;
  w.begin_object().key("launches").begin_array();
  for (size_t at = 0; at < lines.size();) {
    const size_t end = std::min(lines.find('\n', at), lines.size());
    WL_ASSIGN(const report::KeptLaunch kept, report::read_kept_launch(std::string_view(lines).substr(at, end - at)));
    w.begin_object().member("kernel", kept.report.kernel);
    report::write_report(w, kept.report);
    w.end_object();
    at = end + 1;
  }
  std::printf("%s\n", w.end_array().end_object().text().c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 2 ? argv[1] : "";
  if (verb != "count" && verb != "price")
    return std::fprintf(stderr,
                        "usage: kept_launches count LAUNCH.json [GPU] [NUMBER...]\n       kept_launches price FILE\n"),
           2;
  std::set<size_t> only;
  std::string gpu;
  for (int k = 3; k < argc; ++k) {
    if (std::isdigit(static_cast<unsigned char>(*argv[k]))) only.insert(std::strtoul(argv[k], nullptr, 10));
    else gpu = argv[k];
  }
  const warplens::Status status = verb == "count" ? count(argv[2], gpu, only) : price(argv[2]);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message().c_str()), 1;
  return 0;
}
