#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/bench/ceilings/kernels.h"
#include "warplens/bench/gpu/gpu_buffer.h"
#include "warplens/bench/stats/quantiles.h"
#include "warplens/build/compile/compile.h"

namespace warplens::bench {
namespace {

constexpr uint64_t kDramBytes = uint64_t{2} << 30;
constexpr size_t kSamples = 12;

/// One way to launch a kernel; the best of several is the ceiling.
struct Shape1d {
  uint32_t blocks, threads, shared_bytes = 0;
};

class CeilingMeasurer {
 public:
  explicit CeilingMeasurer(GpuTimer& timer) : timer_(timer), sms_(static_cast<uint32_t>(timer.helpers().sms())) {}

  Result<MeasuredCeilings> all() {
    WL_ASSIGN(out_.environment, timer_.environment());
    WL_ASSIGN(cuda::Module module, cuda::compile_and_load(timer_.device(), memory_and_fma_source()));
    WL_TRY(memory(module));
    WL_TRY(arithmetic(module));
    for (const char* type : {"f16", "bf16", "tf32", "e4m3"}) WL_TRY(tensor(type));
    out_.ceilings.push_back(
        {"launch", "an empty kernel between two events", "ns", out_.environment.launch_overhead_ns, 0, ""});
    return std::move(out_);
  }

 private:
  /// Median time of a launch and the clock it ran at.
  Result<Sample> timed(cuda::FunctionHandle function, const Shape1d& shape, const cuda::Parameters& parameters) {
    Work work;
    work.run = [&](void* stream) {
      cuda::Launch launch;
      launch.grid = {shape.blocks, 1, 1};
      launch.block = {shape.threads, 1, 1};
      launch.shared_bytes = shape.shared_bytes;
      launch.parameters = parameters.bytes();
      launch.stream = static_cast<cuda::StreamHandle>(stream);
      return cuda::launch(timer_.device(), function, launch);
    };
    WL_TRY(timer_.warm_up(work, Regime::kWarm, 0));
    std::vector<Sample> samples;
    WL_TRY(timer_.take(work, Regime::kWarm, kSamples, samples));
    std::vector<double> ns;
    for (const Sample& s : samples) ns.push_back(s.ns);
    return Sample{median(ns), 0, samples[0].sm_clock_mhz, samples[0].throttle};
  }

  /// Keeps `amount` over the time if it beats what stands at `key`.
  void keep(const char* key, const char* what, const char* unit, double amount, const Sample& sample) {
    const double rate = amount / sample.ns * 1e9;
    const auto found =
        std::find_if(out_.ceilings.begin(), out_.ceilings.end(), [&](const Ceiling& c) { return c.key == key; });
    if (found != out_.ceilings.end() && found->value >= rate) return;
    const Ceiling ceiling{
        key, what, unit, rate, sample.sm_clock_mhz, join(texts(timer_.throttle_names(sample.throttle)), ", ")};
    if (found == out_.ceilings.end()) out_.ceilings.push_back(ceiling);
    else *found = ceiling;
  }
  static std::vector<std::string> texts(const std::vector<std::string_view>& names) {
    return {names.begin(), names.end()};
  }

  Status memory(const cuda::Module& module) {
    WL_ASSIGN(const GpuBuffer buffer, GpuBuffer::allocate(timer_, launch::DType::kU8, kDramBytes));
    WL_TRY(buffer.fill(timer_, 1));
    const auto at = buffer.pointer();
    WL_ASSIGN(const auto read, module.function("dram_read"));
    WL_ASSIGN(const auto write, module.function("dram_write"));
    WL_ASSIGN(const auto copy1, module.function("dram_copy1"));
    WL_ASSIGN(const auto copy4, module.function("dram_copy4"));
    for (const uint32_t threads : {256u, 512u}) {
      for (const uint32_t blocks_a_sm : {2u, 4u, 0u}) {
        const uint64_t tile = uint64_t{threads} * 16, tiles = kDramBytes / (8 * tile);
        const Shape1d shape{blocks_a_sm ? sms_ * blocks_a_sm : static_cast<uint32_t>(tiles), threads};
        WL_ASSIGN(const Sample r, timed(read, shape, cuda::Parameters().add(at).add(tiles).add(at)));
        keep("dram_read", "memory, read", "B/s", kDramBytes, r);
        WL_ASSIGN(const Sample w, timed(write, shape, cuda::Parameters().add(at).add(tiles)));
        keep("dram_write", "memory, written", "B/s", kDramBytes, w);
        const uint64_t half = kDramBytes / 2;
        for (const auto& [copy, vectors] : {std::pair(copy1, 1u), std::pair(copy4, 4u)}) {
          const uint64_t copied = half / (vectors * tile);
          const Shape1d grid{blocks_a_sm ? shape.blocks : static_cast<uint32_t>(copied), threads};
          WL_ASSIGN(const Sample c, timed(copy, grid, cuda::Parameters().add(at + half).add(at).add(copied)));
          keep("dram_copy", "memory, read and written by a copy", "B/s", kDramBytes, c);
        }
      }
    }
    WL_TRY(caches(module, at));
    return {};
  }

  Status caches(const cuda::Module& module, cuda::DevicePointer at) {
    WL_ASSIGN(const auto l2, module.function("l2_read"));
    WL_ASSIGN(const auto l1, module.function("l1_read"));
    WL_ASSIGN(const auto shared, module.function("shared_read"));
    for (const uint32_t divisor : {2u, 4u, 8u}) {
      for (const uint32_t blocks : {2u, 4u}) {
        const auto count = static_cast<uint32_t>(out_.environment.l2_bytes / divisor / 16 / 512 * 512);
        const uint32_t rounds = 512;
        const Shape1d shape{sms_ * blocks, 512};
        WL_ASSIGN(const Sample s, timed(l2, shape, cuda::Parameters().add(at).add(count).add(rounds).add(at)));
        keep("l2_read", "L2 cache, read", "B/s", 16.0 * 8 * rounds * shape.blocks * shape.threads, s);
      }
    }
    for (const uint32_t blocks : {1u, 2u, 4u}) {
      const uint32_t rounds = 2048;
      const Shape1d shape{sms_ * blocks, 512};
      const double bytes = 16.0 * 8 * rounds * shape.blocks * shape.threads;
      WL_ASSIGN(const Sample a, timed(l1, shape, cuda::Parameters().add(at).add(rounds).add(at)));
      keep("l1_read", "L1 cache, read", "B/s", bytes, a);
      WL_ASSIGN(const Sample b, timed(shared, shape, cuda::Parameters().add(rounds).add(at)));
      keep("shared_read", "shared memory, read", "B/s", bytes, b);
    }
    return {};
  }

  Status arithmetic(const cuda::Module& module) {
    WL_ASSIGN(const GpuBuffer never, GpuBuffer::allocate(timer_, launch::DType::kF64, 16));
    struct Kind {
      const char *function, *key, *what;
      double lanes;
    };
    for (const Kind& kind :
         {Kind{"fma_f64", "fp64", "FP64 multiply-adds", 1}, Kind{"fma_f32", "fp32", "FP32 multiply-adds", 1},
          Kind{"fma_f16x2", "fp16", "FP16 multiply-adds in pairs", 2}}) {
      WL_ASSIGN(const auto function, module.function(kind.function));
      const uint32_t rounds = 256;
      for (const uint32_t blocks : {4u, 8u}) {
        const Shape1d shape{sms_ * blocks, 256};
        WL_ASSIGN(const Sample s, timed(function, shape, cuda::Parameters().add(rounds).add(never.pointer())));
        keep(kind.key, kind.what, "FLOP/s", 2.0 * kind.lanes * 256 * rounds * shape.blocks * shape.threads, s);
      }
    }
    return {};
  }

  Status tensor(const std::string& type) {
    WL_ASSIGN(const std::string arch, timer_.device().arch());
    const bool warpgroup = arch == "sm_90";
    const std::string source = tensor_source(type, warpgroup);
    if (source.empty()) return {};
    Result<compile::Compiled> compiled = compile::compile({.source = source, .arch = warpgroup ? "sm_90a" : arch});
    if (!compiled.ok()) return arch < "sm_80" ? Status() : compiled.status();  // older parts lack the instruction
    WL_ASSIGN(const cuda::Module module,
              cuda::Module::load(timer_.device(), compiled->cubin.empty() ? compiled->ptx : compiled->cubin));
    WL_ASSIGN(const auto function, module.function("tensor"));
    WL_ASSIGN(const GpuBuffer never, GpuBuffer::allocate(timer_, launch::DType::kF32, 16));
    const std::string key = (type == "e4m3" ? "fp8" : type == "f16" ? "fp16" : type) + "_tensor";
    const std::string what = (type == "e4m3"   ? "FP8 (e4m3)"
                              : type == "f16"  ? "FP16"
                              : type == "bf16" ? "BF16"
                                               : "TF32") +
                             std::string(" tensor cores");
    for (const uint32_t rounds : {256u, 2048u}) {
      const Shape1d shape{warpgroup ? sms_ : sms_ * 4, 256, warpgroup ? 48u * 1024 : 0};
      WL_ASSIGN(const Sample s, timed(function, shape, cuda::Parameters().add(rounds).add(never.pointer())));
      keep(key.c_str(), what.c_str(), "FLOP/s", tensor_flops_a_round(type, warpgroup) * rounds * shape.blocks, s);
    }
    return {};
  }

  GpuTimer& timer_;
  uint32_t sms_;
  MeasuredCeilings out_;
};

}  // namespace

Result<MeasuredCeilings> measure_ceilings(GpuTimer& timer) { return CeilingMeasurer(timer).all(); }

}  // namespace warplens::bench
