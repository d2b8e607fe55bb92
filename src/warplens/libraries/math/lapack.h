// Calls of LAPACK's Fortran functions: scalars are passed by pointer, workspaces are sized and allocated.
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "warplens/libraries/math/cpu_library.h"
#include "warplens/libraries/math/number.h"

namespace warplens::libraries {

/// "sgetrf_" of "getrf" for float; d, c and z for the others.
template <typename T>
std::string lapack_name(const char* operation) {
  constexpr char kLetters[] = "sd  cz";
  return kLetters[static_cast<int>(kNumberOf<T>)] + std::string(operation) + "_";
}

namespace detail {
template <typename A>
using Passed = std::conditional_t<std::is_pointer_v<A>, A, const A*>;
template <typename A>
Passed<A> pass(const A& argument) {
  if constexpr (std::is_pointer_v<A>) return argument;
  else return &argument;
}
}  // namespace detail

/// Calls e.g. lapack<float>("getrf", n, n, a, lda, pivots, &info). Error: no CPU library.
template <typename T, typename... A>
Status lapack(const char* operation, const A&... arguments) {
  using Function = void(detail::Passed<A>...);
  WL_ASSIGN(Function* const function, cpu_function<Function>(lapack_name<T>(operation).c_str()));
  function(detail::pass(arguments)...);
  return {};
}

/// The same for a function whose last arguments are a workspace, its size and `info`: it is called for the size first.
template <typename T, typename... A>
Status lapack_with_work(const char* operation, int* info, const A&... arguments) {
  T needed = 0;
  WL_TRY(lapack<T>(operation, arguments..., &needed, -1, info));
  const auto size = static_cast<int>(std::real(needed));
  std::vector<T> work(static_cast<size_t>(size > 0 ? size : 1));
  return lapack<T>(operation, arguments..., work.data(), static_cast<int>(work.size()), info);
}
template <typename T, typename First, typename... A>
  requires(!std::is_same_v<First, int*>)
Status lapack_with_work(const char* operation, const First& first, const A&... arguments) {
  int info = 0;
  return lapack_with_work<T>(operation, &info, first, arguments...);
}

}  // namespace warplens::libraries
