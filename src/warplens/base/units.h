// Numbers as people read them: times, sizes, rates, shares.
#pragma once
#include <cstdint>
#include <string>

namespace warplens {

std::string format_ns(double ns);             // "812 ns", "3.42 us", "17.0 ms", "2.35 s"
std::string format_bytes(double bytes);       // "512 B", "3.42 KiB", "1.20 GiB"; powers of 1024, and named so
std::string format_rate(double bytes_per_s);  // "820 GB/s", "4.80 TB/s"; powers of 1000, as data sheets have them
std::string format_count(double count);       // "950", "12.3 k", "4.1 M"
std::string format_share(double share);       // 0.1234 -> "12.3 %"

}  // namespace warplens
