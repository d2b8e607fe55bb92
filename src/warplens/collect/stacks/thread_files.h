// What the system tells of a thread of this process in /proc/self/task/THREAD: the files stay open, so that the numbers
// of the program's own are what they are without us, and a look is one call.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace warplens::collect {

enum class ThreadFile : uint8_t { kSystemCall, kStatus };

/// What the file says now, as much as fits into `to`; empty where there is no such thread or the system does not tell.
/// One caller at a time.
std::string_view read_thread_file(uint32_t thread, ThreadFile file, std::span<char> to);

}  // namespace warplens::collect
