#include <algorithm>
#include <map>
#include <set>

#include "warplens/base/middle.h"
#include "warplens/base/text.h"
#include "warplens/build/driver/device.h"
#include "warplens/launch/driver_encoding.h"
#include "warplens/launch/machine.h"
#include "warplens/launch/parameters.h"

namespace warplens::launch {
namespace {

class GpuMachine final : public Machine {
 public:
  GpuMachine(cuda::Device device, cuda::Module module, const Source& source, GpuOptions options)
      : device_(std::move(device)), module_(std::move(module)), source_(source), options_(options) {}

  Status add_buffer(const BufferSpec& buffer, std::span<const uint8_t> contents) override {
    Result<cuda::Memory> memory = cuda::Memory::allocate(device_, contents.size());
    if (!memory.ok()) return memory.status().in("buffers." + buffer.name);
    numbers_[buffer.name] = buffers_.size();
    buffers_.push_back(std::move(*memory));
    return buffers_.back().write(contents);
  }

  Status write_symbol(const std::string& name, std::span<const uint8_t> contents) override {
    WL_ASSIGN(const cuda::Module::Global global, module_.global(name));
    if (contents.size() > global.size_bytes)
      return invalid_input(
          fmt::format("symbols.{}: has {} bytes, the variable {}", name, contents.size(), global.size_bytes));
    return device_.driver().check(device_.driver().copy_in(global.pointer, contents.data(), contents.size()),
                                  "cannot copy to the GPU");
  }

  Result<std::vector<uint8_t>> read_buffer(size_t number) override { return buffers_[number].read(); }

  Result<std::vector<uint8_t>> read_symbol(const std::string& name) override {
    WL_ASSIGN(const cuda::Module::Global global, module_.global(name));
    std::vector<uint8_t> bytes(global.size_bytes);
    WL_TRY(device_.driver().check(device_.driver().copy_out(bytes.data(), global.pointer, bytes.size()),
                                  "cannot copy from the GPU"));
    return bytes;
  }

  /// Every run starts from the same contents of buffers and variables, so the last one's results are those of one run.
  Result<Outcome> launch(const LaunchSpec& spec, const std::string& kernel) override {
    WL_ASSIGN(const cuda::FunctionHandle function, module_.function(kernel));
    WL_ASSIGN(const ParameterLayout layout, parameter_layout(source_, kernel));
    WL_ASSIGN(const std::vector<uint8_t> parameters, pack(layout, spec.args));
    cuda::Launch launch{spec.grid, spec.block, spec.cluster, spec.dynamic_shared_bytes, spec.cooperative, parameters};
    launch.parameter_offsets = layout.offsets();
    WL_ASSIGN(const cuda::Stopwatch watch, cuda::Stopwatch::make(device_));
    const std::vector<Range> ranges = options_.runs > 1 ? changeable(spec) : std::vector<Range>();
    WL_ASSIGN(const std::vector<cuda::Memory> saved, copies_of(ranges));
    Outcome outcome{.kernel = kernel, .spec = spec};
    for (int run = 0; run < std::max(options_.runs, 1); ++run) {
      if (run > 0) WL_TRY(restore(ranges, saved));
      WL_TRY(device_.synchronize());
      WL_TRY(watch.start());
      WL_TRY(cuda::launch(device_, function, launch).in(kernel));
      Result<double> ns = watch.stop_ns();
      if (!ns.ok()) return ns.status().in(kernel);
      outcome.gpu_samples_ns.push_back(*ns);
    }
    outcome.gpu_ns = middle_of(outcome.gpu_samples_ns);
    return outcome;
  }

 private:
  Result<std::vector<uint8_t>> pack(const ParameterLayout& layout, const std::vector<Argument>& args) const {
    const AddressOf address_of = [&](std::string_view name) {
      return buffers_[numbers_.at(std::string(name))].pointer();
    };
    return pack_parameters(layout, args, address_of, driver_encoding(device_.driver()));
  }

  /// Device memory that a launch may change.
  struct Range {
    cuda::DevicePointer begin;
    size_t size_bytes;
  };

  /// The buffers that `spec` passes and the module's variables.
  std::vector<Range> changeable(const LaunchSpec& spec) const {
    std::set<size_t> numbers;
    visit_buffers(spec.args, [&](const Argument& argument) { numbers.insert(numbers_.at(argument.buffer)); });
    std::vector<Range> ranges;
    for (const size_t number : numbers) ranges.push_back({buffers_[number].pointer(), buffers_[number].size_bytes()});
    if (source_.module == nullptr) return ranges;
    for (const ptx::Variable& variable : source_.module->variables) {
      if (variable.space != ptx::Space::kGlobal) continue;
      const Result<cuda::Module::Global> global = module_.global(variable.name);
      if (global.ok())
        ranges.push_back({global->pointer, global->size_bytes});  // one that was optimised away is not there
    }
    return ranges;
  }

  Status copy(cuda::DevicePointer to, cuda::DevicePointer from, size_t size_bytes) const {
    return device_.driver().check(device_.driver().copy_within(to, from, size_bytes), "cannot copy on the GPU");
  }

  Result<std::vector<cuda::Memory>> copies_of(const std::vector<Range>& ranges) const {
    std::vector<cuda::Memory> copies;
    for (const Range& range : ranges) {
      WL_ASSIGN(cuda::Memory saved, cuda::Memory::allocate(device_, range.size_bytes));
      WL_TRY(copy(saved.pointer(), range.begin, range.size_bytes));
      copies.push_back(std::move(saved));
    }
    return copies;
  }

  Status restore(const std::vector<Range>& ranges, const std::vector<cuda::Memory>& saved) const {
    for (size_t i = 0; i < saved.size(); ++i) WL_TRY(copy(ranges[i].begin, saved[i].pointer(), ranges[i].size_bytes));
    return {};
  }

  cuda::Device device_;
  cuda::Module module_;
  const Source& source_;
  GpuOptions options_;
  std::vector<cuda::Memory> buffers_;
  std::map<std::string, size_t> numbers_;
};

}  // namespace

Result<std::unique_ptr<Machine>> gpu_machine(const Source& source, const GpuOptions& options) {
  WL_ASSIGN(cuda::Device device, cuda::Device::open());
  Result<cuda::Module> module = cuda::Module::load(device, source.cubin.empty() ? source.ptx : source.cubin);
  if (!module.ok()) return module.status().in(source.path);
  return std::unique_ptr<Machine>(std::make_unique<GpuMachine>(std::move(device), std::move(*module), source, options));
}

}  // namespace warplens::launch
