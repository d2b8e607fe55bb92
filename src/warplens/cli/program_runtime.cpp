#include "warplens/cli/program_runtime.h"

#include <cstdio>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/fatbin/fatbin.h"
#include "warplens/isa/fatbin/host_runtime.h"

namespace warplens::cli {
namespace {

bool is_for_this_machine(std::string_view bytes) {
  constexpr size_t kClass = 4, kMachine = 18;
  constexpr char kWide = 2;
  const Result<MappedFile> self = MappedFile::open("/proc/self/exe");
  return bytes.size() > kMachine + 1 && bytes[kClass] == kWide &&
         (!self.ok() || bytes.substr(kMachine, 2) == self->bytes().substr(kMachine, 2));
}

/// Whether nothing can be put in front of its own functions.
bool is_static(const cubin::Elf& elf) { return elf.section(".interp") == nullptr && elf.section(".text") != nullptr; }

Status check_static(const std::string& path, bool has_device_code) {
  if (has_device_code)
    return unsupported(path +
                       " is linked with -static, so the emulated CUDA runtime cannot be loaded. Build it without "
                       "-static (the CUDA runtime itself may be linked statically)");
  std::fprintf(stderr,
               "warplens emulate: %s is linked with -static: CUDA calls of its own are not emulated; programs that it "
               "starts are\n",
               path.c_str());
  return {};
}

}  // namespace

Status check_runtime_of(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok() || !cubin::is_elf(file->bytes())) return {};
  if (!is_for_this_machine(file->bytes()))
    return unsupported(path + " is built for another machine, or for 32 bits: build it for this one");
  const Result<cubin::Elf> elf = cubin::read_elf_sections(file->bytes());
  if (!elf.ok()) return {};
  if (is_static(*elf)) {
    const Result<std::vector<fatbin::Image>> images = fatbin::images_of_file(file->bytes());
    return check_static(path, images.ok() && !images->empty());
  }
  const fatbin::HostRuntime runtime = fatbin::host_runtime_of(*elf);
  constexpr int kOldest = 12, kNewest = 13;
  if (runtime.major != 0 && (runtime.major < kOldest || runtime.major > kNewest))
    return unsupported(fmt::format(
        "{} is linked against another version of the CUDA runtime{}; versions {} and {} are emulated: build it with "
        "the nvcc of one of them",
        path, runtime.major < kOldest ? "" : fmt::format(" ({})", runtime.major), kOldest, kNewest));
  if (runtime.kind != fatbin::HostRuntimeKind::kStripped) return {};
  return unsupported(path +
                     " has its own copy of the CUDA runtime, but no symbol table, so it cannot be emulated. Link it "
                     "without -s and do not strip it, or link it with -cudart shared");
}

}  // namespace warplens::cli
