#include <array>
#include <cctype>

#include "warplens/base/letter_case.h"
#include "warplens/program/analysis/ranks/waiting.h"

namespace warplens::analysis {
namespace {

/// "_allgather_base", "all_gather_into_tensor", "AllGather" -> "allgatherbase", ...: letters only, lower case.
std::string letters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c))) out += lower(c);
  }
  return out;
}

struct ElementType {
  std::string_view name;
  int64_t bytes;
};

constexpr std::array kElementTypes = {
    ElementType{"float", 4},        ElementType{"double", 8},        ElementType{"half", 2},
    ElementType{"bfloat16", 2},     ElementType{"long", 8},          ElementType{"int", 4},
    ElementType{"short", 2},        ElementType{"char", 1},          ElementType{"byte", 1},
    ElementType{"bool", 1},         ElementType{"float8_e4m3fn", 1}, ElementType{"float8_e5m2", 1},
    ElementType{"complexfloat", 8}, ElementType{"complexdouble", 16}};

}  // namespace

double bus_factor(std::string_view collective, int32_t group_size) {
  if (group_size < 2) return 1;
  const double n = group_size;
  const std::string name = letters(collective);
  if (name.find("allreduce") != std::string::npos) return 2 * (n - 1) / n;
  for (const std::string_view part : {"allgather", "reducescatter", "alltoall", "gather", "scatter"}) {
    if (name.find(part) != std::string::npos) return (n - 1) / n;
  }
  return 1;
}

int64_t element_bytes(std::string_view dtype) {
  const std::string name = lower(dtype);
  for (const ElementType& type : kElementTypes) {
    if (type.name == name) return type.bytes;
  }
  return 0;
}

}  // namespace warplens::analysis
