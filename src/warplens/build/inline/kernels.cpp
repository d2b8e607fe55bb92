#include "warplens/build/inline/kernels.h"

#include <cstdlib>

#include "warplens/base/text.h"
#include "warplens/build/compile/compile.h"

namespace warplens::cuda {
namespace {

bool synchronous_by_environment() {
  const char* value = std::getenv("WARPLENS_SYNC");
  return value != nullptr && *value != 0 && std::string_view(value) != "0";
}

std::string dims(const std::array<uint32_t, 3>& d) { return fmt::format("({},{},{})", d[0], d[1], d[2]); }

/// Extents left out in a braced list are 0; they mean 1.
void fill_in(std::array<uint32_t, 3>& extents) {
  for (uint32_t& e : extents) {
    if (e == 0) e = 1;
  }
}

}  // namespace

std::string annotated(const std::string& log, const std::string& source) {
  const std::vector<std::string_view> lines = split(source, '\n');
  std::string out;
  for (const std::string_view line : split(log, '\n')) {
    out += std::string(line) + "\n";
    // NAME(12): error: what
    const size_t open = line.find('('), close = line.find("): ");
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) continue;
    const auto number = parse_int(line.substr(open + 1, close - open - 1));
    if (number && *number >= 1 && static_cast<size_t>(*number) <= lines.size())
      out += fmt::format("  {:>4} | {}\n", *number, lines[static_cast<size_t>(*number) - 1]);
  }
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

Result<InlineKernels> InlineKernels::load(const Device& device, const std::string& source,
                                          const InlineOptions& options) {
  WL_ASSIGN(const std::string arch, device.arch());
  Result<compile::Compiled> compiled = compile::compile({.source = source,
                                                         .path = "",
                                                         .arch = arch,
                                                         .options = options.compiler_options,
                                                         .expressions = options.instances});
  if (!compiled.ok()) return Status(compiled.status().code(), annotated(compiled.status().message(), source));
  WL_ASSIGN(Module module, Module::load(device, compiled->cubin.empty() ? compiled->ptx : compiled->cubin));
  InlineKernels out(device, std::move(module));
  out.lowered_ = compiled->lowered;
  out.synchronous_ = options.synchronous || synchronous_by_environment();
  out.cached_ = compiled->cached;
  return out;
}

Result<InlineFunction> InlineKernels::function(const std::string& name) const {
  const auto found = lowered_.find(name);
  WL_ASSIGN(const FunctionHandle handle, module_.function(found == lowered_.end() ? name : found->second));
  return InlineFunction(device_, handle, name, synchronous_);
}

Status InlineFunction::launch_packed(LaunchShape shape, const Parameters& parameters) const {
  fill_in(shape.grid);
  fill_in(shape.block);
  Launch work;
  work.grid = shape.grid;
  work.block = shape.block;
  work.shared_bytes = shape.shared_bytes;
  work.stream = shape.stream;
  work.parameters = parameters.bytes();
  Status status = cuda::launch(*device_, handle_, work);
  if (status.ok() && synchronous_)
    status = device_->driver().check(device_->driver().stream_synchronize(shape.stream), "the kernel failed");
  if (status.ok()) return {};
  return status.in(fmt::format("{}<<<{}, {}>>> at {}:{}", name_, dims(shape.grid), dims(shape.block),
                               shape.where.file_name(), shape.where.line()));
}

}  // namespace warplens::cuda
