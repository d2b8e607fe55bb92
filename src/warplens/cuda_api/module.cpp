#include "warplens/cuda_api/module.h"

#include <algorithm>

#include "warplens/base/text.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/cubin/nv_info.h"
#include "warplens/isa/fatbin/choose.h"

namespace warplens::cuda_api {
namespace {

using cubin::load;

/// The container at `data`, whose length stands in its header.
std::string_view container(const void* data) {
  constexpr size_t kHeaderBytes = 16;
  const std::string_view header(static_cast<const char*>(data), kHeaderBytes);
  return {header.data(), load<uint16_t>(header, 6) + load<uint64_t>(header, 8)};
}

/// Where the kernel's arguments lie, in order.
std::vector<Parameter> parameters_of(const std::string& cubin_bytes, const std::string& kernel) {
  std::vector<std::pair<uint32_t, Parameter>> numbered;
  const Result<cubin::Elf> elf = cubin::read_elf(cubin_bytes);
  const cubin::ElfSection* info = elf.ok() ? elf->section(".nv.info." + kernel) : nullptr;
  if (info == nullptr) return {};
  for (const cubin::InfoEntry& entry : cubin::read_info(info->bytes)) {
    if (const auto p = cubin::parameter_of(entry)) numbered.push_back({p->ordinal, {p->offset, p->size_bytes}});
  }
  std::ranges::sort(numbered, {}, &std::pair<uint32_t, Parameter>::first);
  std::vector<Parameter> out;
  for (const auto& [ordinal, parameter] : numbered) out.push_back(parameter);
  return out;
}

}  // namespace

Result<std::string> Module::choose_code() const {
  WL_ASSIGN(const std::vector<fatbin::Image> images, fatbin::read_fatbin(container(fatbin_)));
  const gpu::Arch& arch = device_.architecture();
  const fatbin::Image* image = fatbin::choose(images, arch.cc());
  if (image == nullptr) {
    return not_found(fmt::format("the program holds code for {}, none of which runs on {} ({}): build it with -arch={}",
                                 fatbin::list_targets(images), device_.name, arch.name(), arch.name()));
  }
  WL_ASSIGN(std::string code, fatbin::unpack(*image));
  if (image->kind == fatbin::Kind::kCubin) return code;
  WL_ASSIGN(compile::Assembled assembled, compile::assemble(code, arch.name()));
  return std::move(assembled.cubin);
}

Status Module::load() {
  if (loaded_) return problem_;
  loaded_ = true;
  Result<std::string> code = choose_code();
  problem_ = code.ok() ? code_.load(std::move(*code), memory_) : code.status();
  return problem_;
}

Result<Variable> Module::variable(std::string_view name) {
  WL_TRY(load());
  const Variable* found = code_.variable(name);
  return found != nullptr ? Result<Variable>(*found) : not_found(fmt::format("no device variable {}", name));
}

void Module::constants_changed() {
  for (const auto& [name, kernel] : kernels_) kernel->stale = true;
}

Result<Kernel*> Module::kernel(const std::string& name) {
  WL_TRY(load());
  const auto known = kernels_.find(name);
  if (known != kernels_.end() && !known->second->stale && !exposed_) return known->second.get();
  WL_ASSIGN(simt::sass_machine::Program program, code_.program(name));
  if (known == kernels_.end()) {
    auto made = std::make_unique<Kernel>();
    made->module = this;
    made->name = name;
    made->parameters = parameters_of(code_.cubin(), name);
    WL_ASSIGN(const simt::sass_machine::KernelDemands demands, code_.demands(name));
    made->max_threads = demands.max_threads;
    made->cluster = demands.cluster;
    kernels_[name] = std::move(made);
  }
  Kernel* kernel = kernels_[name].get();
  kernel->program = std::move(program);
  kernel->stale = false;
  return kernel;
}

}  // namespace warplens::cuda_api
