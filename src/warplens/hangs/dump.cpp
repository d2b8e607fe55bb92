#include "warplens/hangs/dump.h"

#include <algorithm>
#include <cctype>

#include "warplens/base/growth.h"
#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/trace/pickle/pickle.h"

namespace warplens::hangs {
namespace {

constexpr int64_t kMostRanks = 1 << 20;

std::string text(const json::Value& of, const char* key) {
  const json::Value* found = of.find(key);
  return found != nullptr && found->string() != nullptr ? *found->string() : std::string();
}

int64_t whole(const json::Value& of, const char* key, int64_t otherwise = 0) {
  const json::Value* found = of.find(key);
  if (found == nullptr) return otherwise;
  if (const auto number = found->integer()) return *number;
  return found->string() != nullptr ? parse_int(*found->string()).value_or(otherwise) : otherwise;
}

/// Lists of numbers and texts as one text: "[[4, 8]]".
std::string plain_text(const json::Value* value) {
  if (value == nullptr) return "";
  if (const auto number = value->integer()) return fmt::format("{}", *number);
  if (value->string() != nullptr) return *value->string();
  if (value->array() == nullptr) return "";
  std::vector<std::string> parts;
  for (const json::Value& item : *value->array()) parts.push_back(plain_text(&item));
  return "[" + join(parts, ", ") + "]";
}

/// [0, 1], or the text "[0, 1]".
std::vector<int64_t> rank_list(const json::Value* value) {
  std::vector<int64_t> out;
  const std::string all = plain_text(value);
  for (size_t at = 0; at < all.size();) {
    size_t end = at;
    while (end < all.size() && std::isdigit(static_cast<unsigned char>(all[end])) != 0) ++end;
    if (const auto rank = parse_int(std::string_view(all).substr(at, end - at)); rank && *rank < kMostRanks)
      out.push_back(*rank);
    at = end + 1;
  }
  return out;
}

std::string place_of(const json::Value& entry) {
  const json::Value* frames = entry.find("frames");
  if (frames == nullptr || frames->array() == nullptr) return "";
  const auto shown = [](const json::Value& f) {
    return fmt::format("{}:{} {}", text(f, "filename"), whole(f, "line"), text(f, "name"));
  };
  for (const json::Value& frame : *frames->array()) {
    const std::string file = text(frame, "filename");
    if (!file.empty() && !contains(file, "site-packages/") && !contains(file, "dist-packages/") &&
        !contains(file, "torch/"))
      return shown(frame);
  }
  return frames->array()->empty() ? "" : shown(frames->array()->front());
}

std::optional<State> state_named(const std::string& name) {
  if (name == "scheduled") return State::kScheduled;
  if (name == "started") return State::kStarted;
  if (name == "completed") return State::kCompleted;
  return std::nullopt;
}

void add_entry(const json::Value& value, Dump& out) {
  Entry entry;
  const json::Value* group = value.find("process_group");
  if (group != nullptr && group->array() != nullptr && !group->array()->empty())
    entry.group = plain_text(&group->array()->front());
  else entry.group = text(value, "pg_name").empty() ? plain_text(value.find("pg_id")) : text(value, "pg_name");
  entry.name = text(value, "profiling_name");
  const json::Value* is_p2p = value.find("is_p2p");
  entry.point_to_point = is_p2p != nullptr && is_p2p->boolean() != nullptr && *is_p2p->boolean();
  entry.sequence = whole(value, entry.point_to_point ? "p2p_seq_id" : "collective_seq_id", whole(value, "seq_id", -1));
  entry.sizes = plain_text(value.find("input_sizes"));
  entry.dtypes = plain_text(value.find("input_dtypes"));
  entry.created_ns = whole(value, "time_created_ns");
  entry.timeout_ms = whole(value, "timeout_ms");
  entry.place = place_of(value);
  const std::optional<State> state = state_named(text(value, "state"));
  if (!state || entry.name.empty() || entry.sequence < 0) {
    ++out.left_out;
    return;
  }
  entry.state = *state;
  out.entries.push_back(std::move(entry));
}

std::optional<int64_t> rank_in_name(const std::string& path) {
  size_t end = path.size();
  for (const std::string_view ending : {".json", ".pickle", ".pkl", ".bin", ".pt"}) {
    if (path.ends_with(ending)) end = path.size() - ending.size();
  }
  size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(path[begin - 1])) != 0) --begin;
  return parse_int(std::string_view(path).substr(begin, end - begin));
}

Result<json::Value> parse(const std::string& bytes) {
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && bytes[first] == '{') return json::parse(bytes);
  const Result<pickle::Document> document = pickle::read(bytes);
  if (!document.ok() && !bytes.starts_with('\x80'))  // as pickles of protocol 2 and later do, PyTorch's among them
    return Status(document.status().code(),
                  document.status().message() +
                      ". `warplens hang` reads the dumps that ranks write with TORCH_NCCL_TRACE_BUFFER_SIZE=2000 and "
                      "TORCH_NCCL_DUMP_ON_TIMEOUT=1");
  WL_TRY(document.status());
  return pickle::to_json(*document, most_unpacked_bytes(bytes.size()));
}

}  // namespace

Result<Dump> read_dump(const std::string& path, const std::string& bytes) {
  Result<json::Value> parsed = parse(bytes);
  if (!parsed.ok()) return parsed.status().in(path);
  const json::Value& root = *parsed;
  const json::Value* entries = root.find("entries");
  if (entries == nullptr || entries->array() == nullptr)
    return invalid_input(path + ": not a dump of the flight recorder: it has no entries");
  Dump out;
  out.file = path;
  out.version = text(root, "version");
  const std::optional<int64_t> named = rank_in_name(path);
  out.rank = whole(root, "rank", named.value_or(-1));
  if (out.rank < 0)
    return invalid_input(path +
                         ": it does not name its rank; keep the name that PyTorch gave it, which ends with the rank");
  if (const json::Value* groups = root.find("pg_config"); groups != nullptr && groups->object() != nullptr) {
    for (const auto& [name, group] : *groups->object())
      out.groups[name] = {text(group, "desc"), rank_list(group.find("ranks"))};
  }
  for (const json::Value& entry : *entries->array()) add_entry(entry, out);
  return out;
}

}  // namespace warplens::hangs
