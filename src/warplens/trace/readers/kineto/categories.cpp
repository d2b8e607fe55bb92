#include "warplens/trace/readers/kineto/categories.h"

#include "warplens/trace/readers/kineto/scanner.h"

namespace warplens::kineto {
namespace {

struct Named {
  std::string_view name;
  Category category;
};

// The capitalised ones are those of the first kineto releases.
constexpr Named kCategories[] = {
    {"cpu_op", Category::kOperator},
    {"kernel", Category::kKernel},
    {"cuda_runtime", Category::kRuntime},
    {"cuda_driver", Category::kDriver},
    {"python_function", Category::kPythonFrame},
    {"gpu_memcpy", Category::kCopy},
    {"gpu_memset", Category::kSet},
    {"user_annotation", Category::kRange},
    {"gpu_user_annotation", Category::kDeviceRange},
    {"cuda_sync", Category::kSynchronization},
    {"overhead", Category::kOverhead},
    {"cpu_instant_event", Category::kInstant},
    {"xpu_runtime", Category::kRuntime},
    {"xpu_driver", Category::kDriver},
    {"mtia_runtime", Category::kRuntime},
    {"privateuse1_runtime", Category::kRuntime},
    {"privateuse1_driver", Category::kDriver},
    {"hip_runtime", Category::kRuntime},
    {"mtia_ccp_events", Category::kMtia},
    {"hpu_op", Category::kKernel},
    {"Operator", Category::kOperator},
    {"Kernel", Category::kKernel},
    {"Runtime", Category::kRuntime},
    {"Memcpy", Category::kCopy},
    {"Memset", Category::kSet},
    {"Python function", Category::kPythonFrame},
};

}  // namespace

Category category_of(std::string_view name) {
  for (const Named& known : kCategories) {
    if (same(known.name, name)) return known.category;
  }
  return Category::kOther;
}

}  // namespace warplens::kineto
