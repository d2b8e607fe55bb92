// The only file that knows the argument parser (CLI11, which takes seconds to compile).
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "warplens/base/letter_case.h"
#include "warplens/base/text.h"
#include "warplens/cli/config.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {
namespace {

std::string key_of(const Flag& flag) { return std::string(split(flag.names, ',').back()); }

/// What other programs call a flag.
constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
    {"-n", "--limit"}, {"--top", "--limit"}, {"--rows", "--limit"}, {"--out", "--output"}, {"--gpu-name", "--device"}};

std::string unknown_flag(const Verb& verb, const std::string& given) {
  std::vector<std::string> names;
  for (const Flag& flag : flags_of(verb)) {
    for (const std::string_view name : split(flag.names, ',')) names.emplace_back(name);
  }
  const auto* const elsewhere =
      std::ranges::find(kElsewhere, given, &std::pair<std::string_view, std::string_view>::first);
  const bool known = elsewhere != std::end(kElsewhere) && std::ranges::find(names, elsewhere->second) != names.end();
  // All single letters are near each other.
  const std::string near = known ? std::string(elsewhere->second) : given.size() > 2 ? nearest(given, names) : "";
  return fmt::format("no flag {}{}", given, near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

Status check_choices(const std::vector<Flag>& flags, const Invocation& invocation) {
  for (const Flag& flag : flags) {
    for (const std::string& value : invocation.list(key_of(flag))) {
      if (!flag.choices.empty() && std::find(flag.choices.begin(), flag.choices.end(), value) == flag.choices.end())
        return usage_error(fmt::format("{} '{}': give one of {}", key_of(flag), value, fmt::join(flag.choices, ", ")));
    }
  }
  return {};
}

/// Neither the first nor the last of two values is what was asked for.
Status check_repeats(const std::vector<Flag>& flags, const Invocation& invocation) {
  for (const Flag& flag : flags) {
    const std::vector<std::string> given = invocation.list(key_of(flag));
    if (!flag.repeats && given.size() > 1)
      return usage_error(fmt::format("{} is given {} times, as {}: give it once, with commas where it takes several",
                                     key_of(flag), given.size(), fmt::join(given, " and ")));
  }
  return {};
}

/// What the environment says where the command line does not.
Status take_environment(const std::vector<Flag>& flags, Invocation& invocation) {
  for (const Flag& flag : flags) {
    if (!flag.from_environment) continue;
    const char* const text = std::getenv(environment_name(flag).c_str());
    if (text == nullptr || *text == '\0' || invocation.values.contains(key_of(flag))) continue;
    const std::string value = text;
    invocation.origins[key_of(flag)] = environment_name(flag);
    if (!flag.value.empty()) {
      invocation.values[key_of(flag)] = {value};
    } else if (value == "1" || value == "true" || value == "on" || value == "yes") {
      invocation.values[key_of(flag)] = {};
    } else if (value != "0" && value != "false" && value != "off" && value != "no") {
      return usage_error(fmt::format("{}={}: give 1 or 0", environment_name(flag), value));
    }
    WL_TRY(check_choices({flag}, invocation).in(environment_name(flag)));
  }
  return {};
}

/// What the config file says where neither the command line nor the environment does.
Status take_config(const Verb& verb, const std::vector<Flag>& flags, Invocation& invocation) {
  WL_ASSIGN(Config config, read_config(invocation.text("--config")));
  invocation.class_rules = std::move(config.class_rules);
  invocation.config_note = std::move(config.unread);
  if (const std::vector<std::string>& left_out = config.left_out[verb.name]; !left_out.empty())
    invocation.config_note = fmt::format(
        "{0}: {1} ignored, because you did not name this file with --config, and anybody could have written it; "
        "--config {0} "
        "accepts all of it",
        config.path, fmt::join(left_out, ", "));
  for (auto& [key, values] : config.flags[verb.name]) {
    if (invocation.values.try_emplace(key, std::move(values)).second) invocation.origins[key] = config.path;
  }
  return check_choices(flags, invocation).in(config.path);
}

/// The format that the ending of -o's file says, where nothing else says one.
void take_format_of_output(const Verb& verb, Invocation& invocation) {
  if (verb.prints != Prints::kData || invocation.has("--json") || !invocation.assumed.contains("--format")) return;
  for (const char* format : {"json", "csv", "md"}) {
    if (invocation.text("--output").ends_with(fmt::format(".{}", format))) invocation.values["--format"] = {format};
  }
}

/// A file whose name says a picture or a page would hold a table all the same.
Status check_output_name(const Verb& verb, const Invocation& invocation) {
  if (verb.prints != Prints::kData) return {};
  const std::string name = invocation.text("--output");
  for (const char* ending : {".html", ".htm", ".png", ".svg", ".pdf", ".jpg", ".xlsx", ".parquet"}) {
    if (name.ends_with(ending))
      return usage_error(fmt::format(
          "-o {}: {} writes tables: name a file in .txt, .json, .csv or .md. `warplens report` writes HTML, `warplens "
          "export` pictures",
          name, verb.name));
  }
  return {};
}

/// "--check" alone becomes "--check=all", for flags that may stand without a value.
std::vector<std::string> with_bare_values(const Verb& verb, std::vector<std::string> arguments) {
  const auto own_end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto it = arguments.begin(); it != own_end; ++it) {
    for (const Flag& flag : verb.flags) {
      const bool alone = it + 1 == own_end || (it + 1)->starts_with("-");
      if (!flag.bare.empty() && *it == flag.names && alone) *it += "=" + flag.bare;
    }
  }
  return arguments;
}

}  // namespace

std::string environment_name(const Flag& flag) {
  if (!flag.from_environment) return "";
  std::string name = "WARPLENS_";
  for (const char c : key_of(flag).substr(2)) name += c == '-' ? '_' : upper(c);
  return name;
}

Result<Invocation> parse(const Verb& verb, const std::vector<std::string>& given) {
  const std::vector<std::string> arguments = with_bare_values(verb, given);
  Invocation invocation;
  const auto own_end = std::find(arguments.begin(), arguments.end(), "--");
  if (own_end != arguments.end()) invocation.command.assign(own_end + 1, arguments.end());

  CLI::App app;
  app.set_help_flag();
  app.allow_extras(false);
  std::map<std::string, std::vector<std::string>> texts;
  std::map<std::string, bool> switches;
  const std::vector<Flag> flags = flags_of(verb);
  for (const Flag& flag : flags) {
    const std::string key = key_of(flag);
    if (flag.value.empty()) {
      app.add_flag(flag.names, switches[key]);
      continue;
    }
    CLI::Option* option = app.add_option(flag.names, texts[key]);
    // One value a time it is given, also where the value looks like a flag's operand list.
    option->type_size(1)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    option->trigger_on_parse(false)->delimiter('\0')->allow_extra_args(false);
  }
  app.add_option("operands", invocation.operands);
  std::vector<std::string> reversed(arguments.begin(), own_end);
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ExtrasError&) {
    for (auto it = arguments.begin(); it != own_end; ++it) {
      if (it->size() > 1 && it->front() == '-') {
        const std::string name = it->substr(0, it->find('='));
        if (app.get_option_no_throw(name) == nullptr) return usage_error(unknown_flag(verb, name));
      }
    }
    return usage_error("too many arguments");
  } catch (const CLI::ArgumentMismatch& error) {  // "--format: 1 required TEXT missing"
    const std::string message = error.what();
    return usage_error(message.substr(0, message.find(':')) + " needs a value");
  } catch (const CLI::Error& error) {
    return usage_error(error.what());
  }
  for (const auto& [key, on] : switches) {
    if (on) invocation.values[key] = {};
  }
  for (auto& [key, list] : texts) {
    if (!list.empty()) invocation.values[key] = std::move(list);
  }
  for (const auto& [key, values] : invocation.values) invocation.given.insert(key);
  WL_TRY(check_repeats(flags, invocation));
  WL_TRY(check_choices(flags, invocation));
  WL_TRY(take_environment(flags, invocation));
  WL_TRY(take_config(verb, flags, invocation));
  for (const Flag& flag : flags) {
    if (flag.initial.empty()) continue;
    if (invocation.values.try_emplace(key_of(flag), std::vector{flag.initial}).second)
      invocation.assumed.insert(key_of(flag));
  }
  take_format_of_output(verb, invocation);
  WL_TRY(check_output_name(verb, invocation));
  WL_TRY(check_use(verb, invocation));
  return invocation;
}

}  // namespace warplens::cli
