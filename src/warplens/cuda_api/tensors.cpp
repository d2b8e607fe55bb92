#include "warplens/cuda_api/tensors.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "warplens/base/text.h"
#include "warplens/cuda_api/checked_launch.h"

namespace warplens::cuda_api {
namespace {

std::vector<simt::Report>& kept() {
  thread_local std::vector<simt::Report> reports;
  return reports;
}

/// The functions of the Python that runs in this process.
struct Python {
  int (*initialized)() = nullptr;
  int (*lock)() = nullptr;
  void (*unlock)(int state) = nullptr;
  void* (*main_module)(const char* name) = nullptr;
  void* (*dictionary)(void* module) = nullptr;
  void* (*copy)(void* dictionary) = nullptr;
  void* (*run)(const char* code, int start, void* globals, void* locals) = nullptr;
  void* (*item)(void* dictionary, const char* key) = nullptr;
  const char* (*text)(void* object) = nullptr;
  void* (*error)() = nullptr;
  void (*clear)() = nullptr;
  void (*release)(void* object) = nullptr;

  bool find() {
    const auto take = [](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(RTLD_DEFAULT, symbol));
      return function != nullptr;
    };
    return take(initialized, "Py_IsInitialized") && take(lock, "PyGILState_Ensure") &&
           take(unlock, "PyGILState_Release") && take(main_module, "PyImport_AddModule") &&
           take(dictionary, "PyModule_GetDict") && take(copy, "PyDict_Copy") && take(run, "PyRun_String") &&
           take(item, "PyDict_GetItemString") && take(text, "PyUnicode_AsUTF8") && take(error, "PyErr_Occurred") &&
           take(clear, "PyErr_Clear") && take(release, "Py_DecRef");
  }
};

/// Sets `place` to words about an access that leaves its tensor into bytes that none holds, or to "". Memory pools of
/// CUDA graphs are left out: a replay uses tensors that Python has released.
constexpr const char* kQuestion = R"(
def _place(first, last):
    import torch
    for segment in torch.cuda.memory_snapshot():
        if not segment["address"] <= first < segment["address"] + segment["total_size"]:
            continue
        if tuple(segment.get("segment_pool_id", (0, 0))) != (0, 0):
            return ""
        before, at = None, segment["address"]
        for block in segment["blocks"]:
            at = block.get("address", at)
            if at > last:
                break
            if block["state"].startswith("active"):
                size = block.get("requested_size", block["size"])
                if last < at + size:
                    return ""
                before = (at + size, size)
            at += block["size"]
        if before is None:
            return "before the first tensor in memory of PyTorch's allocator"
        far = f"{first - before[0]} bytes past" if first >= before[0] else "across"
        return f"{far} the end of a tensor of {before[1]} bytes, in memory of PyTorch's allocator"
    return ""
place = _place(FIRST, LAST)
)";

/// Under Python's lock.
std::string ask(const Python& python, const simt::Report& found) {
  constexpr int kFile = 257;  // Py_file_input
  const std::string code =
      fmt::format("FIRST, LAST = {}, {}\n{}", found.address, found.address + found.size_bytes - 1, kQuestion);
  void* const names = python.copy(python.dictionary(python.main_module("builtins")));
  void* const ran = python.run(code.c_str(), kFile, names, names);
  void* const place = ran != nullptr ? python.item(names, "place") : nullptr;
  const char* const words = place != nullptr ? python.text(place) : nullptr;
  std::string out = words != nullptr ? words : "";
  if (python.error() != nullptr) python.clear();
  if (ran != nullptr) python.release(ran);
  python.release(names);
  return out;
}

/// As `place` of kQuestion; empty if there is no Python to ask.
std::string outside_tensors(const simt::Report& found) {
  static Python functions;
  static const bool known = functions.find();
  if (!known || functions.initialized() == 0) return "";
  const int state = functions.lock();
  // An error that the thread is about to raise stays: it asks later, or never.
  std::string out = functions.error() == nullptr ? ask(functions, found) : "";
  functions.unlock(state);
  return out;
}

/// Both sides of a race in bytes that no tensor holds are outside of their tensors.
std::vector<simt::Report> told_by_tensors(simt::Report found) {
  const std::string place = outside_tensors(found);
  if (place.empty()) return {std::move(found)};
  found.id = "out-of-bounds";
  found.message = fmt::format("access to {} bytes at {:#x}: {}", found.size_bytes, found.address, place);
  std::vector<simt::Report> out = {found};
  out[0].other.reset();
  if (!found.other) return out;
  out.push_back(out[0]);
  out[1].place = *found.other;
  return out;
}

}  // namespace

bool cuts_tensors() {
  return ::getenv("PYTORCH_NO_CUDA_MEMORY_CACHING") == nullptr &&
         ::dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
}

void keep_until_asked(simt::Report found) { kept().push_back(std::move(found)); }

OutermostCall::~OutermostCall() {
  if (--depth() > 0 || kept().empty()) return;
  for (simt::Report& each : std::exchange(kept(), {})) {
    const std::vector<simt::Report> all = told_by_tensors(std::move(each));
    const std::lock_guard lock(Runtime::get().mutex);
    for (const simt::Report& one : all) keep_defect(Runtime::get(), one);
  }
}

int& OutermostCall::depth() {
  thread_local int calls = 0;
  return calls;
}

}  // namespace warplens::cuda_api
