#include "warplens/cuda_api/call_site.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <array>

#include "warplens/base/demangle.h"
#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/isa/cubin/elf.h"

namespace warplens::cuda_api {
namespace {

/// The emulated runtime is several libraries: the runtime of two versions, and the driver.
bool is_own(const Dl_info& frame) {
  const std::string_view path = frame.dli_fname;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libcudart.so") || name.starts_with("libcuda.so");
}

/// The function of `file` that holds `offset`, by the file's own symbols.
std::string function_at(const std::string& file, uint64_t offset) {
  const Result<MappedFile> bytes = MappedFile::open(file);
  if (!bytes.ok() || !cubin::is_elf(bytes->bytes())) return "";
  const Result<cubin::Elf> elf = cubin::read_elf(bytes->bytes());
  if (!elf.ok()) return "";
  for (const cubin::ElfSymbol& symbol : elf->symbols) {
    if (symbol.is_function() && offset >= symbol.value && offset - symbol.value < symbol.size)
      return short_name(std::string(symbol.name));
  }
  return "";
}

std::string text_of(const CallFrame& frame, const std::string& function) {
  const std::string name = frame.file.substr(frame.file.rfind('/') + 1);
  return function.empty() ? fmt::format("{}+{:#x}", name, frame.offset) : fmt::format("{} in {}", function, name);
}

}  // namespace

std::string CallSite::text() const {
  if (inner.file.empty()) return "";
  const std::string function = function_at(inner.file, inner.offset);
  const bool wraps = function.starts_with("cuda") || contains(function, " cuda");
  if (wraps && !outer.file.empty()) return text_of(outer, function_at(outer.file, outer.offset));
  return text_of(inner, function);
}

CallSite call_site() {
  constexpr int kMost = 32;
  std::array<void*, kMost> frames;
  const int count = ::backtrace(frames.data(), kMost);
  CallSite out;
  for (int k = 0; k < count; ++k) {
    Dl_info frame{};
    if (::dladdr(frames[static_cast<size_t>(k)], &frame) == 0 || frame.dli_fname == nullptr || is_own(frame)) continue;
    // A return address stands behind its call, which may be the last of the function.
    const auto at = reinterpret_cast<uint64_t>(frames[static_cast<size_t>(k)]) - 1;
    const auto base = reinterpret_cast<uint64_t>(frame.dli_fbase);
    constexpr uint64_t kFixed = 0x400000;  // where programs lie that cannot be moved: their symbols count from 0
    CallFrame& to = out.inner.file.empty() ? out.inner : out.outer;
    to = {frame.dli_fname, base == kFixed ? at : at - base};
    if (&to == &out.outer) break;
  }
  return out;
}

bool is_python() { return ::dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr; }

}  // namespace warplens::cuda_api
