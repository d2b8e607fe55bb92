#include <algorithm>
#include <cstring>
#include <map>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"
#include "warplens/base/timing.h"
#include "warplens/build/compile/kernel_names.h"
#include "warplens/launch/machine.h"
#include "warplens/launch/parameters.h"
#include "warplens/session/run.h"
#include "warplens/simt/asynchronous/tensor_map.h"

namespace warplens::launch {
namespace {

/// 90 for "sm_90a" and "compute_90".
int arch_number(const std::string& arch) {
  const size_t digit = arch.find_first_of("0123456789");
  return digit == std::string::npos ? 0 : std::atoi(arch.c_str() + digit);
}

/// As the emulator's copies read it.
Result<std::vector<uint8_t>> encode_map(const TensorMapSpec& spec, uint64_t address) {
  simt::TiledTensor tensor{address, info(spec.dtype).map_type, spec.dimensions, spec.strides_bytes, spec.box};
  tensor.swizzle = spec.swizzle();
  tensor.fill_nan = spec.fill_nan;
  const bool strided = std::ranges::any_of(spec.element_strides, [](uint32_t stride) { return stride != 1; });
  if (spec.im2col || strided)
    return unsupported("the emulator does not support tensor maps for im2col or with element strides");
  WL_ASSIGN(const simt::TensorMap map, simt::encode(tensor));
  std::vector<uint8_t> bytes(simt::kTensorMapBytes);
  if (!simt::write_map(map, bytes.data())) return invalid_input("a value does not fit into a tensor map");
  return bytes;
}

class EmulatedMachine final : public Machine {
 public:
  EmulatedMachine(const Source& source, EmulationOptions options) : source_(source), options_(std::move(options)) {}

  Status load() {
    if (source_.module == nullptr) {
      WL_ASSIGN(module_, session::Module::load_code(source_.cubin));
    } else {
      WL_ASSIGN(module_,
                session::Module::load(source_.module, {source_.ptx, source_.arch, source_.cubin, source_.kernels}));
    }
    return {};
  }

  Status add_buffer(const BufferSpec& buffer, std::span<const uint8_t> contents) override {
    WL_ASSIGN(const simt::Address address, module_->memory.allocate(contents.size(), buffer.name));
    std::ranges::copy(contents, reinterpret_cast<uint8_t*>(address));
    if (buffer.fill.kind == FillKind::kUninitialised && buffer.npy.empty()) module_->memory.mark_uninitialised(address);
    numbers_[buffer.name] = buffers_.size();
    buffers_.push_back({address, contents.size()});
    return {};
  }

  Status write_symbol(const std::string& name, std::span<const uint8_t> contents) override {
    WL_ASSIGN(const simt::Variable symbol, module_->variable(name));
    if (contents.size() > symbol.size_bytes)
      return invalid_input(
          fmt::format("symbols.{}: has {} bytes, the variable {}", name, contents.size(), symbol.size_bytes));
    std::ranges::copy(contents, reinterpret_cast<uint8_t*>(symbol.address));
    return {};
  }

  Result<std::vector<uint8_t>> read_buffer(size_t number) override {
    const auto* begin = reinterpret_cast<const uint8_t*>(buffers_[number].address);
    return std::vector<uint8_t>(begin, begin + buffers_[number].size_bytes);
  }

  Result<std::vector<uint8_t>> read_symbol(const std::string& name) override {
    WL_ASSIGN(const simt::Variable symbol, module_->variable(name));
    const auto* begin = reinterpret_cast<const uint8_t*>(symbol.address);
    return std::vector<uint8_t>(begin, begin + symbol.size_bytes);
  }

  Result<Outcome> launch(const LaunchSpec& spec, const std::string& kernel) override {
    const TimedScope timed("emulate");
    WL_ASSIGN(const ParameterLayout layout, parameter_layout(source_, kernel));
    const AddressOf address_of = [&](std::string_view name) {
      return buffers_[numbers_.at(std::string(name))].address;
    };
    Outcome outcome{.kernel = kernel, .spec = spec};
    WL_ASSIGN(outcome.config.parameters, pack_parameters(layout, spec.args, address_of, encode_map));
    configure(spec, outcome.config);
    outcome.config.count = options_.count;
    const session::CountOptions options = count_options(kernel);
    outcome.config.device = options.device;
    WL_ASSIGN(session::Outcome done,
              session::run(*module_, kernel, outcome.config, {.counts = options_.count ? &options : nullptr}));
    outcome.emulated = std::move(done.result);
    outcome.counted = std::move(done.report);
    return outcome;
  }

 private:
  session::CountOptions count_options(const std::string& kernel) const {
    session::CountOptions options;
    options.name = short_name(kernel);
    options.watch = options_.watch;
    options.instructions = options_.instructions;
    options.timeout_s = options_.count_timeout_s;
    options.device = options_.device ? options_.device : &gpu::device_for(arch_number(source_.arch));
    if (options_.peaks_of) options.peaks = options_.peaks_of(*options.device);
    return options;
  }

  void configure(const LaunchSpec& spec, simt::Launch& config) const {
    static_cast<simt::LaunchShape&>(config) = spec;
    if (spec.cluster == Dim3{1, 1, 1}) config.cluster = {0, 0, 0};  // what the kernel itself asks for
    config.architecture = arch_number(source_.arch);
    config.threads = options_.threads;
    config.deterministic = options_.deterministic;
    config.checks = options_.checks;
    config.schedule = options_.schedule;
    config.instruction_limit = options_.instruction_limit;
    config.timeout_s = options_.timeout_s;
    config.cancel = options_.cancel;
    config.progress = options_.progress;
    config.print = options_.print;
  }

  struct Buffer {
    simt::Address address;
    uint64_t size_bytes;
  };
  const Source& source_;
  EmulationOptions options_;
  std::unique_ptr<session::Module> module_;
  std::vector<Buffer> buffers_;
  std::map<std::string, size_t> numbers_;
};

}  // namespace

std::string code_architecture(const gpu::Device* device) {
  constexpr int kOldestCompiled = 75;  // by the compilers of CUDA 13
  return device != nullptr && device->architecture().cc() >= kOldestCompiled ? device->architecture().name() : "";
}

Result<std::unique_ptr<Machine>> emulated_machine(const Source& source, const EmulationOptions& options) {
  auto machine = std::make_unique<EmulatedMachine>(source, options);
  WL_TRY(machine->load());
  return std::unique_ptr<Machine>(std::move(machine));
}

}  // namespace warplens::launch
