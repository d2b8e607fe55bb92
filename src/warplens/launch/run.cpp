#include "warplens/launch/run.h"

#include <algorithm>

#include "warplens/base/files.h"
#include "warplens/base/system_memory.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/base/units.h"
#include "warplens/build/driver/device.h"
#include "warplens/launch/contents.h"

namespace warplens::launch {
namespace {

using Bytes = std::vector<uint8_t>;

/// Buffers are made one after another and copied into the machine's memory, so the largest is there twice.
Status check_memory(const Description& description) {
  uint64_t total = 0;
  const BufferSpec* largest = nullptr;
  for (const auto* list : {&description.buffers, &description.symbols}) {
    for (const BufferSpec& buffer : *list) {
      total += buffer.size_bytes();
      if (!largest || buffer.size_bytes() > largest->size_bytes()) largest = &buffer;
    }
  }
  if (!largest) return {};
  const uint64_t needed = total + largest->size_bytes(), free = available_memory_bytes();
  if (needed <= free) return {};
  return io_error(fmt::format(
      "the buffers need {} of memory, {} of it for '{}'; this machine has {} free: give smaller ones",
      format_bytes(static_cast<double>(needed)), format_bytes(2 * static_cast<double>(largest->size_bytes())),
      largest->name, format_bytes(static_cast<double>(free))));
}

Status prepare(Machine& machine, const Description& description) {
  const TimedScope timed("fill buffers");
  for (const BufferSpec& buffer : description.buffers) {
    WL_ASSIGN(const Bytes contents, contents_of(buffer));
    WL_TRY(machine.add_buffer(buffer, contents));
  }
  for (const BufferSpec& symbol : description.symbols) {
    WL_ASSIGN(const Bytes contents, contents_of(symbol));
    WL_TRY(machine.write_symbol(symbol.name, contents));
  }
  return {};
}

/// Stops after a launch that faulted: what later ones would read is not what it should be.
Status launch_all(Machine& machine, const Description& description, const Source& source, const RunOptions& options,
                  std::vector<Outcome>& outcomes) {
  for (size_t i = 0; i < description.launches.size(); ++i) {
    if (options.on_launch) options.on_launch(i, source);
    Result<Outcome> outcome = machine.launch(description.launches[i], source.kernels[i]);
    if (!outcome.ok()) return outcome.status().in(fmt::format("launches[{}]", i));
    outcomes.push_back(std::move(*outcome));
    if (outcomes.back().emulated && outcomes.back().emulated->fault) break;
  }
  return {};
}

struct Output {
  const BufferSpec* spec;
  bool is_symbol;
  size_t number;
};

Output find_output(const Description& description, const std::string& name) {
  for (size_t i = 0; i < description.buffers.size(); ++i) {
    if (description.buffers[i].name == name) return {&description.buffers[i], false, i};
  }
  for (const BufferSpec& symbol : description.symbols) {
    if (symbol.name == name) return {&symbol, true, 0};
  }
  return {};
}

Result<Bytes> read(Machine& machine, const Output& output) {
  return output.is_symbol ? machine.read_symbol(output.spec->name) : machine.read_buffer(output.number);
}

Status save_outputs(Machine& machine, const Description& description, bool overwrite, std::vector<std::string>& saved) {
  for (const auto& [name, path] : description.save) {
    const Output output = find_output(description, name);
    WL_ASSIGN(const Bytes bytes, read(machine, output));
    WL_TRY(write_file(path, format_npy(output.spec->dtype, output.spec->shape, bytes), overwrite));
    saved.push_back(path);
  }
  return {};
}

/// What `name` should hold, and what to call it in a message.
Result<Bytes> wanted(Machine& machine, const Description& description, const BufferSpec& spec,
                     const Expectation& expectation, std::string& from) {
  if (!expectation.buffer.empty()) {
    from = fmt::format("buffer '{}'", expectation.buffer);
    return read(machine, find_output(description, expectation.buffer));
  }
  if (expectation.fill) {
    from = "what is expected";
    Bytes bytes(spec.size_bytes());
    fill(*expectation.fill, spec.dtype, bytes);
    return bytes;
  }
  from = expectation.npy;
  WL_ASSIGN(Array array, read_array(expectation.npy, spec.dtype, true));
  return std::move(array.bytes);
}

Status check_expected(Machine& machine, const Description& description, std::vector<Comparison>& comparisons) {
  for (const auto& [name, expectation] : description.expect) {
    const Output output = find_output(description, name);
    const BufferSpec& spec = *output.spec;
    WL_ASSIGN(const Bytes got, read(machine, output));
    std::string from;
    WL_ASSIGN(const Bytes want, wanted(machine, description, spec, expectation, from));
    Comparison comparison = compare(spec.dtype, got, want, expectation.rtol, expectation.atol);
    comparison.name = name;
    comparison.against = from;
    comparison.shape = spec.shape;
    comparisons.push_back(std::move(comparison));
  }
  return {};
}

bool is_argument(const Description& description, const std::string& name) {
  bool found = false;
  for (const LaunchSpec& launch : description.launches)
    visit_buffers(launch.args, [&](const Argument& argument) { found = found || argument.buffer == name; });
  return found;
}

Status summarize_buffers(Machine& machine, const Description& description, std::vector<BufferSummary>& buffers) {
  const TimedScope timed("sum up buffers");
  for (size_t i = 0; i < description.buffers.size(); ++i) {
    const BufferSpec& spec = description.buffers[i];
    WL_ASSIGN(const Bytes bytes, machine.read_buffer(i));
    buffers.push_back({spec, summarize(spec.dtype, bytes), is_argument(description, spec.name)});
  }
  return {};
}

Status compare_machines(Machine& emulated, Machine& gpu, const Description& description, const RunOptions& options,
                        std::vector<Comparison>& comparisons) {
  for (size_t i = 0; i < description.buffers.size(); ++i) {
    const BufferSpec& spec = description.buffers[i];
    WL_ASSIGN(const Bytes got, emulated.read_buffer(i));
    WL_ASSIGN(const Bytes want, gpu.read_buffer(i));
    Comparison comparison = compare(spec.dtype, got, want, options.rtol, options.atol);
    comparison.name = spec.name;
    comparison.against = "the GPU";
    comparison.shape = spec.shape;
    comparisons.push_back(std::move(comparison));
  }
  return {};
}

/// The GPU's outcome of each launch beside the emulator's.
void merge_times(const std::vector<Outcome>& gpu, std::vector<Outcome>& outcomes) {
  for (size_t i = 0; i < std::min(gpu.size(), outcomes.size()); ++i) {
    outcomes[i].gpu_ns = gpu[i].gpu_ns;
    outcomes[i].gpu_samples_ns = gpu[i].gpu_samples_ns;
  }
}

Status run_machines(const Description& description, const RunOptions& options, RunResult& result) {
  std::unique_ptr<Machine> emulated, gpu;
  if (options.emulate) {
    WL_ASSIGN(emulated, emulated_machine(result.source, options.emulation));
    WL_TRY(prepare(*emulated, description));
    WL_TRY(launch_all(*emulated, description, result.source, options, result.outcomes));
  }
  const bool faulted =
      !result.outcomes.empty() && result.outcomes.back().emulated && result.outcomes.back().emulated->fault;
  if (options.gpu && !faulted) {
    WL_ASSIGN(gpu, gpu_machine(result.source, options.gpu_options));
    WL_TRY(prepare(*gpu, description));
    std::vector<Outcome> outcomes;
    WL_TRY(launch_all(*gpu, description, result.source, options, outcomes));
    if (emulated) merge_times(outcomes, result.outcomes);
    else result.outcomes = std::move(outcomes);
  }
  Machine& judged = emulated ? *emulated : *gpu;
  WL_TRY(summarize_buffers(judged, description, result.buffers));
  if (faulted) return {};
  if (emulated && gpu) WL_TRY(compare_machines(*emulated, *gpu, description, options, result.comparisons));
  WL_TRY(save_outputs(judged, description, options.overwrite, result.saved));
  return check_expected(judged, description, result.comparisons);
}

}  // namespace

bool RunResult::ok() const {
  return std::ranges::none_of(
             outcomes,
             [](const Outcome& o) { return o.emulated && (o.emulated->fault || !o.emulated->reports.empty()); }) &&
         std::ranges::all_of(comparisons, &Comparison::ok);
}

Result<RunResult> run(Description description, const RunOptions& options) {
  RunResult result;
  if (options.emulate) result.checks = options.emulation.checks;
  std::string arch;
  if (options.gpu) {
    WL_ASSIGN(const cuda::Device device, cuda::Device::open());
    WL_ASSIGN(arch, device.arch());
    WL_ASSIGN(result.gpu_name, device.name());
  } else {
    arch = code_architecture(options.emulation.device);
  }
  WL_TRY(settle(description));
  WL_TRY(check_memory(description));
  for (const auto& [name, path] : description.save) WL_TRY(check_writable(path, options.overwrite));
  WL_ASSIGN(result.source, load_source(description, arch, options.emulation.checks != 0));
  WL_TRY(run_machines(description, options, result));
  return result;
}

}  // namespace warplens::launch
