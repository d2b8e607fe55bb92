// Samples the stacks of the host's threads. Python's sampler (sitecustomize.py) samples Python's threads, with their
// frames. Ours samples other threads that launch, and all threads of a program without Python.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace warplens::collect {

/// To be called once, before any of the others.
void prepare_host_sampler();

/// Starts our own thread, which ends when recording does or when Python begins to sample.
void start_host_sampler(uint64_t period_ns);

/// Waits for `period_us`, then samples Python's threads, whose HostState goes to `states`, and records the stacks of
/// other threads that launch. 1: Python stacks are wanted now; 0: recording pauses; -1: it is over.
int sample_threads(const uint32_t* threads, uint8_t* states, int count, uint32_t period_us);

/// Records the stack of a thread of the last sample_threads(): its Python frames, outermost first and joined by ';',
/// then the native frames that they called.
void record_python_sample(uint32_t thread, uint8_t state, std::string_view python);

}  // namespace warplens::collect
