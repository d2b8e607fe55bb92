#include "warplens/explain/annotation.h"

#include <algorithm>
#include <filesystem>

#include "warplens/base/folders.h"
#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/output/source_excerpt.h"

namespace warplens::explain {
namespace {

/// The path from the working directory where the file lies under it, as reviewers' tools want it; else unchanged.
std::string review_path(const std::string& file) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path whole =
      std::filesystem::path(file).is_absolute() ? std::filesystem::path(file) : here / file;
  const std::string relative = whole.lexically_normal().lexically_relative(here.lexically_normal()).generic_string();
  return error || relative.empty() || relative.starts_with("..") ? file : relative;
}

std::string github_escaped(std::string text, bool property) {
  text = replace_all(std::move(text), "%", "%25");
  text = replace_all(replace_all(std::move(text), "\r", "%0D"), "\n", "%0A");
  if (!property) return text;
  return replace_all(replace_all(std::move(text), ":", "%3A"), ",", "%2C");
}

std::string_view github_command(Level level) {
  return level == Level::kError ? "error" : level == Level::kWarning ? "warning" : "notice";
}

std::string_view sarif_level(Level level) {
  return level == Level::kError ? "error" : level == Level::kWarning ? "warning" : "note";
}

/// Percent-encoded where a URI needs it.
std::string uri_of(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) || std::string_view("-._~/+@!$&'()*,;=").find(c) != std::string_view::npos;
    if (plain) out += c;
    else out += fmt::format("%{:02X}", byte);
  }
  return path.starts_with('/') ? "file://" + out : out;
}

void write_text(json::Writer& w, std::string_view key, std::string_view text) {
  w.key(key).begin_object().member("text", text).end_object();
}

void write_rules(json::Writer& w, const std::vector<const Explanation*>& rules) {
  w.key("rules").begin_array();
  for (const Explanation* e : rules) {
    w.begin_object().member("id", e->id);
    write_text(w, "shortDescription", e->title);
    write_text(w, "fullDescription", e->meaning);
    write_text(w, "help", fmt::format("Evidence: {}\nAdvice: {}\nSaving: {}", e->evidence, e->advice, e->saving));
    if (const std::string_view link = link_of(e->id); !link.empty()) w.member("helpUri", link);
    w.end_object();
  }
  w.end_array();
}

void write_location(json::Writer& w, const Location& at) {
  w.begin_object().key("physicalLocation").begin_object();
  w.key("artifactLocation").begin_object().member("uri", uri_of(review_path(at.file))).end_object();
  w.key("region").begin_object().member("startLine", uint64_t{std::max<uint32_t>(at.line, 1)});
  // SARIF is uploaded: of the files that a trace names only those of the project may be quoted. Line 0 has no text.
  if (const auto text = is_within(".", at.file) ? source_line(at.file, at.line) : std::nullopt)
    write_text(w, "snippet", *text);
  w.end_object().end_object().end_object();
}

void write_result(json::Writer& w, const Annotation& annotation, const Location& input, size_t rule) {
  w.begin_object().member("ruleId", annotation.id).member("ruleIndex", uint64_t{rule});
  w.member("level", sarif_level(annotation.level));
  write_text(w, "message", annotation.message);
  w.key("locations").begin_array();
  write_location(w, annotation.locations.empty() ? input : annotation.locations.front());
  w.end_array();
  if (annotation.locations.size() > 1) {
    w.key("relatedLocations").begin_array();
    for (size_t i = 1; i < annotation.locations.size(); ++i) write_location(w, annotation.locations[i]);
    w.end_array();
  }
  w.end_object();
}

/// "47" -> 47; nothing when it is no line number.
std::optional<uint32_t> line_number(std::string_view text) {
  const std::optional<int64_t> line = parse_int(text);
  if (!line || *line <= 0 || *line > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*line);
}

std::optional<Location> location_in(std::string_view place) {
  if (const size_t at = place.rfind(" at "); at != std::string_view::npos) place.remove_prefix(at + 4);
  if (const size_t end = place.find("):"); end != std::string_view::npos) {  // Python: "train.py(42): forward"
    const size_t open = place.rfind('(', end);
    if (open == std::string_view::npos || open == 0) return std::nullopt;
    if (const auto line = line_number(place.substr(open + 1, end - open - 1)))
      return Location{std::string(place.substr(0, open)), *line};
  }
  const size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  if (const auto line = line_number(place.substr(colon + 1)))
    return Location{std::string(place.substr(0, colon)), *line};
  return std::nullopt;
}

}  // namespace

Level level_of(std::string_view severity) {
  return severity == "critical" ? Level::kError : severity == "warn" ? Level::kWarning : Level::kNote;
}

std::vector<Location> locations_in(const std::vector<std::string>& places) {
  std::vector<Location> out;
  for (const std::string& place : places) {
    std::optional<Location> at = location_in(place);
    const bool known = at && std::ranges::any_of(out, [&](const Location& other) {
                         return other.file == at->file && other.line == at->line;
                       });
    if (at && !known) out.push_back(std::move(*at));
  }
  return out;
}

std::string to_github(const std::vector<Annotation>& annotations) {
  std::string out;
  for (const Annotation& a : annotations) {
    std::string where;
    if (!a.locations.empty()) {
      where = fmt::format("file={},", github_escaped(review_path(a.locations[0].file), true));
      if (a.locations[0].line) where += fmt::format("line={},", a.locations[0].line);
    }
    out += fmt::format("::{} {}title={}::{}\n", github_command(a.level), where, github_escaped(a.id, true),
                       github_escaped(a.message, false));
  }
  return out;
}

std::string to_sarif(const std::vector<Annotation>& annotations, const std::string& input, std::string_view version) {
  std::vector<const Explanation*> rules;
  std::vector<size_t> rule_of;  // index into rules
  for (const Annotation& a : annotations) {
    const Explanation* rule = find_explanation(a.id, a.scope);
    const auto found = std::ranges::find(rules, rule);
    rule_of.push_back(static_cast<size_t>(found - rules.begin()));
    if (found == rules.end()) rules.push_back(rule);
  }
  json::Writer w(true);
  w.begin_object().member("$schema", "https://json.schemastore.org/sarif-2.1.0.json").member("version", "2.1.0");
  w.key("runs").begin_array().begin_object().key("tool").begin_object().key("driver").begin_object();
  w.member("name", "warplens").member("version", version);
  write_rules(w, rules);
  w.end_object().end_object().key("results").begin_array();
  for (size_t i = 0; i < annotations.size(); ++i) write_result(w, annotations[i], {input, 0}, rule_of[i]);
  w.end_array().end_object().end_array().end_object();
  return w.take() + "\n";
}

}  // namespace warplens::explain
