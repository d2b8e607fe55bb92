// Numbers as people read them: times, sizes, rates, shares.
#pragma once
#include <cstdint>
#include <string>

namespace warplens {

std::string format_ns(double ns);        // "812 ns", "3.42 us", "17.0 ms", "2.35 s"
std::string format_bytes(double bytes);  // "512 B", "3.4 KB", "1.2 GB"; powers of 1024
std::string format_count(double count);  // "950", "12.3 k", "4.1 M"
std::string format_share(double share);  // 0.1234 -> "12.3 %"

}  // namespace warplens
