// warplens fuse: a formula as one CUDA kernel, beside the chain of kernels that it replaces.
#include "warplens/base/text.h"
#include "warplens/cli/verb.h"
#include "warplens/fuse/report.h"
#include "warplens/fuse/run_emulated.h"
#include "warplens/output/terminal.h"

namespace warplens::cli {
namespace {

constexpr const char* kShapeOnGpu = "2^26";
constexpr const char* kShapeEmulated = "2^18";

Result<launch::DType> dtype_flag(const Invocation& invocation, const char* flag) {
  const auto found = launch::find_dtype(invocation.text(flag));
  if (!found)
    return usage_error(
        fmt::format("{}: no dtype '{}'; there are {}", flag, invocation.text(flag), launch::dtype_names()));
  return *found;
}

Result<fuse::FusionRequest> request_of(const Invocation& invocation, bool gpu) {
  if (invocation.operands.size() != 1)
    return usage_error("give one formula in quotes: warplens fuse 'y = x * sigmoid(x)'");
  fuse::FusionRequest request;
  request.formula = invocation.operands[0];
  WL_ASSIGN(request.dtype, dtype_flag(invocation, "--dtype"));
  if (invocation.has("--out-dtype")) {
    WL_ASSIGN(request.output_dtype, dtype_flag(invocation, "--out-dtype"));
    if (!launch::info(*request.output_dtype).is_float) return usage_error("--out-dtype takes f16, bf16, f32 or f64");
  }
  WL_ASSIGN(request.shape, formula::parse_shape(invocation.has("--shape") ? invocation.text("--shape")
                                                : gpu                     ? kShapeOnGpu
                                                                          : kShapeEmulated));
  for (const std::string& text : invocation.list("--input")) {
    WL_ASSIGN(fuse::Operand operand, fuse::parse_operand(text, request.dtype));
    request.inputs.push_back(std::move(operand));
  }
  return request;
}

Status run_on_gpu(const Invocation& invocation, bench::GpuTimer& timer, fuse::FusionReport& report) {
  fuse::FusionTimingOptions options;
  WL_ASSIGN(options.target, invocation.percent("--target"));
  options.tune = !invocation.has("--no-tune");
  WL_ASSIGN(fuse::FusionTiming timing, fuse::run_fusion_on_gpu(report.plan, timer, options));
  report.plan.fused = std::move(timing.tuned);
  report.measurements = {timing.fused, timing.chain, timing.copy};
  report.comparison = timing.comparison;
  WL_ASSIGN(report.device, timer.device().name());
  return {};
}

Result<int> run_fuse(const Invocation& invocation) {
  WL_TRY(invocation.percent("--target").status());
  std::unique_ptr<bench::GpuTimer> timer;
  if (!invocation.has("--emulate") && !invocation.has("--no-run")) {
    Result<std::unique_ptr<bench::GpuTimer>> opened = bench::GpuTimer::open();
    if (opened.ok()) timer = std::move(*opened);
    else if (invocation.has("--gpu")) return opened.status();
  }
  WL_ASSIGN(const fuse::FusionRequest request, request_of(invocation, timer != nullptr));
  fuse::FusionReport report;
  WL_ASSIGN(report.plan, fuse::plan_fusion(request));
  if (timer) {
    WL_TRY(run_on_gpu(invocation, *timer, report));
  } else if (!invocation.has("--no-run")) {
    report.device = "emulated " + invocation.text("--arch");
    WL_ASSIGN(report.measurements, fuse::run_fusion_emulated(report.plan, invocation.text("--arch"), 1));
  }
  if (invocation.format() == Format::kJson) WL_TRY(invocation.emit(fuse::to_json(report)));
  else if (invocation.format() == Format::kTable)
    WL_TRY(invocation.emit(fuse::to_text(report, invocation.text("--show"), terminal_width())));
  else WL_TRY(invocation.emit(fuse::fusion_table(report)));
  return report.valid() ? kExitOk : kExitFailed;
}

}  // namespace

const std::string kOfFormula = "--shape --dtype --input --out-dtype --show";

extern const Verb kFuse;
const Verb kFuse = {
    "fuse",
    "write a formula as one CUDA kernel, and check it",
    "FORMULA",
    "A formula is NAME = EXPRESSION; separate several by semicolons. By element: + - * / **, comparisons, where(c, "
    "a, b), exp, log, tanh, erf, sqrt, sigmoid, gelu, silu, clamp and others. Along the last axis: sum, mean, max, "
    "min, var, softmax, log_softmax, layer_norm, rms_norm. Names without an assignment are inputs, and broadcast as "
    "in numpy. Both forms are checked against float64, on a GPU or in the emulator. On a GPU the fused form is also "
    "tuned, and both are timed together with a copy of the same number of bytes.",
    {{"--shape", "SHAPE", "shape of inputs without --input: 4096x1024, 2^26 (default: 2^26, emulated 2^18)"},
     {"--dtype", "DTYPE", "type of those inputs", "f32"},
     {"--input", "NAME=DTYPE[SHAPE]", "an input of another type or shape: w=f16[1024]; may be repeated", "", {}, true},
     {"--out-dtype", "DTYPE", "type of the outputs (default: as PyTorch promotes)"},
     {"--show", "WHAT", "sources to print", "both", {"fused", "chain", "both", "none"}},
     {"--gpu", "", "fail if there is no GPU"},
     {"--emulate", "", "run in the emulator even if there is a GPU"},
     {"--no-run", "", "only write the sources"},
     {"--no-tune", "", "use the first form of the fused kernel, not the fastest of nine"},
     {"--target", "PERCENT", "stop timing at this half width of the confidence interval", "1%"},
     {"--arch", "ARCH", "architecture to compile for when emulating", "sm_90"}},
    {{"warplens fuse 'y = 0.5*x*(1+tanh(0.79788456*(x+0.044715*x*x*x)))'", "GELU in one pass instead of nine"},
     {"warplens fuse 'y = layer_norm(x, w, b)' --shape 4096x1024 --input w=[1024] --input b=[1024] --dtype bf16",
      "a row kernel"}},
    run_fuse,
    {{"--no-run", [](const Invocation& i) { return i.has("--no-run"); }, "--no-run " + kOfFormula},
     {"--emulate", [](const Invocation& i) { return i.has("--emulate"); }, "--emulate --arch " + kOfFormula},
     {"a GPU", [](const Invocation&) { return true; },
      "--no-run --emulate --gpu --no-tune --target --arch " + kOfFormula}}};

}  // namespace warplens::cli
