#include "warplens/fuse/run_emulated.h"

#include <cstring>
#include <map>

#include "warplens/base/text.h"
#include "warplens/bench/harness/check_output.h"
#include "warplens/bench/suite/emulated_counts.h"
#include "warplens/build/compile/compile.h"
#include "warplens/formula/evaluate.h"
#include "warplens/isa/ptx/parser.h"
#include "warplens/launch/fill.h"
#include "warplens/launch/machine.h"

namespace warplens::fuse {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<double> doubles(launch::DType dtype, const Bytes& bytes) {
  const uint32_t size = launch::info(dtype).size_bytes;
  std::vector<double> out(bytes.size() / size);
  for (size_t i = 0; i < out.size(); ++i) out[i] = launch::load(dtype, bytes.data() + i * size);
  return out;
}

launch::Fill noise(launch::DType dtype, uint64_t seed) {
  launch::Fill fill;
  fill.kind = launch::FillKind::kUniform;
  const bool real = launch::info(dtype).is_float;
  fill.low = real ? -1 : 0;
  fill.high = real ? 1 : 100;
  fill.seed = seed;
  return fill;
}

/// Kernels run one after another over named arrays, each in an emulator of its own.
class EmulatedKernels {
 public:
  EmulatedKernels(std::string arch, std::map<std::string, Bytes> arrays)
      : arch_(std::move(arch)), arrays_(std::move(arrays)) {}

  Status run(const GeneratedKernel& kernel, bench::Measurement& counted) {
    WL_ASSIGN(const launch::Source source, compiled(kernel));
    launch::EmulationOptions options;
    options.count = true;
    WL_ASSIGN(const std::unique_ptr<launch::Machine> machine, launch::emulated_machine(source, options));
    launch::LaunchSpec spec;
    spec.kernel = kernel.name, spec.grid = {kernel.grid, 1, 1}, spec.block = {kernel.block[0], kernel.block[1], 1};
    for (const auto* operands : {&kernel.inputs, &kernel.outputs}) {
      for (const Operand& o : *operands) WL_TRY(add(*machine, o, spec));
    }
    Bytes count(kernel.wide ? 8 : 4);
    std::memcpy(count.data(), &kernel.count, count.size());
    spec.args.push_back({.bytes = count, .text = kernel.wide ? "u64" : "u32"});
    Result<launch::Outcome> outcome = machine->launch(spec, kernel.name);
    if (!outcome.ok()) return outcome.status().in(kernel.name);
    if (outcome->emulated->fault) return internal_error(outcome->emulated->fault->text()).in(kernel.name);
    for (size_t o = 0; o < kernel.outputs.size(); ++o) {
      WL_ASSIGN(arrays_[kernel.outputs[o].name], machine->read_buffer(kernel.inputs.size() + o));
    }
    bench::add_counts(*outcome, counted);
    return {};
  }

  const Bytes& array(const std::string& name) const { return arrays_.at(name); }

 private:
  Result<launch::Source> compiled(const GeneratedKernel& kernel) const {
    Result<compile::Compiled> compiled =
        compile::compile({.source = kernel.source, .arch = arch_, .options = generated_options()});
    if (!compiled.ok()) return compiled.status().in(kernel.name);
    launch::Source source;
    source.path = kernel.name;
    source.arch = arch_;
    source.ptx = compiled->ptx;
    source.cubin = compiled->cubin;
    WL_ASSIGN(ptx::Module module, ptx::parse(compiled->ptx, kernel.name));
    source.module = std::make_shared<const ptx::Module>(std::move(module));
    source.kernels = {kernel.name};
    return source;
  }

  Status add(launch::Machine& machine, const Operand& o, launch::LaunchSpec& spec) {
    const auto held = arrays_.find(o.name);
    launch::BufferSpec buffer{
        .name = o.name, .dtype = o.dtype, .shape = {static_cast<uint64_t>(element_count(o.shape))}};
    // Outputs begin as noise that no formula gives.
    Bytes poison(held == arrays_.end() ? static_cast<size_t>(o.bytes()) : 0);
    if (held == arrays_.end()) launch::fill(noise(o.dtype, 99), o.dtype, poison);
    WL_TRY(machine.add_buffer(buffer, held == arrays_.end() ? poison : held->second));
    spec.args.push_back({.buffer = o.name});
    return {};
  }

  std::string arch_;
  std::map<std::string, Bytes> arrays_;
};

bench::Measurement begun(const char* name, const FusionPlan& plan, int64_t bytes) {
  bench::Measurement m;
  m.name = name;
  m.source = bench::kEmulated;
  m.regime = "cold";
  m.bytes = static_cast<double>(bytes);
  m.flops = plan.graph.flops();
  m.notes = {"no GPU: emulated, counts and no times"};
  return m;
}

/// Checks the outputs in `arrays` against `want`, which is float64 or the other form's values.
void check(const FusionPlan& plan, const EmulatedKernels& kernels, const std::vector<std::vector<double>>& want,
           const std::string& against, bench::Measurement& m) {
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const Operand& output = plan.outputs[o];
    bench::OutputCheck result = bench::check_output(
        {output.name, doubles(output.dtype, kernels.array(output.name)), want[o], tolerance_of(plan)});
    result.output += " against " + against;
    m.checks.push_back(std::move(result));
  }
}

}  // namespace

Result<std::vector<bench::Measurement>> run_fusion_emulated(const FusionPlan& plan, const std::string& arch,
                                                            uint64_t seed) {
  std::map<std::string, Bytes> arrays;
  std::vector<std::vector<double>> inputs;
  for (const Operand& input : plan.inputs) {
    Bytes bytes(static_cast<size_t>(input.bytes()));
    launch::fill(noise(input.dtype, seed++), input.dtype, bytes);
    inputs.push_back(doubles(input.dtype, bytes));
    arrays[input.name] = std::move(bytes);
  }
  const std::vector<std::vector<double>> exact =
      formula::evaluate(plan.graph, std::vector<std::span<const double>>(inputs.begin(), inputs.end()));

  bench::Measurement fused = begun("fused", plan, plan.fused.bytes), chain = begun("chain", plan, plan.chain_bytes());
  EmulatedKernels fused_kernels(arch, arrays), chain_kernels(arch, arrays);
  WL_TRY(fused_kernels.run(plan.fused, fused));
  for (const ChainStep& step : plan.chain) WL_TRY(chain_kernels.run(step.kernel, chain));
  check(plan, fused_kernels, exact, "float64", fused);
  check(plan, chain_kernels, exact, "float64", chain);
  std::vector<std::vector<double>> of_chain;
  for (const Operand& output : plan.outputs)
    of_chain.push_back(doubles(output.dtype, chain_kernels.array(output.name)));
  check(plan, fused_kernels, of_chain, "the chain", fused);
  for (bench::Measurement* m : {&fused, &chain}) {
    m->errors = failures(m->checks, m->name);
    m->valid = m->errors.empty();
  }
  return std::vector<bench::Measurement>{fused, chain};
}

}  // namespace warplens::fuse
