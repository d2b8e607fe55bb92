#include "warplens/cuda_api/module.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "warplens/base/text.h"
#include "warplens/build/compile/assemble.h"
#include "warplens/cuda_api/triton_cache.h"
#include "warplens/isa/cubin/cubin.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/cubin/kernel_names.h"
#include "warplens/isa/fatbin/choose.h"
#include "warplens/isa/ptx/parser.h"

namespace warplens::cuda_api {
namespace {

using cubin::load;

constexpr int kHome = 0;  // the device whose managed variables the others have too

/// The container at `data`, whose length stands in its header.
std::string_view container(const void* data) {
  constexpr size_t kHeaderBytes = 16;
  const std::string_view header(static_cast<const char*>(data), kHeaderBytes);
  return {header.data(), load<uint16_t>(header, 6) + load<uint64_t>(header, 8)};
}

/// The PTX of a cubin that Triton compiled and cached; null if there is none.
std::shared_ptr<const ptx::Module> ptx_in_cache(std::string_view cubin) {
  const Result<std::vector<std::string>> kernels = cubin::kernel_names(cubin);
  if (!kernels.ok() || kernels->size() != 1) return nullptr;  // Triton makes a cubin for each kernel
  for (const std::string& text : ptx_of_triton(kernels->front(), cubin)) {
    Result<ptx::Module> parsed = ptx::parse(text, "PTX");
    if (parsed.ok()) return std::make_shared<const ptx::Module>(std::move(*parsed));
  }
  return nullptr;
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
    WL_ASSIGN(std::optional<std::string> linked, link_again());
    if (linked) return std::move(*linked);
    return not_found(fmt::format("the program holds code for {}, none of which runs on {} ({}): build it with -arch={}",
                                 fatbin::list_targets(images), device_.name, arch.name(), arch.name()));
  }
  WL_ASSIGN(std::string code, fatbin::unpack(*image));
  if (image->kind == fatbin::Kind::kCubin) return code;
  WL_ASSIGN(compile::Assembled assembled, compile::assemble(code, arch.name()));
  return std::move(assembled.cubin);
}

/// The relocatable code of separately compiled units, linked for this GPU as the driver does: nvcc linked it for
/// another. Nothing: some unit has none for it.
Result<std::optional<std::string>> Module::link_again() const {
  WL_ASSIGN(std::vector<std::vector<fatbin::Image>> units, linked_images());
  const gpu::Arch& arch = device_.architecture();
  std::vector<compile::LinkInput> inputs;
  for (std::vector<fatbin::Image>& unit : units) {
    for (fatbin::Image& image : unit) image.relocatable = false;  // those of units are
    const fatbin::Image* image = fatbin::choose(unit, arch.cc());
    if (image == nullptr) return std::optional<std::string>();
    WL_ASSIGN(std::string code, fatbin::unpack(*image));
    using Kind = compile::LinkInput::Kind;
    inputs.push_back({image->kind == fatbin::Kind::kCubin ? Kind::kCubin : Kind::kPtx, std::move(code),
                      fmt::format("unit {}", inputs.size())});
  }
  if (inputs.empty()) return std::optional<std::string>();
  WL_ASSIGN(compile::Assembled linked, compile::link(inputs, arch.name()));
  return std::optional(std::move(linked.cubin));
}

Result<std::vector<std::vector<fatbin::Image>>> Module::linked_images() const {
  std::vector<std::vector<fatbin::Image>> out;
  for (const void* const* each = linked_of_; each != nullptr && *each != nullptr; ++each) {
    WL_ASSIGN(std::vector<fatbin::Image> of_one, fatbin::read_fatbin(container(*each)));
    out.push_back(std::move(of_one));
  }
  return out;
}

bool Module::holds(const Kernel& kernel) const {
  return std::ranges::any_of(loaded_, [&](const auto& each) { return each.second.get() == kernel.module; });
}

std::vector<report::PtxLine> Module::ptx_of(const std::string& kernel) const {
  Result<std::vector<std::vector<fatbin::Image>>> all = linked_images();
  if (Result<std::vector<fatbin::Image>> own = images(); own.ok() && all.ok()) all->push_back(std::move(*own));
  std::vector<std::string> texts;
  for (std::vector<fatbin::Image>& each : all.ok() ? *all : std::vector<std::vector<fatbin::Image>>())
    std::ranges::move(fatbin::ptx_texts(std::move(each), device_.architecture().cc()), std::back_inserter(texts));
  if (texts.empty()) texts = ptx_of_triton(kernel, image_);
  return report::ptx_listing(texts, kernel);
}

Result<std::shared_ptr<const ptx::Module>> Module::choose_ptx() const {
  WL_ASSIGN(std::vector<fatbin::Image> images, this->images());
  WL_ASSIGN(const std::vector<std::vector<fatbin::Image>> linked, linked_images());
  for (const std::vector<fatbin::Image>& each : linked) images.insert(images.end(), each.begin(), each.end());
  if (linked.size() > 1) return unsupported("it was linked from several units, whose PTX is not combined");
  for (const fatbin::Image* image : fatbin::suitable(images, device_.architecture().cc())) {
    if (image->kind != fatbin::Kind::kPtx) continue;
    WL_ASSIGN(const std::string text, fatbin::unpack(*image));
    WL_ASSIGN(ptx::Module parsed, ptx::parse(text, "PTX"));
    return std::make_shared<const ptx::Module>(std::move(parsed));
  }
  if (std::shared_ptr<const ptx::Module> of_triton = ptx_in_cache(image_)) return of_triton;
  return not_found("its file has no PTX: nvcc adds PTX if you give -arch=sm_NN without -code");
}

simt::sass_machine::FindVariable Module::managed_variables(int device) {
  if (managed_.empty() || device == kHome) return {};
  return [this](std::string_view name) -> std::optional<Variable> {
    const Result<session::Module*> home = loaded(kHome);
    if (!home.ok() || !managed_.contains(name)) return std::nullopt;
    const Result<Variable> found = (*home)->variable(name);
    return found.ok() ? std::optional<Variable>(*found) : std::nullopt;
  };
}

Result<std::unique_ptr<session::Module>> Module::make(int device) {
  const simt::sass_machine::FindVariable shared = managed_variables(device);
  Result<std::shared_ptr<const ptx::Module>> text = std::shared_ptr<const ptx::Module>();
  if (checked_ && shared) text = unsupported("its managed variables belong to another GPU");
  else if (checked_) text = choose_ptx();
  WL_ASSIGN(std::string code, choose_code());
  WL_ASSIGN(std::unique_ptr<session::Module> made,
            session::Module::load_code(std::move(code), &memory_, text.ok() ? *text : nullptr, shared));
  if (!text.ok()) made->why_no_ptx = text.status().message();
  return made;
}

Result<session::Module*> Module::loaded(int device) {
  WL_TRY(problem_);
  std::unique_ptr<session::Module>& module = loaded_[of_each_device_ ? device : kHome];
  if (module != nullptr) return module.get();
  Result<std::unique_ptr<session::Module>> made = make(of_each_device_ ? device : kHome);
  if (!made.ok()) return problem_ = made.status();
  module = std::move(*made);
  return module.get();
}

Result<Variable> Module::manage(const std::string& name) {
  managed_.insert(name);
  WL_ASSIGN(session::Module* const module, loaded(kHome));
  return module->variable(name);
}

Result<Variable> Module::variable(std::string_view name) {
  WL_ASSIGN(session::Module* const module, loaded(current_device()));
  return module->variable(name);
}

Result<std::vector<std::string>> Module::kernel_names() {
  WL_ASSIGN(session::Module* const module, loaded(current_device()));
  return cubin::kernel_names(module->cubin());
}

Result<Kernel*> Module::kernel(const std::string& name, int device) {
  WL_ASSIGN(session::Module* const module, loaded(device));
  return module->kernel(name);
}

}  // namespace warplens::cuda_api
