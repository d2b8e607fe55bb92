#include "warplens/build/compile/nvrtc.h"

#include <filesystem>
#include <memory>
#include <mutex>

#include "warplens/base/dynamic_library.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/nvrtc_headers.h"
#include "warplens/build/compile/refused.h"
#include "warplens/build/compile/toolkit.h"

namespace warplens::compile {
namespace {

using Program = struct OpaqueProgram*;  // nvrtcProgram of nvrtc.h
using Code = int;                       // nvrtcResult; 0 is success

struct Nvrtc {
  Code (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  Code (*destroy)(Program*) = nullptr;
  Code (*compile)(Program, int, const char* const*) = nullptr;
  Code (*add_expression)(Program, const char*) = nullptr;
  Code (*lowered_name)(Program, const char*, const char**) = nullptr;
  Code (*log_size)(Program, size_t*) = nullptr;
  Code (*log)(Program, char*) = nullptr;
  Code (*ptx_size)(Program, size_t*) = nullptr;
  Code (*ptx)(Program, char*) = nullptr;
  Code (*cubin_size)(Program, size_t*) = nullptr;
  Code (*cubin)(Program, char*) = nullptr;
  const char* (*error_text)(Code) = nullptr;
};

/// NVRTC opens its second library by name alone, which a folder that the loader does not search must not hinder: one
/// that is loaded already is found.
void load_builtins(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so."))
      (void)DynamicLibrary::open({entry.path().string()});
  }
}

Result<Nvrtc> load(const std::string& path) {
  if (path.empty()) return not_found("no CUDA compiler (libnvrtc) found; " + toolkit_advice());
  load_builtins(std::filesystem::path(path).parent_path().string());
  WL_ASSIGN(const DynamicLibrary library, DynamicLibrary::open({path}));
  Nvrtc nvrtc;
  WL_TRY(library.find("nvrtcCreateProgram", nvrtc.create));
  WL_TRY(library.find("nvrtcDestroyProgram", nvrtc.destroy));
  WL_TRY(library.find("nvrtcCompileProgram", nvrtc.compile));
  WL_TRY(library.find("nvrtcAddNameExpression", nvrtc.add_expression));
  WL_TRY(library.find("nvrtcGetLoweredName", nvrtc.lowered_name));
  WL_TRY(library.find("nvrtcGetProgramLogSize", nvrtc.log_size));
  WL_TRY(library.find("nvrtcGetProgramLog", nvrtc.log));
  WL_TRY(library.find("nvrtcGetPTXSize", nvrtc.ptx_size));
  WL_TRY(library.find("nvrtcGetPTX", nvrtc.ptx));
  WL_TRY(library.find("nvrtcGetCUBINSize", nvrtc.cubin_size));
  WL_TRY(library.find("nvrtcGetCUBIN", nvrtc.cubin));
  WL_TRY(library.find("nvrtcGetErrorString", nvrtc.error_text));
  return nvrtc;
}

const Result<Nvrtc>& loaded(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, Result<Nvrtc>> libraries;
  const std::lock_guard lock(mutex);
  auto found = libraries.find(path);
  if (found == libraries.end()) found = libraries.emplace(path, load(path)).first;
  return found->second;
}

/// A text or binary result, without the zero byte that ends NVRTC's texts.
std::string fetch(Program program, Code (*size_of)(Program, size_t*), Code (*get)(Program, char*), bool text) {
  size_t size = 0;
  if (size_of(program, &size) != 0 || size == 0) return "";
  std::string bytes(size, '\0');
  if (get(program, bytes.data()) != 0) return "";
  if (text) bytes.resize(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> list;
  for (const std::string& text : texts) list.push_back(text.c_str());
  return list;
}

}  // namespace

Status load_nvrtc(const std::string& path) { return loaded(path).status(); }

Result<NvrtcOutput> compile_with_nvrtc(const std::string& path, const std::string& source, const std::string& name,
                                       const std::vector<std::string>& options,
                                       const std::vector<std::string>& expressions) {
  const Result<Nvrtc>& library = loaded(path);
  if (!library.ok()) return library.status();
  const Nvrtc& nvrtc = *library;
  const ServedHeaders& headers = served_headers();
  Program raw = nullptr;
  if (const Code code = nvrtc.create(&raw, source.c_str(), name.c_str(), static_cast<int>(headers.names.size()),
                                     headers.texts.data(), headers.names.data());
      code != 0)
    return internal_error(fmt::format("{}: {}", name, nvrtc.error_text(code)));
  const auto destroy = [&nvrtc](Program* p) { nvrtc.destroy(p); };
  const std::unique_ptr<Program, decltype(destroy)> program(&raw, destroy);
  for (const std::string& expression : expressions) {
    if (const Code code = nvrtc.add_expression(raw, expression.c_str()); code != 0)
      return refused(fmt::format("'{}' is not a name expression: {}", expression, nvrtc.error_text(code)));
  }
  const std::vector<const char*> arguments = pointers(options);
  const Code code = nvrtc.compile(raw, static_cast<int>(arguments.size()), arguments.data());
  NvrtcOutput output;
  output.log = fetch(raw, nvrtc.log_size, nvrtc.log, true);
  if (code != 0) return refused(output.log.empty() ? nvrtc.error_text(code) : output.log);
  output.ptx = fetch(raw, nvrtc.ptx_size, nvrtc.ptx, true);
  output.cubin = fetch(raw, nvrtc.cubin_size, nvrtc.cubin, false);
  for (const std::string& expression : expressions) {
    const char* lowered = nullptr;
    if (nvrtc.lowered_name(raw, expression.c_str(), &lowered) == 0) output.lowered[expression] = lowered;
  }
  return output;
}

bool nvcc_may_help(const std::string& log) {
  for (const char* sign : {"not allowed in JIT mode", "open source file", "unrecognized option"}) {
    if (contains(log, sign)) return true;
  }
  return false;
}

}  // namespace warplens::compile
