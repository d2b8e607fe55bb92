#include "warplens/cuda_api/module.h"

#include <algorithm>
#include <array>

#include "warplens/base/text.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/isa/cubin/cubin.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/cubin/nv_info.h"
#include "warplens/isa/fatbin/choose.h"
#include "warplens/isa/ptx/parser.h"

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

/// Whether a function has instructions that only machine code is run with.
bool uses_textures(const ptx::Module& module, const ptx::Function& function) {
  using ptx::Opcode;
  constexpr std::array kOpcodes{Opcode::kTex,  Opcode::kTld4,  Opcode::kTxq, Opcode::kSuld,
                                Opcode::kSust, Opcode::kSured, Opcode::kSuq};
  return std::ranges::any_of(function.instructions, [&](const ptx::Instruction& instruction) {
    return std::ranges::find(kOpcodes, module.mnemonics[instruction.mnemonic].opcode) != kOpcodes.end();
  });
}

/// The kernel's PTX where it can be followed from its begin to its end; nullptr where it cannot.
const ptx::Function* followed(const simt::ptx_machine::Module* module, const std::string& kernel) {
  if (module == nullptr) return nullptr;
  const Result<const ptx::Function*> found = module->kernel(kernel);
  if (!found.ok() || uses_textures(module->ptx(), **found)) return nullptr;
  for (const ptx::Function& function : module->ptx().functions) {
    if (!function.is_kernel && uses_textures(module->ptx(), function)) return nullptr;
  }
  return *found;
}

}  // namespace

Result<std::vector<fatbin::Image>> Module::images() const {
  if (fatbin_ != nullptr) return fatbin::read_fatbin(container(fatbin_));
  if (fatbin::is_fatbin(image_)) return fatbin::read_fatbin(image_);
  fatbin::Image one;
  one.payload = image_;
  if (image_.starts_with("\x7f"
                         "ELF")) {
    WL_ASSIGN(const cubin::Cubin code, cubin::read_cubin(image_));
    one.kind = fatbin::Kind::kCubin;
    one.architecture = static_cast<uint32_t>(code.architecture);
    return std::vector{one};
  }
  WL_ASSIGN(const ptx::Module parsed, ptx::parse(image_, "PTX"));
  one.kind = fatbin::Kind::kPtx;
  one.architecture = static_cast<uint32_t>(parsed.architecture());
  return std::vector{one};
}

Result<std::string> Module::choose_code() const {
  WL_ASSIGN(const std::vector<fatbin::Image> images, this->images());
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

Result<std::string> Module::choose_ptx() const {
  WL_ASSIGN(std::vector<fatbin::Image> images, this->images());
  size_t linked = 0;
  for (const void* const* each = linked_of_; each != nullptr && *each != nullptr; ++each, ++linked) {
    WL_ASSIGN(const std::vector<fatbin::Image> of_one, fatbin::read_fatbin(container(*each)));
    images.insert(images.end(), of_one.begin(), of_one.end());
  }
  if (linked > 1) return unsupported("it was linked of several units, whose PTX is not put together");
  for (const fatbin::Image* image : fatbin::suitable(images, device_.architecture().cc())) {
    if (image->kind == fatbin::Kind::kPtx) return fatbin::unpack(*image);
  }
  return not_found("the program holds no PTX for it: build it with -arch=sm_NN alone, without -code");
}

Status Module::load_ptx() {
  WL_ASSIGN(const std::string text, choose_ptx());
  WL_ASSIGN(ptx::Module parsed, ptx::parse(text, "PTX"));
  WL_ASSIGN(ptx_, simt::ptx_machine::Module::load(std::make_shared<const ptx::Module>(std::move(parsed)), memory_));
  return {};
}

Status Module::load_code() {
  WL_ASSIGN(std::string code, choose_code());
  if (!ptx_) return code_.load(std::move(code), memory_);
  return code_.load(std::move(code), memory_,
                    [&](std::string_view name) -> std::optional<simt::sass_machine::Variable> {
                      const auto found = ptx_->find_symbol(name);
                      if (!found) return std::nullopt;
                      return simt::sass_machine::Variable{reinterpret_cast<uint64_t>(found->data), found->size_bytes,
                                                          found->names_functions};
                    });
}

Status Module::load() {
  if (loaded_) return problem_;
  loaded_ = true;
  if (checked_) {
    if (const Status ptx = load_ptx(); !ptx.ok()) why_no_ptx_ = ptx.message();
  }
  return problem_ = load_code();
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
    constexpr uint64_t kMostParameterBytes = 32764;
    for (const Parameter& p : made->parameters) {
      if (uint64_t{p.offset} + p.size_bytes > kMostParameterBytes)
        return invalid_input(fmt::format("{} claims parameters of {} bytes", name, uint64_t{p.offset} + p.size_bytes));
    }
    made->ptx = followed(ptx_.get(), name);
    kernels_[name] = std::move(made);
  }
  Kernel* kernel = kernels_[name].get();
  if (kernel->program.code != program.code) kernel->code = {};
  kernel->program = std::move(program);
  kernel->stale = false;
  return kernel;
}

}  // namespace warplens::cuda_api
