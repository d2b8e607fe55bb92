// Handles and descriptors of the libraries: one way to make, delete, set and read them, with each library's own
// statuses.
#pragma once
#include <new>
#include <type_traits>
#include <utility>

namespace warplens::libraries {

/// A library's statuses for a missing object, an invalid argument and memory that ran out. Success is 0 in every
/// library.
struct ObjectStatuses {
  int missing, invalid, no_memory;
};

template <ObjectStatuses kStatuses>
struct Objects {
  template <typename T>
  static int make(T** out, T value = {}) {
    if (out == nullptr) return kStatuses.invalid;
    *out = new (std::nothrow) T(std::move(value));
    return *out == nullptr ? kStatuses.no_memory : 0;
  }
  template <typename T>
  static int destroy(const T* object) {
    delete object;
    return 0;
  }
  template <typename T>
  static int answer(T* out, std::type_identity_t<T> value) {
    if (out == nullptr) return kStatuses.invalid;
    *out = value;
    return 0;
  }
  template <typename T, typename V>
  static int set(T* object, V T::* field, std::type_identity_t<V> value) {
    if (object == nullptr) return kStatuses.missing;
    object->*field = value;
    return 0;
  }
  template <typename T, typename V>
  static int get(const T* object, V T::* field, V* out) {
    return object == nullptr ? kStatuses.missing : answer(out, object->*field);
  }
  /// The host computes in memory of its own, so a caller's workspace may have any size. CUDA code allocates what this
  /// answers, so it is not 0.
  template <typename Handle, typename Size>
  static int answer_workspace(const Handle* handle, Size* size) {
    constexpr Size kLeast = 256;
    return handle == nullptr ? kStatuses.missing : answer(size, kLeast);
  }
};

}  // namespace warplens::libraries
