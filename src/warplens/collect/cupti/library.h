// libcupti, loaded when the program uses CUDA: the one already in the process if there is one, since two in a process
// break each other.
#pragma once
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "warplens/collect/cupti/abi.h"

namespace warplens::cupti {

using RequestBuffer = void (*)(uint8_t** buffer, size_t* size, size_t* max_records);
using CompleteBuffer = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid);
using Callback = void (*)(void* user, uint32_t domain, uint32_t id, const void* data);

// CUPTI's functions by name: those that we use, with our types in place of its own.
#define WL_CUPTI_FUNCTIONS(F)                                                  \
  F(cuptiGetVersion, Result (*)(uint32_t*))                                    \
  F(cuptiGetResultString, Result (*)(Result, const char**))                    \
  F(cuptiSubscribe, Result (*)(void**, Callback, void*))                       \
  F(cuptiEnableCallback, Result (*)(uint32_t, void*, uint32_t, uint32_t))      \
  F(cuptiGetCallbackName, Result (*)(uint32_t, uint32_t, const char**))        \
  F(cuptiActivityRegisterCallbacks, Result (*)(RequestBuffer, CompleteBuffer)) \
  F(cuptiActivityEnable, Result (*)(uint32_t))                                 \
  F(cuptiActivityDisable, Result (*)(uint32_t))                                \
  F(cuptiActivityEnableRuntimeApi, Result (*)(uint32_t, uint8_t))              \
  F(cuptiActivityEnableDriverApi, Result (*)(uint32_t, uint8_t))               \
  F(cuptiActivityFlushAll, Result (*)(uint32_t))                               \
  F(cuptiActivityGetNextRecord, Result (*)(uint8_t*, size_t, void**))          \
  F(cuptiActivityGetNumDroppedRecords, Result (*)(void*, uint32_t, size_t*))   \
  F(cuptiGetStreamIdEx, Result (*)(void*, void*, uint8_t, uint32_t*))          \
  F(cuptiGetGraphNodeId, Result (*)(void*, uint64_t*))

/// One of CUPTI's functions that take a structure.
template <typename Parameters>
struct Function {
  const char* name;
  std::add_pointer_t<Result(Parameters*)> function = nullptr;
  Result operator()(Parameters* parameters) const { return function(parameters); }
};

struct Library {
#define WL_DECLARE(name, type) std::add_pointer_t<std::remove_pointer_t<type>> name = nullptr;
  WL_CUPTI_FUNCTIONS(WL_DECLARE)
#undef WL_DECLARE
  std::string path;
  uint32_t version = 0;
  void* handle = nullptr;  // of dlopen

  /// Loads it; the text says why it could not be, with the remedy, and is empty when all is well. `paths` are tried in
  /// order after the one in the process, separated by ':'.
  std::string load(const std::string& paths);
  /// The meaning of `result`, with the remedy if one is known.
  std::string explain(Result result) const;
  /// The same with the call that gave it.
  std::string said(const char* call, Result result) const;
  /// Calls, and reports the error if that failed; empty when all is well.
  template <typename Parameters>
  std::string ask(const Function<Parameters>& call, Parameters* parameters) const {
    const Result result = call(parameters);
    return result == kSuccess ? "" : said(call.name, result);
  }
};

/// Sets `function` to the library's function of that name, or `missing` to the name if there is none.
template <typename Function>
void find(const Library& library, const char* name, Function& function, const char** missing) {
  function = reinterpret_cast<Function>(::dlsym(library.handle, name));
  if (function == nullptr && *missing == nullptr) *missing = name;
}

/// A part of CUPTI: FUNCTIONS(F) names its calls and their structures as F(name, Parameters). find() says which is not
/// there; empty when all are.
#define WL_CUPTI_CALL(name, Parameters) ::warplens::cupti::Function<Parameters> name{#name};
#define WL_CUPTI_FIND(name, Parameters) ::warplens::cupti::find(cupti, #name, name.function, &missing);
#define WL_CUPTI_PART(FUNCTIONS)                                                                                       \
  FUNCTIONS(WL_CUPTI_CALL)                                                                                             \
  std::string find(const ::warplens::cupti::Library& cupti) {                                                          \
    const char* missing = nullptr;                                                                                     \
    FUNCTIONS(WL_CUPTI_FIND)                                                                                           \
    return missing == nullptr ? ""                                                                                     \
                              : cupti.path + " has no " + missing + ": counters need the CUPTI of CUDA 12.6 or newer"; \
  }

/// Returns what went wrong, if something did.
#define WL_CUPTI_TRY(problem_or_empty)                                                       \
  do {                                                                                       \
    if (std::string wl_problem = (problem_or_empty); !wl_problem.empty()) return wl_problem; \
  } while (false)

}  // namespace warplens::cupti
