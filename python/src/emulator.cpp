// PTX modules, their launches on host memory, and what a launch counted.
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <map>
#include <mutex>

#include "module.h"
#include "status.h"
#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/isa/ptx/inline_lines.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/report/roofline.h"
#include "warplens/report/roofline_picture.h"
#include "warplens/report/writers/text.h"
#include "warplens/report/writers/write_json.h"
#include "warplens/session/run.h"
#include "warplens/simt/check_names.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

constexpr const char* kDefaultArch = "sm_90";  // of PTX that names none

/// A module; its kernels see its own variables, and the buffers lent to each launch.
struct EmulatedModule {
  std::unique_ptr<session::Module> module;
  /// Held by a launch from its first buffer to its last result: other Python threads wait.
  std::unique_ptr<std::mutex> one_launch = std::make_unique<std::mutex>();
};

/// What a launch did, and what it counted when that was asked for.
struct Launched {
  simt::LaunchResult result;
  std::optional<report::KernelReport> report;
};

/// A range of host memory that a launch may read and write: address, bytes, name.
using Buffer = std::tuple<uint64_t, uint64_t, std::string>;

EmulatedModule load(const std::string& ptx, const std::string& name) {
  std::string source = ptx::with_true_lines(ptx);
  auto text = std::make_shared<const ptx::Module>(take(ptx::parse(source, name)));
  const std::string arch = text->targets.empty() ? kDefaultArch : text->targets.front();
  return {take(session::Module::load(std::move(text), {std::move(source), arch}))};
}

/// The parameter block of `kernel`, from the bytes of each argument.
std::vector<uint8_t> pack(const ptx::Function& kernel, const std::vector<nb::bytes>& arguments) {
  if (arguments.size() != kernel.parameters.size())
    raise(invalid_input(fmt::format("kernel '{}' takes {} arguments, not {}", kernel.name, kernel.parameters.size(),
                                    arguments.size())));
  std::vector<uint8_t> block(kernel.parameter_bytes());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ptx::Variable& parameter = kernel.parameters[i];
    if (arguments[i].size() != parameter.size_bytes)
      raise(invalid_input(fmt::format("argument {} of kernel '{}' has {} bytes, not {}", i, kernel.name,
                                      parameter.size_bytes, arguments[i].size())));
    std::memcpy(block.data() + parameter.offset, arguments[i].data(), parameter.size_bytes);
  }
  return block;
}

std::vector<size_t> parameter_offsets(const EmulatedModule& self, const std::string& kernel) {
  std::vector<size_t> offsets;
  bool wide = false;
  for (const ptx::Variable& parameter : take(self.module->ptx->kernel(kernel))->parameters) {
    offsets.push_back(parameter.offset);
    wide = wide || parameter.size_bytes > 8;
  }
  return wide ? offsets : std::vector<size_t>();
}

void use_cubin(EmulatedModule& self, const nb::bytes& cubin) {
  const std::string_view given(cubin.c_str(), cubin.size());
  const nb::gil_scoped_release unlocked;
  const std::lock_guard lock(*self.one_launch);
  self.module->replace_code(given);
}

/// Runs the launch; with a device, counts it too.
Result<Launched> run(EmulatedModule& self, const std::string& kernel, const simt::Launch& config,
                     const gpu::Device* device) {
  session::CountOptions options;
  options.name = short_name(kernel);
  options.device = device;
  options.timeout_s = session::kCountTimeout;
  WL_ASSIGN(session::Outcome done,
            session::run(*self.module, kernel, config, {.counts = device != nullptr ? &options : nullptr}));
  return Launched{std::move(done.result), std::move(done.report)};
}

Launched launch(EmulatedModule& self, const std::string& kernel, simt::Dim3 grid, simt::Dim3 block,
                const std::vector<nb::bytes>& arguments, const std::vector<Buffer>& buffers, uint32_t shared_bytes,
                simt::Dim3 cluster, bool cooperative, int architecture, int checks, const std::string& count_for,
                uint64_t instruction_limit, double timeout_s) {
  simt::Launch config;
  config.grid = grid, config.block = block, config.cluster = cluster;
  config.dynamic_shared_bytes = shared_bytes, config.cooperative = cooperative;
  config.parameters = pack(*take(self.module->ptx->kernel(kernel)), arguments);
  config.architecture = architecture, config.checks = static_cast<uint8_t>(checks);
  config.instruction_limit = instruction_limit, config.timeout_s = timeout_s;
  const gpu::Device* device = count_for.empty() ? nullptr : take(gpu::find_device(count_for));
  Result<Launched> launched = [&] {
    const nb::gil_scoped_release unlocked;
    const std::lock_guard lock(*self.one_launch);
    for (const auto& [address, bytes, name] : buffers)
      self.module->memory.adopt(reinterpret_cast<void*>(address), bytes, name);
    Result<Launched> done = run(self, kernel, config, device);
    for (const auto& [address, bytes, name] : buffers) self.module->memory.release(reinterpret_cast<void*>(address));
    return done;
  }();
  return take(std::move(launched));
}

nb::bytes pack_arguments(const EmulatedModule& self, const std::string& kernel,
                         const std::vector<nb::bytes>& arguments) {
  const std::vector<uint8_t> block = pack(*take(self.module->ptx->kernel(kernel)), arguments);
  return nb::bytes(reinterpret_cast<const char*>(block.data()), block.size());
}

std::optional<std::string> report_json(const Launched& launched) {
  if (!launched.report) return std::nullopt;
  json::Writer writer;
  writer.begin_object();
  report::write_report(writer, *launched.report);
  return writer.end_object().take();
}

std::vector<std::tuple<std::string, std::string, uint64_t>> parameters(const EmulatedModule& self,
                                                                       const std::string& kernel) {
  std::vector<std::tuple<std::string, std::string, uint64_t>> out;
  for (const ptx::Variable& p : take(self.module->ptx->kernel(kernel))->parameters)
    out.emplace_back(p.name, ptx::text(p.type), p.size_bytes);
  return out;
}

uint64_t required_threads(const EmulatedModule& self, const std::string& kernel) {
  const ptx::Directive* required = take(self.module->ptx->kernel(kernel))->directive("reqntid");
  uint64_t threads = required == nullptr ? 0 : 1;
  if (required != nullptr)
    for (const uint64_t extent : required->values) threads *= extent;
  return threads;
}

std::map<std::string, int> checks() {
  std::map<std::string, int> out;
  for (int bit = 1; bit <= simt::kCheckAll; bit <<= 1) out[simt::check_names(static_cast<uint8_t>(bit))] = bit;
  return out;
}

nb::dict place_dict(const simt::Place& place) {
  nb::dict out;
  out["kernel"] = place.kernel, out["block"] = place.block, out["thread"] = place.thread;
  out["file"] = place.file, out["line"] = place.line, out["ptx_line"] = place.ptx_line;
  return out;
}

nb::dict report_dict(const simt::Report& report) {
  nb::dict out;
  out["id"] = report.id, out["message"] = report.message, out["count"] = report.count;
  out["place"] = place_dict(report.place);
  out["other"] = report.other ? nb::object(place_dict(*report.other)) : nb::none();
  out["address"] = report.address, out["size_bytes"] = report.size_bytes;
  return out;
}

Records reports(const Launched& launched) {
  nb::list out;
  for (const simt::Report& report : launched.result.reports) out.append(report_dict(report));
  return out;
}

}  // namespace

void bind_emulator(nb::module_& module) {
  nb::class_<Launched>(module, "LaunchResult", "What one emulated launch did.")
      .def_prop_ro(
          "fault",
          [](const Launched& l) { return l.result.fault ? std::optional(l.result.fault->text()) : std::nullopt; },
          "What stopped the launch before its end, or None.")
      .def_prop_ro("reports", &reports, "What the checks found, a dictionary each.")
      .def_prop_ro(
          "output", [](const Launched& l) { return l.result.output; }, "What the kernel printed.")
      .def_prop_ro("report", &report_json, "Counters, roofline, time and findings as JSON, when they were asked for.")
      .def_prop_ro(
          "roofline_svg",
          [](const Launched& l) {
            return l.report ? report::roofline_picture(l.report->roofline, l.report->kernel).document() : std::string();
          },
          "Empty when nothing was counted.")
      .def_prop_ro("roofline_text",
                   [](const Launched& l) {
                     return l.report ? report::draw_roofline(l.report->roofline, l.report->kernel, 80, 20)
                                     : std::string();
                   })
      .def_prop_ro("summary",
                   [](const Launched& l) { return l.report ? report::summary_text(*l.report) : std::string(); })
      .def_prop_ro(
          "seconds", [](const Launched& l) { return l.result.seconds; }, "Wall-clock time of the emulation.")
      .def_prop_ro("warp_instructions", [](const Launched& l) { return l.result.counts.warp_instructions; });
  nb::class_<EmulatedModule>(module, "EmulatedModule", "A PTX module that runs on the CPU, on host memory.")
      .def(
          "kernels", [](const EmulatedModule& self) { return self.module->ptx->kernels(); },
          "Names of its kernels, in the order of the text.")
      .def("parameters", &parameters, "kernel"_a, "(name, PTX type, bytes) of each parameter of a kernel.")
      .def("pack", &pack_arguments, "kernel"_a, "arguments"_a,
           "The parameter block of a launch, from the bytes of each parameter.")
      .def("offsets", &parameter_offsets, "kernel"_a,
           "Where each parameter lies in the parameter block where one is a struct or tensor map; else nothing. The "
           "driver copies whole blocks to where such parameters are not aligned.")
      .def("required_threads", &required_threads, "kernel"_a,
           "Threads a block from .reqntid; 0 when the kernel has none.")
      .def("use_cubin", &use_cubin, "cubin"_a,
           "Machine code made from this PTX, to count from; without it the toolkit's assembler makes some.")
      .def("launch", &launch, "kernel"_a, "grid"_a, "block"_a, "arguments"_a, "buffers"_a, nb::kw_only(),
           "shared_bytes"_a = 0, "cluster"_a = simt::Dim3{1, 1, 1}, "cooperative"_a = false, "architecture"_a = 0,
           "checks"_a = 0, "count_for"_a = "", "instruction_limit"_a = 0, "timeout_s"_a = 0.0,
           "Runs a kernel. `arguments`: the bytes of each parameter. `buffers`: (address, bytes, name) of the host "
           "memory it may use. `count_for`: a GPU to count for, or \"\".");
  module.def(
      "with_true_lines", [](const std::string& ptx) { return ptx::with_true_lines(ptx); }, "ptx"_a,
      "The text, of whose .loc directives in inline assembly only the first remains: LLVM counts lines on there.");
  module.def("load_ptx", &load, "ptx"_a, "name"_a = "module.ptx",
             "Parses PTX. Raises ValueError with line, column and a caret.");
  module.def("checks", &checks, "What launches can be checked for: the bit of each by its name.");
}

}  // namespace warplens::python
