// Arguments of Perfetto's events as JSON.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "warplens/trace/readers/input/growth.h"

namespace warplens::perfetto {

/// Texts that a sequence of packets names by number.
using Texts = std::unordered_map<uint64_t, std::string_view>;

struct AnnotationTexts {
  Texts names, values;
};

struct Annotation {
  std::string name, json;  // `json` is empty if nothing could be read
};

/// Lists and dictionaries deeper than 64 levels are left out, and texts that `growth` does not take.
Annotation read_annotation(std::string_view bytes, const AnnotationTexts& texts, Growth& growth);

}  // namespace warplens::perfetto
