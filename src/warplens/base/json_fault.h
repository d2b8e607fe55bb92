// Finds where a text stops being JSON, for people who write it by hand. simdjson names the mistake, but not its place.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warplens::json {

struct Fault {
  size_t offset = 0;   // in bytes; the size of the text when it ends too early
  std::string wanted;  // what should have been there: "a ',' or '}'"
};

/// The first place where `text` breaks the grammar of RFC 8259, or nothing.
std::optional<Fault> find_fault(std::string_view text);

/// "line 3, column 8", both from 1, the column in bytes.
std::string line_and_column(std::string_view text, size_t offset);

}  // namespace warplens::json
