#include "warplens/launch/flags.h"

#include <algorithm>
#include <limits>

#include "warplens/base/quantity.h"
#include "warplens/base/text.h"
#include "warplens/launch/scalar.h"

namespace warplens::launch {
namespace {

bool is_name(std::string_view text) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) && std::ranges::all_of(text, part);
}

/// The parameters that a fill takes by place; all can be given by name.
std::vector<std::string> positional(FillKind kind) {
  switch (kind) {
    case FillKind::kConstant: return {"value"};
    case FillKind::kArange: return {"value", "step"};
    case FillKind::kUniform: return {"low", "high"};
    case FillKind::kNormal: return {"mean", "deviation"};
    case FillKind::kHash: return {"low", "high", "bits"};
    default: return {};
  }
}

Status set_parameter(Fill& fill, std::string_view name, std::string_view text) {
  if (name == "seed" || name == "bits") {
    const std::optional<int64_t> whole = parse_int(text);
    if (!whole || *whole < 0 || (name == "bits" && (*whole < 1 || *whole > 32)))
      return invalid_input(fmt::format("{} cannot be '{}'", name, text));
    if (name == "seed") fill.seed = static_cast<uint64_t>(*whole);
    else fill.bits = static_cast<uint32_t>(*whole);
    return {};
  }
  const std::optional<double> value = parse_double(text);
  if (!value) return invalid_input(fmt::format("{} cannot be '{}'", name, text));
  if (name == "value") fill.value = *value;
  else if (name == "step") fill.step = *value;
  else if (name == "low") fill.low = *value;
  else if (name == "high") fill.high = *value;
  else if (name == "mean") fill.mean = *value;
  else if (name == "deviation") fill.deviation = *value;
  else return invalid_input(fmt::format("no parameter '{}'", name));
  return {};
}

Result<std::vector<uint64_t>> parse_sizes(std::string_view text) {
  std::vector<uint64_t> shape;
  for (const std::string_view part : split(text, ',')) {
    const std::optional<int64_t> n = parse_int(trim(part));
    if (!n || *n < 0)
      return invalid_input(
          fmt::format("'{}' is not a size: give numbers of elements, as in f32[1048576] or f32[64,64]", part));
    shape.push_back(static_cast<uint64_t>(*n));
  }
  return shape;
}

Result<DType> parse_dtype(std::string_view name) {
  if (const std::optional<DType> dtype = find_dtype(name)) return *dtype;
  return invalid_input(fmt::format("no dtype '{}'; there are {}", name, dtype_names()));
}

Result<Argument> parse_reference(std::string_view text) {
  const size_t plus = std::min(text.find('+'), text.size());
  Argument argument;
  argument.buffer = text.substr(0, plus);
  if (plus == text.size()) return argument;
  const std::optional<int64_t> offset = parse_int(text.substr(plus + 1));
  if (!offset) return invalid_input(fmt::format("'{}' is not a number of bytes", text.substr(plus + 1)));
  argument.offset_bytes = *offset;
  return argument;
}

/// NAME=VALUE
Result<std::pair<std::string, std::string>> parse_pair(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return usage_error(fmt::format("'{}' is not NAME=VALUE", text));
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Status add_outputs(const Flags& flags, Description& description) {
  for (const std::string& text : flags.symbols) {
    WL_ASSIGN(const auto pair, parse_pair(text));
    Result<BufferSpec> symbol = parse_contents(pair.second);
    if (!symbol.ok()) return usage_error(fmt::format("--symbol {}: {}", text, symbol.status().message()));
    symbol->name = pair.first;
    description.symbols.push_back(std::move(*symbol));
  }
  for (const std::string& text : flags.save) {
    WL_ASSIGN(const auto pair, parse_pair(text));
    description.save[pair.first] = pair.second;
  }
  return expect_files(flags.expect, flags.rtol, flags.atol, description);
}

}  // namespace

Status expect_files(const std::vector<std::string>& pairs, double rtol, double atol, Description& description) {
  for (const std::string& text : pairs) {
    WL_ASSIGN(const auto pair, parse_pair(text));
    description.expect[pair.first] = {.npy = pair.second, .rtol = rtol, .atol = atol};
  }
  return {};
}

Result<BufferSpec> parse_contents(std::string_view text) {
  BufferSpec buffer;
  const size_t end = text.find_first_of("[@");
  if (end == std::string_view::npos)
    return invalid_input(parse_double(text) ? fmt::format("a number names its type: i32={0} or f32={0}", text)
                                            : fmt::format("'{}' is not a buffer: write f32[1024], f32[1024]:uniform or "
                                                          "@file.npy",
                                                          text));
  if (end > 0 || text[end] == '[') {
    WL_ASSIGN(buffer.dtype, parse_dtype(text.substr(0, end)));
    buffer.dtype_given = true;
  }
  if (text[end] == '@') {
    buffer.npy = text.substr(end + 1);
    if (buffer.npy.empty()) return invalid_input("no file name after '@'");
    return buffer;
  }
  const size_t close = text.find(']', end);
  if (close == std::string_view::npos) return invalid_input("']' is missing");
  WL_ASSIGN(buffer.shape, parse_sizes(text.substr(end + 1, close - end - 1)));
  const std::string_view rest = text.substr(close + 1);
  if (rest.empty()) return buffer;
  if (rest[0] != ':') return invalid_input(fmt::format("'{}' is after ']'; a fill begins with ':'", rest));
  WL_ASSIGN(buffer.fill, parse_fill(rest.substr(1)));
  return buffer;
}

Result<Argument> parse_argument(std::string_view text, size_t place, std::vector<BufferSpec>& buffers) {
  const size_t equals = std::min(text.find('='), text.find('('));  // not the = inside a fill's parameters
  const bool named = equals != std::string_view::npos && text[equals] == '=' && is_name(text.substr(0, equals));
  const std::string name(named ? text.substr(0, equals) : "");
  const std::string_view rest = named ? text.substr(equals + 1) : text;
  if (named && (name == "bytes" || find_dtype(name))) {
    WL_ASSIGN(std::vector<uint8_t> bytes, name == "bytes" ? parse_hex(rest) : scalar_bytes(name, rest));
    return Argument{.bytes = std::move(bytes), .text = name};
  }
  if (!named && rest.find_first_of("[@:") == std::string_view::npos && is_name(rest.substr(0, rest.find('+'))))
    return parse_reference(rest);
  WL_ASSIGN(BufferSpec buffer, parse_contents(rest));
  buffer.name = named ? name : fmt::format("arg{}", place);
  buffers.push_back(buffer);
  return Argument{.buffer = buffer.name};
}

Result<Dim3> parse_dim3(std::string_view name, const std::string& text) {
  Dim3 out{1, 1, 1};
  const std::string commas = replace_all(text, "x", ",");
  const std::vector<std::string_view> parts = split(commas, ',');
  bool fine = !parts.empty() && parts.size() <= 3;
  for (size_t d = 0; fine && d < parts.size(); ++d) {
    const std::optional<int64_t> n = parse_int(trim(parts[d]));
    fine = n && *n > 0 && *n <= std::numeric_limits<int32_t>::max();
    if (fine) out[d] = static_cast<uint32_t>(*n);
  }
  if (!fine)
    return usage_error(fmt::format(
        "--{} {}: write one to three whole numbers from 1 to 2147483647, such as 256 or 16,16", name, text));
  return out;
}

Result<Fill> parse_fill(std::string_view text) {
  const size_t open = std::min(text.find('('), text.size());
  const std::optional<FillKind> kind = find_fill(text.substr(0, open));
  if (!kind) return invalid_input(fmt::format("no fill '{}'; there are {}", text.substr(0, open), fill_names()));
  Fill fill;
  fill.kind = *kind;
  if (fill.kind == FillKind::kValues && open == text.size()) return invalid_input("write values(1,2,3)");
  if (open == text.size()) return fill;
  if (!text.ends_with(')')) return invalid_input("')' is missing");
  const std::vector<std::string> names = positional(fill.kind);
  size_t place = 0;
  for (const std::string_view part : split(text.substr(open + 1, text.size() - open - 2), ',')) {
    if (trim(part).empty()) continue;
    if (fill.kind == FillKind::kValues) {
      const std::optional<double> value = parse_double(trim(part));
      if (!value) return invalid_input(fmt::format("a value cannot be '{}'", part));
      fill.values.push_back(*value);
      continue;
    }
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos && place >= names.size())
      return invalid_input(
          fmt::format("{} takes {} values by place, not '{}'", text.substr(0, open), names.size(), part));
    const std::string name =
        equals == std::string_view::npos ? names[place++] : std::string(trim(part.substr(0, equals)));
    WL_TRY(set_parameter(fill, name, trim(equals == std::string_view::npos ? part : part.substr(equals + 1))));
  }
  return fill;
}

namespace {

Result<uint32_t> parse_shared(const std::string& text) {
  constexpr int64_t kMost = 1 << 20;
  const Result<int64_t> bytes = parse_bytes(text);
  if (!bytes.ok()) return usage_error(fmt::format("--shared {}: {}", text, bytes.status().message()));
  if (*bytes > kMost) return usage_error(fmt::format("--shared takes 0 to {} bytes", kMost));
  return static_cast<uint32_t>(*bytes);
}

}  // namespace

Result<Description> description_of(const Flags& flags) {
  Description description;
  description.source = flags.source;
  description.arch = flags.arch;
  description.options = flags.options;
  description.compiler = flags.compiler;
  LaunchSpec& launch = description.launches.emplace_back();
  launch.kernel = flags.kernel;
  if (!flags.grid.empty()) {
    WL_ASSIGN(launch.grid, parse_dim3("grid", flags.grid));
  }
  if (!flags.block.empty()) {
    WL_ASSIGN(launch.block, parse_dim3("block", flags.block));
  }
  if (!flags.cluster.empty()) {
    WL_ASSIGN(launch.cluster, parse_dim3("cluster", flags.cluster));
  }
  if (!flags.shared.empty()) {
    WL_ASSIGN(launch.dynamic_shared_bytes, parse_shared(flags.shared));
  }
  launch.cooperative = flags.cooperative;
  for (const std::string& text : flags.args) {
    Result<Argument> argument = parse_argument(text, launch.args.size(), description.buffers);
    if (!argument.ok()) return usage_error(fmt::format("--arg {}: {}", text, argument.status().message()));
    launch.args.push_back(std::move(*argument));
  }
  WL_TRY(add_outputs(flags, description));
  number_seeds(&description);
  if (const Status status = check_description(description); !status.ok())
    return usage_error(without_place(status).message());
  return description;
}

Status without_place(const Status& status) {
  constexpr std::string_view kLaunch = "launches[0]: ", kArgument = "launches[0].args[";
  const std::string& message = status.message();
  if (message.starts_with(kLaunch)) return Status(status.code(), message.substr(kLaunch.size()));
  if (!message.starts_with(kArgument)) return status;
  std::string number = message.substr(kArgument.size());
  if (const size_t bracket = number.find(']'); bracket != std::string::npos) number.erase(bracket, 1);
  const bool unnamed = contains(number, "no buffer '");
  return Status(status.code(), "argument " + number + (unnamed ? "; a new one is NAME=f32[SIZE]" : ""));
}

}  // namespace warplens::launch
