#include "warplens/launch/contents.h"

#include "warplens/base/files.h"
#include "warplens/base/text.h"

namespace warplens::launch {
namespace {

Status settle_buffer(BufferSpec& buffer) {
  if (buffer.npy.empty()) return {};
  WL_ASSIGN(const Array array, read_array(buffer.npy, buffer.dtype, buffer.dtype_given));
  buffer.dtype = array.dtype;
  buffer.shape = array.shape;
  return {};
}

}  // namespace

Result<Array> read_array(const std::string& path, DType dtype, bool dtype_given) {
  WL_ASSIGN(const MappedFile file, MappedFile::open(path));
  Result<Array> array = parse_npy(file.bytes());
  if (!array.ok()) return array.status().in(path);
  if (!dtype_given) return array;
  const bool bits_of_bf16 = dtype == DType::kBf16 && array->dtype == DType::kU16;
  if (array->dtype != dtype && !bits_of_bf16)
    return invalid_input(fmt::format("{}: holds {}, not {}", path, info(array->dtype).name, info(dtype).name));
  array->dtype = dtype;
  return array;
}

Status settle(Description& description) {
  for (BufferSpec& buffer : description.buffers) WL_TRY(settle_buffer(buffer).in("buffers." + buffer.name));
  for (BufferSpec& symbol : description.symbols) WL_TRY(settle_buffer(symbol).in("symbols." + symbol.name));
  Status status;
  for (size_t i = 0; i < description.launches.size(); ++i)
    visit_buffers(description.launches[i].args, [&](const Argument& argument) {
      const BufferSpec* buffer = description.buffer(argument.buffer);
      if (buffer != nullptr && static_cast<uint64_t>(argument.offset_bytes) > buffer->size_bytes())
        status = invalid_input(
            fmt::format("launches[{}]: offset_bytes {} is outside '{}'", i, argument.offset_bytes, buffer->name));
    });
  return status;
}

Result<std::vector<uint8_t>> contents_of(const BufferSpec& buffer) {
  if (!buffer.npy.empty()) {
    WL_ASSIGN(Array array, read_array(buffer.npy, buffer.dtype, buffer.dtype_given));
    return std::move(array.bytes);
  }
  std::vector<uint8_t> bytes(buffer.size_bytes());
  fill(buffer.fill, buffer.dtype, bytes);
  return bytes;
}

}  // namespace warplens::launch
