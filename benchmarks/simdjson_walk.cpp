// The peer of the reader: simdjson's on-demand parser walks a whole trace in memory and touches every value, nothing
// more.
#include <simdjson.h>

#include <chrono>
#include <cstdio>
#include <ctime>

namespace {

size_t walk(simdjson::ondemand::value value) {
  size_t seen = 1;
  switch (value.type()) {
    case simdjson::ondemand::json_type::array:
      for (auto element : value.get_array()) seen += walk(element.value());
      break;
    case simdjson::ondemand::json_type::object:
      for (auto field : value.get_object()) seen += field.unescaped_key().value().size() + walk(field.value());
      break;
    case simdjson::ondemand::json_type::string: seen += value.get_string().value().size(); break;
    case simdjson::ondemand::json_type::number: seen += static_cast<size_t>(value.get_double().value() != 0); break;
    default: seen += value.raw_json_token().size();
  }
  return seen;
}

}  // namespace

int main(int, char** argv) {
  const simdjson::padded_string text = simdjson::padded_string::load(argv[1]);
  simdjson::ondemand::parser parser;
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu_begin = std::clock();
  simdjson::ondemand::document document = parser.iterate(text);
  const size_t seen = walk(document.get_value());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  const double cpu_seconds = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  std::printf("%.3f s, %.0f MB/s; %.3f s of CPU time, %.0f MB/s; %zu values and characters\n", spent.count(),
              megabytes / spent.count(), cpu_seconds, megabytes / cpu_seconds, seen);
}
