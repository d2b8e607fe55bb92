#include "warplens/base/json.h"
#include "warplens/base/schema.h"
#include "warplens/inspect/render.h"

namespace warplens::inspect {
namespace {

void level(json::Writer& writer, bool known, const char* name, uint64_t value) {
  if (known) writer.member(name, value);
  else writer.key(name).null();
}

void pair_members(json::Writer& writer, const Kernel& kernel, const Pair& pair) {
  level(writer, kernel.has_ptx, "ptx", pair.ptx);
  level(writer, kernel.has_sass, "sass", pair.sass);
}

void write_dimensions(json::Writer& writer, const char* name, const std::array<uint32_t, 3>& dimensions) {
  writer.key(name);
  if (dimensions[0] == 0) {
    writer.null();
    return;
  }
  writer.begin_array();
  for (uint32_t extent : dimensions) writer.value(uint64_t{extent});
  writer.end_array();
}

void write_memory(json::Writer& writer, const Kernel& kernel, const std::map<MemoryKey, Pair>& memory) {
  writer.key("memory").begin_array();
  for (const auto& [key, pair] : memory) {
    writer.begin_object().member("space", key.space).member("access", key.kind);
    writer.member("width_bytes", uint64_t{key.width_bytes});
    pair_members(writer, kernel, pair);
    writer.end_object();
  }
  writer.end_array();
}

void write_lines(json::Writer& writer, const Kernel& kernel) {
  writer.key("lines").begin_array();
  for (const auto& [key, line] : kernel.lines) {
    writer.begin_object().member("file", key.file).member("line", uint64_t{key.line});
    pair_members(writer, kernel, line.instructions);
    write_memory(writer, kernel, line.memory);
    writer.end_object();
  }
  writer.end_array();
}

void write_image(json::Writer& writer, const CarriedImage& image) {
  writer.begin_object().member("kind", image.kind).member("target", image.target).member("source", image.name);
  writer.member("bytes", image.bytes).member("packed_bytes", image.packed_bytes);
  writer.member("relocatable", image.relocatable).key("kernels");
  if (image.shown) {
    writer.begin_array();
    for (const std::string& name : image.kernels) writer.value(name);
    writer.end_array();
  } else {
    writer.null();
  }
  writer.end_object();
}

void write_kernel(json::Writer& writer, const Kernel& kernel) {
  writer.begin_object().member("kernel", kernel.name).member("is_kernel", kernel.is_kernel);
  level(writer, kernel.has_sass, "registers", kernel.registers);
  level(writer, kernel.has_sass, "shared_bytes", kernel.shared_bytes);
  level(writer, kernel.has_sass, "stack_bytes", kernel.frame_bytes);
  level(writer, kernel.has_sass, "barriers", kernel.barriers);
  level(writer, kernel.has_ptx, "ptx_local_bytes", kernel.ptx_local_bytes);
  level(writer, kernel.has_ptx, "ptx_shared_bytes", kernel.ptx_shared_bytes);
  writer.member("parameter_bytes", uint64_t{kernel.parameter_bytes});
  write_dimensions(writer, "required_threads", kernel.required_threads);
  write_dimensions(writer, "max_threads", kernel.max_threads);
  writer.key("instructions").begin_object();
  pair_members(writer, kernel, kernel.instructions);
  writer.end_object();
  writer.key("classes").begin_object();
  for (const auto& [name, pair] : kernel.classes) {
    writer.key(name).begin_object();
    pair_members(writer, kernel, pair);
    writer.end_object();
  }
  writer.end_object();
  write_memory(writer, kernel, kernel.memory);
  write_lines(writer, kernel);
  writer.list("notes", kernel.notes);
  writer.end_object();
}

}  // namespace

std::string to_json(const Report& report) {
  json::Writer writer(true);
  writer.begin_object().member("schema_version", kSchemaVersion).member("source", report.source);
  writer.member("architecture", report.architecture).member("ptx_version", report.ptx_version);
  writer.key("metadata").begin_object();
  for (const auto& [key, value] : report.metadata) writer.member(key, value);
  writer.end_object();
  writer.key("images").begin_array();
  for (const CarriedImage& image : report.images) write_image(writer, image);
  writer.end_array().key("kernels").begin_array();
  for (const Kernel& kernel : report.kernels) write_kernel(writer, kernel);
  writer.end_array();
  writer.list("notes", report.notes);
  writer.end_object();
  return writer.take() + "\n";
}

}  // namespace warplens::inspect
