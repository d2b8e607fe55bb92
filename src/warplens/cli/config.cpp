// The only file that knows toml++ (which takes seconds to compile).
#include "warplens/cli/config.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <filesystem>

#include "warplens/base/files.h"
#include "warplens/base/text.h"
#include "warplens/build/compile/carried_options.h"
#include "warplens/cli/verb.h"
#include "warplens/gpu/device.h"
#include "warplens/program/analysis/classify/rules.h"

namespace warplens::cli {
namespace {

constexpr const char* kName = "warplens.toml";
constexpr int64_t kMostDots = 10'000;  // toml++ calls itself once for each part of a key

/// The nearest file from the working directory upwards; "" where there is none.
std::string nearest_config() {
  std::error_code error, absent;
  for (auto folder = std::filesystem::current_path(error); !error; folder = folder.parent_path()) {
    if (std::filesystem::is_regular_file(folder / kName, absent)) return (folder / kName).string();
    if (folder == folder.parent_path()) break;
  }
  return "";
}

Status error_at(const toml::source_region& at, const std::string& message) {
  return usage_error(fmt::format("line {}: {}", at.begin.line, message));
}

/// What toml++ takes for granted: few parts of keys, for each of which it calls itself, and a name after [.
Status check_text(std::string_view text) {
  const auto dots = std::count(text.begin(), text.end(), '.');
  if (dots > kMostDots)
    return usage_error(
        fmt::format("{} dots, where settings have at most {}: keys are nested too deeply", dots, kMostDots));
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    const auto skip = [&](std::string_view what) {
      line.remove_prefix(std::min(line.find_first_not_of(what), line.size()));
    };
    ++number;
    skip(" \t");
    if (!line.starts_with('[')) continue;
    skip("[");
    skip(" \t");
    const char first = line.empty() ? '\0' : line[0];
    if (!std::isalnum(static_cast<unsigned char>(first)) && !contains("_-\"'", std::string_view(&first, 1)))
      return usage_error(fmt::format("line {}: the name of a table is expected after [", number));
  }
  return {};
}

Status unknown(const toml::key& key, const std::string& what, const std::vector<std::string>& known) {
  const std::string near = nearest(key.str(), known);
  return error_at(key.source(), fmt::format("{} '{}' is not known{}", what, key.str(),
                                            near.empty() ? fmt::format(": it may be {}", join(known, ", "))
                                                         : fmt::format("; did you mean '{}'?", near)));
}

/// Members in the order of the file: of class rules the first that fits wins.
std::vector<std::pair<const toml::key*, const toml::node*>> members(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> out;
  for (const auto& [key, node] : table) out.emplace_back(&key, &node);
  std::ranges::stable_sort(out, {}, [](const auto& member) { return member.first->source().begin.line; });
  return out;
}

Result<std::string> text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  return error_at(node.source(), "give a string or a number here");
}

std::string long_name(const Flag& flag) { return std::string(split(flag.names, ',').back()); }

Result<std::vector<std::string>> values_of(const Flag& flag, const toml::key& key, const toml::node& node) {
  if (flag.value.empty()) {  // a switch
    if (node.as_boolean()) return std::vector<std::string>{};
    return error_at(key.source(), fmt::format("'{}' takes true or false", key.str()));
  }
  std::vector<std::string> out;
  if (const toml::array* list = node.as_array()) {
    if (!flag.repeats) return error_at(key.source(), fmt::format("'{}' takes one value", key.str()));
    for (const toml::node& element : *list) {
      WL_ASSIGN(std::string text, text_of(element));
      out.push_back(std::move(text));
    }
    return out;
  }
  WL_ASSIGN(std::string text, text_of(node));
  return std::vector{std::move(text)};
}

/// The compiler's options that a found file may give; empty where it has another among them.
std::vector<std::string> harmless(const std::vector<std::string>& options, const Config& config) {
  const std::string folder = std::filesystem::path(config.path).parent_path().string();
  Result<std::vector<std::string>> taken = compile::carried_options(options, folder);
  return taken.ok() ? std::move(taken).value() : std::vector<std::string>();
}

/// What lets others see or reach more: the folder that agents may read, ports, another site's page.
bool opens_up(std::string_view flag) {
  return flag == "--root" || flag == "--http" || flag == "--metrics-port" || flag == "--perfetto";
}

void take_flag(const std::string& verb, const std::string& flag, std::vector<std::string> values, Config& config) {
  if (config.was_found && flag == "--option") values = harmless(values, config);
  if (config.was_found && (writes_files(flag) || opens_up(flag) || (flag == "--option" && values.empty())))
    config.left_out[verb].push_back(flag);
  else config.flags[verb][flag] = std::move(values);
}

Status read_flags(const Verb& verb, const toml::table& table, Config& config) {
  const std::vector<Flag> flags = flags_of(verb);
  std::vector<std::string> known;
  for (const Flag& flag : flags) {
    if (const std::string name = long_name(flag); name != "--config") known.push_back(name.substr(2));
  }
  for (const auto& [key, node] : members(table)) {
    const auto flag = std::ranges::find(flags, "--" + std::string(key->str()), long_name);
    if (flag == flags.end() || key->str() == "config") return unknown(*key, "flag of " + verb.name, known);
    WL_ASSIGN(std::vector<std::string> values, values_of(*flag, *key, *node));
    if (node->value_or(true) || !node->is_boolean()) take_flag(verb.name, long_name(*flag), std::move(values), config);
  }
  return {};
}

Status read_classes(const toml::table& table, Config& config) {
  for (const auto& [field, node] : members(table)) {
    if (!node->is_table())
      return error_at(field->source(), "give [classes.kernel], with lines of \"GLOB\" = \"CLASS\"");
    for (const auto& [glob, value] : members(*node->as_table())) {
      WL_ASSIGN(const std::string name, text_of(*value));
      const std::string rule = fmt::format("{} {} {}\n", field->str(), glob->str(), name);
      if (const auto rules = analysis::class_rules(rule); !rules.ok()) {
        const std::string& message = rules.status().message();  // "line 1: ..."
        return error_at(glob->source(), message.substr(message.find(": ") + 2));
      }
      config.class_rules += rule;
    }
  }
  return {};
}

/// Strings of devices live as long as the catalogue.
const char* kept(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text)).c_str();
}

/// A property of a device, by the name it has in the file.
struct Property {
  std::string_view name;
  int gpu::Device::* whole;
  double gpu::Device::* real;
};

constexpr Property kProperties[] = {
    {"sms", &gpu::Device::sms, nullptr},
    {"boost_mhz", &gpu::Device::boost_mhz, nullptr},
    {"l2_mb", &gpu::Device::l2_mb, nullptr},
    {"memory_gib", &gpu::Device::memory_gib, nullptr},
    {"fp32_tflops", nullptr, &gpu::Device::fp32_tflops},
    {"fp64_tflops", nullptr, &gpu::Device::fp64_tflops},
    {"fp64_tensor_tflops", nullptr, &gpu::Device::fp64_tensor_tflops},
    {"tf32_tflops", nullptr, &gpu::Device::tf32_tflops},
    {"half_tflops", nullptr, &gpu::Device::half_tflops},
    {"fp8_tflops", nullptr, &gpu::Device::fp8_tflops},
    {"dram_gbs", nullptr, &gpu::Device::dram_gbs},
    {"dram_measured", nullptr, &gpu::Device::dram_measured},
};

Status set_property(gpu::Device& device, const toml::key& key, const toml::node& node) {
  const auto property = std::ranges::find(kProperties, key.str(), &Property::name);
  if (property == std::end(kProperties)) {
    std::vector<std::string> known = {"like", "name"};
    for (const Property& p : kProperties) known.emplace_back(p.name);
    return unknown(key, "property of a device", known);
  }
  const std::optional<double> number = node.value<double>();
  const bool fits = number && (property->whole ? *number >= 1 && *number < 1e6 : *number >= 0 && *number < 1e9);
  if (!fits) return error_at(key.source(), fmt::format("'{}' takes a number above 0", key.str()));
  if (property->whole) device.*property->whole = static_cast<int>(*number);
  else device.*property->real = *number;
  return {};
}

Status read_device(const toml::key& key, const toml::node& node) {
  const toml::table* table = node.as_table();
  const auto like = table ? (*table)["like"].value<std::string>() : std::nullopt;
  if (!like) return error_at(key.source(), "a device needs like = \"h100\": the known GPU that it is closest to");
  const Result<const gpu::Device*> known = gpu::find_device(*like);
  if (!known.ok()) return known.status().in(fmt::format("line {}", key.source().begin.line));
  gpu::Device device = **known;
  device.key = kept(std::string(key.str()));
  device.name = kept((*table)["name"].value_or(std::string(key.str())));
  device.aliases.clear();
  for (const auto& [name, value] : members(*table)) {
    if (name->str() != "like" && name->str() != "name") WL_TRY(set_property(device, *name, *value));
  }
  return gpu::add_device(std::move(device)).in(fmt::format("line {}", key.source().begin.line));
}

Status read_section(const toml::key& key, const toml::node& node, Config& config) {
  std::vector<std::string> known = {"classes", "devices"};
  for (const Verb* verb : all_verbs()) known.push_back(verb->name);
  if (std::ranges::find(known, key.str()) == known.end()) return unknown(key, "section", known);
  const toml::table* table = node.as_table();
  if (!table) return error_at(key.source(), fmt::format("'{0}' is a section: write [{0}]", key.str()));
  if (key.str() == "classes") return read_classes(*table, config);
  if (key.str() == "devices") {
    for (const auto& [name, device] : members(*table)) WL_TRY(read_device(*name, *device));
    return {};
  }
  const auto verb = std::ranges::find(all_verbs(), key.str(), &Verb::name);
  return read_flags(**verb, *table, config);
}

}  // namespace

Result<Config> read_config(const std::string& chosen) {
  Config config;
  config.was_found = chosen.empty();
  config.path = chosen == "none" ? "" : chosen.empty() ? nearest_config() : chosen;
  if (config.path.empty()) return config;
  if (config.was_found && !is_own(config.path)) {
    config.unread = fmt::format(
        "{} is not read: it is a link, belongs to another user, or others may write to it; --config {} reads it",
        config.path, config.path);
    return config;
  }
  WL_ASSIGN(const std::string text, read_file(config.path));
  WL_TRY(check_text(text).in(config.path));
  const toml::parse_result parsed = toml::parse(text, config.path);
  if (!parsed) return error_at(parsed.error().source(), std::string(parsed.error().description())).in(config.path);
  for (const auto& [key, node] : members(parsed.table())) WL_TRY(read_section(*key, *node, config).in(config.path));
  return config;
}

}  // namespace warplens::cli
