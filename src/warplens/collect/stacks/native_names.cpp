#include "warplens/collect/stacks/native_names.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>

#include "warplens/base/files.h"
#include "warplens/collect/process/elf.h"

namespace warplens::collect {
namespace {

constexpr size_t kLongestName = 200;

std::string plain_name(const char* symbol) {
  int status = 0;
  char* plain = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string whole = plain != nullptr ? plain : symbol;
  std::free(plain);
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (size_t at; (at = whole.find(kUnnamed)) != std::string::npos;) whole.erase(at, kUnnamed.size());
  whole.resize(std::min(whole.find('('), whole.size()));
  if (whole.size() > kLongestName) whole.replace(kLongestName, std::string::npos, "...");
  return whole;
}

/// The program's own functions are seldom among those that it exports, which is all that the linker knows. Nothing is
/// kept: names of large libraries take more memory than a recording.
std::string name_in_file(const std::string& path, uint64_t offset) {
  const Result<MappedFile> file = MappedFile::open(path);
  std::string out;
  if (!file.ok()) return out;
  cupti::Elf(file->bytes().data(), file->bytes().size())
      .each_symbol([&](const Elf64_Sym& symbol, std::string_view name) {
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && offset - symbol.st_value < symbol.st_size) out = name;
      });
  return out;
}

}  // namespace

const NativeFrame& NativeNames::at(uint64_t address) {
  const auto [at, is_new] = known_.try_emplace(address);
  NativeFrame& out = at->second;
  if (!is_new) return out;
  Dl_info info{};
  link_map* loaded = nullptr;
  if (::dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) == 0 ||
      info.dli_fname == nullptr) {
    out.text = "?";
    return out;
  }
  const std::string_view path = info.dli_fname;
  const size_t name_from = path.rfind('/') + 1;
  std::string function = info.dli_sname != nullptr ? info.dli_sname : "";
  if (function.empty()) {
    const bool is_program = loaded != nullptr && *loaded->l_name == '\0';
    function = name_in_file(is_program ? "/proc/self/exe" : std::string(path),
                            address - (loaded != nullptr ? loaded->l_addr : 0));
  }
  const size_t file_bytes = path.size() - name_from;
  out.text = std::string(path.substr(name_from)) + ": " + (function.empty() ? "?" : plain_name(function.c_str()));
  out.file = std::string_view(out.text).substr(0, file_bytes);
  return out;
}

std::string join_frames(std::vector<std::string> innermost_first) {
  std::string out;
  for (auto frame = innermost_first.rbegin(); frame != innermost_first.rend(); ++frame) {
    std::replace(frame->begin(), frame->end(), ';', ',');
    out += (out.empty() ? "" : ";") + *frame;
  }
  return out;
}

}  // namespace warplens::collect
