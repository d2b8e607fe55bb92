// Base64 (RFC 4648), for bytes within text.
#pragma once
#include <string>
#include <string_view>

namespace warplens {

std::string base64(std::string_view bytes);

/// The decoded form of `text`. Characters that base64 does not use are left out.
std::string bytes_of_base64(std::string_view text);

/// The base64 of a digest given as hexadecimal digits, as content security policies take it.
std::string base64_of_hex(std::string_view digits);

}  // namespace warplens
