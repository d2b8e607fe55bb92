// The layout of PyMethodDef, METH_FASTCALL with METH_KEYWORDS, and the functions here belong to Python's stable ABI, or
// have been alike since 3.9.
#include "warplens/collect/python_modules.h"

#include <dlfcn.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "warplens/collect/recorder.h"

namespace warplens::collect {
namespace {

using Object = void;

struct MethodDefinition {  // PyMethodDef
  const char* name;
  Object* (*call)(Object* self, Object* const* arguments, ptrdiff_t count, Object* keywords);
  int flags;
  const char* documentation;
};
constexpr int kFastCallWithKeywords = 0x0080 | 0x0002;

struct Python {
  Object* (*call)(Object* callable, Object* const* arguments, size_t count, Object* keywords) = nullptr;
  Object* (*function)(MethodDefinition*, Object* self, Object* module) = nullptr;
  Object* (*type)(Object*) = nullptr;
  const char* (*text)(Object*) = nullptr;
  void (*keep)(Object*) = nullptr;
  void (*release)(Object*) = nullptr;
  void (*forget_error)() = nullptr;

  bool find() {
    const auto take = [](auto& wanted, const char* symbol) {
      wanted = reinterpret_cast<std::remove_reference_t<decltype(wanted)>>(::dlsym(RTLD_DEFAULT, symbol));
      return wanted != nullptr;
    };
    return take(call, "PyObject_Vectorcall") && take(function, "PyCFunction_NewEx") && take(type, "PyObject_Type") &&
           take(text, "PyUnicode_AsUTF8") && take(keep, "Py_IncRef") && take(release, "Py_DecRef") &&
           take(forget_error, "PyErr_Clear");
  }
};

struct Named {
  Object* type = nullptr;  // of the module: another object may have its place later
  std::string name;
};

Python python;
Object *bare_call = nullptr, *ask_name = nullptr;
std::mutex names_mutex;  // a Python without its lock exists
std::unordered_map<Object*, Named> names;

std::string ask(Object* module) {
  Object* told = python.call(ask_name, &module, 1, nullptr);
  const char* text = told != nullptr ? python.text(told) : nullptr;
  if (text == nullptr) python.forget_error();
  std::string out = text != nullptr ? text : "nn.Module";
  if (told != nullptr) python.release(told);
  return out;
}

/// A name lives as long as the process: its place in the table does not move.
std::string_view name_of(Object* module) {
  Object* type = python.type(module);
  python.release(type);  // the module keeps it
  {
    const std::lock_guard lock(names_mutex);
    const auto known = names.find(module);
    if (known != names.end() && known->second.type == type) return known->second.name;
  }
  std::string name = ask(module);  // runs Python
  const std::lock_guard lock(names_mutex);
  Named& named = names[module];
  named = {type, std::move(name)};
  return named.name;
}

Object* call_in_range(Object*, Object* const* arguments, ptrdiff_t count, Object* keywords) {
  const auto given = static_cast<size_t>(count);
  if (count < 1) return python.call(bare_call, arguments, given, keywords);  // which says what is missing
  record_host_event(HostEvent::kPush, 0, 0, name_of(arguments[0]));
  Object* result = python.call(bare_call, arguments, given, keywords);
  record_host_event(HostEvent::kPop, 0, 0, {});
  return result;
}

MethodDefinition definition = {"__call__", call_in_range, kFastCallWithKeywords, nullptr};

}  // namespace

void* marked_module_call(void* call, void* ask_for_name) {
  if (!python.find()) return nullptr;
  python.keep(bare_call = call);
  python.keep(ask_name = ask_for_name);
  return python.function(&definition, nullptr, nullptr);
}

}  // namespace warplens::collect
