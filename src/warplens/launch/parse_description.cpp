// The JSON of a launch file into a Description.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "warplens/base/folders.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/carried_options.h"
#include "warplens/launch/description.h"
#include "warplens/launch/fields.h"
#include "warplens/launch/flags.h"
#include "warplens/launch/scalar.h"

namespace warplens::launch {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Status expect_list(const json::Value* value, const std::string& place) {
  if (value->array() != nullptr) return {};
  return invalid_input(fmt::format("{}: must be a list, not {}", place, type_name(*value)));
}

Status parse_texts(Fields& fields, std::string_view key, std::vector<std::string>& out) {
  const json::Value* value = fields.take(key);
  if (value == nullptr) return {};
  WL_TRY(expect_list(value, fields.at(key)));
  for (const json::Value& item : *value->array()) {
    if (item.string() == nullptr)
      return invalid_input(fmt::format("{}[{}]: must be a text, not {}", fields.at(key), out.size(), type_name(item)));
    out.push_back(*item.string());
  }
  return {};
}

/// A list of one to three whole numbers, or one number.
Status parse_dim3(Fields& fields, std::string_view key, Dim3& out) {
  const json::Value* value = fields.take(key);
  if (value == nullptr) return {};
  const std::string wanted = fmt::format("{}: must be one to three whole numbers, such as [256, 1, 1]", fields.at(key));
  const json::Value::Array single = {*value};
  const json::Value::Array& list = value->array() ? *value->array() : single;
  if (list.empty() || list.size() > 3) return invalid_input(wanted);
  for (size_t d = 0; d < list.size(); ++d) {
    const std::optional<int64_t> n = list[d].integer();
    if (!n || *n < 0 || *n > std::numeric_limits<int32_t>::max()) return invalid_input(wanted);
    out[d] = static_cast<uint32_t>(*n);
  }
  return {};
}

Status parse_shape(Fields& fields, BufferSpec& buffer) {
  int64_t count = -1;
  WL_TRY(fields.integer("count", 0, kMost, count));
  const json::Value* shape = fields.take("shape");
  if (count >= 0 && shape != nullptr) return invalid_input(fields.at("shape") + ": give 'count' or 'shape', not both");
  if (count >= 0) buffer.shape = {static_cast<uint64_t>(count)};
  if (shape == nullptr) return {};
  WL_TRY(expect_list(shape, fields.at("shape")));
  for (const json::Value& n : *shape->array()) {
    const std::optional<int64_t> size = n.integer();
    if (!size || *size < 0) return invalid_input(fields.at("shape") + ": must be a list of whole numbers");
    buffer.shape.push_back(static_cast<uint64_t>(*size));
  }
  return {};
}

/// "values": [1, 2, 3]
Status parse_values(Fields& fields, Fill& fill) {
  const json::Value* values = fields.take("values");
  WL_TRY(expect_list(values, fields.at("values")));
  fill.kind = FillKind::kValues;
  for (const json::Value& value : *values->array()) {
    const std::optional<double> number = value.number();
    if (!number)
      return invalid_input(
          fmt::format("{}[{}]: must be a number, not {}", fields.at("values"), fill.values.size(), type_name(value)));
    fill.values.push_back(*number);
  }
  if (fill.values.empty()) return invalid_input(fields.at("values") + ": must have at least one number");
  return {};
}

Status parse_fill(Fields& fields, Fill& fill) {
  if (fields.has("values")) return parse_values(fields, fill);
  std::string kind = "zeros";
  WL_TRY(fields.text("fill", kind));
  if (contains(kind, "(")) {  // as the flags have it, with its parameters
    Result<Fill> whole = launch::parse_fill(kind);
    if (!whole.ok()) return whole.status().in(fields.at("fill"));
    fill = std::move(*whole);
    return {};
  }
  const std::optional<FillKind> found = find_fill(kind);
  if (!found)
    return invalid_input(fmt::format("{}: no fill '{}'; there are {}", fields.at("fill"), kind, fill_names()));
  fill.kind = *found;
  if (fill.kind == FillKind::kValues)
    return invalid_input(fields.at("fill") + ": values are given as \"values\": [1, 2, 3], without 'fill'");
  int64_t seed = -1, bits = fill.bits;
  WL_TRY(fields.integer("seed", 0, kMost, seed));
  if (seed >= 0) fill.seed = static_cast<uint64_t>(seed);
  WL_TRY(fields.integer("bits", 1, 32, bits));
  fill.bits = static_cast<uint32_t>(bits);
  WL_TRY(fields.number("value", fill.value));
  WL_TRY(fields.number("step", fill.step));
  WL_TRY(fields.number("low", fill.low));
  WL_TRY(fields.number("high", fill.high));
  WL_TRY(fields.number("mean", fill.mean));
  return fields.number("deviation", fill.deviation);
}

Status parse_dtype(Fields& fields, BufferSpec& buffer) {
  std::string name;
  WL_TRY(fields.text("dtype", name));
  if (name.empty()) return {};
  const std::optional<DType> dtype = find_dtype(name);
  if (!dtype)
    return invalid_input(fmt::format("{}: no dtype '{}'; there are {}", fields.at("dtype"), name, dtype_names()));
  buffer.dtype = *dtype;
  buffer.dtype_given = true;
  return {};
}

Status parse_buffer(const json::Value& value, const std::string& place, const std::string& folder, BufferSpec& buffer) {
  if (const std::string* text = value.string()) {  // "f32[1024]:uniform", as the flags have it
    Result<BufferSpec> contents = parse_contents(*text);
    if (!contents.ok()) return contents.status().in(place);
    contents->name = buffer.name;
    buffer = std::move(*contents);
    buffer.npy = path_from(folder, buffer.npy);
    return {};
  }
  WL_ASSIGN(Fields fields, Fields::of(value, place));
  WL_TRY(parse_dtype(fields, buffer));
  WL_TRY(fields.text("npy", buffer.npy));
  buffer.npy = path_from(folder, buffer.npy);
  if (buffer.npy.empty()) {
    WL_TRY(parse_shape(fields, buffer));
    WL_TRY(parse_fill(fields, buffer.fill));
    if (buffer.shape.empty() && !buffer.fill.values.empty()) buffer.shape = {buffer.fill.values.size()};
    if (buffer.shape.empty()) return invalid_input(place + ": needs 'count', 'shape', 'values' or 'npy'");
    if (!buffer.dtype_given) return invalid_input(place + ": needs a 'dtype'");
  }
  return fields.done();
}

Status parse_buffers(Fields& fields, std::string_view key, const std::string& folder, std::vector<BufferSpec>& out) {
  const json::Value* value = fields.take(key);
  if (value == nullptr) return {};
  WL_ASSIGN(const Fields members, Fields::of(*value, fields.at(key)));
  for (const auto& [name, item] : *value->object()) {
    BufferSpec& buffer = out.emplace_back();
    buffer.name = name;
    WL_TRY(parse_buffer(item, members.at(name), folder, buffer));
  }
  return {};
}

/// Where arguments may bring buffers along: "x=f32[1024]:uniform", as the flags have it.
struct Buffers {
  const std::string& folder;
  std::vector<BufferSpec>& all;
};

Status parse_arguments(const json::Value& list, const std::string& place, const Buffers& buffers,
                       std::vector<Argument>& out);

Status parse_argument_text(const std::string& text, const std::string& place, size_t number, const Buffers& buffers,
                           Argument& argument) {
  const size_t before = buffers.all.size();
  Result<Argument> parsed = launch::parse_argument(text, number, buffers.all);
  if (!parsed.ok()) return parsed.status().in(place);
  argument = std::move(*parsed);
  for (size_t i = before; i < buffers.all.size(); ++i)
    buffers.all[i].npy = path_from(buffers.folder, buffers.all[i].npy);
  return {};
}

Status parse_argument(const json::Value& value, const std::string& place, const Buffers& buffers, Argument& argument) {
  WL_ASSIGN(Fields fields, Fields::of(value, place));
  WL_TRY(fields.text("buffer", argument.buffer));
  if (!argument.buffer.empty()) {
    WL_TRY(fields.integer("offset_bytes", 0, kMost, argument.offset_bytes));
    if (const json::Value* map = fields.take("tensor_map")) {
      WL_ASSIGN(argument.map, parse_tensor_map(*map, fields.at("tensor_map")));
    }
    return fields.done();
  }
  const json::Value::Object& members = *value.object();
  if (members.size() != 1)
    return invalid_input(place +
                         R"(: must be {"buffer": NAME}, {DTYPE: NUMBER}, {"bytes": HEX} or {"struct": [MEMBER, ...]})");
  const auto& [name, item] = members[0];
  if (name == "struct") {
    argument.text = name;
    return parse_arguments(item, place + ".struct", buffers, argument.members);
  }
  Result<std::vector<uint8_t>> bytes =
      name == "bytes" && item.string() ? parse_hex(*item.string()) : scalar_bytes(name, item);
  if (!bytes.ok()) return bytes.status().in(place);
  argument.bytes = std::move(*bytes);
  argument.text = name;
  return {};
}

Status parse_arguments(const json::Value& list, const std::string& place, const Buffers& buffers,
                       std::vector<Argument>& out) {
  WL_TRY(expect_list(&list, place));
  for (size_t i = 0; i < list.array()->size(); ++i) {
    const json::Value& item = (*list.array())[i];
    const std::string at = fmt::format("{}[{}]", place, i);
    WL_TRY(item.string() ? parse_argument_text(*item.string(), at, i, buffers, out.emplace_back())
                         : parse_argument(item, at, buffers, out.emplace_back()));
  }
  return {};
}

Status parse_launch(const json::Value& value, const std::string& place, const std::string& kernel,
                    const Buffers& buffers, LaunchSpec& launch) {
  WL_ASSIGN(Fields fields, Fields::of(value, place));
  launch.kernel = kernel;
  WL_TRY(fields.text("kernel", launch.kernel));
  WL_TRY(parse_dim3(fields, "grid", launch.grid));
  WL_TRY(parse_dim3(fields, "block", launch.block));
  WL_TRY(parse_dim3(fields, "cluster", launch.cluster));
  int64_t shared = 0;
  WL_TRY(fields.integer("shared_bytes", 0, std::numeric_limits<int32_t>::max(), shared));
  launch.dynamic_shared_bytes = static_cast<uint32_t>(shared);
  WL_TRY(fields.flag("cooperative", launch.cooperative));
  if (const json::Value* args = fields.take("args"))
    WL_TRY(parse_arguments(*args, fields.at("args"), buffers, launch.args));
  return fields.done();
}

Status parse_launches(Fields& fields, const std::string& kernel, const Buffers& buffers, std::vector<LaunchSpec>& out) {
  const json::Value* value = fields.take("launches");
  if (value == nullptr) return invalid_input("launches: is missing" + fields.instead_of("launches"));
  WL_TRY(expect_list(value, "launches"));
  for (size_t i = 0; i < value->array()->size(); ++i)
    WL_TRY(parse_launch((*value->array())[i], fmt::format("launches[{}]", i), kernel, buffers, out.emplace_back()));
  return {};
}

/// A launch file may come from anybody: it writes arrays beside itself, and nothing else.
Status check_saved(const std::string& place, const std::string& folder, const std::string& path) {
  if (!path.ends_with(".npy")) return invalid_input(fmt::format("{}: '{}': must end in .npy", place, path));
  if (is_within(folder, path)) return {};
  return invalid_input(
      fmt::format("{}: '{}' is outside the folder of the launch file, which may not write there; the command line may: "
                  "--save NAME={}",
                  place, path, path));
}

Status parse_save(Fields& fields, const std::string& folder, std::map<std::string, std::string>& out) {
  const json::Value* value = fields.take("save");
  if (value == nullptr) return {};
  WL_ASSIGN(Fields members, Fields::of(*value, "save"));
  for (const auto& [name, item] : *value->object()) {
    WL_TRY(members.text(name, out[name]));
    out[name] = path_from(folder, out[name]);
    WL_TRY(check_saved(members.at(name), folder, out[name]));
  }
  return {};
}

Status parse_expect(Fields& fields, const std::string& folder, std::map<std::string, Expectation>& out) {
  const json::Value* value = fields.take("expect");
  if (value == nullptr) return {};
  WL_ASSIGN(const Fields members, Fields::of(*value, "expect"));
  for (const auto& [name, item] : *value->object()) {
    WL_ASSIGN(Fields one, Fields::of(item, members.at(name)));
    Expectation& expectation = out[name];
    WL_TRY(one.text("npy", expectation.npy));
    WL_TRY(one.text("buffer", expectation.buffer));
    if (one.has("fill") || one.has("values")) WL_TRY(parse_fill(one, expectation.fill.emplace()));
    if (!expectation.npy.empty() + !expectation.buffer.empty() + expectation.fill.has_value() != 1)
      return invalid_input(members.at(name) +
                           ": needs its expected content: 'npy' (a file), 'buffer' (another one), 'fill' or 'values'");
    expectation.npy = path_from(folder, expectation.npy);
    WL_TRY(one.number("rtol", expectation.rtol));
    WL_TRY(one.number("atol", expectation.atol));
    WL_TRY(one.done());
  }
  return {};
}

}  // namespace

Result<Description> parse_description(std::string_view text, const std::string& folder) {
  WL_ASSIGN(const json::Value value, json::parse(text));
  return parse_description(value, folder);
}

Result<Description> parse_description(const json::Value& value, const std::string& folder) {
  if (value.find("schema_version") && value.find("launches"))
    return invalid_input(
        "this file has counters of `warplens kernel --save` or --json, not launches to run: give it to --baseline");
  WL_ASSIGN(Fields fields, Fields::of(value, ""));
  Description description;
  std::string kernel;
  WL_TRY(fields.text("source", description.source));
  description.source = path_from(folder, description.source);
  WL_TRY(fields.text("arch", description.arch));
  WL_TRY(fields.text("kernel", kernel));
  std::vector<std::string> options;
  WL_TRY(parse_texts(fields, "options", options));
  WL_ASSIGN(description.options, compile::carried_options(options, folder));
  WL_TRY(fields.text("compiler", description.compiler));
  WL_TRY(parse_buffers(fields, "buffers", folder, description.buffers));
  WL_TRY(parse_buffers(fields, "symbols", folder, description.symbols));
  WL_TRY(parse_launches(fields, kernel, {folder, description.buffers}, description.launches));
  WL_TRY(parse_save(fields, folder, description.save));
  WL_TRY(parse_expect(fields, folder, description.expect));
  WL_TRY(fields.done());
  number_seeds(&description);
  WL_TRY(check_description(description));
  return description;
}

}  // namespace warplens::launch
