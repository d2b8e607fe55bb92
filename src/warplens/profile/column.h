// One column of a table: values it owns, or values borrowed from a mapped file.
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace warplens {

template <typename T>
class Column {
 public:
  Column() = default;
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    swap(other);
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  size_t size() const { return view_.size(); }
  const T& operator[](size_t i) const { return view_[i]; }
  std::span<const T> values() const { return view_; }
  const T* begin() const { return view_.data(); }
  const T* end() const { return view_.data() + view_.size(); }

  // The following are only for columns that own their values.
  void push_back(T value) { own_.push_back(value), view_ = own_; }
  void reserve(size_t n) { own_.reserve(n), view_ = own_; }
  void resize(size_t n, T value = {}) { own_.resize(n, value), view_ = own_; }
  void append(std::span<const T> values) { own_.insert(own_.end(), values.begin(), values.end()), view_ = own_; }
  void shrink_to_fit() { own_.shrink_to_fit(), view_ = own_; }
  T& at(size_t i) { return own_[i]; }

  /// Refers to values that live longer than this column.
  void borrow(std::span<const T> values) { own_ = {}, view_ = values; }

 private:
  void swap(Column& other) { own_.swap(other.own_), std::swap(view_, other.view_); }

  std::vector<T> own_;
  std::span<const T> view_;
};

}  // namespace warplens
