#include "warplens/cuda_api/module.h"

#include <algorithm>
#include <cstring>

#include "warplens/base/text.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/cubin/nv_info.h"

namespace warplens::cuda_api {
namespace {

using cubin::Attribute, cubin::Elf, cubin::ElfRelocation, cubin::ElfSection, cubin::ElfSymbol, cubin::load;

constexpr uint8_t kObject = 1, kFunction = 2;  // STT_OBJECT, STT_FUNC
constexpr uint32_t kAddress64 = 2, kGenericAddress64 = 4;  // relocations of 64 bits; both are plain addresses here

/// The container at `data`, whose length stands in its header.
std::string_view container(const void* data) {
  constexpr size_t kHeaderBytes = 16;
  const std::string_view header(static_cast<const char*>(data), kHeaderBytes);
  return {header.data(), load<uint16_t>(header, 6) + load<uint64_t>(header, 8)};
}

bool runs_on(const fatbin::Image& image, const gpu::Arch& arch) {
  const int target = static_cast<int>(image.architecture);
  if (image.relocatable || target > arch.cc()) return false;
  if (image.kind == fatbin::Kind::kPtx) return image.variant == 0 || target == arch.cc();
  if (image.kind != fatbin::Kind::kCubin || target / 10 != arch.major) return false;
  return image.variant != 'a' || target == arch.cc();
}

/// Machine code before PTX, then the newest, then the one made for this very GPU.
int rank(const fatbin::Image& image) {
  return (image.kind == fatbin::Kind::kCubin ? 10000 : 0) + static_cast<int>(image.architecture) * 10 +
         (image.variant != 0 ? 1 : 0);
}

bool is_variable_section(std::string_view name) {
  return name == ".nv.global" || name == ".nv.global.init" || name == ".nv.constant3";
}

/// Whether a variable's bytes are filled in with a function's address.
bool names_functions(const Elf& elf, const ElfSymbol& variable, const std::vector<ElfRelocation>& relocations) {
  return std::ranges::any_of(relocations, [&](const ElfRelocation& r) {
    return r.symbol < elf.symbols.size() && (elf.symbols[r.symbol].info & 15) == kFunction &&
           r.offset >= variable.value && r.offset - variable.value < variable.size;
  });
}

/// Pointers to other variables that a section is initialised with.
void fill_addresses(const Elf& elf, const std::map<std::string, Variable, std::less<>>& variables,
                    const std::vector<ElfRelocation>& relocations, uint8_t* bytes, uint64_t size_bytes) {
  for (const ElfRelocation& r : relocations) {
    if (r.type != kAddress64 && r.type != kGenericAddress64) continue;
    if (r.symbol >= elf.symbols.size() || r.offset > size_bytes || size_bytes - r.offset < 8) continue;
    const auto target = variables.find(elf.symbols[r.symbol].name);
    if (target == variables.end()) continue;
    const uint64_t address = target->second.address + static_cast<uint64_t>(r.addend);
    std::memcpy(bytes + r.offset, &address, sizeof address);
  }
}

void read_kernel_info(std::string_view section, Kernel* kernel) {
  std::vector<std::pair<uint32_t, Parameter>> numbered;
  for (const cubin::InfoEntry& entry : cubin::read_info(section)) {
    const std::string_view p = entry.payload;
    if (const auto parameter = cubin::parameter_of(entry)) {
      numbered.push_back({parameter->ordinal, {parameter->offset, parameter->size_bytes}});
    } else if (entry.attribute == Attribute::kCluster) {
      kernel->cluster = {load<uint32_t>(p, 0), load<uint32_t>(p, 4), load<uint32_t>(p, 8)};
    } else if (entry.attribute == Attribute::kMaxThreads) {
      kernel->max_threads = load<uint32_t>(p, 0) * load<uint32_t>(p, 4) * load<uint32_t>(p, 8);
    }
  }
  std::ranges::sort(numbered, {}, &std::pair<uint32_t, Parameter>::first);
  for (const auto& [ordinal, parameter] : numbered) kernel->parameters.push_back(parameter);
}

std::string list_targets(const std::vector<fatbin::Image>& images) {
  std::vector<std::string> names;
  for (const fatbin::Image& image : images) names.push_back(image.target());
  return join(names, ", ");
}

}  // namespace

const fatbin::Image* choose_image(const std::vector<fatbin::Image>& images, const gpu::Arch& arch) {
  const fatbin::Image* best = nullptr;
  for (const fatbin::Image& image : images) {
    if (runs_on(image, arch) && (best == nullptr || rank(image) > rank(*best))) best = &image;
  }
  return best;
}

Status Module::choose_image() {
  WL_ASSIGN(const std::vector<fatbin::Image> images, fatbin::read_fatbin(container(fatbin_)));
  const gpu::Arch& arch = device_.architecture();
  const fatbin::Image* image = cuda_api::choose_image(images, arch);
  if (image == nullptr) {
    return not_found(fmt::format("the program holds code for {}, none of which runs on {} ({}): build it with -arch={}",
                                 list_targets(images), device_.name, arch.name(), arch.name()));
  }
  WL_ASSIGN(cubin_, fatbin::unpack(*image));
  if (image->kind == fatbin::Kind::kCubin) return {};
  WL_ASSIGN(compile::Assembled assembled, compile::assemble(cubin_, arch.name()));
  cubin_ = std::move(assembled.cubin);
  return {};
}

Status Module::place_variables() {
  WL_ASSIGN(const Elf elf, cubin::read_elf(cubin_));
  std::vector<std::pair<const ElfSection*, simt::Address>> places;
  for (size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    if (!is_variable_section(section.name) || section.size == 0) continue;
    WL_ASSIGN(const simt::Address base, memory_.allocate(section.size, std::string(section.name)));
    std::ranges::copy(section.bytes, reinterpret_cast<char*>(base));
    places.push_back({&section, base});
    const std::vector<ElfRelocation> relocations = elf.relocations(section.name);
    for (const ElfSymbol& symbol : elf.symbols) {
      if (symbol.section != i || (symbol.info & 15) != kObject) continue;
      variables_[std::string(symbol.name)] = {base + symbol.value, symbol.size, section.name == ".nv.constant3",
                                              names_functions(elf, symbol, relocations)};
    }
  }
  for (const auto& [section, base] : places) {
    fill_addresses(elf, variables_, elf.relocations(section->name), reinterpret_cast<uint8_t*>(base), section->size);
  }
  return {};
}

Status Module::load() {
  if (loaded_) return problem_;
  loaded_ = true;
  problem_ = choose_image();
  if (problem_.ok()) problem_ = place_variables();
  return problem_;
}

Result<Variable> Module::variable(std::string_view name) {
  WL_TRY(load());
  const auto found = variables_.find(name);
  if (found == variables_.end()) return not_found(fmt::format("no device variable {}", name));
  return found->second;
}

void Module::constants_changed() {
  for (const auto& [name, kernel] : kernels_) kernel->stale = true;
}

Result<simt::sass_machine::Program> Module::load_code(const std::string& name) const {
  return simt::sass_machine::load_program(cubin_, name, [&](std::string_view wanted) -> std::optional<simt::sass_machine::Variable> {
    const auto found = variables_.find(wanted);
    if (found == variables_.end()) return std::nullopt;
    return simt::sass_machine::Variable{found->second.address, found->second.size_bytes, found->second.names_functions};
  });
}

Result<Kernel*> Module::kernel(const std::string& name) {
  WL_TRY(load());
  const auto known = kernels_.find(name);
  if (known != kernels_.end() && !known->second->stale && !exposed_) return known->second.get();
  WL_ASSIGN(simt::sass_machine::Program program, load_code(name));
  if (known == kernels_.end()) {
    auto made = std::make_unique<Kernel>();
    made->module = this;
    made->name = name;
    WL_ASSIGN(const Elf elf, cubin::read_elf(cubin_));
    if (const ElfSection* info = elf.section(".nv.info." + name)) read_kernel_info(info->bytes, made.get());
    kernels_[name] = std::move(made);
  }
  Kernel* kernel = kernels_[name].get();
  kernel->program = std::move(program);
  kernel->stale = false;
  return kernel;
}

}  // namespace warplens::cuda_api
