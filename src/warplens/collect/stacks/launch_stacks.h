// Which code launches: the stack of the thread that is inside a CUDA call, Python's frames and the native ones below
// them.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::collect {

/// Call this once, before threads launch: it loads everything that unwinding needs.
void prepare_launch_stacks();

/// Gives `deliver` the stack of this thread, outermost first: "train.py(12): step;libtorch_cpu.so:
/// at::native::add", joined by ';'. Libraries release Python's lock while they launch, and waiting for
/// it here might deadlock. Then Python's part is read, and the stack delivered, when the main thread is
/// back in the interpreter, right after the call. Other threads without the lock give native frames
/// alone.
void take_launch_stack(uint64_t at, void (*deliver)(uint64_t at, std::string_view stack));

/// A path as stacks name it: installed packages without their folder, the program's own from where it began.
std::string_view short_path(std::string_view path, std::string_view working_folder);

}  // namespace warplens::collect
