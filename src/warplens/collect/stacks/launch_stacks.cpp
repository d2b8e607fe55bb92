#include "warplens/collect/stacks/launch_stacks.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "warplens/collect/stacks/native_names.h"
#include "warplens/collect/stacks/unwind.h"

namespace warplens::collect {
namespace {

constexpr int kDeepest = 128;

/// Functions of Python's C interface that have been there, alike, since 3.9.
struct Python {
  int (*initialized)() = nullptr;
  int (*holds_lock)() = nullptr;
  int (*call_soon)(int (*function)(void*), void* argument) = nullptr;  // on the main thread; needs no lock
  void* (*error)() = nullptr;
  void* (*frame)() = nullptr;  // borrowed; all others give a reference
  void* (*back)(void* frame) = nullptr;
  void* (*code)(void* frame) = nullptr;
  int (*line)(void* frame) = nullptr;
  void* (*attribute)(void* object, const char* name) = nullptr;
  const char* (*text)(void* object) = nullptr;
  void (*release)(void* object) = nullptr;

  bool find() {
    const auto take = [](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(RTLD_DEFAULT, symbol));
      return function != nullptr;
    };
    return take(initialized, "Py_IsInitialized") && take(holds_lock, "PyGILState_Check") &&
           take(call_soon, "Py_AddPendingCall") && take(error, "PyErr_Occurred") && take(frame, "PyEval_GetFrame") &&
           take(back, "PyFrame_GetBack") && take(code, "PyFrame_GetCode") && take(line, "PyFrame_GetLineNumber") &&
           take(attribute, "PyObject_GetAttrString") && take(text, "PyUnicode_AsUTF8") && take(release, "Py_DecRef");
  }
};

const Python* python() {
  static Python functions;
  static const bool found = functions.find();
  return found ? &functions : nullptr;
}

const std::string& working_folder() {
  static const std::string folder = [] {
    std::array<char, 4096> path{};
    return std::string(::getcwd(path.data(), path.size()) != nullptr ? path.data() : "") + "/";
  }();
  return folder;
}

std::string attribute_text(const Python& python, void* object, const char* name) {
  void* value = python.attribute(object, name);
  const char* text = value != nullptr ? python.text(value) : nullptr;
  std::string out = text != nullptr ? text : "?";
  if (value != nullptr) python.release(value);
  return out;
}

/// Innermost first; the thread must hold Python's lock.
std::vector<std::string> python_frames(const Python& python) {
  std::vector<std::string> out;
  if (python.error() != nullptr) return out;
  void* frame = python.frame();
  for (bool owned = false; frame != nullptr && out.size() < kDeepest; owned = true) {
    void* code = python.code(frame);
    const std::string file = attribute_text(python, code, "co_filename");
    out.push_back(std::string(short_path(file, working_folder())) + "(" + std::to_string(python.line(frame)) +
                  "): " + attribute_text(python, code, "co_name"));
    python.release(code);
    void* back = python.back(frame);
    if (owned) python.release(frame);
    frame = back;
  }
  return out;
}

/// CUPTI's code, the driver's and ours lie between the program and us.
bool lies_between(std::string_view file) {
  const auto has = [&](std::string_view part) { return file.find(part) != std::string_view::npos; };
  return has("warplens_collect") || has("libcupti") || has("libcuda.so");
}

/// From the call outwards to the interpreter, innermost first.
std::vector<std::string> native_frames() {
  thread_local NativeNames names;
  std::array<void*, kDeepest> addresses{};
  const int count = ::backtrace(addresses.data(), kDeepest);
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) {
    const NativeFrame& frame = names.at(reinterpret_cast<uint64_t>(addresses[static_cast<size_t>(i)]) - 1);
    if (is_interpreter(frame.file)) break;
    if (!lies_between(frame.file)) out.push_back(frame.text);
  }
  return out;
}

/// Waits for the main thread to be back in the interpreter; one at a time.
struct Pending {
  std::atomic<bool> taken{false};
  uint64_t at = 0;
  std::vector<std::string> frames;
  void (*deliver)(uint64_t, std::string_view) = nullptr;
};
Pending pending;

int deliver_pending(void*) {
  std::vector<std::string> frames = std::move(pending.frames);
  if (const Python* p = python()) {
    for (std::string& frame : python_frames(*p)) frames.push_back(std::move(frame));
  }
  pending.deliver(pending.at, join_frames(std::move(frames)));
  pending.taken.store(false, std::memory_order_release);
  return 0;
}

bool on_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

}  // namespace

std::string_view short_path(std::string_view path, std::string_view working_folder) {
  for (const std::string_view installed : {"site-packages/", "dist-packages/"}) {
    if (const size_t at = path.rfind(installed); at != std::string_view::npos)
      return path.substr(at + installed.size());
  }
  return path.starts_with(working_folder) ? path.substr(working_folder.size()) : path;
}

void prepare_launch_stacks() {
  working_folder();
  void* one = nullptr;
  ::backtrace(&one, 1);
}

void take_launch_stack(uint64_t at, void (*deliver)(uint64_t at, std::string_view stack)) {
  std::vector<std::string> frames = native_frames();
  const Python* p = python();
  if (p != nullptr && p->initialized() != 0) {
    if (p->holds_lock() == 1) {
      for (std::string& frame : python_frames(*p)) frames.push_back(std::move(frame));
    } else if (on_main_thread()) {
      if (pending.taken.exchange(true, std::memory_order_acquire)) return;
      pending.at = at;
      pending.frames = std::move(frames);
      pending.deliver = deliver;
      if (p->call_soon(deliver_pending, nullptr) != 0) pending.taken.store(false, std::memory_order_release);
      return;
    }
  }
  deliver(at, join_frames(std::move(frames)));
}

}  // namespace warplens::collect
