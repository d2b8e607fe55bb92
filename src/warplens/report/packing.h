// Values as bytes and back, field by field. A struct that is not plain has `fields(archive, value)`, which names its
// members once for both ways.
#pragma once
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "warplens/output/table.h"

namespace warplens::report {

/// Types that can be copied byte by byte. Pointers cannot, and no such type here holds one.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

class Packer {
 public:
  template <typename... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  std::string bytes;

 private:
  /// Equal values are equal bytes: padding is zero.
  template <Plain T>
  void put(T value) {
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&value);
#endif
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(std::string& text) {
    uint64_t size = text.size();
    put(size);
    bytes += text;
  }
  template <typename T>
  void put(std::vector<T>& values) {
    uint64_t size = values.size();
    put(size);
    for (T& value : values) put(value);
  }
  template <typename A, typename B>
  void put(std::pair<A, B>& both) {
    put(both.first);
    put(both.second);
  }
  template <typename T>
  void put(std::optional<T>& value) {
    bool there = value.has_value();
    put(there);
    if (there) put(*value);
  }
  void put(Cell& cell) {
    uint64_t index = cell.index();
    put(index);
    std::visit([&](auto& value) { put(value); }, cell);
  }
  template <typename T>
    requires(!Plain<T>)
  void put(T& value) {
    fields(*this, value);
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  template <typename... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  bool ok() const { return ok_ && left_.empty(); }

 private:
  std::string_view take(uint64_t size) {
    if (size > left_.size()) {
      ok_ = false;
      left_ = {};
      return {};
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  template <Plain T>
  void get(T& value) {
    if (const std::string_view taken = take(sizeof value); !taken.empty())
      std::memcpy(&value, taken.data(), sizeof value);
  }
  void get(bool& value) {  // damaged bytes give nothing
    uint8_t byte = 0;
    get(byte);
    value = byte != 0;
  }
  void get(std::string& text) {
    uint64_t size = 0;
    get(size);
    text = take(size);
  }
  template <typename T>
  void get(std::vector<T>& values) {
    uint64_t size = 0;
    get(size);
    values.clear();
    for (uint64_t i = 0; i < size && ok_; ++i) get(values.emplace_back());
  }
  template <typename A, typename B>
  void get(std::pair<A, B>& both) {
    get(both.first);
    get(both.second);
  }
  template <typename T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    if (there) get(value.emplace());
  }
  template <size_t I = 0>
  void get_alternative(Cell& cell, uint64_t index) {
    if constexpr (I == std::variant_size_v<Cell>) ok_ = false;
    else if (index == I) get(cell.emplace<I>());
    else get_alternative<I + 1>(cell, index);
  }
  void get(Cell& cell) {
    uint64_t index = 0;
    get(index);
    get_alternative(cell, index);
  }
  template <typename T>
    requires(!Plain<T>)
  void get(T& value) {
    fields(*this, value);
  }

  std::string_view left_;
  bool ok_ = true;
};

}  // namespace warplens::report
