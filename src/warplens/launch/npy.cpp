#include "warplens/launch/npy.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "warplens/base/text.h"

namespace warplens::launch {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<uint64_t> shape;
  size_t data_begin = 0;
};

/// The text that follows `'key':` in the header's dictionary.
Result<std::string_view> field(std::string_view dictionary, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string pattern = fmt::format("{0}{1}{0}", quote, key);
    const size_t at = dictionary.find(pattern);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = trim(dictionary.substr(at + pattern.size()));
    if (rest.starts_with(':')) return trim(rest.substr(1));
  }
  return invalid_input(fmt::format("its .npy header has no '{}'", key));
}

Result<std::string> parse_descr(std::string_view text) {
  const char quote = text.empty() ? '\0' : text[0];
  const size_t end = quote == '\'' || quote == '"' ? text.find(quote, 1) : std::string_view::npos;
  if (end == std::string_view::npos) return unsupported("its elements are records; only plain numbers can be read");
  return std::string(text.substr(1, end - 1));
}

Result<std::vector<uint64_t>> parse_shape(std::string_view text) {
  const size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos)
    return invalid_input("its .npy header has a malformed 'shape'");
  std::vector<uint64_t> shape;
  for (const std::string_view part : split(text.substr(1, end - 1), ',')) {
    if (trim(part).empty()) continue;
    const std::optional<int64_t> n = parse_int(trim(part));
    if (!n || *n < 0) return invalid_input(fmt::format("its .npy header has the dimension '{}'", trim(part)));
    shape.push_back(static_cast<uint64_t>(*n));
  }
  return shape;
}

Result<Header> parse_header(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < 10)
    return invalid_input("it is not a .npy file (it does not begin with \\x93NUMPY)");
  const int version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3)
    return unsupported(fmt::format("its .npy format version is {}; 1 to 3 can be read", version));
  const size_t width = version == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < width && 8 + i < file.size(); ++i)
    length |= size_t{static_cast<unsigned char>(file[8 + i])} << (8 * i);
  const size_t begin = 8 + width;
  if (begin > file.size() || length > file.size() - begin)
    return invalid_input(fmt::format("its .npy header is cut off at byte {}", file.size()));
  const std::string_view dictionary = file.substr(begin, length);
  Header header;
  header.data_begin = begin + length;
  WL_ASSIGN(const std::string_view descr, field(dictionary, "descr"));
  WL_ASSIGN(header.descr, parse_descr(descr));
  WL_ASSIGN(const std::string_view order, field(dictionary, "fortran_order"));
  header.fortran = order.starts_with("True");
  WL_ASSIGN(const std::string_view shape, field(dictionary, "shape"));
  WL_ASSIGN(header.shape, parse_shape(shape));
  return header;
}

Result<DType> dtype_of(std::string_view descr) {
  const std::string_view kind = descr.size() == 3 ? descr.substr(1) : "";
  if (kind == "b1") return DType::kU8;
  for (const DTypeInfo& row : kDTypes) {
    if (kind == row.npy) return row.dtype;
  }
  return unsupported(
      fmt::format("its elements are '{}'; integers of 1 to 8 bytes and floats of 2 to 8 can be read", descr));
}

void swap_bytes(std::vector<uint8_t>& bytes, size_t element) {
  for (size_t i = 0; i + element <= bytes.size(); i += element)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + element));
}

std::vector<uint8_t> to_c_order(const std::vector<uint8_t>& bytes, const std::vector<uint64_t>& shape, size_t element) {
  std::vector<uint8_t> out(bytes.size());
  std::vector<uint64_t> index(shape.size(), 0);
  for (size_t c = 0; c < bytes.size() / element; ++c) {
    uint64_t f = 0;
    for (size_t d = shape.size(); d-- > 0;) f = f * shape[d] + index[d];
    std::memcpy(out.data() + c * element, bytes.data() + f * element, element);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

Result<Array> parse_npy(std::string_view file) {
  WL_ASSIGN(const Header header, parse_header(file));
  Array array;
  WL_ASSIGN(array.dtype, dtype_of(header.descr));
  array.shape = header.shape;
  const size_t element = info(array.dtype).size_bytes, there = file.size() - header.data_begin;
  uint64_t needed = element;
  for (const uint64_t n : array.shape) {
    if (__builtin_mul_overflow(needed, n, &needed)) return invalid_input("its .npy header has an impossible 'shape'");
  }
  if (there < needed)
    return invalid_input(
        fmt::format("the file ends at byte {}, {} bytes before the end of its data", file.size(), needed - there));
  const std::string_view data = file.substr(header.data_begin, needed);
  array.bytes.assign(data.begin(), data.end());
  if (header.descr[0] == '>') swap_bytes(array.bytes, element);
  if (header.fortran && array.shape.size() > 1 && needed > 0)
    array.bytes = to_c_order(array.bytes, array.shape, element);
  return array;
}

std::string format_npy(DType dtype, const std::vector<uint64_t>& shape, std::span<const uint8_t> bytes) {
  std::string dimensions;
  for (const uint64_t n : shape) dimensions += fmt::format("{}, ", n);
  if (shape.size() > 1) dimensions.resize(dimensions.size() - 2);
  if (shape.size() == 1) dimensions.pop_back();
  const DTypeInfo& type = info(dtype);
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   type.size_bytes == 1 ? '|' : '<', type.npy, dimensions);
  // numpy aligns the data to 64 bytes with spaces and ends the header with a newline.
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::string file(kMagic);
  file += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  return file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace warplens::launch
