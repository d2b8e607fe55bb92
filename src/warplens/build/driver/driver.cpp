#include "warplens/build/driver/driver.h"

#include "warplens/base/dynamic_library.h"
#include "warplens/base/text.h"

namespace warplens::cuda {
namespace {

Result<Driver> load() {
  const Result<DynamicLibrary> library = DynamicLibrary::open({"libcuda.so.1"});
  if (!library.ok())
    return not_found(
        "no CUDA driver here (libcuda.so.1: cannot be loaded); run on a machine with an NVIDIA GPU (kernels run "
        "without one: `warplens kernel FILE --emulate`)");
  Driver functions;
#define FUNCTION(member, symbol, parameters) WL_TRY(library->find(symbol, functions.member));
#define OPTIONAL_FUNCTION(member, symbol, parameters) (void)library->find(symbol, functions.member);
#include "warplens/build/driver/driver_functions.def"
#undef FUNCTION
  WL_TRY(functions.check(functions.init(0), "the CUDA driver does not start"));
  return functions;
}

}  // namespace

Status Driver::check(int code, const char* what) const {
  if (code == 0) return {};
  const char *name = nullptr, *text = nullptr;
  error_name(code, &name);
  error_string(code, &text);
  return {ErrorCode::kIo,
          fmt::format("{}: {}: {}", what, name ? name : "unknown error", text ? text : fmt::format("code {}", code))};
}

Result<const Driver*> driver() {
  static const Result<Driver> loaded = load();
  if (!loaded.ok()) return loaded.status();
  return &*loaded;
}

}  // namespace warplens::cuda
