#include "warplens/launch/signature.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "warplens/base/demangle.h"
#include "warplens/base/text.h"

namespace warplens::launch {
namespace {

struct TypeName {
  std::string_view name;
  DType dtype;
  bool vector = false;  // float4: its pointer points to floats; itself it is a struct
};

constexpr TypeName kTypeNames[] = {
    {"float", DType::kF32},
    {"double", DType::kF64},
    {"int", DType::kI32},
    {"signed", DType::kI32},
    {"signed int", DType::kI32},
    {"int32_t", DType::kI32},
    {"unsigned", DType::kU32},
    {"unsigned int", DType::kU32},
    {"uint32_t", DType::kU32},
    {"uint", DType::kU32},
    {"long", DType::kI64},
    {"long int", DType::kI64},
    {"long long", DType::kI64},
    {"long long int", DType::kI64},
    {"int64_t", DType::kI64},
    {"unsigned long", DType::kU64},
    {"unsigned long long", DType::kU64},
    {"uint64_t", DType::kU64},
    {"size_t", DType::kU64},
    {"short", DType::kI16},
    {"int16_t", DType::kI16},
    {"unsigned short", DType::kU16},
    {"uint16_t", DType::kU16},
    {"__half", DType::kF16},
    {"half", DType::kF16},
    {"__nv_bfloat16", DType::kBf16},
    {"nv_bfloat16", DType::kBf16},
    {"float2", DType::kF32, true},
    {"float3", DType::kF32, true},
    {"float4", DType::kF32, true},
    {"double2", DType::kF64, true},
    {"double4", DType::kF64, true},
    {"__half2", DType::kF16, true},
    {"half2", DType::kF16, true},
    {"__nv_bfloat162", DType::kBf16, true},
    {"nv_bfloat162", DType::kBf16, true},
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Words and other characters, each by itself: "const float* __restrict__" -> const, float, *, __restrict__.
std::vector<std::string_view> tokens(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == i) end = i + 1;
    if (!std::isspace(static_cast<unsigned char>(text[i]))) out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

bool says_nothing(std::string_view word) {
  return word == "const" || word == "volatile" || word == "__restrict__" || word == "__restrict" ||
         word == "restrict" || word == "__grid_constant__" || word == "struct";
}

/// One parameter's type; `named`: its name may stand behind.
ParameterType type_of(std::string_view text, bool named) {
  ParameterType out{.written = std::string(trim(text))};
  std::vector<std::string> words;
  int stars = 0;
  bool constant = false, other = false;
  for (const std::string_view token : tokens(text)) {
    if (token == "*" || token == "[") ++stars;
    else if (token == "const" && stars == 0) constant = true;
    else if (token == "=") break;
    else if (token == "]" || says_nothing(token) || std::isdigit(static_cast<unsigned char>(token[0]))) continue;
    else if (is_word(token[0])) words.emplace_back(token);
    else other = true;
  }
  out.pointer = stars > 0;
  out.writes = out.pointer && !constant;
  if (other || stars > 1) return out;
  const auto find = [&](const std::string& name) {
    return std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                        [&](const TypeName& t) { return t.name == name; });
  };
  auto type = find(join(words, " "));
  if (type == std::end(kTypeNames) && named && words.size() > 1) {
    words.pop_back();
    type = find(join(words, " "));
  }
  if (type != std::end(kTypeNames) && (out.pointer || !type->vector)) out.dtype = type->dtype;
  return out;
}

/// "(float const*, int)" split at the commas outside brackets.
Signature types_in(std::string_view list, bool named) {
  Signature out;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c != ',' || depth > 0) continue;
    out.push_back(type_of(list.substr(begin, i - begin), named));
    begin = i + 1;
  }
  if (out.size() == 1 && (out[0].written.empty() || out[0].written == "void")) out.clear();
  return out;
}

/// What stands within the brackets that open at `open`; empty when they do not close.
std::string_view within(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text.substr(open + 1, i - open - 1);
  }
  return {};
}

std::string without_comments(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source.substr(i).starts_with("//")) {
      i = std::min(source.find('\n', i), source.size()) - 1;
    } else if (source.substr(i).starts_with("/*")) {
      const size_t end = source.find("*/", i + 2);
      i = end == std::string_view::npos ? source.size() : end + 1;
    } else {
      out += source[i];
    }
  }
  return out;
}

/// The parameters of `__global__ void kernel(...)`; kernels that macros write are not found.
Signature signature_in(std::string_view commented, const std::string& kernel) {
  const std::string source = without_comments(commented);
  for (size_t at = source.find("__global__"); at != std::string::npos; at = source.find("__global__", at + 1)) {
    const size_t end = std::min(source.find_first_of(";{", at), source.size());
    const std::string_view head = std::string_view(source).substr(at, end - at);
    for (size_t name = head.find(kernel); name != std::string_view::npos; name = head.find(kernel, name + 1)) {
      const size_t behind = name + kernel.size(), open = head.find_first_not_of(" \t\r\n", behind);
      if (is_word(head[name - 1]) || open == std::string_view::npos || head[open] != '(') continue;
      return types_in(within(head, open), true);
    }
  }
  return {};
}

bool same_kind(DType given, DType wanted) {
  const DTypeInfo &g = info(given), &w = info(wanted);
  if (g.size_bytes != w.size_bytes) return false;
  if (w.size_bytes == 2 && w.is_float) return given == wanted || !g.is_float;
  return g.is_float == w.is_float;
}

std::string problem(const ParameterType& type, const Argument& argument, const Description& description) {
  if (argument.map || !argument.members.empty() || argument.text == "bytes") return "";
  if (!argument.buffer.empty()) {
    const BufferSpec* buffer = description.buffer(argument.buffer);
    if (buffer == nullptr || !type.dtype) return "";
    if (!type.pointer)
      return fmt::format("the buffer '{}', but the kernel takes '{}', no pointer: write {}=VALUE", argument.buffer,
                         type.written, info(*type.dtype).name);
    // Launches that share a buffer may take it for what they like: it is scratch memory.
    if (description.launches.size() > 1 || same_kind(buffer->dtype, *type.dtype)) return "";
    return fmt::format("the buffer '{}' of {}, but the kernel takes '{}': give the buffer as {}", argument.buffer,
                       info(buffer->dtype).name, type.written, info(*type.dtype).name);
  }
  const std::optional<DType> given = find_dtype(argument.text);
  if (!given) return "";
  const bool address = info(*given).size_bytes == 8 && !info(*given).is_float;
  if (type.pointer)
    return address ? ""
                   : fmt::format("the number {}=..., but the kernel takes '{}', a pointer: give a buffer, as {}[SIZE]",
                                 argument.text, type.written, type.dtype ? info(*type.dtype).name : "f32");
  if (!type.dtype || same_kind(*given, *type.dtype)) return "";
  return fmt::format("{}=..., but the kernel takes '{}': write {}=VALUE", argument.text, type.written,
                     info(*type.dtype).name);
}

/// What could be given: "f32=VALUE, f32[SIZE], f32[SIZE], i32=VALUE".
std::string as_arguments(const Signature& signature) {
  std::vector<std::string> words;
  for (const ParameterType& type : signature) {
    const std::string_view dtype = type.dtype ? info(*type.dtype).name : "u8";
    words.push_back(type.pointer ? fmt::format("{}[SIZE]", dtype)
                    : type.dtype ? fmt::format("{}=VALUE", dtype)
                                 : "bytes=HEX");
  }
  return join(words, ", ");
}

}  // namespace

Signature signature_of(const std::string& kernel, std::string_view source) {
  const std::string readable = demangled(kernel);
  if (readable == kernel) return source.empty() ? Signature() : signature_in(source, kernel);
  const std::string name = short_name(kernel);
  if (name.size() >= readable.size()) return {};
  return types_in(within(readable, name.size()), false);
}

Status check_types(const std::string& kernel, const Signature& signature, const std::vector<Argument>& args,
                   const Description& description) {
  if (signature.empty()) return {};  // their number is told where they are packed
  if (signature.size() != args.size())
    return usage_error(fmt::format("{} takes {} arguments, not {}: {}", short_name(kernel), signature.size(),
                                   args.size(), as_arguments(signature)));
  for (size_t i = 0; i < args.size(); ++i) {
    if (const std::string wrong = problem(signature[i], args[i], description); !wrong.empty())
      return usage_error(fmt::format("argument {} of {} is {}", i, short_name(kernel), wrong));
  }
  return {};
}

}  // namespace warplens::launch
