// A fast checksum against damage of stored data; no protection against an attacker.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens {

/// 64 bits of `bytes`, the same on every machine of the same byte order; about as fast as memory can be read.
uint64_t checksum(std::string_view bytes);

}  // namespace warplens
