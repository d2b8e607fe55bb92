#include "warplens/base/text.h"
#include "warplens/capi/objects.h"
#include "warplens/isa/ptx/inline_lines.h"
#include "warplens/isa/ptx/parser.h"

namespace warplens::capi {
namespace {

thread_local std::string last_error;

int done(const Status& status) {
  if (!status.ok()) set_error(status.message());
  return status.ok() ? 0 : -1;
}

simt::Address address(const void* data) { return reinterpret_cast<simt::Address>(data); }

}  // namespace

void set_error(const std::string& message) { last_error = message; }

Result<std::unique_ptr<warplens_module>> load(const char* ptx, const char* name) {
  if (ptx == nullptr) return usage_error("warplens_load_ptx: the PTX text is NULL");
  WL_ASSIGN(ptx::Module parsed, ptx::parse(ptx::with_true_lines(ptx), name != nullptr ? name : "ptx"));
  auto module = std::make_unique<warplens_module>();
  WL_ASSIGN(module->module, session::Module::load(std::make_shared<const ptx::Module>(std::move(parsed))));
  module->kernels = module->module->ptx->kernels();
  return module;
}

}  // namespace warplens::capi

using namespace warplens;
using namespace warplens::capi;

int warplens_api_version(void) { return WARPLENS_API_VERSION; }
const char* warplens_version(void) { return WARPLENS_VERSION; }
const char* warplens_last_error(void) { return last_error.c_str(); }

warplens_module* warplens_load_ptx(const char* ptx, const char* name) {
  Result<std::unique_ptr<warplens_module>> module = guarded([&] { return load(ptx, name); });
  if (module.ok()) return module->release();
  set_error(module.status().message());
  return nullptr;
}

void warplens_module_free(warplens_module* module) { delete module; }
size_t warplens_kernel_count(const warplens_module* module) { return module->kernels.size(); }

const char* warplens_kernel_name(const warplens_module* module, size_t index) {
  return index < module->kernels.size() ? module->kernels[index].c_str() : nullptr;
}

int warplens_symbol(warplens_module* module, const char* name, void** data, size_t* size_bytes) {
  const Result<simt::Variable> symbol = module->module->variable(name);
  if (symbol.ok()) {
    *data = reinterpret_cast<void*>(symbol->address);
    *size_bytes = symbol->size_bytes;
  }
  return done(symbol.status());
}

void* warplens_allocate(warplens_module* module, size_t size_bytes, const char* name) {
  const Result<simt::Address> made = module->module->memory.allocate(size_bytes, name != nullptr ? name : "");
  return done(made.status()) == 0 ? reinterpret_cast<void*>(*made) : nullptr;
}

int warplens_free(warplens_module* module, void* data) { return done(module->module->memory.free(address(data))); }

int warplens_add_memory(warplens_module* module, void* data, size_t size_bytes, const char* name, int writable) {
  if (data == nullptr || size_bytes == 0) return done(usage_error("warplens_add_memory: no bytes were given"));
  module->module->memory.adopt(data, size_bytes, name != nullptr ? name : "", writable != 0);
  return 0;
}

int warplens_remove_memory(warplens_module* module, void* data) {
  module->module->memory.release(data);
  return 0;
}

void warplens_add_all_memory(warplens_module* module) { module->module->memory.adopt_everything(); }
