#include "warplens/bench/suite/emulated_case.h"

#include "warplens/base/text.h"
#include "warplens/bench/harness/check_output.h"
#include "warplens/bench/suite/emulated_counts.h"
#include "warplens/launch/contents.h"
#include "warplens/launch/machine.h"

namespace warplens::bench {
namespace {

std::vector<double> doubles(launch::DType dtype, const std::vector<uint8_t>& bytes) {
  const uint32_t size = launch::info(dtype).size_bytes;
  std::vector<double> out(bytes.size() / size);
  for (size_t i = 0; i < out.size(); ++i) out[i] = launch::load(dtype, bytes.data() + i * size);
  return out;
}

class EmulatedCase {
 public:
  EmulatedCase(const KernelCase& kernel_case, std::vector<launch::Outcome>* outcomes)
      : case_(kernel_case), outcomes_(outcomes) {}

  Result<Measurement> run(const EmulatedGpu& as) {
    const std::string arch = as.arch.empty() ? launch::code_architecture(as.device) : as.arch;
    WL_ASSIGN(source_, launch::load_source(case_.description, arch));
    launch::EmulationOptions options;
    options.count = true;
    options.device = as.device;
    WL_ASSIGN(machine_, launch::emulated_machine(source_, options));
    for (const launch::BufferSpec& spec : case_.description.buffers) {
      WL_ASSIGN(const std::vector<uint8_t> contents, launch::contents_of(spec));
      WL_TRY(machine_->add_buffer(spec, contents));
      out_.memory_bytes += static_cast<int64_t>(contents.size());
    }
    for (const launch::BufferSpec& symbol : case_.description.symbols) {
      WL_ASSIGN(const std::vector<uint8_t> contents, launch::contents_of(symbol));
      WL_TRY(machine_->write_symbol(symbol.name, contents));
    }
    out_.source = kEmulated;
    out_.regime = "cold";
    out_.bytes = case_.bytes;
    out_.flops = case_.flops;
    out_.notes = {"no GPU: counted by emulation, not timed"};
    for (size_t i = 0; i < case_.description.launches.size(); ++i) WL_TRY(launch(i));
    out_.modelled_device = device_;
    if (!device_.empty())
      out_.notes = {fmt::format("no GPU: counted by emulation, not timed; bound and estimate are for {}", device_)};
    if (out_.errors.empty()) WL_TRY(check());
    out_.valid = out_.errors.empty();
    return std::move(out_);
  }

 private:
  Status launch(size_t i) {
    if (!out_.errors.empty()) return {};
    Result<launch::Outcome> outcome = machine_->launch(case_.description.launches[i], source_.kernels[i]);
    if (!outcome.ok()) return outcome.status().in(source_.kernels[i]);
    if (outcome->emulated->fault) {
      out_.errors.push_back(outcome->emulated->fault->text());
      return {};
    }
    add_counts(*outcome, out_);
    if (outcome->counted) out_.machine_code += outcome->counted->code_digest;
    if (outcome->counted && outcome->counted->device) device_ = outcome->counted->device->name;
    if (outcomes_ != nullptr) outcomes_->push_back(std::move(*outcome));
    return {};
  }

  Result<std::vector<double>> contents(const std::string& name) const {
    WL_ASSIGN(const std::vector<uint8_t> bytes, launch::contents_of(*case_.description.buffer(name)));
    return doubles(case_.description.buffer(name)->dtype, bytes);
  }

  Status check() {
    for (const Reference& reference : case_.references) {
      size_t number = 0;
      while (case_.description.buffers[number].name != reference.output) ++number;
      WL_ASSIGN(const std::vector<uint8_t> bytes, machine_->read_buffer(number));
      WL_ASSIGN(ReferenceValues want,
                reference_values(case_.description, reference,
                                 [&](const std::string& name, const std::vector<Stretch>&) { return contents(name); }));
      const launch::DType dtype = case_.description.buffers[number].dtype;
      out_.checks.push_back(check_output(
          checked_output(reference.output, doubles(dtype, bytes), std::move(want), case_.tolerance_for(dtype))));
    }
    out_.errors = failures(out_.checks, "emulated");
    return {};
  }

  const KernelCase& case_;
  std::vector<launch::Outcome>* outcomes_;
  launch::Source source_;
  std::unique_ptr<launch::Machine> machine_;
  Measurement out_;
  std::string device_;  // that bounds are for
};

}  // namespace

Result<Measurement> run_emulated(const KernelCase& kernel_case, const EmulatedGpu& as,
                                 std::vector<launch::Outcome>* outcomes) {
  return EmulatedCase(kernel_case, outcomes).run(as);
}

}  // namespace warplens::bench
