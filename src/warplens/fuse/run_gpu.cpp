#include "warplens/fuse/run_gpu.h"

#include <algorithm>
#include <map>

#include "warplens/base/random.h"
#include "warplens/base/text.h"
#include "warplens/bench/gpu/gpu_buffer.h"
#include "warplens/bench/harness/check_output.h"
#include "warplens/bench/stats/quantiles.h"
#include "warplens/formula/evaluate.h"

namespace warplens::fuse {
namespace {

constexpr int64_t kCheckedElements = 1 << 20;  // of larger outputs, in windows at random places and at both ends
constexpr size_t kTuningSamples = 24;

/// A generated kernel loaded, with its arguments.
struct LoadedKernel {
  cuda::Module module;
  cuda::FunctionHandle function;
  cuda::Launch launch;
  std::vector<uint8_t> parameters;
};

class FusionOnGpu {
 public:
  FusionOnGpu(const FusionPlan& plan, bench::GpuTimer& timer, const FusionTimingOptions& options)
      : plan_(plan), timer_(timer), options_(options), random_(options.seed ? options.seed : bench::fresh_seed()) {}

  Result<FusionTiming> run() {
    WL_TRY(allocate());
    FusionTiming out;
    WL_ASSIGN(out.tuned, tuned());
    WL_TRY(load(out.tuned, fused_));
    for (const ChainStep& step : plan_.chain) WL_TRY(load(step.kernel, chain_));
    const bench::Work fused = work(fused_, out.tuned.bytes), chain = work(chain_, plan_.chain_bytes());
    bench::MeasureOptions measuring;
    measuring.regime = bench::Regime::kCold;
    measuring.stopping.target = options_.target;
    measuring.limit_seconds = options_.limit_seconds;
    measuring.seed = random_.next();
    WL_ASSIGN(out.fused, bench::measure(fused, timer_, measuring));
    WL_ASSIGN(out.chain, bench::measure(chain, timer_, measuring));
    WL_ASSIGN(const bench::Work copying, copy_work(out.tuned.bytes));
    WL_ASSIGN(out.copy, bench::measure(copying, timer_, measuring));
    out.fused.name = "fused";
    out.chain.name = "chain";
    out.copy.name = "copy";
    out.fused.share_of_ceiling = out.copy.median_ns / out.fused.median_ns;
    WL_ASSIGN(out.comparison, race(chain, fused, timer_, {}));
    return out;
  }

 private:
  Status allocate() {
    for (const auto* operands : {&plan_.inputs, &plan_.outputs}) {
      for (const Operand& o : *operands) WL_TRY(add_buffer(o));
    }
    for (const ChainStep& step : plan_.chain) {
      if (!buffers_.contains(step.kernel.outputs[0].name)) WL_TRY(add_buffer(step.kernel.outputs[0]));
    }
    return {};
  }

  Status add_buffer(const Operand& o) {
    Result<bench::GpuBuffer> buffer =
        bench::GpuBuffer::allocate(timer_, o.dtype, static_cast<uint64_t>(element_count(o.shape)));
    if (!buffer.ok()) return buffer.status().in(o.name);
    buffers_.emplace(o.name, std::move(*buffer));
    return {};
  }

  Status load(const GeneratedKernel& kernel, std::vector<LoadedKernel>& list) {
    WL_ASSIGN(cuda::Module module, cuda::compile_and_load(timer_.device(), kernel.source, generated_options()));
    WL_ASSIGN(const cuda::FunctionHandle function, module.function(kernel.name));
    cuda::Parameters parameters;
    for (const Operand& o : kernel.inputs) parameters.add(buffers_.at(o.name).pointer());
    for (const Operand& o : kernel.outputs) parameters.add(buffers_.at(o.name).pointer());
    if (kernel.wide) parameters.add(kernel.count);
    else parameters.add(static_cast<uint32_t>(kernel.count));
    LoadedKernel loaded{std::move(module), function, {}, parameters.bytes()};
    loaded.launch.grid = {kernel.grid, 1, 1}, loaded.launch.block = {kernel.block[0], kernel.block[1], 1};
    list.push_back(std::move(loaded));
    return {};
  }

  /// The fastest of a few shapes of the fused kernel, by short timings in one go each.
  Result<GeneratedKernel> tuned() {
    if (!options_.tune) return plan_.fused;
    std::vector<EmitOptions> candidates;
    if (plan_.graph.has_reductions()) {
      for (const int elements : {4, 8, 16, 32}) candidates.push_back({.elements = elements});
    } else {
      for (const int threads : {128, 256, 512}) {
        for (const int vectors : {1, 2, 4}) candidates.push_back({.threads = threads, .vectors = vectors});
      }
    }
    GeneratedKernel best = plan_.fused;
    double best_ns = 0;
    for (EmitOptions& candidate : candidates) {
      candidate.comment = plan_.fused.source.substr(3, plan_.fused.source.find('\n') - 3);
      WL_ASSIGN(GeneratedKernel kernel, emit_fused(plan_, candidate));
      std::vector<LoadedKernel> loaded;
      WL_TRY(load(kernel, loaded));
      const bench::Work trial = work(loaded, kernel.bytes);
      if (best_ns == 0) WL_TRY(trial.prepare(random_.next()));
      std::vector<bench::Sample> samples;
      WL_TRY(timer_.warm_up(trial, bench::Regime::kCold, 0));
      WL_TRY(timer_.take(trial, bench::Regime::kCold, kTuningSamples, samples));
      std::vector<double> ns;
      for (const bench::Sample& s : samples) ns.push_back(s.ns);
      if (best_ns == 0 || bench::median(ns) < best_ns) {
        best = std::move(kernel);
        best_ns = bench::median(ns);
      }
    }
    return best;
  }

  bench::Work work(const std::vector<LoadedKernel>& kernels, int64_t bytes) {
    bench::Work out;
    out.bytes = static_cast<double>(bytes);
    out.flops = plan_.graph.flops();
    out.run = [this, &kernels](void* stream) {
      for (const LoadedKernel& k : kernels) {
        cuda::Launch launch = k.launch;
        launch.parameters = k.parameters;
        launch.stream = static_cast<cuda::StreamHandle>(stream);
        WL_TRY(cuda::launch(timer_.device(), k.function, launch));
      }
      return Status();
    };
    out.prepare = [this](uint64_t seed) {
      for (const Operand& o : plan_.inputs) WL_TRY(buffers_.at(o.name).fill(timer_, seed++));
      return Status();
    };
    out.poison = [this](uint64_t seed) {
      for (const Operand& o : plan_.outputs) WL_TRY(buffers_.at(o.name).fill(timer_, seed++, 3, 7));
      return Status();
    };
    out.outputs = [this](void*) { return outputs(); };
    for (const auto& [name, buffer] : buffers_) out.memory_bytes += static_cast<int64_t>(buffer.size_bytes());
    return out;
  }

  Result<bench::Work> copy_work(int64_t bytes) {
    const auto half = static_cast<uint64_t>(bytes) / 2;
    WL_ASSIGN(cuda::Memory from, cuda::Memory::allocate(timer_.device(), half));
    WL_ASSIGN(cuda::Memory to, cuda::Memory::allocate(timer_.device(), half));
    copied_.push_back(std::move(from));
    copied_.push_back(std::move(to));
    bench::Work out;
    out.bytes = static_cast<double>(2 * half);
    out.run = [this, half](void* stream) {
      const cuda::Driver& driver = timer_.device().driver();
      return driver.check(driver.copy_within_async(copied_[1].pointer(), copied_[0].pointer(), half,
                                                   static_cast<cuda::StreamHandle>(stream)),
                          "cannot copy on the GPU");
    };
    return out;
  }

  Result<std::vector<bench::Output>> outputs() {
    std::vector<bench::Output> out;
    for (const Operand& o : plan_.outputs) out.push_back({o.name, {}, std::vector<double>(), tolerance_of(plan_)});
    const bool sampled = plan_.graph.flat() && element_count(plan_.graph.domain) > kCheckedElements;
    const std::vector<formula::Window> places = sampled ? random_places() : std::vector<formula::Window>();
    WL_ASSIGN(const std::vector<std::vector<double>> inputs, read(plan_.inputs, places));
    WL_ASSIGN(std::vector<std::vector<double>> got, read(plan_.outputs, places));
    const std::vector<std::span<const double>> spans(inputs.begin(), inputs.end());
    std::vector<std::vector<double>> want;
    if (sampled) {
      // Element by element, any places are a smaller problem of the same formula.
      std::vector<NamedShape> shapes;
      for (size_t i = 0; i < inputs.size(); ++i)
        shapes.push_back({plan_.inputs[i].name, {static_cast<int64_t>(inputs[i].size())}});
      WL_ASSIGN(const Graph smaller, formula::build_graph(plan_.formula, shapes));
      want = formula::evaluate(smaller, spans);
    } else {
      want = formula::evaluate(plan_.graph, spans);
    }
    for (size_t o = 0; o < out.size(); ++o) {
      out[o].values = std::move(got[o]);
      out[o].reference = std::move(want[o]);
    }
    return out;
  }

  /// Both ends of a long array, and as many random places between as make up kCheckedElements.
  std::vector<formula::Window> random_places() {
    const int64_t count = element_count(plan_.graph.domain), width = 8192;
    std::vector<formula::Window> out = {{0, 0, width}, {0, count - width, count}};
    while (static_cast<int64_t>(out.size()) < kCheckedElements / width) {
      const auto begin = static_cast<int64_t>(random_.next() % static_cast<uint64_t>(count - width));
      out.push_back({0, begin, begin + width});
    }
    return out;
  }

  /// Each operand at `places`, or whole when there are none or it is a scalar.
  Result<std::vector<std::vector<double>>> read(const std::vector<Operand>& operands,
                                                const std::vector<formula::Window>& places) {
    std::vector<std::vector<double>> out;
    for (const Operand& o : operands) {
      const bench::GpuBuffer& buffer = buffers_.at(o.name);
      std::vector<formula::Window> wanted = places;
      if (places.empty() || buffer.count() == 1) wanted.assign(1, {0, 0, static_cast<int64_t>(buffer.count())});
      out.emplace_back();
      for (const formula::Window& w : wanted) {
        WL_ASSIGN(const std::vector<double> part,
                  buffer.read(timer_, static_cast<uint64_t>(w.begin), static_cast<uint64_t>(w.end - w.begin)));
        out.back().insert(out.back().end(), part.begin(), part.end());
      }
    }
    return out;
  }

  const FusionPlan& plan_;
  bench::GpuTimer& timer_;
  const FusionTimingOptions& options_;
  Random random_;
  std::map<std::string, bench::GpuBuffer> buffers_;
  std::vector<LoadedKernel> fused_, chain_;
  std::vector<cuda::Memory> copied_;
};

}  // namespace

Result<FusionTiming> run_fusion_on_gpu(const FusionPlan& plan, bench::GpuTimer& timer,
                                       const FusionTimingOptions& options) {
  return FusionOnGpu(plan, timer, options).run();
}

}  // namespace warplens::fuse
