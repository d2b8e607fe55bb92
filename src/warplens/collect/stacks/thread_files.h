// The system's files about a thread of this process in /proc/self/task/THREAD. They stay open, so the program's
// descriptors keep their usual numbers, and each look is one call.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace warplens::collect {

enum class ThreadFile : uint8_t { kSystemCall, kStatus };

/// The present content of the file, as much as fits into `to`. Empty if there is no such thread or no information. One
/// caller at a time.
std::string_view read_thread_file(uint32_t thread, ThreadFile file, std::span<char> to);

}  // namespace warplens::collect
