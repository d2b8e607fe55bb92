// warplens emulate: runs a CUDA program as it is on a GPU that is not there.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "warplens/base/process.h"
#include "warplens/base/text.h"
#include "warplens/cli/emulated_runtime.h"
#include "warplens/cli/verb.h"
#include "warplens/gpu/device.h"
#include "warplens/isa/cubin/elf.h"
#include "warplens/isa/fatbin/fatbin.h"

namespace warplens::cli {
namespace {

/// A program that brings its own copy of the CUDA runtime never asks for ours.
Status check_program(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok() || !file->bytes().starts_with("\x7f" "ELF")) return {};  // a script: what it starts is another matter
  const Result<std::vector<fatbin::Image>> images = fatbin::images_of_file(file->bytes());
  if (!images.ok() || images->empty()) return {};
  const Result<cubin::Elf> elf = cubin::read_elf(file->bytes());
  const cubin::ElfSection* strings = elf.ok() ? elf->section(".dynstr") : nullptr;
  if (strings != nullptr && contains(strings->bytes, "libcudart.so.13")) return {};
  if (strings != nullptr && contains(strings->bytes, "libcudart.so.")) {
    return unsupported(path + " is linked against another version of the CUDA runtime; version 13 is emulated: build it "
                              "with CUDA 13's nvcc");
  }
  return unsupported(path + " carries the CUDA runtime in itself, as nvcc links it by default, so that nothing can stand "
                            "in for it: build it with `warplens nvcc`, or with `-cudart shared` (NVCC_APPEND_FLAGS='-cudart shared' "
                            "does it for a whole build)");
}

Status choose_gpu(const Invocation& invocation) {
  WL_ASSIGN(const gpu::Device* const device, gpu::find_device(invocation.text("--device")));
  WL_ASSIGN(const size_t count, invocation.count("--devices"));
  if (count < 1) return usage_error("--devices: there must be one at least");
  ::setenv("WARPLENS_DEVICE", device->key, 1);
  ::setenv("WARPLENS_DEVICES", std::to_string(count).c_str(), 1);
  return {};
}

/// The library is loaded before the program's own: PyTorch's carry a path to theirs that LD_LIBRARY_PATH does not beat.
void preload(const std::string& library) {
  const char* before = std::getenv("LD_PRELOAD");
  const std::string all = before != nullptr && *before != '\0' ? library + ":" + before : library;
  ::setenv("LD_PRELOAD", all.c_str(), 1);
}

Result<int> run_emulate(const Invocation& invocation) {
  if (invocation.command.empty()) return usage_error("name the program after --, as in: warplens emulate -- ./program");
  const std::string& name = invocation.command[0];
  const std::string program = contains(name, "/") ? name : find_program(name);
  if (program.empty() || ::access(program.c_str(), X_OK) != 0) {
    return not_found(fmt::format("{} is no program that can be started: is the path right?", name));
  }
  WL_TRY(check_program(program));
  WL_TRY(choose_gpu(invocation));
  WL_ASSIGN(const std::string library, emulated_runtime());
  preload(library);
  WL_TRY(become(program, invocation.command));
  return kExitOk;
}

}  // namespace

extern const Verb kEmulate;
const Verb kEmulate = {"emulate",
                       "run a CUDA program as it is on a GPU that is not there",
                       "-- PROGRAM [ARGUMENT...]",
                       "Puts an emulated CUDA runtime in the place of the real one and starts the program: its kernels run "
                       "from their machine code on this computer's processors. The program's output and exit code are its "
                       "own. It must be linked against the shared runtime (`warplens nvcc`, or nvcc -cudart shared).",
                       {
                           {"--device", "NAME", "the GPU to be; `warplens device list` names them", "h200"},
                           {"--devices", "N", "how many of them the program sees", "1"},
                       },
                       {{"warplens emulate -- ./program", "as it would run on an H200"},
                        {"warplens emulate --device a100 --devices 2 -- ./program", "on two A100s"}},
                       run_emulate};

}  // namespace warplens::cli
