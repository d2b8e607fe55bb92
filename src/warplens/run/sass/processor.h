// Whether this processor runs the machine-code interpreter, which works on 32 lanes at a time.
#pragma once

namespace warplens::simt::sass_machine {

inline bool processor_can() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return true;
#endif
}

}  // namespace warplens::simt::sass_machine
