// Which code launches: the stack of the thread that is inside a CUDA call, Python's frames and the native ones below
// them.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::collect {

/// To be called once, before threads launch: what unwinding needs is loaded.
void prepare_launch_stacks();

/// Gives `deliver` the stack of this thread, outermost first: "train.py(12): step;libtorch_cpu.so: at::native::add",
/// joined by
/// ';'. Libraries let go of Python's lock while they launch, and to wait for it here might never end: Python's part is
/// then read, and all delivered, when the main thread is back in the interpreter, which is behind the very call. Other
/// threads without the lock give native frames alone.
void take_launch_stack(uint64_t at, void (*deliver)(uint64_t at, std::string_view stack));

/// A path as stacks name it: installed packages without their folder, the program's own from where it began.
std::string_view short_path(std::string_view path, std::string_view working_folder);

}  // namespace warplens::collect
