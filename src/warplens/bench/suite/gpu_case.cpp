#include "warplens/bench/suite/gpu_case.h"

#include <algorithm>
#include <map>

#include "warplens/base/text.h"
#include "warplens/bench/gpu/gpu_buffer.h"
#include "warplens/bench/suite/sample.h"
#include "warplens/launch/contents.h"
#include "warplens/launch/driver_encoding.h"
#include "warplens/launch/parameters.h"

namespace warplens::bench {
namespace {

using launch::FillKind;

/// A buffer with what it must hold before a call.
struct CaseBuffer {
  launch::BufferSpec spec;
  GpuBuffer memory;
  std::optional<GpuBuffer> master;  // fixed contents
  std::vector<double> before;       // contents after prepare(), where a reference of its own output needs them
};

struct CaseLaunch {
  cuda::FunctionHandle function;
  cuda::Launch launch;
  std::vector<uint8_t> parameters;
};

bool random(const launch::BufferSpec& spec) {
  return spec.npy.empty() && (spec.fill.kind == FillKind::kUniform || spec.fill.kind == FillKind::kNormal ||
                              spec.fill.kind == FillKind::kHash || spec.fill.kind == FillKind::kUninitialised);
}

class LoadedCase final : public GpuCase {
 public:
  LoadedCase(const KernelCase& kernel_case, GpuTimer& timer) : case_(kernel_case), timer_(timer) {}

  Status load() {
    WL_ASSIGN(const std::string arch, timer_.device().arch());
    WL_ASSIGN(source_, launch::load_source(case_.description, arch));
    Result<cuda::Module> module =
        cuda::Module::load(timer_.device(), source_.cubin.empty() ? source_.ptx : source_.cubin);
    if (!module.ok()) return module.status().in(source_.path);
    module_.emplace(std::move(*module));
    for (const launch::BufferSpec& spec : case_.description.buffers) WL_TRY(add(spec));
    for (const launch::BufferSpec& symbol : case_.description.symbols) WL_TRY(write_symbol(symbol));
    for (size_t i = 0; i < case_.description.launches.size(); ++i)
      WL_TRY(add(case_.description.launches[i], source_.kernels[i]));
    return {};
  }

  Work work() override {
    Work out;
    out.bytes = case_.bytes;
    out.flops = case_.flops;
    out.run = [this](void* stream) {
      for (const CaseLaunch& l : launches_) {
        cuda::Launch launch = l.launch;
        launch.parameters = l.parameters;
        launch.stream = static_cast<cuda::StreamHandle>(stream);
        WL_TRY(cuda::launch(timer_.device(), l.function, launch));
      }
      return Status();
    };
    out.prepare = [this](uint64_t seed) { return prepare(seed); };
    out.outputs = [this](void*) { return outputs(); };
    for (const auto& [name, buffer] : buffers_) out.memory_bytes += static_cast<int64_t>(buffer.memory.size_bytes());
    return out;
  }

 private:
  Status add(const launch::BufferSpec& spec) {
    Result<GpuBuffer> memory = GpuBuffer::allocate(timer_, spec.dtype, spec.count());
    if (!memory.ok()) return memory.status().in("buffer " + spec.name);
    CaseBuffer buffer{spec, std::move(*memory), std::nullopt, {}};
    if (!random(spec)) {
      WL_ASSIGN(const std::vector<uint8_t> contents, launch::contents_of(spec));
      WL_ASSIGN(GpuBuffer master, GpuBuffer::allocate(timer_, spec.dtype, spec.count()));
      const cuda::Driver& driver = timer_.device().driver();
      WL_TRY(
          driver.check(driver.copy_in(master.pointer(), contents.data(), contents.size()), "cannot copy to the GPU"));
      buffer.master.emplace(std::move(master));
    }
    buffers_.emplace(spec.name, std::move(buffer));
    return {};
  }

  Status write_symbol(const launch::BufferSpec& symbol) {
    WL_ASSIGN(const std::vector<uint8_t> contents, launch::contents_of(symbol));
    WL_ASSIGN(const cuda::Module::Global global, module_->global(symbol.name));
    if (contents.size() > global.size_bytes)
      return invalid_input(
          fmt::format("symbols.{}: has {} bytes, the variable {}", symbol.name, contents.size(), global.size_bytes));
    return timer_.device().driver().check(
        timer_.device().driver().copy_in(global.pointer, contents.data(), contents.size()), "cannot copy to the GPU");
  }

  Status add(const launch::LaunchSpec& spec, const std::string& kernel) {
    WL_ASSIGN(const cuda::FunctionHandle function, module_->function(kernel));
    const launch::AddressOf address_of = [&](std::string_view name) {
      return buffers_.at(std::string(name)).memory.pointer();
    };
    const launch::EncodeMap encode = launch::driver_encoding(timer_.device().driver());
    CaseLaunch out{function};
    WL_ASSIGN(const launch::ParameterLayout layout, launch::parameter_layout(source_, kernel));
    WL_ASSIGN(out.parameters, launch::pack_parameters(layout, spec.args, address_of, encode));
    out.launch.parameter_offsets = layout.offsets();
    out.launch.grid = spec.grid;
    out.launch.block = spec.block;
    out.launch.cluster = spec.cluster;
    out.launch.shared_bytes = spec.dynamic_shared_bytes;
    out.launch.cooperative = spec.cooperative;
    launches_.push_back(std::move(out));
    return {};
  }

  /// New noise where the contents are random, the same contents again where they are not.
  Status prepare(uint64_t seed) {
    seed_ = seed;
    for (auto& [name, buffer] : buffers_) {
      if (buffer.master) {
        const cuda::Driver& driver = timer_.device().driver();
        WL_TRY(driver.check(driver.copy_within_async(buffer.memory.pointer(), buffer.master->pointer(),
                                                     buffer.memory.size_bytes(), timer_.handle()),
                            "cannot copy on the GPU"));
      } else {
        WL_TRY(fill(buffer, seed++));
      }
    }
    for (const Reference& reference : case_.references) {
      CaseBuffer& buffer = buffers_.at(reference.output);
      if (!reference.in_place) continue;
      WL_ASSIGN(buffer.before, buffer.memory.read(timer_, 0, buffer.memory.count()));
    }
    return {};
  }

  Status fill(const CaseBuffer& buffer, uint64_t seed) const {
    const launch::Fill& f = buffer.spec.fill;
    if (f.kind == FillKind::kNormal) return buffer.memory.fill_normal(timer_, seed, f.mean, f.deviation);
    if (f.kind == FillKind::kUninitialised) return buffer.memory.fill(timer_, seed, 3, 7);
    const bool real = launch::info(buffer.spec.dtype).is_float;
    return buffer.memory.fill(timer_, seed, f.low.value_or(0), f.high.value_or(real ? 1 : 256));
  }

  Result<std::vector<Output>> outputs() {
    std::vector<Output> out;
    for (const Reference& reference : case_.references) {
      WL_ASSIGN(Output output, output_of(reference));
      out.push_back(std::move(output));
    }
    if (!out.empty()) return out;
    // Without references, buffers that begin as zeros or as nothing are taken for outputs.
    for (const auto& [name, buffer] : buffers_) {
      if (buffer.spec.npy.empty() &&
          (buffer.spec.fill.kind == FillKind::kZeros || buffer.spec.fill.kind == FillKind::kUninitialised)) {
        WL_ASSIGN(std::vector<double> values,
                  buffer.memory.read(timer_, 0, std::min<uint64_t>(buffer.memory.count(), 1 << 22)));
        out.push_back({name, std::move(values), std::nullopt});
      }
    }
    return out;
  }

  Result<Output> output_of(const Reference& reference) {
    const CaseBuffer& buffer = buffers_.at(reference.output);
    const double tolerance = case_.tolerance_for(buffer.spec.dtype);
    const std::optional<OutputSample> sample = draw_sample(case_.description, reference, seed_);
    const ContentsOf contents = [&](const std::string& name,
                                    const std::vector<Stretch>& stretches) -> Result<std::vector<double>> {
      const CaseBuffer& input = buffers_.at(name);
      return name == reference.output ? input.before : read(input.memory, stretches);
    };
    WL_ASSIGN(ReferenceValues want,
              reference_values(case_.description, reference, contents, sample ? &*sample : nullptr));
    const std::vector<Stretch> stretches = sample ? elements_of(buffer.spec, *sample) : std::vector<Stretch>();
    WL_ASSIGN(std::vector<double> values, read(buffer.memory, stretches));
    Output out = checked_output(reference.output, std::move(values), std::move(want), tolerance);
    if (sample) place_in_whole(out, stretches, buffer.memory.count());
    return out;
  }

  /// The elements in the stretches; all where there are none.
  Result<std::vector<double>> read(const GpuBuffer& buffer, const std::vector<Stretch>& stretches) const {
    if (stretches.empty()) return buffer.read(timer_, 0, buffer.count());
    std::vector<double> out;
    for (const Stretch& s : stretches) {
      WL_ASSIGN(const std::vector<double> part, buffer.read(timer_, s.begin, s.count));
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  const KernelCase& case_;
  GpuTimer& timer_;
  uint64_t seed_ = 0;  // of the last prepare()
  launch::Source source_;
  std::optional<cuda::Module> module_;
  std::map<std::string, CaseBuffer> buffers_;
  std::vector<CaseLaunch> launches_;
};

}  // namespace

Result<std::unique_ptr<GpuCase>> GpuCase::load(const KernelCase& kernel_case, GpuTimer& timer) {
  auto out = std::make_unique<LoadedCase>(kernel_case, timer);
  WL_TRY(out->load());
  return std::unique_ptr<GpuCase>(std::move(out));
}

}  // namespace warplens::bench
