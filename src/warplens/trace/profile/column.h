// One column of a table: values it owns, or values borrowed from a mapped file.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace warplens {

/// Grows by realloc, which for large columns moves pages instead of copying them. A borrowed column that is changed
/// becomes an owned copy first.
template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  Column() = default;
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    swap(other);
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  ~Column() { release(); }

  size_t size() const { return size_; }
  const T& operator[](size_t i) const { return data_[i]; }
  std::span<const T> values() const { return {data_, size_}; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void push_back(T value) {
    if (size_ >= capacity_) reallocate(std::max<size_t>(16, size_ * 2));
    data_[size_++] = value;
  }
  void reserve(size_t n) {
    if (n > capacity_) reallocate(n);
  }
  void resize(size_t n, T value = {}) {
    reserve(n);
    if (n > size_) std::fill(data_ + size_, data_ + n, value);
    size_ = n;
  }
  /// Replaces the contents by `n` values of all zero bytes; their memory is not touched before it is read.
  void zeros(size_t n) {
    release();
    if (n == 0) return;
    data_ = static_cast<T*>(std::calloc(n, sizeof(T)));
    if (data_ == nullptr) throw std::bad_alloc();
    size_ = capacity_ = n;
  }
  /// Adds `count` values and returns where to write them.
  T* extend(size_t count) {
    if (size_ + count > capacity_) reallocate(std::max(size_ + count, size_ * 2));
    size_ += count;
    return data_ + size_ - count;
  }
  void append(std::span<const T> values) {
    if (!values.empty()) std::memcpy(extend(values.size()), values.data(), values.size_bytes());
  }
  void clear() { size_ = 0; }  // keeps its memory
  T& at(size_t i) {
    if (capacity_ == 0) reallocate(size_);
    return data_[i];
  }

  /// Refers to values that live longer than this column.
  void borrow(std::span<const T> values) {
    release();
    data_ = const_cast<T*>(values.data());
    size_ = values.size();
  }

 private:
  void swap(Column& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void reallocate(size_t capacity) {
    T* own = static_cast<T*>(std::realloc(capacity_ ? data_ : nullptr, std::max<size_t>(capacity, 1) * sizeof(T)));
    if (own == nullptr) throw std::bad_alloc();
    if (capacity_ == 0 && size_ > 0) std::memcpy(own, data_, size_ * sizeof(T));
    data_ = own;
    capacity_ = std::max<size_t>(capacity, 1);
  }
  void release() {
    if (capacity_ > 0) std::free(data_);
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;  // capacity 0: empty or borrowed
};

}  // namespace warplens
